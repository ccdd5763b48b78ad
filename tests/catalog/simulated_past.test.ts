import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BacktestResult, loadBacktests, type SettledHistory } from '../../local/platform/supervisor/backtests.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { runMatchPass } from './listings.ts';
import { readSimulatedListings } from './simulated_listings.ts';

/**
 * Guarantee: `npm start` with simulated venues loads their settled history with the functions and
 * limits of an operator. A rule with a sufficient record is confirmed, a rule with diverging venues
 * is not, and a repeated load changes nothing.
 */

describe('loading the settled history of the simulated venues', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let past: SettledHistory;
  let first: BacktestResult;

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--seed', '1'), createDatabase()]);
    // The history ends two days before the simulated world begins. Market time is real time, both
    // in the database and in the simulator.
    await (await readSimulatedListings(venues, Date.now()))(database.sql, {});
    await runMatchPass(database.sql);
    past = await waitUntil(
      async () => {
        const answer = await fetch(`${venues.sim}/history`);
        return answer.status === 200 && ((await answer.json()) as SettledHistory);
      },
      { what: 'the settled history is counted', timeoutMs: 90_000 },
    );
    first = await loadBacktests(database.sql, past);
  }, 120_000);
  afterAll(async () => {
    venues?.end();
    await database?.close();
  });

  type Open = { market_type: string; competition: string | null; eligible: number; open: number };
  const openRules = () => database.sql<Open[]>`
    select p.market_type, p.competition, count(*)::integer as eligible, (count(*) filter (where g.parity_ok))::integer as open
    from catalog.pairs p
    join catalog.match_gates g using (pair_id)
    where g.band_ok and g.risk_ok and p.withdrawn_at is null
    group by 1, 2`;

  it('confirms most leagues and families, and most pairs that only the parity gate kept closed', async () => {
    const rows = await openRules();
    const leagues = rows.filter((row) => row.market_type === 'moneyline');
    expect(leagues.filter((row) => row.open === row.eligible).length).toBeGreaterThan(0.7 * leagues.length);
    const sum = (of: keyof Open) => rows.reduce((total, row) => total + Number(row[of]), 0);
    expect(sum('open')).toBeGreaterThan(0.8 * sum('eligible'));
    expect(new Set(rows.filter((row) => row.open > 0).map((row) => row.market_type))).toEqual(
      new Set(['moneyline', 'total', 'spread', 'team_total']),
    );
    expect(first.loaded).toBeGreaterThan(40);
    expect(first.open).toBeLessThan(first.rules);
  });

  it('confirms no rule that diverges too often or occurs too seldom', async () => {
    const wrong = await database.sql`
      select r.rule_id
      from catalog.rules r
      left join lateral (
        select sum(b.agreeing) as agreeing, sum(b.diverging) as diverging from catalog.backtests b where b.rule_id = r.rule_id
      ) b on true
      where (r.confirmed_at is not null) <> (
        b.agreeing is not null
        and catalog.divergence_bound(b.diverging::bigint, (b.agreeing + b.diverging)::bigint, 0.95) <= 0.01
      )`;
    expect(wrong).toEqual([]);
    const rows = await openRules();
    for (const closed of rows.filter((row) => ['outright', 'advance'].includes(row.market_type)))
      expect(closed.open).toBe(0);
    const fights =
      await database.sql`select from catalog.rules where rule_id like 'moneyline / ufc /%' and confirmed_at is not null`;
    expect(fights.length).toBe(0);
  });

  it('marks every row as simulated, and reviews only the rows that it loaded', async () => {
    const sources = await database.sql<{ source: string; note: string }[]>`select source, note from catalog.backtests`;
    for (const { source, note } of sources)
      expect(`${source} ${note}`).toMatch(/^simulated past of KX.*No such events took place/);
    const reviews = await database.sql<{ decision: string; reviewer: string; loaded: number; diverging: number }[]>`
      select v.decision, v.reviewer, v.diverging,
             (select sum(b.diverging)::integer from catalog.backtests b where b.rule_id = v.rule_id) as loaded
      from catalog.rule_reviews v`;
    expect(reviews.length).toBeGreaterThan(3);
    for (const one of reviews) {
      expect(one).toMatchObject({ decision: 'keep', reviewer: 'simulation', diverging: one.loaded });
    }
  });

  it('changes nothing when it is loaded again, and adds only new rules', async () => {
    const all = () => database.sql`
      select (select count(*) from catalog.backtests) as rows, (select count(*) from catalog.rule_reviews) as reviews,
             (select sum(change_no) from catalog.pairs) as changes`;
    const before = await all();
    expect(await loadBacktests(database.sql, past)).toEqual({ ...first, loaded: 0, occasions: 0 });
    expect(await all()).toEqual(before);
    await database.sql`delete from catalog.backtests where rule_id like 'total / nba /%'`;
    expect(await loadBacktests(database.sql, past)).toMatchObject({ rules: first.rules, loaded: 1 });
  });

  it('does not review a divergence that settled in this database', async () => {
    const [rule] = await database.sql<{ rule_id: string }[]>`
      select rule_id from catalog.rules where rule_id like 'moneyline / nba /%' and confirmed_at is not null`;
    const id = rule?.rule_id ?? '';
    await database.sql`delete from catalog.backtests where rule_id = ${id}`;
    await database.sql`delete from catalog.rule_reviews where rule_id = ${id}`;
    await database.sql`
      update catalog.pairs
      set status = 'settled', result = '{"verdict": "diverge", "venues_agree": false}'
      where pair_id = (select pair_id from catalog.pairs where rule_id = ${id} and stage = 'catalog' limit 1)`;
    await database.sql`select catalog.update_rule_parity()`;
    await loadBacktests(database.sql, past);
    const [after] = await database.sql<{ withdrawn: boolean; reviews: number }[]>`
      select withdrawn_at is not null as withdrawn, (select count(*)::integer from catalog.rule_reviews v where v.rule_id = r.rule_id) as reviews
      from catalog.rules r
      where rule_id = ${id}`;
    expect(after).toEqual({ withdrawn: true, reviews: 0 });
  });
});
