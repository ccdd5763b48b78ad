import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, holdShardLeases, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { flush, good, opportunity, type SeedLeg } from './fixture.ts';
import { listMarket, payMarket, SETTLED, unlistMarket } from './track_record_fixture.ts';

/**
 * Guarantee: every opportunity that was served is in the track record for good, with the terms of
 * its first service and what its contracts really paid.
 */

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, catalog.rules, price.updates, price.latest_updates, arb.opportunities, arb.rejections, arb.track_records, arb.track_record_state, stream.published_opportunities, venue.events cascade`;
  await holdShardLeases(db.sql);
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
  await putPair(db.sql, { n: 1, confirmed: true });
  await listMarket(db.sql, 'venue_a', 'KX-1-home', ['KX-1-home']);
  await listMarket(db.sql, 'venue_a', 'KX-1-away', ['KX-1-away']);
  await listMarket(db.sql, 'venue_b', '0x1', ['1000', '1001']);
});

const at = (time: string) => `2026-11-20T${time}.000Z`;
const open = (time = '11:50:00', opp = good(1)) => flush(db.sql, 1, [{ at: at(time), opp }]);
const close = (time: string) => flush(db.sql, 1, [{ at: at(time), opp: null, ask: 470_000 }]);
const settle = async () => (await db.sql`select arb.settle_track_records() as n`)[0]?.n;
/** Settles and renews the tallies, without the pause between two tallies. */
async function update(): Promise<void> {
  await db.sql`update arb.track_record_state set build_time = '0'`;
  await db.sql`select arb.update_track_record()`;
}

/** What the market of the contract on Home at venue_a and outcome 0 (Home) of venue_b were paid. */
async function pay(home: string, outcomeZero: string): Promise<void> {
  await payMarket(db.sql, 'venue_a', 'KX-1-home', home);
  await payMarket(db.sql, 'venue_b', '0x1', outcomeZero);
}

type RecordRow = {
  size: number;
  cost: number;
  paid: number | null;
  profit: number | null;
  outcome: string | null;
  life_s: number | null;
  amended: boolean;
  without_result: boolean;
};
/** The records in the order of their opening, money in USD. */
const records = () =>
  db.sql<RecordRow[]>`
    select r.size::integer / 100 as size, (r.total_cost / 1000000.0)::float8 as cost,
           (r.paid / 1000000)::float8 as paid, (r.profit / 1000000)::float8 as profit, r.outcome,
           case when r.closed_at < 'infinity' then extract(epoch from r.closed_at - r.opened_at)::integer end as life_s,
           r.amended_at is not null as amended, r.without_result_at is not null as without_result
    from arb.track_records r
    order by r.opened_at`;
const legs = () =>
  db.sql`select venue, contract_id as contract, side, payout::float8 as payout from arb.track_record_legs order by ordinal`;
const everything = () =>
  db.sql`
    select to_jsonb(r) as record, (select jsonb_agg(l order by l.ordinal) from arb.track_record_legs l where l.opportunity_id = r.opportunity_id) as legs
    from arb.track_records r
    order by r.opportunity_id`;

describe('an opportunity enters the track record', () => {
  test('with the terms of the moment in which it is first served, and keeps them', async () => {
    await open();
    await open('11:50:10', good(1, 9_000));
    expect(await records()).toMatchObject([{ size: 120, cost: 117.588, paid: null, outcome: null, life_s: null }]);
    expect(await legs()).toEqual([
      { venue: 'venue_a', contract: 'KX-1-home', side: 'yes', payout: null },
      { venue: 'venue_b', contract: '1001', side: null, payout: null },
    ]);
  });

  test('with its close, also when it opens and closes within one flush', async () => {
    await open();
    await close('11:50:30');
    await flush(db.sql, 1, [
      { at: at('11:51:00'), opp: good(1) },
      { at: at('11:51:02'), opp: null, ask: 470_000 },
    ]);
    expect((await records()).map((row) => row.life_s)).toEqual([30, 2]);
  });

  test('also when it is retracted after the stream has published it', async () => {
    await open();
    const since = Date.parse(at('11:49:50'));
    await flush(db.sql, 1, [{ at: at('11:50:20'), opp: { refused: 'book.gap', about: 'KX-1-home', since } }]);
    expect(await records()).toMatchObject([{ size: 120, life_s: 0 }]);
  });

  test('not when an invalid book ends it before it is published', async () => {
    await flush(db.sql, 1, [
      { at: at('11:50:00'), opp: good(1) },
      { at: at('11:50:01'), opp: { refused: 'book.gap', about: 'KX-1-home', since: Date.parse(at('11:49:50')) } },
    ]);
    expect(await db.sql`select retracted_at is not null as retracted from arb.opportunities`).toEqual([
      { retracted: true },
    ]);
    expect(await records()).toEqual([]);
  });

  test('when REST returns it first, and not when its state may not be served', async () => {
    await open();
    await db.sql`truncate arb.track_records cascade`;
    await db.sql`update arb.opportunity_states set legs = jsonb_set(legs, '{0,contract}', '"KX-OTHER"')`;
    await db.sql`select arb.list_servable(${at('11:55:00')})`;
    expect(await records()).toEqual([]);
    await db.sql`update arb.opportunity_states set legs = jsonb_set(legs, '{0,contract}', '"KX-1-home"')`;
    await db.sql`select arb.list_servable(${at('11:55:00')})`;
    expect(await records()).toMatchObject([{ size: 120 }]);
  });
});

describe('a settled opportunity', () => {
  const noLeg: SeedLeg[] = [
    { key: 'home', venue: 'venue_b', ask: 450_000, fee: 17_400 },
    { key: 'away', venue: 'venue_a', side: 'no', contract: 'KX-1-home', ask: 500_000, fee: 12_500 },
  ];

  test.each([
    // Home, outcome 0, paid, outcome. The legs are YES on Home at venue_a and outcome 1 at venue_b.
    ['both venues pay the home win', '1', '1', 120, 'as_promised'],
    ['both venues pay the away win', '0', '0', 120, 'as_promised'],
    ['a divergence pays both legs', '1', '0', 240, 'as_promised'],
    ['a divergence pays no leg', '0', '1', 0, 'loss'],
    ['a void pays a fair price of 62 cents against 50-50', '0.62', '0.5', 134.4, 'as_promised'],
    ['a void pays a fair price of 49 cents against 50-50', '0.49', '0.5', 118.8, 'less'],
    ['a void pays a fair price of 38 cents against 50-50', '0.38', '0.5', 105.6, 'loss'],
    ['both venues pay 50-50', '0.5', '0.5', 120, 'as_promised'],
    ['a fair price has six decimals', '0.333333', '0.5', 99.99996, 'loss'],
  ])('has what the contracts paid when %s', async (_, home, outcomeZero, paid, outcome) => {
    await open();
    await close('11:50:30');
    await pay(home, outcomeZero);
    expect(await settle()).toBe(1);
    const [record] = await records();
    expect(record).toMatchObject({ paid, outcome, amended: false });
    expect(record?.profit).toBeCloseTo(paid - 117.588, 9);
  });

  test.each([
    ['1', '1', 120, 'as_promised'],
    ['0', '0', 120, 'as_promised'],
    ['0', '1', 240, 'as_promised'],
    ['1', '0', 0, 'loss'],
    ['0.62', '0.5', 105.6, 'loss'],
  ])('pays a NO leg the rest of the dollar when YES is paid %s and outcome 0 %s', async (home, zero, paid, outcome) => {
    await open('11:50:00', opportunity(1, noLeg));
    await pay(home, zero);
    await settle();
    expect(await records()).toMatchObject([{ paid, outcome }]);
  });

  test.each<[string, string | null, string | null, string]>([
    ['the later venue', SETTLED.venue_a, SETTLED.venue_b, SETTLED.venue_b],
    ['the later venue, in the other order', SETTLED.venue_b, SETTLED.venue_a, SETTLED.venue_b],
    ['the only venue that states a time', null, SETTLED.venue_a, SETTLED.venue_a],
    ['the present moment, where no venue states one', null, null, '2026-11-22T09:00:00Z'],
  ])('is settled at the time of %s', async (_, a, b, settled) => {
    await open();
    await payMarket(db.sql, 'venue_a', 'KX-1-home', '1', a);
    await payMarket(db.sql, 'venue_b', '0x1', '1', b);
    await clock.set('2026-11-22T09:00:00Z');
    expect(await settle()).toBe(1);
    const times = () => db.sql`select settled_at, amended_at, watched_until from arb.track_records`;
    expect(await times()).toEqual([
      { settled_at: new Date(settled), amended_at: null, watched_until: new Date('2026-12-22T09:00:00Z') },
    ]);
    // The second run, an hour later, moves none of them.
    const before = await times();
    await clock.set('2026-11-22T10:00:00Z');
    expect(await settle()).toBe(0);
    expect(await times()).toEqual(before);
  });

  test('waits for the last leg', async () => {
    await open();
    await payMarket(db.sql, 'venue_a', 'KX-1-home', '1');
    expect(await settle()).toBe(0);
    expect(await records()).toMatchObject([{ paid: null, outcome: null }]);
    expect((await legs()).map((leg) => leg.payout)).toEqual([1, null]);
    await payMarket(db.sql, 'venue_b', '0x1', '1');
    expect(await settle()).toBe(1);
    expect(await records()).toMatchObject([{ paid: 120 }]);
  });

  test('follows a result that a venue amends, and keeps the old one until the venue pays again', async () => {
    await open();
    await pay('1', '1');
    await settle();
    await db.sql`update venue.markets set state = 'proposed', payout = null where market_id = 'KX-1-home'`;
    expect(await settle()).toBe(0);
    expect(await records()).toMatchObject([{ paid: 120, amended: false }]);
    await payMarket(db.sql, 'venue_a', 'KX-1-home', '0');
    expect(await settle()).toBe(1);
    expect(await records()).toMatchObject([{ paid: 0, outcome: 'loss', amended: true }]);
  });

  test('does not change when it is settled again', async () => {
    await open();
    await pay('0.49', '0.5');
    await settle();
    const before = await everything();
    await clock.set('2026-11-21T12:00:00Z');
    expect(await settle()).toBe(0);
    expect(await everything()).toEqual(before);
  });

  test('counts when its pair is withdrawn after it was served', async () => {
    await open();
    await changePair(db.sql, 1, { withdrawn_at: at('11:55:00'), withdrawn_code: 'rules.changed' });
    await pay('0', '1');
    await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes cascade`;
    await settle();
    expect(await records()).toMatchObject([{ paid: 0, outcome: 'loss' }]);
    expect(await db.sql`select family, competition, title from arb.track_records`).toEqual([
      { family: 'moneyline', competition: 'NBA', title: 'Title 1' },
    ]);
  });

  test('is settled by the status refresh that settles its pair', async () => {
    await db.sql`
      update catalog.outcomes
      set market_a = contract_a,
          market_b = '0x1'`;
    await open();
    await pay('1', '1');
    await payMarket(db.sql, 'venue_a', 'KX-1-away', '0');
    await db.sql`select pipeline.refresh_statuses()`;
    expect(await db.sql`select status from catalog.pairs`).toEqual([{ status: 'settled' }]);
    expect(await records()).toMatchObject([{ paid: 120, outcome: 'as_promised' }]);
  });

  test('is found by a later run when the run that should settle it was lost, in batches', async () => {
    await open();
    await close('11:50:30');
    await open('11:51:00');
    await pay('1', '1');
    const batch = async () => (await db.sql`select arb.settle_track_records(null, 1) as n`)[0]?.n;
    expect([await batch(), await batch(), await batch()]).toEqual([1, 1, 0]);
    expect((await records()).map((row) => row.paid)).toEqual([120, 120]);
  });
});

