import { API_URL } from '../api_url.ts';
import { CopyableText } from '../components/copyable_text.tsx';
import { PageHead } from '../components/page_head.tsx';
import { FeedCard } from './feed_card.tsx';
import { FunctionsCard } from './functions_card.tsx';
import { type HealthState, useHealth } from './health.ts';
import './status.css';

/** Answers: is the data fresh, and how do I make a first request? */
export function StatusPage() {
  const reading = useHealth();
  const { health, error } = reading;
  const verdict = verdictOf(reading);
  return (
    <>
      <PageHead title="Status">Is the data fresh? The feed of each venue, checked every three seconds.</PageHead>
      <div class="stack status">
        <p class={`overall ${verdict.kind}`} role="status">
          <span class="dot" aria-hidden="true" />
          {verdict.text}
        </p>
        <div class="feeds">
          <FeedCard name="venue_a" reading={reading} />
          <FeedCard name="venue_b" reading={reading} />
        </div>
        {error && <p class="problem">{error} This page retries every three seconds.</p>}
        <FunctionsCard />
        <section class="card" aria-labelledby="first">
          <div class="card-head">
            <h2 id="first">First request</h2>
            <a href="/docs/">Documentation</a>
          </div>
          <ol class="card-body steps">
            <li>
              <p>
                <a href="/keys">Create a key</a>. You see it once, with a curl command to try it.
              </p>
            </li>
            <li>
              <p>List the markets with the widest spread.</p>
              <CopyableText
                text={`curl -s '${API_URL}/v2/markets?limit=5&sort=-spread_pts&include=settlement' \\\n  -H 'Authorization: Bearer YOUR_KEY'`}
              />
            </li>
          </ol>
        </section>
        <p class="muted small">
          REST prices are delayed by about two minutes and update every five seconds.
          {health && ` Version ${health.version}.`}
        </p>
      </div>
    </>
  );
}

function verdictOf({ health, error }: HealthState): { kind: string; text: string } {
  if (error) return { kind: 'is-down', text: 'No response' };
  if (!health) return { kind: 'is-waiting', text: 'Loading…' };
  return health.status === 'ok'
    ? { kind: 'is-up', text: 'Both feeds are connected' }
    : { kind: 'is-stale', text: 'Degraded' };
}
