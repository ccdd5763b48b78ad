import { useEffect, useState } from 'preact/hooks';
import { API_URL } from './api_url.ts';
import { Brand } from './brand.tsx';
import { Command } from './command.tsx';
import { FeedCard } from './feed_card.tsx';
import { type Health, readHealth } from './health.ts';
import { SourceBanner } from './source_banner.tsx';

const REFRESH_MS = 2000;

type Reading = { health: Health | null; error: string | null };

/** Answers one question: is what this service says fresh? And the next one: how do I ask it something? */
export function StatusPage() {
  const [reading, setReading] = useState<Reading>({ health: null, error: null });

  useEffect(() => {
    let stopped = false;
    const refresh = async () => {
      try {
        const health = await readHealth();
        if (!stopped) setReading({ health, error: null });
      } catch (error) {
        if (!stopped) setReading((last) => ({ ...last, error: (error as Error).message }));
      }
    };
    void refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, []);

  const { health, error } = reading;
  const port = globalThis.location.port;
  return (
    <>
      <SourceBanner health={health} />
      <header class="top">
        <Brand />
        <p class={`verdict ${verdictClass(health, error)}`} role="status">
          {verdict(health, error)}
        </p>
      </header>
      <main>
        <section aria-labelledby="feeds">
          <h1 id="feeds">Is what I see fresh?</h1>
          <div class="feeds">
            <FeedCard name="venue_a" feed={health?.venues.venue_a ?? null} now={health?.time ?? null} />
            <FeedCard name="venue_b" feed={health?.venues.venue_b ?? null} now={health?.time ?? null} />
          </div>
          {error && (
            <p class="problem">
              {error} Is <code>npm start</code> still running? This page tries again every two seconds.
            </p>
          )}
        </section>
        <section aria-labelledby="first">
          <h2 id="first">A first answer</h2>
          <ol class="steps">
            <li>
              <p>Make a key. It is shown once.</p>
              <Command text={`npm run key -- --tier pro${port && port !== '54321' ? ` --port ${port}` : ''}`} />
            </li>
            <li>
              <p>Ask where the two venues disagree the most.</p>
              <Command
                text={`curl -s '${API_URL}/v2/markets?limit=5&sort=-spread_pts&include=settlement' \\\n  -H 'Authorization: Bearer YOUR_KEY'`}
              />
            </li>
          </ol>
          <p>
            <a href="/docs/">API reference</a>: every path with its parameters, fields and a real answer.
          </p>
        </section>
      </main>
      <footer>
        REST shows prices as they stood about two minutes ago, in steps of five seconds.
        {health && <span class="version"> Version {health.version}</span>}
      </footer>
    </>
  );
}

function verdict(health: Health | null, error: string | null): string {
  if (error) return 'No answer';
  if (!health) return 'Asking…';
  return health.status === 'ok' ? 'Both venues are being read' : 'Degraded';
}

function verdictClass(health: Health | null, error: string | null): string {
  if (error) return 'is-down';
  if (!health) return 'is-waiting';
  return health.status === 'ok' ? 'is-up' : 'is-stale';
}
