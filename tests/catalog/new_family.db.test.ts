import { afterAll, beforeAll, expect, test } from 'vitest';
import { MARKET_TYPES } from '../../functions/api/vocabulary.ts';
import { holdShardLeases, putUpdates } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';
import { winnerA, winnerB } from './sports_listings.ts';

const NOW = '2026-08-01T12:00:00Z';
let db: TestDatabase;

beforeAll(async () => {
  db = await createDatabase();
  await db.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
  await db.sql`update price.settings set rest_delay = '0'`;
  await holdShardLeases(db.sql);
});
afterAll(() => db.close());

test('the API accepts exactly the families of catalog.market_families as market_type', async () => {
  const rows = await db.sql<{ family: string }[]>`select f.family from catalog.market_families() f`;
  expect(rows.map((row) => row.family).sort()).toEqual([...MARKET_TYPES].sort());
});

test('a new family needs one row of catalog.market_families to be paired, assessed, filtered and rendered', async () => {
  const [families] = await db.sql<{ text: string }[]>`
    select pg_get_functiondef('catalog.market_families'::regproc) as text`;
  const last = /\n\$function\$\s*$/;
  expect(families?.text).toMatch(last);
  const row = `,
    ('made_up', 'day', 0, 'equal', false, 'strikes', array['asset'], array['tie', 'cancelled'])
`;
  await db.sql.unsafe((families?.text ?? '').replace(last, `${row}$function$`));

  const names: [string, string] = ['Oscar Otte', 'Taylor Fritz'];
  const a = winnerA('KXATPMATCH', '2026-10-14', 'OTTFRI', 'Otte vs Fritz', ['OTT Oscar Otte', 'FRI Taylor Fritz']);
  await putListings(db.sql, 'venue_a', [listedA(a.event, { now: NOW })]);
  await putListings(db.sql, 'venue_b', [listedB(winnerB('atp-otte-fritz-2026-10-14', names), { now: NOW })]);
  await db.sql`update venue.questions set family = 'made_up', asset = 'Tin'`;
  await runMatchPass(db.sql);

  const pairs = await db.sql<
    { pair_id: string; market_type: string; stage: string; reason: string; signals: string[] }[]
  >`
    select p.pair_id, p.market_type, p.stage, g.reason,
           array(select s ->> 'signal' from jsonb_array_elements(j.signals) s) as signals
    from catalog.pairs p
    join catalog.match_gates g on g.pair_id = p.pair_id
    join catalog.assessments j on j.assessment_id = p.assessment_id`;
  expect(pairs).toHaveLength(1);
  const [pair] = pairs;
  expect(pair).toMatchObject({ market_type: 'made_up' });
  expect(pair?.signals).toEqual(expect.arrayContaining(['cancelled', 'tie']));
  expect(pair?.signals).not.toContain('walkover');
  expect(pair?.reason).toContain('parity.unconfirmed');

  const asks = { ask_a: [420000, 600000], ask_b: [410000, 610000] };
  await putUpdates(db.sql, [[pair?.pair_id ?? '', { at: '2026-08-01T11:59:59Z', ...asks }]]);
  await db.sql`select pipeline.refresh_snapshot()`;
  const [answer] = await db.sql<{ body: string }[]>`
    select body from api.get_markets(${db.sql.json({
      status: ['open', 'live'],
      signal: pair?.stage === 'catalog' ? 'all' : 'candidates',
      market_type: ['made_up'],
      include: [],
      sort: 'start_time',
      page: 1,
      limit: 10,
      view: '',
    })})`;
  const { markets } = JSON.parse(answer?.body ?? '{}');
  expect(markets).toHaveLength(1);
  expect(markets[0]).toMatchObject({ market_type: 'made_up', asset: 'Tin', closes: {}, venue_a_ladder: [] });
  expect(markets[0].outcomes.map((outcome: { venue_a: number }) => outcome.venue_a)).toEqual([0.42, 0.6]);
  expect(markets[0]).not.toHaveProperty('line');
  expect(await db.sql`select api.facet_keys('made_up') as keys`).toEqual([{ keys: ['asset'] }]);
});
