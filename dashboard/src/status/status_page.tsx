import { API_URL } from '../api_url.ts';
import { CopyableText } from '../components/copyable_text.tsx';
import { PageHead } from '../components/page_head.tsx';
import { FeedCard } from './feed_card.tsx';
import { FunctionsCard } from './functions_card.tsx';
import { type HealthState, useHealth } from './health.ts';
import './status.css';

/** Answers one question: is what this service says fresh? And the next one: how do I ask it something? */
export function StatusPage() {
  const reading = useHealth();
  const { health, error } = reading;
  const verdict = verdictOf(reading);
  return (
    <>
      <PageHead title="Status">Is what I see fresh? Each venue’s feed, read every three seconds.</PageHead>
      <div class="stack status">
        <p class={`overall ${verdict.kind}`} role="status">
          <span class="dot" aria-hidden="true" />
          {verdict.words}
        </p>
        <div class="feeds">
          <FeedCard name="venue_a" reading={reading} />
          <FeedCard name="venue_b" reading={reading} />
        </div>
        {error && <p class="problem">{error} This page tries again every three seconds.</p>}
        <FunctionsCard />
        <section class="card" aria-labelledby="first">
          <div class="card-head">
            <h2 id="first">A first answer</h2>
            <a href="/docs/">API reference</a>
          </div>
          <ol class="card-body steps">
            <li>
              <p>
                <a href="/keys">Make a key</a>. It is shown once, with a request that works when pasted.
              </p>
            </li>
            <li>
              <p>Ask where the two venues disagree the most.</p>
              <CopyableText
                text={`curl -s '${API_URL}/v2/markets?limit=5&sort=-spread_pts&include=settlement' \\\n  -H 'Authorization: Bearer YOUR_KEY'`}
              />
            </li>
          </ol>
        </section>
        <p class="muted small">
          REST shows prices as they stood about two minutes ago, in steps of five seconds.
          {health && ` Version ${health.version}.`}
        </p>
      </div>
    </>
  );
}

function verdictOf({ health, error }: HealthState): { kind: string; words: string } {
  if (error) return { kind: 'is-down', words: 'No answer' };
  if (!health) return { kind: 'is-waiting', words: 'Asking…' };
  return health.status === 'ok'
    ? { kind: 'is-up', words: 'Both venues are being read' }
    : { kind: 'is-stale', words: 'Degraded' };
}
