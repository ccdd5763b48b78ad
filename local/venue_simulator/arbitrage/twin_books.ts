import type { Ladder, Level } from '../books/ladder.ts';
import type { Twin } from '../universe/question.ts';
import type { Catalog } from '../world/catalog.ts';
import type { Instrument } from '../world/instrument.ts';
import { bestSet, type Offer, type OfferSet } from './best_set.ts';
import { type FeeOf, feeOnB } from './fees.ts';

type OnA = { instrument: Instrument; side: 'yes' | 'no'; ticker: string; fee: FeeOf };
type OnB = { instrument: Instrument; flipped: boolean; fee: FeeOf; minSize: number };
type OutcomeContracts = { a: OnA; b: OnB };

/** The books of a twin: for each outcome the contract of either venue. */
export class TwinBooks {
  readonly twin: Twin;
  readonly #outcomes: readonly OutcomeContracts[];

  constructor(twin: Twin, outcomes: readonly OutcomeContracts[]) {
    this.twin = twin;
    this.#outcomes = outcomes;
  }

  /** Null until both venues list all its contracts, and always when a fee schedule is unknown. */
  static of(twin: Twin, catalog: Catalog, feeOf: (ticker: string) => FeeOf | null): TwinBooks | null {
    const places: OutcomeContracts[] = [];
    for (const { ticker, side, token_id } of twin.legs) {
      const a = catalog.marketA(ticker);
      const b = catalog.marketB(token_id);
      const feeA = feeOf(twin.event_ticker);
      const feeB = b ? feeOnB(b.contract) : null;
      if (!a || !b?.contract.traded || !feeA || !feeB) return null;
      const minSize = Number(b.contract.fields.orderMinSize) * 100;
      places.push({
        a: { instrument: a.instrument, side, ticker, fee: (price) => (a.hasFeeWaived() ? 0 : feeA(price)) },
        b: { instrument: b.instrument, flipped: b.tokens[1] === token_id, fee: feeB, minSize },
      });
    }
    return new TwinBooks(twin, places);
  }

  /**
   * Whether exactly one outcome must come true, which makes the set of legs pay a dollar. Decided
   * by the hidden prices, whose sum is then one.
   */
  isPartition(t: number): boolean {
    if (this.twin.unpairedLegs.length > 0 || this.#outcomes.length < 2) return false;
    const chance = ({ instrument, side }: OnA) => {
      const fair = instrument.quoting.fair(t);
      return side === 'yes' ? fair : 1 - fair;
    };
    return Math.abs(this.#outcomes.reduce((sum, { a }) => sum + chance(a), 0) - 1) < 1e-6;
  }

  /** Whether a planned opportunity currently moves one of its books away from the fair price. */
  isPlanned(t: number): boolean {
    return this.#outcomes.some(({ b }) => b.instrument.shift !== null && b.instrument.shift.until > t);
  }

  /**
   * The best set at present. Null when no set has a profit, an outcome is not quoted on both
   * venues, or a book is crossed.
   */
  best(): OfferSet | null {
    if (this.#outcomes.some(({ a, b }) => crossed(a.instrument.ladder) || crossed(b.instrument.ladder))) return null;
    const outcomes: Offer[][] = [];
    for (const [at, { a, b }] of this.#outcomes.entries()) {
      const own = offerOnA(a, a.side);
      const token = offerOnB(b);
      if (!own || !token) return null;
      const offers = [own, token];
      const other = this.#outcomes.length === 2 ? this.#outcomes[1 - at]?.a : undefined;
      // Also the NO side of the other outcome's contract. For a betting line, both outcomes are
      // sides of the same contract.
      if (other && other.ticker !== a.ticker) {
        const against = offerOnA(other, other.side === 'yes' ? 'no' : 'yes');
        if (against) offers.push(against);
      }
      outcomes.push(offers);
    }
    return bestSet(outcomes);
  }
}

const crossed = ({ bids, asks }: Ladder): boolean =>
  bids[0] !== undefined && asks[0] !== undefined && bids[0][0] >= asks[0][0];

function offerOnA({ instrument, fee }: OnA, side: 'yes' | 'no'): Offer | null {
  return offerOf('a', askOf(instrument.ladder, side === 'no'), fee, 1);
}

function offerOnB({ instrument, flipped, fee, minSize }: OnB): Offer | null {
  return offerOf('b', askOf(instrument.ladder, flipped), fee, minSize);
}

/** The best ask, or the ask of the other side, which is the complement of the best bid. */
function askOf({ bids, asks }: Ladder, otherSide: boolean): Level | undefined {
  if (!otherSide) return asks[0];
  return bids[0] && [10_000 - bids[0][0], bids[0][1]];
}

function offerOf(venue: 'a' | 'b', level: Level | undefined, fee: FeeOf, minSize: number): Offer | null {
  if (!level) return null;
  const [ask, size] = level;
  return { venue, ask, cost: ask * 100 + fee(ask), size, minSize };
}
