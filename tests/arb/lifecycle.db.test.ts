import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, holdShardLeases, putPair, stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { flush, good, opportunity } from './fixture.ts';

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows, arb.opportunities, arb.opportunity_states, arb.rejections`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  await holdShardLeases(db.sql);
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
  await putPair(db.sql, { n: 1, confirmed: true });
});

type Opportunity = {
  opened: string;
  closed: string | null;
  close_reason: string | null;
  retracted: boolean;
  states: number;
};
const opportunities = () =>
  db.sql<Opportunity[]>`
    select to_char(opened_at at time zone 'UTC', 'HH24:MI:SS') as opened,
           case when closed_at < 'infinity' then to_char(closed_at at time zone 'UTC', 'HH24:MI:SS') end as closed,
           close_reason, retracted_at is not null as retracted,
           (select count(*)::integer from arb.opportunity_states s where s.opportunity_id = w.opportunity_id and not s.retracted) as states
    from arb.opportunities w
    order by opened_at`;
const rejections = () =>
  db.sql<
    { stage: string; reason: string; times: number }[]
  >`select stage, reason, occurrences::integer as times from arb.rejections order by reason`;
const served = async (step: string) => {
  const rows = await db.sql<{ refused: string | null; cost: number }[]>`
    select s.refused, (s.state).cost from arb.list_open_at(${step}) s`;
  return rows.map((row) => row.refused ?? row.cost);
};
const at = (time: string) => `2026-11-20T${time}.000Z`;

describe('an opportunity', () => {
  test('is one row from open to close, with any changes in between', async () => {
    await flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);
    const [first] = await db.sql`select opportunity_id from arb.opportunities`;
    await flush(db.sql, 1, [
      { at: at('11:50:10'), opp: good(1, 9_000), ask: 451_000 },
      { at: at('11:50:20'), opp: good(1, 9_000), ask: 452_000 },
      { at: at('11:50:30'), opp: null, ask: 470_000 },
    ]);
    expect(await opportunities()).toEqual([
      { opened: '11:50:00', closed: '11:50:30', close_reason: 'edge.gone', retracted: false, states: 2 },
    ]);
    // An edge that is gone is no rejection.
    expect(await rejections()).toEqual([]);
    expect(await db.sql`select opportunity_id from arb.opportunities`).toEqual([first]);
    await flush(db.sql, 1, [{ at: at('11:51:00'), opp: good(1) }]);
    expect(await opportunities()).toHaveLength(2);
  });

  test('is served at any past moment with the terms of that moment', async () => {
    await flush(db.sql, 1, [
      { at: at('11:50:00'), opp: good(1) },
      {
        at: at('11:50:10'),
        opp: opportunity(1, [
          { key: 'home', venue: 'venue_a', ask: 440_000, fee: 17_300 },
          { key: 'away', venue: 'venue_b', ask: 500_000, fee: 12_500 },
        ]),
        ask: 440_000,
      },
      { at: at('11:50:30'), opp: null, ask: 470_000 },
    ]);
    expect(await served(at('11:49:59'))).toEqual([]);
    expect(await served(at('11:50:00'))).toEqual([979_900]);
    expect(await served(at('11:50:09'))).toEqual([979_900]);
    expect(await served(at('11:50:10'))).toEqual([969_800]);
    expect(await served(at('11:50:29'))).toEqual([969_800]);
    expect(await served(at('11:50:30'))).toEqual([]);
  });

  test('does not change when a flush is written twice', async () => {
    const updates = [
      { at: at('11:50:00'), opp: good(1) },
      { at: at('11:50:10'), opp: good(1, 9_000), ask: 451_000 },
      { at: at('11:50:30'), opp: null, ask: 470_000 },
    ];
    await flush(db.sql, 1, updates);
    const before = [await opportunities(), await db.sql`select * from arb.opportunity_states order by state_no`];
    await flush(db.sql, 1, updates);
    expect([await opportunities(), await db.sql`select * from arb.opportunity_states order by state_no`]).toEqual(
      before,
    );
  });

  test('gets a new state with the same priced_at when only deeper levels change', async () => {
    const deeper = {
      ...good(1),
      ladder: [
        { size: 12_000, cost: '11758800000' },
        { size: 20_000, cost: '19900000000' },
      ],
    };
    await flush(db.sql, 1, [
      { at: at('11:50:00'), opp: good(1) },
      { at: at('11:50:05'), opp: deeper },
    ]);
    const rows = await db.sql`select from_at, priced_at from arb.opportunity_states order by state_no`;
    expect(rows).toEqual([
      { from_at: new Date(at('11:50:00')), priced_at: new Date(at('11:50:00')) },
      { from_at: new Date(at('11:50:05')), priced_at: new Date(at('11:50:00')) },
    ]);
  });
});

describe('an open opportunity', () => {
  const open = () => flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);

  test.each([
    [
      'a book guard suspends a book',
      { at: at('11:51:00'), opp: { refused: 'book.gap', about: 'KX-1-home', since: null }, ask: 1 },
      'book.gap',
    ],
    ['the price update is void', { at: at('11:51:00'), opp: null, void: 'feed.disconnected' }, 'feed.disconnected'],
    [
      'a void price update carries an opportunity',
      { at: at('11:51:00'), opp: good(1), void: 'price.inverted' },
      'price.inverted',
    ],
    [
      'the engine rejects it',
      { at: at('11:51:00'), opp: { refused: 'size.below_minimum', about: 'away', since: null } },
      'size.below_minimum',
    ],
  ])('closes with the reason of the engine when %s', async (_, update, reason) => {
    await open();
    await flush(db.sql, 1, [update]);
    expect(await opportunities()).toMatchObject([{ closed: '11:51:00', close_reason: reason, retracted: false }]);
  });

  test('ends at the last valid moment of a book that turned out to be invalid', async () => {
    await open();
    await flush(db.sql, 1, [
      { at: at('11:50:40'), opp: good(1, 8_000), ask: 451_000 },
      {
        at: at('11:51:00'),
        opp: { refused: 'feed.frozen', about: 'KX-1-home', since: Date.parse(at('11:50:20')) },
        ask: 1,
      },
    ]);
    expect(await opportunities()).toMatchObject([
      { closed: '11:50:20', close_reason: 'feed.frozen', retracted: false, states: 1 },
    ]);
    expect(await served(at('11:50:19'))).toEqual([979_900]);
    expect(await served(at('11:50:45'))).toEqual([]);
  });

  test('is retracted when it opened and closed on a book that turned out to be invalid', async () => {
    await flush(db.sql, 1, [
      { at: at('11:49:00'), opp: good(1) },
      { at: at('11:50:30'), opp: null, ask: 470_000 },
      { at: at('11:50:40'), opp: good(1) },
      { at: at('11:50:50'), opp: null, ask: 470_000 },
    ]);
    await flush(db.sql, 1, [
      {
        at: at('11:51:00'),
        opp: { refused: 'feed.silent', about: 'KX-1-home', since: Date.parse(at('11:50:00')) },
        ask: 1,
      },
    ]);
    expect(await opportunities()).toMatchObject([
      { opened: '11:49:00', closed: '11:50:00', close_reason: 'feed.silent', retracted: false },
      { opened: '11:50:40', close_reason: 'feed.silent', retracted: true },
    ]);
    expect(await served(at('11:49:59'))).toEqual([979_900]);
    expect(await served(at('11:50:10'))).toEqual([]);
    expect(await served(at('11:50:45'))).toEqual([]);
  });

  test.each([
    ['a moment after it opened', 1, { closed: '11:50:00', retracted: false, states: 1 }],
    ['the moment in which it opened', 0, { closed: '11:50:00', retracted: true, states: 1 }],
    ['a moment before it opened', -1, { closed: '11:50:00', retracted: true, states: 1 }],
  ])('ends at the moment from which its book is invalid: %s', async (_, ms, ended) => {
    await open();
    const since = Date.parse(at('11:50:00')) + ms;
    await flush(db.sql, 1, [
      { at: at('11:50:30'), opp: { refused: 'feed.silent', about: 'KX-1-home', since }, ask: 1 },
    ]);
    expect(await opportunities()).toMatchObject([{ opened: '11:50:00', close_reason: 'feed.silent', ...ended }]);
    // Served up to the last moment of a valid book, and never where it was retracted.
    expect(await served(at('11:50:00'))).toEqual(ended.retracted ? [] : [979_900]);
  });

  test('ends in a state that began at the very moment from which its book is invalid, and has no later one', async () => {
    await open();
    await flush(db.sql, 1, [
      { at: at('11:50:20'), opp: good(1, 8_000), ask: 451_000 },
      { at: at('11:50:21'), opp: good(1, 7_000), ask: 452_000 },
    ]);
    const since = Date.parse(at('11:50:20'));
    await flush(db.sql, 1, [{ at: at('11:51:00'), opp: { refused: 'book.gap', about: 'KX-1-home', since }, ask: 1 }]);
    expect(await opportunities()).toMatchObject([{ closed: '11:50:20', retracted: false, states: 2 }]);
    // One that had closed at that moment keeps its own reason.
    await flush(db.sql, 1, [
      { at: at('11:52:00'), opp: good(1) },
      { at: at('11:52:10'), opp: null, ask: 470_000 },
    ]);
    await flush(db.sql, 1, [
      { at: at('11:53:00'), opp: { refused: 'book.gap', about: 'x', since: Date.parse(at('11:52:10')) }, ask: 1 },
    ]);
    expect((await opportunities())[1]).toMatchObject({
      closed: '11:52:10',
      close_reason: 'edge.gone',
      retracted: false,
    });
  });

  test('is retracted when it opened on a book that was already invalid', async () => {
    await open();
    await flush(db.sql, 1, [
      {
        at: at('11:50:30'),
        opp: { refused: 'feed.silent', about: 'KX-1-home', since: Date.parse(at('11:49:30')) },
        ask: 1,
      },
    ]);
    expect(await opportunities()).toMatchObject([{ close_reason: 'feed.silent', retracted: true }]);
    expect(await served(at('11:50:10'))).toEqual([]);
  });

  test.each([
    [
      'parity is withdrawn',
      async () => void (await db.sql`update catalog.rules set withdrawn_at = '2026-11-20Z'`),
      'parity.withdrawn',
    ],
    [
      'a risk becomes high',
      async () =>
        void (await db.sql`update catalog.assessments set risks = '[{"event":"walkover","severity":"high","note":"n"}]'`),
      'risk.walkover',
    ],
    ['its pair falls to REVIEW', () => changePair(db.sql, 1, { band: 'REVIEW' }), 'band.review'],
    ['its pair is withdrawn', () => changePair(db.sql, 1, { withdrawn_at: '2026-11-20T11:59:00Z' }), 'pair.withdrawn'],
    ['its pair no longer trades', () => changePair(db.sql, 1, { status: 'resolving' }), 'pair.resolving'],
  ])('closes with the reason of the pair when %s', async (_, change, reason) => {
    await open();
    await change();
    await db.sql`select arb.close_ineligible()`;
    expect(await opportunities()).toMatchObject([{ closed: '12:00:00', close_reason: reason }]);
    await flush(db.sql, 1, [{ at: at('12:00:01'), opp: good(1), ask: 451_000 }]);
    expect(await opportunities()).toHaveLength(1);
    await db.sql`update catalog.rules set withdrawn_at = null`;
  });

  test('closes with the reason of a closed gate, not of the missing edge', async () => {
    await open();
    await changePair(db.sql, 1, { band: 'REVIEW' });
    await flush(db.sql, 1, [{ at: at('11:51:00'), opp: null }]);
    expect(await opportunities()).toMatchObject([{ closed: '11:51:00', close_reason: 'band.review' }]);
  });

  test('closes when the lease of its shard expires', async () => {
    await open();
    await clock.set('2026-11-20T12:00:00Z');
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second' where name like 'books:%'`;
    await db.sql`select pipeline.void_unread_pairs()`;
    expect(await opportunities()).toMatchObject([{ closed: '12:00:00', close_reason: 'lease.expired' }]);
  });
});