describe('an opportunity without a result', () => {
  test('is counted as such when its pair is closed, and is settled by a later result', async () => {
    await open();
    await settle();
    expect(await records()).toMatchObject([{ without_result: false }]);
    await db.sql`update catalog.pairs set status = 'closed'`;
    await settle();
    expect(await records()).toMatchObject([{ paid: null, without_result: true }]);
    await pay('1', '1');
    await settle();
    expect(await records()).toMatchObject([{ paid: 120, without_result: false }]);
  });

  test('is counted as such for its own pair and its own contracts only', async () => {
    await open();
    await putPair(db.sql, { n: 2, confirmed: true });
    await listMarket(db.sql, 'venue_a', 'KX-2-home', ['KX-2-home']);
    await listMarket(db.sql, 'venue_b', '0x2', ['2000', '2001']);
    await flush(db.sql, 2, [{ at: at('11:50:00'), opp: good(2) }]);
    const marked = async () => {
      const rows = await db.sql<{ pair_id: string; without: boolean }[]>`
        select r.pair_id, r.without_result_at is not null as without from arb.track_records r order by 1`;
      return rows.map(({ without }) => without);
    };
    await changePair(db.sql, 2, { status: 'closed' });
    expect(await settle()).toBe(0);
    expect(await marked()).toEqual([false, true]);
    await changePair(db.sql, 2, { status: 'open' });
    await db.sql`update arb.track_records set without_result_at = null, watched_until = 'infinity'`;
    await unlistMarket(db.sql, 'venue_a', 'KX-1-home');
    await settle();
    expect(await marked()).toEqual([true, false]);
  });

  test('is counted as such when a contract is no longer stored', async () => {
    await open();
    await payMarket(db.sql, 'venue_a', 'KX-1-home', '1');
    await unlistMarket(db.sql, 'venue_b', '0x1');
    await settle();
    expect(await records()).toMatchObject([{ paid: null, without_result: true }]);
  });
});

