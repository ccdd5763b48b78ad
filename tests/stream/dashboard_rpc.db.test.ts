import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  as,
  asRole,
  expectRpcError,
  organization,
  type Person,
  person,
  type Row,
  rpc,
} from '../account/support/people.ts';
import { idOf, putPair, putUpdate, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { clearPublished } from './published_frames.ts';

/**
 * Guarantee: a signed-in person reads on the live pages what the plan includes, no other caller
 * reads anything, and each call counts against the rate limit.
 */

let db: TestDatabase;
let owner: Person;
let org: string;
beforeAll(async () => {
  db = await createDatabase();
  await putPair(db.sql, { n: 1, confirmed: true });
  await putPair(db.sql, { n: 2, confirmed: false });
});
afterAll(() => db.close());
beforeEach(async () => {
  await clearPublished(db.sql);
  ({ owner, org } = await organization(db.sql));
  await plan('basic');
  await putUpdate(db.sql, 1, {
    at: new Date(Date.now() - 300_000).toISOString(),
    ask_a: [400_000, 620_000],
    ask_b: [410_000, 610_000],
  });
  await db.sql`select stream.publish_changes(array[${uuidOf(1)}, ${uuidOf(2)}]::uuid[])`;
});

const plan = (tier: string, status = 'active') => db.sql`select account.set_plan(${org}, ${tier}, ${status})`;
const counted = async () => {
  const [row] = await as(db.sql, owner, 'select window_used, month_used from api.my_usage');
  return row;
};

describe('dashboard_channel_state', () => {
  test('returns the channel state with the position of the channel', async () => {
    const given = await rpc<{ epoch: string; offset: number; markets: Row[] }>(
      db.sql,
      owner,
      `get_channel_state('markets:all')`,
    );
    const [channel] =
      await db.sql`select epoch, last_offset::integer as offset from stream.channels where channel = 'markets:all'`;
    expect(given).toMatchObject({ channel: 'markets:all', ...channel });
    expect(given.markets.map(({ id }) => id).sort()).toEqual([idOf(1), idOf(2)]);
  });

  test('returns the feeds for the channel status', async () => {
    expect(await rpc(db.sql, owner, `get_channel_state('status')`)).toMatchObject({
      channel: 'status',
      feeds: expect.any(Array),
    });
  });

  test.each(['candidates:basketball', 'quotes:all', 'best:all', `org:${randomUUID()}`, 'sample', 'nothing', ''])(
    'rejects %j for a Basic plan with the same error as an unknown channel',
    (channel) => expectRpcError(rpc(db.sql, owner, `get_channel_state('${channel}')`), 404, 'channel.not_found'),
  );

  test('returns the channel of an organization only to its members', async () => {
    const other = await organization(db.sql);
    await db.sql`select stream.publish_org_event(${org}, 'plan', '{"tier":"basic"}')`;
    expect(await rpc(db.sql, owner, `get_channel_state('org:${org}')`)).toMatchObject({ channel: `org:${org}` });
    await expectRpcError(rpc(db.sql, other.owner, `get_channel_state('org:${org}')`), 404, 'channel.not_found');
  });

  test('follows the plan from the moment that the plan changes', async () => {
    await plan('free');
    await expectRpcError(rpc(db.sql, owner, `get_channel_state('markets:all')`), 404, 'channel.not_found');
    expect(await rpc(db.sql, owner, `get_channel_state('sample')`)).toMatchObject({ channel: 'sample' });
    await plan('pro', 'inactive');
    await expectRpcError(rpc(db.sql, owner, `get_channel_state('sample')`), 402, 'billing.inactive');
  });
});

describe('dashboard market RPCs', () => {
  test('returns a market in full, with its rules and the gates of its signal', async () => {
    const market = await rpc<Row>(db.sql, owner, `get_market_detail('${idOf(1)}')`);
    expect(market).toMatchObject({ id: idOf(1), venues: {}, settlement: { parity: true } });
    const explained = await rpc<{ gates: Row[] }>(db.sql, owner, `explain_market('${idOf(1)}')`);
    expect(explained.gates.map(({ gate }) => gate)).toEqual(['band', 'parity', 'risk', 'priced']);
    const unconfirmed = await rpc<{ gates: Row[] }>(db.sql, owner, `explain_market('${idOf(2)}')`);
    expect(unconfirmed.gates[1]).toEqual({ gate: 'parity', open: false, reason: 'parity.unconfirmed' });
    expect(unconfirmed.gates[0]).toEqual({ gate: 'band', open: true, reason: null });
  });

  test('returns the history of a market', async () => {
    expect(await rpc(db.sql, owner, `get_market_history('${uuidOf(1)}')`)).toMatchObject({
      id: idOf(1),
      bucket_seconds: 60,
    });
  });

  test.each([`mkt_${randomUUID()}`, 'mkt_1', '', "' or true --", '\u0001'])(
    'answers 404 for %j in both RPCs',
    async (id) => {
      const quoted = id.replaceAll("'", "''");
      await expectRpcError(rpc(db.sql, owner, `get_market_detail('${quoted}')`), 404, 'pair.not_found');
      await expectRpcError(rpc(db.sql, owner, `get_market_history('${quoted}')`), 404, 'pair.not_found');
      await expectRpcError(rpc(db.sql, owner, `explain_market('${quoted}')`), 404, 'pair.not_found');
    },
  );
});

test('get_market_terms returns fees by outcome, settlement and volume, and leaves out what it does not know', async () => {
  const fee = { model: 'quadratic', multiplier: '1', maker: false };
  const feeB = { model: 'quadratic', multiplier: '0.5', maker: false };
  await db.sql`
    insert into venue.events (venue, event_id, title, volume, payload, payload_hash, sweep, first_seen_at, seen_at, changed_at)
    select v.venue, v.event_id, 'x', v.volume, '{}', 'x', 1, now(), now(), now()
    from catalog.pairs p
    cross join lateral (values ('venue_a', p.event_a, 1200), ('venue_b', p.event_b, 3400)) v (venue, event_id, volume)
    where p.pair_id = ${uuidOf(1)}`;
  await db.sql`
    insert into venue.markets (venue, market_id, event_id, state, expected_at, close_at, fee, payload, payload_hash, seen_at, changed_at)
    select v.venue, v.market_id, v.event_id, 'trading', v.expected_at::timestamptz, v.close_at::timestamptz, v.fee, '{}', 'x', now(), now()
    from catalog.pairs p
    join catalog.outcomes o using (pair_id)
    cross join lateral (values
      ('venue_a', o.contract_a, p.event_a, '2026-12-01T00:00:00Z', null, ${db.sql.json(fee)}::jsonb),
      ('venue_b', o.contract_b, p.event_b, null, '2026-12-02T00:00:00Z', ${db.sql.json(feeB)}::jsonb)
    ) v (venue, market_id, event_id, expected_at, close_at, fee)
    where p.pair_id = ${uuidOf(1)}`;
  await db.sql`update catalog.outcomes set market_a = contract_a, market_b = contract_b where pair_id = ${uuidOf(1)}`;
  const given = await rpc<{ fees: unknown[]; markets: Row[] }>(
    db.sql,
    owner,
    `get_market_terms(array['${idOf(1)}', '${idOf(1)}', 'mkt_${randomUUID()}', 'x', null])`,
  );
  expect(given).toEqual({
    fees: [feeB, fee],
    markets: [
      {
        id: idOf(1),
        expected_settlement_at: '2026-12-02T00:00:00.000Z',
        volume: { venue_a: 1200, venue_b: 3400 },
        outcomes: [
          { key: 'home', fee_a: 1, fee_b: 0 },
          { key: 'away', fee_a: 1, fee_b: 0 },
        ],
      },
    ],
  });
  expect(await rpc(db.sql, owner, `get_market_terms('{}')`)).toEqual({ fees: [], markets: [] });
  await expectRpcError(
    rpc(db.sql, owner, `get_market_terms(array(select 'x' from generate_series(1, 1001)))`),
    422,
    'request.too_many_ids',
  );
});

describe('dashboard_report', () => {
  test('stores the report for the organization, without a key', async () => {
    await rpc(db.sql, owner, `report_bad_arb('opp_${randomUUID()}', ' wrong side ', 'the home team is the other')`);
    const [stored] = await db.sql`select org_id, key_id, reason, detail from arb.reports where org_id = ${org}`;
    expect(stored).toEqual({ org_id: org, key_id: null, reason: 'wrong side', detail: 'the home team is the other' });
  });

  test('rejects a report while the organization has the maximum of open reports', async () => {
    await db.sql`insert into arb.reports (org_id, reason) select ${org}, 'x' from generate_series(1, 100)`;
    await expectRpcError(rpc(db.sql, owner, `report_bad_arb(null, 'wrong')`), 409, 'report.limit');
    await db.sql`delete from arb.reports where org_id = ${org} and ctid in (select ctid from arb.reports where org_id = ${org} limit 1)`;
    await rpc(db.sql, owner, `report_bad_arb(null, 'wrong')`);
  });

  test.each([
    'null, null',
    `'x', ' '`,
    `'x', repeat('a', 201)`,
    `repeat('x', 201), 'y'`,
    `'x', 'y', repeat('z', 10001)`,
  ])('rejects a report with (%s)', (given) =>
    expectRpcError(rpc(db.sql, owner, `report_bad_arb(${given})`), 400, 'report.empty'),
  );
});

describe('search_markets', () => {
  test('finds the markets of GET /v2/search by words, and none for a blank or a long text', async () => {
    const found = (text: string) => rpc<Row[]>(db.sql, owner, `search_markets(${text})`);
    const [first] = await db.sql<{ title: string }[]>`select title from catalog.pairs where pair_id = ${uuidOf(1)}`;
    expect((await found(`'${first?.title}'`)).map(({ id }) => id)).toContain(idOf(1));
    for (const text of [`''`, `'  '`, 'null', `repeat('zq', 3000)`]) expect(await found(text)).toEqual([]);
  });
});

describe('admission of the dashboard RPCs', () => {
  const calls = [
    `get_channel_state('status')`,
    `get_market_detail('${idOf(1)}')`,
    `get_market_history('${idOf(1)}')`,
    `explain_market('${idOf(1)}')`,
    'open_opportunities()',
    `get_market_terms(array['${idOf(1)}'])`,
    'list_closed_opportunities()',
    'list_rules()',
    'read_coverage()',
    'read_insights()',
    `search_markets('x')`,
    `read_rule('rule confirmed')`,
    `report_bad_arb(null, 'wrong')`,
  ];

  test.each(calls)('%s counts in the rate-limit window and not in the month, and stops at the limit', async (call) => {
    const before = await counted();
    await rpc(db.sql, owner, call);
    expect(await counted()).toEqual({ window_used: Number(before?.window_used) + 1, month_used: before?.month_used });
    await db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = 300000 where org_id = ${org}`;
    await expectRpcError(rpc(db.sql, owner, call), 429, 'rate.window');
  });

  test.each(calls)(
    '%s rejects an anonymous caller, a person without an organization and a removed member',
    async (call) => {
      const stranger = await person(db.sql);
      await expectRpcError(rpc(db.sql, stranger, call), 404, 'organization.none');
      await db.sql`delete from account.members where org_id = ${org}`;
      await expectRpcError(rpc(db.sql, owner, call), 404, 'organization.none');
      await expectRpcError(
        rpc(db.sql, { id: randomUUID(), email: '', session: randomUUID() }, call),
        401,
        'session.none',
      );
      await expect(asRole(db.sql, 'anon', {}, `select api.${call}`)).rejects.toThrow(/permission denied/);
    },
  );
});
