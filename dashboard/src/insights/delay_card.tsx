import { EmptyState } from '../components/empty_state.tsx';
import { delayText, type FeedDelay, heightOf, piecesOf } from './insights.ts';

const HEIGHT = 190;
const venues = ['venue_a', 'venue_b'] as const;
const lines = ['p50_ms', 'p99_ms'] as const;
const ticks = [1, 10, 100, 1_000, 10_000, 60_000, 600_000];

/** The delay of both feeds over 24 hours: the median solid, the 99th percentile thin. */
export function DelayCard({ delays }: { delays: readonly FeedDelay[] }) {
  const now = Date.now();
  const most = Math.max(10, ...delays.map((one) => one.p99_ms));
  const newest = venues.map((venue) => delays.findLast((one) => one.venue === venue));
  return (
    <section class="card" aria-labelledby="delays">
      <div class="card-head">
        <h2 id="delays">Delay of the feeds</h2>
        <p class="muted small">From the time the venue states to our reading, 24 hours</p>
      </div>
      {delays.length === 0 ? (
        <EmptyState icon="status" title="No delay measured in 24 hours">
          It is measured once a minute from the books that changed, where the venue states a time.
        </EmptyState>
      ) : (
        <figure class="card-body delays">
          <div class="delay-plot">
            <div class="delay-ticks" aria-hidden="true">
              {ticks
                .filter((tick) => tick <= most)
                .map((tick) => (
                  <span key={tick} style={{ bottom: `${heightOf(tick, most) * 100}%` }}>
                    {delayText(tick)}
                  </span>
                ))}
            </div>
            <svg
              role="img"
              aria-label={newest.map(summary).join(' ')}
              viewBox={`0 0 1000 ${HEIGHT}`}
              preserveAspectRatio="none"
              height={HEIGHT}
            >
              {ticks
                .filter((tick) => tick <= most)
                .map((tick) => (
                  <line key={tick} class="axis" x1="0" x2="1000" y1={yOf(tick, most)} y2={yOf(tick, most)} />
                ))}
              {venues.flatMap((venue) =>
                lines.flatMap((which) =>
                  piecesOf(delays, venue, which, now).map((piece) => (
                    <polyline
                      key={`${venue} ${which} ${piece[0]?.x}`}
                      class={`delay ${venue} ${which}`}
                      points={(piece.length === 1 ? [...piece, ...piece] : piece)
                        .map(({ x, ms }) => `${(x * 1000).toFixed(1)},${yOf(ms, most)}`)
                        .join(' ')}
                    />
                  )),
                ),
              )}
            </svg>
          </div>
          <div class="delay-hours muted small" aria-hidden="true">
            <span>24 h ago</span>
            <span>12 h ago</span>
            <span>now</span>
          </div>
          <figcaption class="small">
            {venues.map((venue, at) => (
              <span key={venue} class={venue}>
                <span class="swatch" aria-hidden="true" /> {summary(newest[at], at)}
              </span>
            ))}
          </figcaption>
        </figure>
      )}
    </section>
  );
}

const yOf = (ms: number, most: number): string => ((1 - heightOf(ms, most)) * (HEIGHT - 8) + 4).toFixed(1);

const summary = (newest: FeedDelay | undefined, at: number): string =>
  newest
    ? `${newest.venue}: half within ${delayText(newest.p50_ms)}, 99 % within ${delayText(newest.p99_ms)} in the newest sample.`
    : `${venues[at]}: no delay measured.`;
