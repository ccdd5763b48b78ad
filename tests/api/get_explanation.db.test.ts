import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explanation } from '../../functions/api/contract/explanation.ts';
import { flush, good } from '../arb/fixture.ts';
import { changePair, idOf, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
let key: string;
const at = '2026-11-20T11:57:00.000Z';
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key('free');
  const { sql } = world.db;
  await sql`
    insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
    values ('venue_a', 'E', 'E', '{}', '', now(), now(), now()), ('venue_b', 'E', 'E', '{}', '', now(), now(), now())`;
  for (const [venue, market, fee] of [
    ['venue_a', 'A', { model: 'quadratic', multiplier: '1', maker: false }],
    ['venue_b', 'B', { model: 'rate', rate: '0.02' }],
  ] as const) {
    await sql`
      insert into venue.markets (venue, market_id, event_id, state, fee, payload, payload_hash, seen_at, changed_at)
      values (${venue}, ${market}, 'E', 'trading', ${sql.json(fee)}, '{}', '', now(), now())`;
  }
  await putPair(sql, { n: 70, confirmed: true });
  await putPair(sql, {
    n: 71,
    band: 'REVIEW',
    confirmed: true,
    risks: [
      ['cancel_rule', 'high'],
      ['tie_handling', 'low'],
    ],
  });
  await putPair(sql, { n: 72, confirmed: true, risks: [['partition_gap', 'high']] });
  await putPair(sql, { n: 73, confirmed: true });
  await putPair(sql, { n: 74, stage: 'candidate' });
  await sql`
    update catalog.outcomes set market_a = 'A', market_b = 'B'
    where pair_id in (${uuidOf(70)}, ${uuidOf(71)}, ${uuidOf(72)})`;
  for (const n of [70, 71, 72]) {
    await putUpdate(sql, n, {
      ...{ at, ask_a: [400_000, 620_000], ask_b: [420_000, 600_000], size_a: [12_000, 5_000], size_b: [9_000, 8_050] },
    });
  }
  await flush(sql, 73, [{ at, opp: good(73) }]);
  await world.clock.set('2026-11-20T12:00:05Z');
});
afterAll(() => world.close());

async function explain(n: number) {
  const answer = await world.get(`/v2/pairs/${idOf(n)}/explanation`, key);
  expect(answer.status).toBe(200);
  const body = await answer.json();
  return explanation.parse(body);
}
const closedOf = ({ gates }: { gates: { gate: string; reason: string | null }[] }) =>
  gates.flatMap(({ gate, reason }) => (reason === null ? [] : [[gate, reason]]));

describe('GET /v2/pairs/{market_id}/explanation', () => {
  test('names no edge where every gate is open, with the cheapest contracts after fees', async () => {
    const found = await explain(70);
    expect(found).toMatchObject({
      id: idOf(70),
      signal: 'arb',
      code: 'edge.none',
      delay_seconds: 120,
      opportunity: null,
    });
    expect(closedOf(found)).toEqual([]);
    // .40 and .60, with the fees .0168 of venue_a and .0048 of venue_b.
    expect(found.closest).toMatchObject({ edge_pct: -2.16, cost_per_payout_usd: 1.0216, contracts: 80.5 });
    expect(found.closest?.legs).toMatchObject([
      { outcome: 'home', venue: 'venue_a', contract: 'KX-70-home', side: 'yes', net: 0.4168, size: 120 },
      { outcome: 'away', venue: 'venue_b', contract: '70001', side: null, net: 0.6048, size: 80.5 },
    ]);
    expect(found.rule).toMatchObject({ agreeing: 400, diverging: 0 });
    expect(found.weakest_link).toContain('0 of 400 settled occasions');
  });

  test('names the first closed gate, every closed gate, and no name of an internal risk', async () => {
    const found = await explain(71);
    expect(found.code).toBe('band.review');
    expect(closedOf(found)).toEqual([
      ['band', 'band.review'],
      ['risk', 'risk.high'],
    ]);
    expect(found.risks.map(({ event }) => event)).toEqual(['tie_handling']);
    expect(JSON.stringify(found)).not.toContain('cancel_rule');
  });

  test('gives no edge where one of each outcome may not return $1', async () => {
    expect(await explain(72)).toMatchObject({ code: 'risk.partition_gap', closest: null });
    const answer = await world.get(`/v2/pairs/${idOf(72)}?include=best`, key);
    expect(await answer.json()).toMatchObject({ best_edge_pct: null, best: [{ buy: { net: 0.4168 } }, {}] });
  });

  test('names the open opportunity, and the gates of a candidate without a price', async () => {
    expect(await explain(73)).toMatchObject({
      code: 'opportunity.open',
      opportunity: { opened_at: at, closed_at: null, reason: null },
    });
    const candidate = await explain(74);
    expect(candidate).toMatchObject({ code: 'band.candidate', signal: 'spread', closest: null });
    expect(closedOf(candidate).map(([gate]) => gate)).toEqual(['band', 'parity', 'priced']);
  });

  test('agrees with best_edge_pct of the market, for every market of a list', async () => {
    const answer = await world.get('/v2/markets?include=best&limit=50', key);
    const { markets } = (await answer.json()) as { markets: { id: string; best_edge_pct: number | null }[] };
    expect(markets.find(({ id }) => id === idOf(70))?.best_edge_pct).toBe(-2.16);
    for (const { id, best_edge_pct } of markets) {
      const one = await (await world.get(`/v2/pairs/${id}/explanation`, key)).json();
      expect([id, one.closest?.edge_pct ?? null]).toEqual([id, best_edge_pct]);
    }
  });

  test('returns 404 for an unknown or withdrawn market, and 422 for another text', async () => {
    await changePair(world.db.sql, 74, { withdrawn_at: '2026-11-20T12:00:00Z' });
    for (const n of [74, 999]) {
      const answer = await world.get(`/v2/pairs/${idOf(n)}/explanation`, key);
      expect([answer.status, (await answer.json()).code]).toEqual([404, 'pair.not_found']);
    }
    const answer = await world.get('/v2/pairs/mkt_1/explanation', key);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toMatchObject([{ loc: ['path', 'market_id'], type: 'uuid_parsing' }]);
  });
});
