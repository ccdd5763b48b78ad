import { Changing } from '../components/changing.tsx';
import { absent, cents } from '../components/figures.ts';
import type { Outcome, Venue } from './wire.ts';

/** One venue's ask: the venue's shape and colour, the price in cents, the exact price on hover. */
export function AskOf({ venue, ask, best }: { venue: Venue; ask: number | null; best?: boolean }) {
  return (
    <span class={`ask ${best ? 'is-best' : ''}`}>
      <span class={`swatch ${venue}`} aria-hidden="true" />
      <span class="unseen">{venue} </span>
      <Changing text={cents(ask)} title={ask === null ? `${venue}: no ask` : `${venue}: $${ask} a contract`} />
    </span>
  );
}

/** Both asks of an outcome; the cheaper one is heavier. */
export function BothAsks({ outcome }: { outcome: Pick<Outcome, 'venue_a' | 'venue_b' | 'cheaper'> }) {
  return (
    <span class="asks">
      <AskOf venue="venue_a" ask={outcome.venue_a} best={outcome.cheaper === 'venue_a'} />
      <AskOf venue="venue_b" ask={outcome.venue_b} best={outcome.cheaper === 'venue_b'} />
    </span>
  );
}

/** A gap in points, as it is: up to four decimals are exact, so none is rounded away unseen. */
export function Gap({ points }: { points: number | null }) {
  const text = points === null || points < 0 ? absent : points.toFixed(1);
  return (
    <Changing text={text} title={points === null || points < 0 ? 'Not priced on both venues' : `${points} points`} />
  );
}
