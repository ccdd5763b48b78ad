import { useState } from 'preact/hooks';
import { cents, count, dollars, NO_VALUE } from '../components/format.ts';
import { type DepthLevel, type DepthRow, depthRowsOf, largestSize } from './depth_levels.ts';
import type { MarketDetail, Venue } from './frames.ts';
import type { MarketClock } from './market_clock.ts';
import { MarketAgo } from './market_times.tsx';

/** Outcomes shown at first, as in the price history. */
const INITIAL_OUTCOMES = 3;

/** The books of both venues face to face: venue_a left of the price, venue_b on the right. */
export function DepthCard({ market, clock }: { market: MarketDetail; clock: MarketClock }) {
  const [all, setAll] = useState(false);
  const shown = all ? market.outcomes : market.outcomes.slice(0, INITIAL_OUTCOMES);
  return (
    <section class="card" aria-labelledby="depth">
      <div class="card-head">
        <h2 id="depth">Depth</h2>
        <p class="small muted">
          As of <MarketAgo at={market.priced_at} clock={clock} />. Up to ten levels; the best one alone where the last
          sample is older than the price.
        </p>
      </div>
      <div class="card-body">
        <p class="plot-legend small muted">
          <span class="key">
            <span class="level-mark" aria-hidden="true" /> offered (ask)
          </span>
          <span class="key">
            <span class="level-mark is-bid" aria-hidden="true" /> wanted (bid)
          </span>
          <span>Bars of an outcome have one scale.</span>
        </p>
        <div class="ladders">
          {shown.map((outcome) => (
            <Ladder key={outcome.key} name={outcome.name} rows={depthRowsOf(outcome)} />
          ))}
        </div>
        {market.outcomes.length > INITIAL_OUTCOMES && (
          <button type="button" class="button little" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${market.outcomes.length} outcomes`}
          </button>
        )}
      </div>
    </section>
  );
}

function Ladder({ name, rows }: { name: string; rows: readonly DepthRow[] }) {
  const most = largestSize(rows);
  if (rows.length === 0)
    return (
      <div>
        <h3>{name}</h3>
        <p class="muted small">No contract of this outcome has an ask or a bid.</p>
      </div>
    );
  return (
    <table class="ladder">
      <caption>{name}</caption>
      <thead class="small muted">
        <tr>
          <th scope="col">
            <span class="swatch venue_a" aria-hidden="true" /> venue_a
          </th>
          <th scope="col">Price</th>
          <th scope="col">
            <span class="swatch venue_b" aria-hidden="true" /> venue_b
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.price}>
            <LevelCell venue="venue_a" level={row.venue_a} price={row.price} most={most} />
            <th scope="row" title={`$${row.price}`}>
              {cents(row.price)}
            </th>
            <LevelCell venue="venue_b" level={row.venue_b} price={row.price} most={most} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type LevelProps = { venue: Venue; level: DepthLevel | null; price: number; most: number };

function LevelCell({ venue, level, price, most }: LevelProps) {
  if (!level) return <td />;
  const { side, size } = level;
  const word = side === 'ask' ? 'offered' : 'wanted';
  return (
    <td
      class={venue}
      title={
        size === null
          ? `${venue}: ${word}, the size is unknown`
          : `${venue}: ${size} contracts ${word}, ${dollars(size * price)}`
      }
    >
      <span class="level">
        <span class="level-track" aria-hidden="true">
          {size !== null && most > 0 && (
            <span class={`level-bar is-${side}`} style={{ width: `${Math.max(1, (size / most) * 100)}%` }} />
          )}
        </span>
        <span class="level-text">
          <span class="muted">{side}</span> {size === null ? NO_VALUE : count(Math.floor(size))}
        </span>
      </span>
    </td>
  );
}
