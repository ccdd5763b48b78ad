import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Batch, ChannelState, Frame } from '../../client/src/frames.ts';
import { LiveState } from '../../client/src/live_state.ts';
import { marketRow, opportunityRow, priceFrame } from './support/rows.ts';

const ids = ['m1', 'm2', 'm3'];

/** Any frame of the market channel about one of three markets. */
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc
    .record({ id: fc.constantFrom(...ids), status: fc.constantFrom('open', 'live', 'settled') })
    .map(({ id, status }): Frame => ({ type: 'market', ...marketRow(id), status: status as 'open' })),
  fc
    .record({ id: fc.constantFrom(...ids), a: fc.integer({ min: 1, max: 99 }), b: fc.integer({ min: 1, max: 99 }) })
    .map(({ id, a, b }): Frame => priceFrame(id, a / 100, b / 100)),
  fc
    .record({
      id: fc.constantFrom('o1', 'o2'),
      edge: fc.integer({ min: 1, max: 9 }),
      state: fc.constantFrom('opened' as const, 'updated' as const, 'closed' as const),
    })
    .map(
      ({ id, edge, state }): Frame => ({
        type: 'opportunity',
        state,
        opportunity: { ...opportunityRow(id), edge_pct: edge },
      }),
    ),
  fc.constantFrom(...ids).map((id): Frame => ({ type: 'market_removed', id, reason: 'sample_changed' })),
  fc
    .record({ id: fc.constantFrom(...ids), to: fc.constantFrom('live' as const, 'resolving' as const) })
    .map(({ id, to }): Frame => ({ type: 'market_status', id, from: 'open', to })),
);

/**
 * The state after all frames of the log, applied one by one in order: the reference for every test.
 */
function inOrder(epoch: string, log: readonly Frame[]): LiveState {
  const store = new LiveState();
  store.resetTo({ channel: 'markets:all', epoch, offset: 0, markets: [], opportunities: [] });
  log.forEach((one, at) => {
    store.accept({ channel: 'markets:all', epoch, offset: at + 1, frames: [one] });
  });
  return store;
}

function snapshotOf(epoch: string, log: readonly Frame[]): ChannelState {
  const { markets, opportunities } = inOrder(epoch, log);
  const rows = { markets: [...markets.values()], opportunities: [...opportunities.values()] };
  return { channel: 'markets:all', epoch, offset: log.length, ...rows };
}

function stateOf(store: LiveState): object {
  return {
    markets: Object.fromEntries([...store.markets].sort()),
    opportunities: Object.fromEntries([...store.opportunities].sort()),
  };
}

/** The log cut into batches of the given sizes. */
function batchesOf(epoch: string, log: readonly Frame[], sizes: readonly number[]): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0, turn = 0; at < log.length; turn++) {
    const frames = log.slice(at, at + (sizes[turn % sizes.length] ?? 1));
    at += frames.length;
    batches.push({ channel: 'markets:all', epoch, offset: at, frames });
  }
  return batches;
}

const delivery = fc.record({
  log: fc.array(frame, { minLength: 1, maxLength: 40 }),
  sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
  /** Which batch arrives at each turn: some never, some twice, in any order. */
  order: fc.array(fc.nat(), { maxLength: 60 }),
  began: fc.nat(),
});

