import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BacktestProgress } from '../../local/backtest/progress.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { type Backtester, completed, openBacktester } from './fixture.ts';

/**
 * Guarantee: parity comes from the settled history of both venues, read over their own interfaces.
 */

describe('the backtest of a simulated world', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let tester: Backtester;
  let progress: BacktestProgress;

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--seed', '1', '--tokens', '100000'), createDatabase()]);
    tester = await openBacktester(venues, database);
    await tester.sweep();
    const { kill } = await tester.start();
    progress = await completed(database);
    await kill();
    console.log(JSON.stringify(progress));
  }, 300_000);
  afterAll(async () => {
    await tester?.close();
    venues?.end();
    await database?.close();
  });

  it('confirms rules', async () => {
    const rows = await database.sql`
      select r.family, r.competition, r.state, r.agreeing, r.diverging, r.pool_rules from catalog.rules r order by 1, 2`;
    console.table([...rows]);
    const scopes = await database.sql`select * from catalog.backtest_progress order by 1`;
    console.table([...scopes].map(({ scope, state, pairs, unsettled, occasions, diverging, pages, listings_a, listings_b, last_error, started_at, finished_at }) => ({ scope, state, pairs, unsettled, occasions, diverging, pages, listings_a, listings_b, last_error, s: (finished_at - started_at) / 1000 })));
    expect(progress.rules.confirmed).toBeGreaterThan(3);
  });
});
