import { describe, expect, it } from 'vitest';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import { opportunityOf } from '../../functions/ingest/engine/opportunity.ts';
import type { PriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import { bookOf, FREE_B, flat, pairFixture } from './fixture.ts';

/**
 * Guarantee: a waived fee is zero before the end of its waiver, and the usual fee from then on. An
 * opportunity that only the waiver made ends with it, although no book changes at that moment.
 */

const END = Date.parse('2026-11-20T13:00:00Z');
const WAIVED = {
  ...({ model: 'quadratic', multiplier: '1', maker: false } as const),
  waived_until: new Date(END).toISOString(),
};
/** The asks cost $0.99 together. The usual fee of venue_a at $0.50 is 1.75 cents. */
const BOOKS = [
  { a: flat(480_000, 500_000), b: flat(480_000, 510_000) },
  { a: flat(490_000, 520_000), b: flat(470_000, 490_000) },
];

describe('fee waivers', () => {
  const fixture = pairFixture(BOOKS, { fee_a: WAIVED, fee_b: FREE_B, delay_b: null });

  it('an opportunity exists until the last millisecond of the waiver and not after it', () => {
    const at = (now?: number) => opportunityOf(fixture.pair, fixture, now);
    expect(at(END - 1)).toMatchObject({ cost: 990_000, legs: [{ venue: 'venue_a', fee: 0 }, { venue: 'venue_b' }] });
    expect([at(END), at(END + 1), at()]).toEqual([null, null, null]);
  });

  it('a waiver of the other outcome’s contract holds for its opposite side too', () => {
    // NO of A1 costs 1 - .54 = .46, which is less than YES of A0 at .50.
    const books = [
      { a: flat(480_000, 500_000), b: flat(480_000, 510_000) },
      { a: flat(540_000, 560_000), b: flat(470_000, 490_000) },
    ];
    const own = { model: 'quadratic', multiplier: '1', maker: false } as const;
    const { pair, ...stores } = pairFixture(books, (at) => ({ fee_a: at === 1 ? WAIVED : own, fee_b: FREE_B }));
    const firstLeg = (now: number) => {
      const found = opportunityOf(pair, stores, now);
      return found !== null && 'legs' in found ? found.legs[0] : found;
    };
    expect(firstLeg(END - 1)).toMatchObject({ contract: 'A1', side: 'no', ask: 460_000, fee: 0 });
    expect(firstLeg(END)).toMatchObject({ contract: 'A1', side: 'no', ask: 460_000, fee: 17_400 });
  });

  it('the engine ends such an opportunity when the waiver ends, without a change of a book', () => {
    const engine = new Engine();
    engine.setWatchList([fixture.pair], END - 10_000, 0);
    engine.acquireShard('books:0', END - 10_000);
    for (const [at, { a, b }] of BOOKS.entries()) {
      engine.a.replace(`A${at}`, bookOf(a), END - 5_000);
      engine.b.replace(`B${at}`, bookOf(b), END - 5_000);
    }
    const taken = (): PriceUpdate[] => {
      const updates = engine.queue.take(100);
      engine.queue.done();
      return updates;
    };
    expect(taken().at(-1)?.opp).toMatchObject({ cost: 990_000 });
    engine.endFeeWaivers(END - 1);
    expect(taken()).toEqual([]);
    engine.endFeeWaivers(END + 40);
    expect(taken()).toMatchObject([{ at: END + 40, opp: null }]);
    engine.endFeeWaivers(END + 80);
    expect(taken()).toEqual([]);
  });
});