describe('a channel of the live store', () => {
  test('lost, duplicate and reordered batches end in the state of the log, or report a gap', () => {
    fc.assert(
      fc.property(delivery, ({ log, sizes, order, began }) => {
        const batches = batchesOf('e1', log, sizes);
        const store = new LiveState();
        store.resetTo(snapshotOf('e1', log.slice(0, began % (log.length + 1))));
        for (const turn of order) store.accept(batches[turn % batches.length] as Batch);
        store.accept({ channel: 'markets:all', epoch: 'e1', offset: log.length, frames: [] });
        if (store.hasGap('markets:all')) {
          expect(store.position('markets:all')?.offset).toBeLessThan(log.length);
          store.resetTo(snapshotOf('e1', log));
        }
        expect(store.hasGap('markets:all')).toBe(false);
        expect(stateOf(store)).toEqual(stateOf(inOrder('e1', log)));
      }),
      { numRuns: 500 },
    );
  });

  test('each batch once, in any order, leaves no gap', () => {
    const cases = fc.record({
      log: fc.array(frame, { minLength: 1, maxLength: 40 }),
      keys: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    });
    fc.assert(
      fc.property(cases, ({ log, keys }) => {
        const batches = batchesOf('e1', log, [2, 1, 3]).map((batch, at) => ({ batch, key: keys[at] ?? 0 }));
        const store = inOrder('e1', []);
        for (const { batch } of batches.sort((one, other) => one.key - other.key)) store.accept(batch);
        expect(store.hasGap('markets:all')).toBe(false);
        expect(stateOf(store)).toEqual(stateOf(inOrder('e1', log)));
      }),
    );
  });

  test('frames of a new epoch wait for the channel state, and late frames of the old epoch are dropped', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { minLength: 1, maxLength: 15 }),
        fc.array(frame, { minLength: 1, maxLength: 15 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        (old, fresh, order) => {
          const sent = [...batchesOf('e1', old, [2]), ...batchesOf('e2', fresh, [1, 3])];
          const store = inOrder('e1', []);
          const beacon: Batch = { channel: 'markets:all', epoch: 'e2', offset: fresh.length, frames: [] };
          for (const turn of [...order, sent.length - 1]) {
            store.accept(sent[turn % sent.length] as Batch);
            // The server returns the current state for every read.
            if (store.hasGap('markets:all')) store.resetTo(snapshotOf('e2', fresh));
          }
          store.accept(beacon);
          if (store.hasGap('markets:all')) store.resetTo(snapshotOf('e2', fresh));
          expect(store.hasGap('markets:all')).toBe(false);
          expect(store.position('markets:all')).toEqual({ epoch: 'e2', offset: fresh.length });
          expect(stateOf(store)).toEqual(stateOf(inOrder('e2', fresh)));
        },
      ),
    );
  });

  test('late batches of an old epoch report no gap', () => {
    const log: Frame[] = [{ type: 'market', ...marketRow('m1') }];
    const store = inOrder('e1', []);
    store.resetTo(snapshotOf('e2', log));
    store.accept({ channel: 'markets:all', epoch: 'e1', offset: 1, frames: log });
    expect(store.hasGap('markets:all')).toBe(false);
    store.resetTo(snapshotOf('e1', []));
    expect(store.position('markets:all')).toEqual({ epoch: 'e2', offset: 1 });
  });

  test('frames that arrive before the first channel state are applied after it', () => {
    const log = [1, 2, 3, 4].map((cents) => priceFrame('m1', cents / 100, 0.5));
    const all: Frame[] = [{ type: 'market', ...marketRow('m1') }, ...log];
    const store = new LiveState();
    expect(store.hasGap('markets:all')).toBe(true);
    for (const batch of batchesOf('e1', all, [1])) store.accept(batch);
    expect(store.markets.size).toBe(0);
    store.resetTo(snapshotOf('e1', all.slice(0, 2)));
    expect(store.position('markets:all')?.offset).toBe(5);
    expect(stateOf(store)).toEqual(stateOf(inOrder('e1', all)));
  });

  test('a channel state older than the store changes nothing', () => {
    const log: Frame[] = [
      { type: 'market', ...marketRow('m1') },
      priceFrame('m1', 0.2, 0.3),
      priceFrame('m1', 0.4, 0.3),
    ];
    const store = inOrder('e1', log);
    store.resetTo(snapshotOf('e1', log.slice(0, 2)));
    expect(stateOf(store)).toEqual(stateOf(inOrder('e1', log)));
  });

  test('a position beacon with a higher offset reports a gap', () => {
    const store = inOrder('e1', [{ type: 'market', ...marketRow('m1') }]);
    store.accept({ channel: 'markets:all', epoch: 'e1', offset: 1, frames: [] });
    expect(store.hasGap('markets:all')).toBe(false);
    store.accept({ channel: 'markets:all', epoch: 'e1', offset: 2, frames: [] });
    expect(store.hasGap('markets:all')).toBe(true);
  });
});

