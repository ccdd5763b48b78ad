import { Icon } from '../parts/icon.tsx';
import { codeWords } from './reasons.ts';
import type { MarketDetail } from './wire.ts';
import { severityMark, worstRisk } from './words.ts';

const order = ['critical', 'high', 'medium', 'low'];

/** How can this lose: where the two venues may settle differently, worst first, and what each of them writes itself. */
export function HowItCanLose({ settlement }: { settlement: NonNullable<MarketDetail['settlement']> }) {
  const risks = [...settlement.risks].sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
  const worst = worstRisk(risks);
  return (
    <section class="card" aria-labelledby="lose">
      <div class="card-head">
        <h2 id="lose">How this can lose</h2>
        <p class="muted small">
          {settlement.parity
            ? 'Pairs of this rule have been seen to settle alike, enough times to confirm it.'
            : 'That pairs of this rule settle alike is not confirmed.'}
        </p>
      </div>
      <div class="card-body">
        {worst === undefined ? (
          <p>No difference between the two rules is known. Read both texts below all the same.</p>
        ) : (
          <ul class="risks">
            {risks.map((risk) => {
              const mark = severityMark(risk.severity);
              return (
                <li key={risk.event}>
                  <p class={`state ${mark.kind}`}>
                    <Icon name={mark.icon} />
                    {mark.word}
                  </p>
                  <div>
                    <h3>{codeWords(risk.event)}</h3>
                    <p>{risk.note}</p>
                  </div>
                </li>
              );
            })}
          </ul>
        )}
        <div class="rules">
          <RuleText venue="venue_a" text={settlement.venue_a_text} />
          <RuleText venue="venue_b" text={settlement.venue_b_text} />
        </div>
      </div>
    </section>
  );
}

/** A venue's own words. They are foreign: one text node, whatever they hold. */
function RuleText({ venue, text }: { venue: 'venue_a' | 'venue_b'; text: string | null }) {
  return (
    <details class="rule" open>
      <summary>
        <span class={`swatch ${venue}`} aria-hidden="true" />
        {venue}’s own rules
      </summary>
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <p class="foreign" tabIndex={0}>
          {text}
        </p>
      ) : (
        <p class="muted">Not read yet.</p>
      )}
    </details>
  );
}
