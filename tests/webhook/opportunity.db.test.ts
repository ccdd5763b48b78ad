import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdShardLeases, putPair, stopClock } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { organizationWithPlan } from './support/sender.ts';

// opportunity.opened: fired by pipeline.apply_books in the transaction that publishes the opened
// frame, and expanded by the next claim of a sender.
let db: TestDatabase;
let next = 1;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`delete from webhook.endpoints`;
  await db.sql`delete from webhook.fired_events`;
});

/** Registers an endpoint for opportunities and returns its id. */
async function subscribe(tier: string, edge: number | null = null, profit: number | null = null): Promise<string> {
  const org = await organizationWithPlan(db.sql, tier);
  const [row] = await db.sql<{ id: string }[]>`
    select webhook.register_endpoint(
      ${org}, 'https://hooks.example.com', '{opportunity.opened}', null, null, ${edge}, ${profit}
    ) ->> 'id' as id`;
  return row?.id ?? '';
}
/** Flushes the opportunity of contract.md: edge_pct 2.01, and a profit of 2.412 USD. */
async function open(at = '11:50:00.000', opp = good): Promise<number> {
  const n = next++;
  await putPair(db.sql, { n, confirmed: true });
  await flush(db.sql, n, [{ at: `2026-11-20T${at}Z`, opp: opp(n) }]);
  return n;
}
type Body = { event: string; endpoint_id: string; pair_id: string; profit_usd: number; opportunity: { id: string } };
/** The bodies of all deliveries, after the senders expanded what fired. */
async function bodies(): Promise<Body[]> {
  await db.sql`select webhook.fan_out_events(500)`;
  const rows = await db.sql<{ body: string }[]>`select body from webhook.deliveries order by endpoint_id, created_at`;
  return rows.map((row) => JSON.parse(row.body));
}
const firedEvents = async () => (await db.sql`select from webhook.fired_events`).length;

test('an opened opportunity is sent as the stream publishes it, with its profit', async () => {
  const id = await subscribe('basic');
  await open();
  const [body] = await bodies();
  const frames = await db.sql<{ frame: string }[]>`
    select f.frame from stream.publications p cross join lateral unnest(p.frames) f (frame)
    where p.channel = 'markets:all' and f.frame like '{"type":"opportunity"%' order by p.last_offset desc limit 1`;
  const published = JSON.parse(frames[0]?.frame ?? '{}');
  expect(published.state).toBe('opened');
  expect(body).toEqual({
    event: 'opportunity.opened',
    endpoint_id: id,
    pair_id: published.opportunity.market_id,
    profit_usd: 2.412,
    opportunity: published.opportunity,
  });
  expect(body?.opportunity).toMatchObject({ edge_pct: 2.01, max_contracts: 120, max_wager_usd: 117.588 });
});

test('an opportunity is sent to the endpoints whose edge and profit it reaches, and to no other', async () => {
  const reached = [await subscribe('pro', 2.01, 2.412), await subscribe('pro', 2.01), await subscribe('pro', null, 2)];
  await subscribe('pro', 2.02);
  await subscribe('pro', null, 2.413);
  await subscribe('pro', 2, 3);
  await db.sql`
    select webhook.register_endpoint(${await organizationWithPlan(db.sql)}, 'https://hooks.example.com', '{pair.created}', null)`;
  await db.sql`select webhook.fan_out_events(500)`;
  await open();
  const sent = (await bodies()).filter((body) => body.event === 'opportunity.opened');
  expect(sent.map((body) => body.endpoint_id)).toEqual([...reached].sort());
});

test('an opportunity is sent once: not for new terms, not when a flush is repeated, again for the next opening', async () => {
  await subscribe('pro');
  const n = await open();
  await flush(db.sql, n, [{ at: '2026-11-20T11:50:00.000Z', opp: good(n) }]);
  await flush(db.sql, n, [{ at: '2026-11-20T11:50:01.000Z', opp: good(n, 50_000) }]);
  expect(await bodies()).toHaveLength(1);
  await flush(db.sql, n, [{ at: '2026-11-20T11:50:02.000Z', opp: null, ask: 470_000 }]);
  await flush(db.sql, n, [{ at: '2026-11-20T11:50:03.000Z', opp: good(n) }]);
  const ids = (await bodies()).map((body) => body.opportunity.id);
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
});

test('an opportunity is not sent to a plan whose stream has none, nor to a paused or disabled endpoint', async () => {
  const basic = await subscribe('basic');
  const paused = await subscribe('pro');
  const disabled = await subscribe('pro');
  const pro = await subscribe('pro');
  await db.sql`select account.set_plan(e.org_id, 'free', 'active', 'test') from webhook.endpoints e where e.endpoint_id = ${paused}`;
  await db.sql`
    update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where endpoint_id = ${disabled}`;
  await db.sql`delete from stream.entitlements where tier = 'basic' and channel = 'markets:all'`;
  await open();
  expect((await bodies()).map((body) => body.endpoint_id)).toEqual([pro]);
  await db.sql`insert into stream.entitlements (tier, channel) values ('basic', 'markets:all')`;
  await open();
  expect((await bodies()).map((body) => body.endpoint_id).sort()).toEqual([basic, pro, pro].sort());
});

test('an opening fires nothing while no endpoint asks for one like it, and the flush writes one row for many', async () => {
  await open();
  expect(await firedEvents()).toBe(0);
  await subscribe('pro', 50);
  await open();
  expect(await firedEvents()).toBe(0);
  for (let i = 0; i < 5; i++) await subscribe('pro');
  await open();
  expect(await firedEvents()).toBe(1);
  expect(await db.sql`select from webhook.deliveries`).toHaveLength(0);
  expect(await bodies()).toHaveLength(5);
  expect(await firedEvents()).toBe(0);
});

test('an endpoint that is registered after the opening does not receive it', async () => {
  const early = await subscribe('pro');
  await open();
  await subscribe('pro');
  expect((await bodies()).map((body) => body.endpoint_id)).toEqual([early]);
});