describe('frames in the live store', () => {
  test('a price frame keeps names and order, sets the cheaper venue, and leaves other rows unchanged', () => {
    const store = inOrder('e1', [
      { type: 'market', ...marketRow('m1') },
      { type: 'market', ...marketRow('m2') },
    ]);
    const other = store.markets.get('m2');
    store.accept({ channel: 'markets:all', epoch: 'e1', offset: 3, frames: [priceFrame('m1', 0.41, 0.47)] });
    const row = store.markets.get('m1');
    expect(row?.outcomes.map(({ name, venue_a, venue_b, cheaper }) => [name, venue_a, venue_b, cheaper])).toEqual([
      ['Home', 0.41, 0.47, 'venue_a'],
      ['Away', 0.59, 0.53, 'venue_b'],
    ]);
    expect(row?.books_read_at).toEqual({ venue_a: '2026-11-20T13:00:01.000Z', venue_b: '2026-11-20T13:00:02.000Z' });
    expect(store.markets.get('m2')).toBe(other);
  });

  test('a price frame without an ask sets the ask to null, not to zero', () => {
    const gone = priceFrame('m1', 0.4, 0.5);
    const store = inOrder('e1', [
      { type: 'market', ...marketRow('m1') },
      priceFrame('m1', 0.4, 0.5),
      { ...gone, outcomes: [{ key: 'home', venue_a: 0.4, venue_b: null }], spread_pts: null },
    ]);
    expect(store.markets.get('m1')?.outcomes.map(({ venue_a, venue_b }) => [venue_a, venue_b])).toEqual([
      [0.4, null],
      [null, null],
    ]);
    expect(store.markets.get('m1')?.coverage).toEqual({ venue_a: true, venue_b: false });
  });

  test('market_removed removes the market and its opportunities', () => {
    const store = inOrder('e1', [
      { type: 'market', ...marketRow('m1') },
      { type: 'opportunity', state: 'opened', opportunity: opportunityRow('o1') },
      { type: 'opportunity', state: 'opened', opportunity: { ...opportunityRow('o2'), market_id: 'm2' } },
      { type: 'market_removed', id: 'm1', reason: 'withdrawn' },
    ]);
    expect([...store.markets.keys()]).toEqual([]);
    expect([...store.opportunities.keys()]).toEqual(['o2']);
  });

  test('the reasons of the newest 100 closed opportunities are kept', () => {
    const closing = { closed_at: '2026-11-20T13:00:00.000Z', reason: 'edge.gone', retracted: false };
    const store = inOrder(
      'e1',
      Array.from({ length: 300 }, (_, at): Frame => {
        return { type: 'opportunity', state: 'closed', opportunity: opportunityRow(`o${at}`), ...closing };
      }),
    );
    expect(store.closeInfos.get('o299')).toEqual(closing);
    expect(store.closeInfos.size).toBe(100);
  });

  test('frames of the status channel update feeds and market status, and leave the market channel as it is', () => {
    const store = inOrder('e1', [{ type: 'market', ...marketRow('m1') }]);
    const feeds = [{ venue: 'venue_a' as const, state: 'up' as const, last_message_at: '2026-11-20T13:00:00.000Z' }];
    store.resetTo({ channel: 'status', epoch: 's', offset: 7, markets: [], opportunities: [], feeds });
    store.accept({
      channel: 'status',
      epoch: 's',
      offset: 9,
      frames: [
        { type: 'feed', venue: 'venue_b', state: 'down', last_message_at: null },
        { type: 'market_status', id: 'm1', from: 'open', to: 'live' },
      ],
    });
    expect(store.feeds.venue_a?.state).toBe('up');
    expect(store.feeds.venue_b?.state).toBe('down');
    expect(store.markets.get('m1')?.status).toBe('live');
    expect(store.hasGap('markets:all')).toBe(false);
  });
});
