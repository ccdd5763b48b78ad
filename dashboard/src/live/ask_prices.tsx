import { FlashingValue } from '../components/flashing_value.tsx';
import { cents, NO_VALUE } from '../components/format.ts';
import type { Outcome, Venue } from './frames.ts';

/** One venue's ask: the venue's shape and colour, the price in cents, the exact price on hover. */
export function AskPrice({ venue, ask, best }: { venue: Venue; ask: number | null; best?: boolean }) {
  return (
    <span class={`ask ${best ? 'is-best' : ''}`}>
      <span class={`swatch ${venue}`} aria-hidden="true" />
      <span class="unseen">{venue} </span>
      <FlashingValue text={cents(ask)} title={ask === null ? `${venue}: no ask` : `${venue}: $${ask} a contract`} />
    </span>
  );
}

/** Both asks of an outcome; the cheaper one is heavier. */
export function VenueAsks({ outcome }: { outcome: Pick<Outcome, 'venue_a' | 'venue_b' | 'cheaper'> }) {
  return (
    <span class="asks">
      <AskPrice venue="venue_a" ask={outcome.venue_a} best={outcome.cheaper === 'venue_a'} />
      <AskPrice venue="venue_b" ask={outcome.venue_b} best={outcome.cheaper === 'venue_b'} />
    </span>
  );
}

/** A gap in points, as it is: up to four decimals are exact, so none is rounded away unseen. */
export function SpreadCell({ points }: { points: number | null }) {
  const text = points === null || points < 0 ? NO_VALUE : points.toFixed(1);
  return (
    <FlashingValue
      text={text}
      title={points === null || points < 0 ? 'Not priced on both venues' : `${points} points`}
    />
  );
}
