import { describe, expect, it } from 'vitest';
import { Audit, type RestBook } from '../../functions/ingest/feeds/audit.ts';
import { book, createBookStore } from './book_store_fixtures.ts';
import { recordingRuntime } from './runtime.ts';

/**
 * Guarantee: a book that does not move while the market moves is detected, without effect on other
 * books, and is invalid until it equals REST.
 */

describe('audit of quiet books', () => {
  function audited(contracts: string[], quietMs = 10_000) {
    const { store, guard, invalidReason } = createBookStore(contracts);
    for (const contract of contracts) guard.replace(contract, book(400_000, 450_000), 1);
    const rest = new Map<string, RestBook>(contracts.map((one) => [one, { book: book(400_000, 450_000) }]));
    const changedAt = new Map<string, number>();
    const calls: string[] = [];
    const runtime = { ...recordingRuntime(), now: () => now, marketNow: () => now + 500 };
    let now = 0;
    const audit = new Audit({
      connection: {
        contracts: new Set(contracts),
        lastChangeAt: (one) => changedAt.get(one) ?? 0,
        guard,
        resubscribe: (some) => calls.push(`renew ${some.join(' ')}`),
        reconnect: () => calls.push('abandon'),
      },
      store,
      runtime,
      fetchBooks: async (some) => new Map([...rest].filter(([one]) => some.includes(one))),
      quietMs,
    });
    audit.onOpen(0);
    const at = async (ms: number): Promise<void> => {
      now = ms;
      await audit.run(ms);
    };
    const readAt = (contract: string) => store.get(contract)?.readAt;
    return { audit, rest, changedAt, calls, at, invalidReason, readAt };
  }

  it('compares quiet books only, and twice before it marks one frozen', async () => {
    const one = audited(['X', 'Y']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    one.changedAt.set('Y', 9_000);
    expect(one.audit.due(9_900)).toEqual([]);
    expect(one.audit.due(10_000)).toEqual(['X']);
    await one.at(10_000);
    expect(one.invalidReason('X')).toBeNull();
    await one.at(12_000);
    expect([one.invalidReason('X'), one.invalidReason('Y'), one.calls]).toEqual(['feed.frozen', null, ['renew X']]);
  });

  it('moves the read time of a book that equals REST, and of no other', async () => {
    const one = audited(['X', 'Y', 'Z']);
    one.rest.set('Y', { book: book(410_000, 460_000) });
    one.changedAt.set('Z', 9_000);
    expect(['X', 'Y', 'Z'].map(one.readAt)).toEqual([1, 1, 1]);
    await one.at(10_000);
    expect(['X', 'Y', 'Z'].map(one.readAt)).toEqual([10_500, 1, 1]);
  });

  it('compares suspects first, then the book that was quiet for longest, at most as many as allowed', async () => {
    const one = audited(['W', 'X', 'Y', 'Z']);
    for (const [name, ms] of Object.entries({ W: 3_000, X: 2_000, Y: 1_000 })) one.changedAt.set(name, ms);
    expect(one.audit.due(9_999)).toEqual([]);
    // One book that is due takes those along that were quiet for three quarters of the time.
    one.changedAt.set('W', 2_501);
    expect(one.audit.due(10_000)).toEqual(['Z', 'Y', 'X']);
    one.changedAt.set('W', 2_500);
    expect(one.audit.due(10_000)).toEqual(['Z', 'Y', 'X', 'W']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    await one.at(10_000);
    expect(one.audit.due(11_499)).toEqual([]);
    expect(one.audit.due(11_500)).toEqual(['X']);
    // X is compared before the others, which were compared at the same time.
    one.changedAt.set('X', 0);
    expect(one.audit.due(30_000)).toEqual(['X', 'W', 'Y', 'Z']);
  });

  it('does not mark a book frozen that changed on the socket meanwhile', async () => {
    const one = audited(['X']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    await one.at(10_000);
    one.changedAt.set('X', 10_050);
    await one.at(12_000);
    expect([one.invalidReason('X'), one.calls]).toEqual([null, []]);
  });

  it('readmits a frozen book when it equals REST, and opens another socket if it stays different', async () => {
    const one = audited(['X', 'Y']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    for (const ms of [10_000, 12_000, 14_000, 16_000, 18_000]) await one.at(ms);
    expect([one.invalidReason('X'), one.calls]).toEqual(['feed.frozen', ['renew X']]);
    await one.at(20_000);
    expect(one.calls).toEqual(['renew X', 'abandon']);
    one.rest.set('X', { book: book(400_000, 450_000) });
    await one.at(24_000);
    expect(one.invalidReason('X')).toBeNull();
  });

  it('opens another socket when three books are frozen at once', async () => {
    const one = audited(['X', 'Y', 'Z']);
    for (const name of ['X', 'Y', 'Z']) one.rest.set(name, { book: book(410_000, 460_000) });
    await one.at(10_000);
    await one.at(12_000);
    expect(one.calls).toEqual(['abandon']);
  });
});
