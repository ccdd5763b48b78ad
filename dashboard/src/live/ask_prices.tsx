import { FlashingValue } from '../components/flashing_value.tsx';
import { cents, NO_VALUE } from '../components/format.ts';
import type { Outcome, Venue } from './frames.ts';

/**
 * The ask of one venue in cents, with the venue's shape and colour and the exact price on hover.
 */
export function AskPrice({ venue, ask, best }: { venue: Venue; ask: number | null; best?: boolean }) {
  return (
    <span class={`ask ${best ? 'is-best' : ''}`}>
      <span class={`swatch ${venue}`} aria-hidden="true" />
      <span class="visually-hidden">{venue} </span>
      <FlashingValue text={cents(ask)} title={ask === null ? `${venue}: no ask` : `${venue}: $${ask} per contract`} />
    </span>
  );
}

/** The asks of both venues for an outcome. The cheaper one is bold. */
export function VenueAsks({ outcome }: { outcome: Pick<Outcome, 'venue_a' | 'venue_b' | 'cheaper'> }) {
  return (
    <span class="asks">
      <AskPrice venue="venue_a" ask={outcome.venue_a} best={outcome.cheaper === 'venue_a'} />
      <AskPrice venue="venue_b" ask={outcome.venue_b} best={outcome.cheaper === 'venue_b'} />
    </span>
  );
}

/** A spread in points with one decimal; the title has up to four decimals. */
export function SpreadCell({ points }: { points: number | null }) {
  const text = points === null || points < 0 ? NO_VALUE : points.toFixed(1);
  return (
    <FlashingValue
      text={text}
      title={points === null || points < 0 ? 'No ask on one of the venues' : `${points} points`}
    />
  );
}