describe('retention', () => {
  test('leaves the record when its opportunity, its pair and its listings are deleted', async () => {
    await open();
    await close('11:50:30');
    await pay('1', '1');
    await settle();
    await clock.set('2027-02-01T00:00:00Z');
    const before = await everything();
    await db.sql`select arb.purge_expired()`;
    await db.sql`delete from venue.events`;
    await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes cascade`;
    expect(await db.sql`select count(*)::integer as n from arb.opportunities`).toEqual([{ n: 0 }]);
    await db.sql`select arb.update_track_record()`;
    expect(await everything()).toEqual(before);
    expect(await records()).toMatchObject([{ paid: 120, life_s: 30, without_result: false }]);
  });
});

describe('the tallies', () => {
  type Row = { level: number; month: string | null; family: string | null; competition: string | null; tally: string };
  const rows = async () => (await db.sql<{ rows: Row[] }[]>`select rows from arb.track_record_state`)[0]?.rows ?? [];
  const tallyOf = async (level: number, where: Partial<Row> = {}) => {
    const found = (await rows()).filter(
      (row) => row.level === level && Object.entries(where).every(([name, value]) => row[name as keyof Row] === value),
    );
    expect(found).toHaveLength(1);
    return JSON.parse(`{${found[0]?.tally}}`);
  };

  test('are counted by month, family and competition, each with its own median and worst case', async () => {
    await open();
    await close('11:50:10');
    await open('11:51:00');
    await close('11:51:40');
    await open('11:52:00');
    await pay('0.49', '0.5');
    await putPair(db.sql, { n: 2, confirmed: true, market_type: 'weather_high', competition: null });
    await listMarket(db.sql, 'venue_a', 'KX-2-home', ['KX-2-home']);
    await listMarket(db.sql, 'venue_b', '0x2', ['2000', '2001']);
    await clock.set('2026-12-01T00:00:00Z');
    await flush(db.sql, 2, [{ at: '2026-12-01T00:00:00.000Z', opp: good(2) }]);
    await payMarket(db.sql, 'venue_a', 'KX-2-home', '0');
    await payMarket(db.sql, 'venue_b', '0x2', '1');
    await update();
    expect(await tallyOf(7)).toEqual({
      shown: 4,
      markets: 2,
      settled: 4,
      paid_as_promised: 0,
      paid_less: 4,
      lost: 1,
      without_result: 0,
      worst_case_usd: -117.588,
      median_life_s: 25,
      cost_usd: 470.352,
      promised_usd: 480,
      paid_usd: 356.4,
    });
    expect(await tallyOf(0, { month: '2026-11', family: 'moneyline', competition: 'NBA' })).toMatchObject({
      shown: 3,
      lost: 0,
      worst_case_usd: 1.212,
    });
    expect(await tallyOf(0, { month: '2026-12', family: 'weather_high', competition: null })).toMatchObject({
      shown: 1,
      median_life_s: null,
    });
    expect(await tallyOf(4, { family: 'moneyline', competition: 'NBA' })).toMatchObject({ shown: 3 });
  });

  test('are renewed only when a record has changed', async () => {
    const state = async () => (await db.sql`select report_no, updated_at from arb.track_record_state`)[0];
    await update();
    expect(await state()).toBeUndefined();
    await open();
    await update();
    expect(await state()).toMatchObject({ report_no: '1' });
    const before = await state();
    await clock.set('2026-11-20T13:00:00Z');
    await update();
    expect(await state()).toEqual(before);
    for (const change of [
      () => close('11:50:30'),
      () => pay('1', '1'),
      () => pay('0', '0').then(() => pay('1', '0')),
    ]) {
      const last = await state();
      await change();
      await update();
      expect(Number((await state())?.report_no)).toBe(Number(last?.report_no) + 1);
    }
  });

  test('pause for twenty times as long as they took', async () => {
    await open();
    await update();
    await close('11:50:30');
    await db.sql`update arb.track_record_state set build_time = '1 hour', built_at = clock_timestamp() - interval '19 hours'`;
    await db.sql`select arb.update_track_record()`;
    expect((await tallyOf(7)).median_life_s).toBeNull();
    await db.sql`update arb.track_record_state set built_at = clock_timestamp() - interval '21 hours'`;
    await db.sql`select arb.update_track_record()`;
    expect((await tallyOf(7)).median_life_s).toBe(30);
  });

  test('are all that parallax_api may read of the record', async () => {
    const [may] = await db.sql`
      select has_table_privilege('parallax_api', 'arb.track_records', 'select') as records,
             has_table_privilege('parallax_api', 'arb.track_record_legs', 'select') as legs,
             has_table_privilege('parallax_api', 'arb.track_record_state', 'select') as tallies,
             has_table_privilege('parallax_api', 'arb.track_record_state', 'update') as change,
             has_table_privilege('anon', 'arb.track_record_state', 'select') as anon`;
    expect(may).toEqual({ records: false, legs: false, tallies: true, change: false, anon: false });
  });
});

test('the record keeps the pair and the opportunity of its id', async () => {
  await open();
  const [row] = await db.sql`
    select r.pair_id, r.month::text as month
    from arb.track_records r
    join arb.opportunities o using (opportunity_id)`;
  expect(row).toEqual({ pair_id: uuidOf(1), month: '2026-11-01' });
});
