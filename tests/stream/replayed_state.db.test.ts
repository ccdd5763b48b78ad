import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changePair,
  holdShardLeases,
  putPair,
  putUpdates,
  type SeedUpdate,
  stopClock,
} from '../api/support/catalog.ts';
import { good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Frame, ReplayedState } from '../support/replayed_state.ts';
import { isSlowLayer, runs } from '../support/runs.ts';
import { lastOffset, publishedFrames } from './published_frames.ts';
import { expectedState } from './truth.ts';

// A client that receives only frames reaches the state of the database after any sequence of
// changes.

const PAIRS = 12;
const CHANNELS = ['markets:all', 'candidates:basketball'];
let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
let moment = Date.parse('2026-11-20T10:00:00Z');

beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  clock = await stopClock(db.sql, new Date(moment).toISOString());
  for (let n = 1; n <= PAIRS; n += 1) {
    await putPair(db.sql, {
      n,
      confirmed: n % 3 !== 0,
      stage: n === 5 ? 'candidate' : 'catalog',
      risks: [['walkover', 'low']],
    });
  }
});
afterAll(() => db.close());

const pair = fc.integer({ min: 1, max: PAIRS });
const ask = fc.option(
  fc.integer({ min: 200, max: 800 }).map((price) => price * 1000),
  { freq: 12 },
);
const updateCase = fc.record({
  n: pair,
  a: fc.tuple(ask, ask),
  b: fc.tuple(ask, ask),
  voidReason: fc.option(fc.constantFrom('feed.silent', 'book.gap', 'book.crossed'), { freq: 10 }),
  opp: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 5, max: 90 }).map((size) => ({ size: size * 100 })) },
    { weight: 2, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({
        refused: fc.constantFrom('book.gap', 'size.below_minimum'),
        ago: fc.integer({ min: 0, max: 20_000 }),
      }),
    },
  ),
});
const step = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('flush' as const),
      frames: fc.array(updateCase, { minLength: 1, maxLength: 12 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      n: pair,
      change: fc.oneof(
        fc.integer().map((word): Record<string, string | null> => ({ title: `Title "${word}"` })),
        fc
          .constantFrom('open', 'open', 'open', 'open', 'live', 'live', 'resolving', 'closed', 'settled')
          .map((status) => ({ status })),
        fc.constantFrom('EXACT', 'EXACT', 'EXACT', 'HIGH', 'REVIEW').map((band) => ({ band })),
        fc.constantFrom('catalog', 'catalog', 'catalog', 'candidate').map((stage) => ({ stage })),
        fc.constantFrom(null, null, null, '2026-11-20T09:00:00Z').map((withdrawn_at) => ({ withdrawn_at })),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('parity' as const), isWithdrawn: fc.constantFrom(false, false, true) }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ do: 'publish' as const }, { do: 'advance' as const }, { do: 'send' as const }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type UpdateCase = typeof updateCase extends fc.Arbitrary<infer T> ? T : never;

function toSeedUpdate(one: UpdateCase): readonly [number, SeedUpdate] {
  moment += 37;
  const asks = (all: [number | null, number | null]) => (one.voidReason ? [null, null] : all);
  const { opp } = one;
  const opportunity =
    opp && 'size' in opp
      ? good(one.n, opp.size)
      : opp && { refused: opp.refused, about: null, since: moment - opp.ago };
  return [
    one.n,
    {
      at: new Date(moment).toISOString(),
      ask_a: asks(one.a),
      ask_b: asks(one.b),
      void: one.voidReason,
      opp: one.voidReason ? null : opportunity,
    },
  ];
}

async function run(one: Step): Promise<void> {
  moment += 250;
  const frames = one.do === 'flush' ? one.frames.map(toSeedUpdate) : [];
  await clock.set(new Date(moment).toISOString());
  switch (one.do) {
    case 'flush':
      await putUpdates(db.sql, frames);
      return;
    case 'change':
      return changePair(db.sql, one.n, one.change);
    case 'parity':
      await db.sql`update catalog.rules set withdrawn_at = ${one.isWithdrawn ? '2026-11-20T09:00:00Z' : null} where rule_id = 'rule confirmed'`;
      await db.sql`update catalog.pairs set change_no = nextval('catalog.change_numbers')`;
      return;
    case 'publish':
      await db.sql`select stream.publish_changes(stream.unpublished_pairs())`;
      return;
    case 'advance':
      await db.sql`select pipeline.refresh_snapshot()`;
      return;
    case 'send':
      await db.sql`select stream.broadcast_pending()`;
  }
}

test('the state replayed from more than a thousand frames equals the state of the database', async () => {
  const steps = fc.sample(step, { seed: 20261120, numRuns: runs(400) });
  const replayed = new Map(CHANNELS.map((channel) => [channel, { state: new ReplayedState(), received: 0 }]));
  const statuses = new Map<string, string>();
  const counts: Record<string, number> = {};
  const compare = async (done: number) => {
    await db.sql`select stream.publish_changes(stream.unpublished_pairs())`;
    const left = new Set<string>();
    for (const [channel, one] of replayed) {
      const frames = await publishedFrames(db.sql, channel, one.received);
      one.received += frames.length;
      expect(one.received, `${channel} has no gap`).toBe(await lastOffset(db.sql, channel));
      one.state.apply(frames);
      for (const { type } of frames) counts[type] = (counts[type] ?? 0) + 1;
      for (const frame of frames) if (frame.type === 'market_removed') left.add(frame.id);
      const expected = await expectedState(db.sql, channel);
      expect(one.state.state(), `${channel} after ${done} steps`).toEqual(expected);
      await compareChannelState(channel, expected);
    }
    for (const frame of await publishedFrames(db.sql, 'status', counts.status ?? 0)) {
      counts.status = (counts.status ?? 0) + 1;
      if (frame.type !== 'market_status') continue;
      if (!left.has(frame.id)) expect([undefined, frame.from]).toContain(statuses.get(frame.id));
      statuses.set(frame.id, frame.to);
    }
    // The channel status follows the catalog alone: a market that has left it may come back with
    // another status.
    for (const id of left) statuses.delete(id);
  };
  for (const [at, one] of steps.entries()) {
    await run(one);
    if (at % 25 === 24) await compare(at + 1);
  }
  console.log(`${steps.length} steps: ${JSON.stringify(counts)}`);
  expect(counts.price).toBeGreaterThan(2 * steps.length);
  // In a long history more markets are over.
  expect(counts.opportunity).toBeGreaterThan(steps.length / (isSlowLayer ? 15 : 10));
});

/** Compares stream.channel_state_of, the state that a late client begins with. */
async function compareChannelState(
  channel: string,
  expected: Awaited<ReturnType<typeof expectedState>>,
): Promise<void> {
  const [row] = await db.sql<{ state: { offset: number; markets: Frame[]; opportunities: unknown[] } | null }[]>`
    select stream.channel_state_of(${channel}) as state`;
  const late = new ReplayedState();
  late.apply((row?.state?.markets ?? []).map((market) => ({ ...market, type: 'market' }) as Frame));
  expect(late.state().markets).toEqual(expected.markets);
  expect(row?.state?.offset ?? 0).toBe(await lastOffset(db.sql, channel));
  const ids = (all: unknown[]) => all.map((one) => JSON.stringify(one)).sort();
  expect(ids(row?.state?.opportunities ?? [])).toEqual(ids(expected.opportunities));
}
