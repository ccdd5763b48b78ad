import { Ago } from '../components/ago.tsx';
import { decisionWords, type PastDecision } from './review.ts';
import { UntrustedText } from './untrusted_text.tsx';

const MAX_NOTE = 2000;

/** Who decided what, newest first. */
export function History({ decisions }: { decisions: readonly PastDecision[] }) {
  return (
    <section class="card" aria-labelledby="review-history">
      <div class="card-head">
        <h3 id="review-history">Earlier decisions</h3>
      </div>
      {decisions.length === 0 ? (
        <p class="card-body muted">There is no decision about it yet.</p>
      ) : (
        <ol class="review-history">
          {decisions.map(({ decision, by, at, note }) => (
            <li key={`${at} ${decision}`} class="review-past">
              <p>
                <strong>{decisionWords[decision]}</strong> <Ago at={at} /> by <UntrustedText text={by} max={100} />
              </p>
              {note && (
                <p class="muted review-note">
                  <UntrustedText text={note} max={MAX_NOTE} />
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
