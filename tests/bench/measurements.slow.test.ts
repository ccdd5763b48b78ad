import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { measureLeases } from './leases.ts';
import { measureMarkets } from './markets.ts';
import { measureMatchPass } from './match_pass.ts';
import { driverLoop } from './pgbench.ts';
import { scratchOfTests } from './scratch_database.ts';

// Runs the measurements that need a database at a small size. `npm run bench` gives the figures.

let scratch: TemporaryPostgres;

beforeAll(() => {
  scratch = scratchOfTests('lines');
});
afterAll(() => scratch.stop());

it('the market measurement returns ratios of pages in steady state and of a cold request', async () => {
  const rows = await measureMarkets(scratch, 'template_db', [60], 0.2, 1);
  expect(rows.map(({ name, target }) => [name, target])).toEqual([
    ['GET /v2/markets?limit=50 gzip, steady state, 60 pairs', 0.75],
    ['GET /v2/markets?limit=500 gzip, steady state, 60 pairs', 4],
    ['a cold request, limit=500, 60 pairs', 1.5],
  ]);
  for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
});

it('the lease measurement returns ratios to a bare server that sends the same bytes', async () => {
  const rows = await measureLeases(scratch, 'template_db', 40, 0.3, 1);
  expect(rows.map(({ target }) => target)).toEqual([0.5, 0.5]);
  for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
});

it('the match pass measurement pairs most listings of both venues and of each copy: new, published, unchanged', async () => {
  const rows = await measureMatchPass(scratch, 'template_db', 60, [1, 3]);
  const [one = 0, ...pairs] = rows.map(({ name }) => Number(/, (\d+) pairs/.exec(name)?.[1]));
  expect(one).toBeGreaterThan(40);
  expect(pairs).toEqual([one, one, 3 * one, 3 * one, 3 * one, Number.NaN]);
  for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
});

it('the driver loop, used when pgbench is not installed, counts statements', async () => {
  const baseline = driverLoop(await scratch.create('loop', 'template_db'));
  expect(await baseline.rate('select 1', 2, 0.2)).toBeGreaterThan(1);
  await baseline.close();
});
