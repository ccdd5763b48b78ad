import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { markets } from './markets.ts';
import { matchPass } from './match_pass.ts';
import { driverLoop } from './pgbench.ts';
import { scratchOfTests } from './scratch_database.ts';

// The lines that need a database, at a size that says nothing but that they run: the figures are `npm run bench`'s.

let scratch: TemporaryPostgres;

beforeAll(() => {
  scratch = scratchOfTests('lines');
});
afterAll(() => scratch.stop());

it('the pages of the catalog come out, steady and cold, beside the SQL that renders them', async () => {
  const rows = await markets(scratch, 'house', [60], 0.2, 1);
  expect(rows.map(({ name, target }) => [name, target])).toEqual([
    ['GET /v2/markets?limit=50 gzip, steady state, 60 pairs', 0.75],
    ['GET /v2/markets?limit=500 gzip, steady state, 60 pairs', 4],
    ['a cold request, limit=500, 60 pairs', 1.5],
  ]);
  for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
});

it('the match pass comes out, new and unchanged, pairs most of what both venues list, and so of each copy', async () => {
  const rows = await matchPass(scratch, 'house', 60, [1, 3]);
  const pairs = rows.map(({ name }) => Number(/, (\d+) pairs/.exec(name)?.[1]));
  expect(pairs[0]).toBeGreaterThan(40);
  expect(pairs).toEqual([pairs[0], pairs[0], 3 * (pairs[0] ?? 0), 3 * (pairs[0] ?? 0), Number.NaN]);
  for (const row of rows) expect(row.ratio).toBeGreaterThan(0);
});

it('where there is no pgbench, a loop over the driver counts statements', async () => {
  const yardstick = driverLoop(await scratch.create('loop', 'house'));
  expect(await yardstick.rate('select 1', 2, 0.2)).toBeGreaterThan(1);
  await yardstick.close();
});