describe('the list of servable opportunities', () => {
  const open = () => flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);
  const storeLegs = (changed: object) =>
    db.sql`update arb.opportunity_states set legs = ${db.sql.json(changed as never)}`;
  const legs = good(1).legs;
  const [home, away] = legs;

  test.each([
    ['its costs do not add up', [{ ...home, fee: 1 }, away], 'state.cost'],
    ['its stakes do not add up', [{ ...home, stake: 1 }, away], 'state.stakes'],
    ['a leg is missing', [home], 'state.too_few_legs'],
    ['all legs are on one venue', [home, { ...away, venue: 'venue_a', side: 'no' }], 'state.one_venue'],
    ['a leg of venue_b has a side', [home, { ...away, side: 'yes' }], 'state.leg'],
    ['a leg has less than the promised size', [{ ...home, size: 1 }, away], 'state.leg'],
    ['a contract has left the pair', [{ ...home, contract: 'KX-OTHER' }, away], 'legs.changed'],
    ['a side is inverted', [{ ...home, side: 'no' }, away], 'legs.changed'],
    ['an outcome has another key', [home, { ...away, key: 'draw' }], 'legs.changed'],
  ])('leaves out an opportunity when %s', async (_, invalidLegs, reason) => {
    await open();
    await storeLegs(invalidLegs);
    expect(await served(at('11:55:00'))).toEqual([reason]);
    await db.sql`select arb.list_servable(${at('11:55:00')})`;
    expect(await rejections()).toEqual([{ stage: 'serving', reason, times: 1 }]);
  });

  test("accepts the opposite side of the other outcome's contract as a leg of a two-outcome pair", async () => {
    await open();
    await storeLegs([{ ...home, contract: 'KX-1-away', side: 'no' }, away]);
    expect(await served(at('11:55:00'))).toEqual([979_900]);
  });
});

test('a rejection of the engine is stored once with its count, and an invalid book stores no rejection', async () => {
  for (const time of ['11:50:00', '11:50:01']) {
    await flush(db.sql, 1, [
      { at: at(time), opp: { refused: 'fee.unknown', about: 'KX-1-home', since: null }, ask: 1 },
    ]);
  }
  await flush(db.sql, 1, [{ at: at('11:50:02'), opp: { refused: 'book.gap', about: 'KX-1-home', since: null } }]);
  expect(await rejections()).toEqual([{ stage: 'decision', reason: 'fee.unknown', times: 2 }]);
});

test('a state whose total cost is not cost times size cannot be stored', async () => {
  await expect(flush(db.sql, 1, [{ at: at('11:50:00'), opp: { ...good(1), wager: 1 } }])).rejects.toThrow(
    /states_check|wager/,
  );
});

test('purge_expired deletes closed opportunities with their states and keeps open ones', async () => {
  await flush(db.sql, 1, [
    { at: at('11:50:00'), opp: good(1) },
    { at: at('11:50:30'), opp: null, ask: 470_000 },
    { at: at('11:51:00'), opp: good(1) },
  ]);
  await clock.set('2026-12-25T00:00:00Z');
  await db.sql`select arb.purge_expired()`;
  expect(await opportunities()).toMatchObject([{ opened: '11:51:00' }]);
  expect(await db.sql`select count(*)::integer as n from arb.opportunity_states`).toEqual([{ n: 1 }]);
});
