import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feePerContract, scheduleOf } from '../../functions/ingest/engine/fees.ts';
import type { Fee } from '../../functions/ingest/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

const fees: Fee[] = [
  ...['1', '0.5', '0', '0.035', '2.000', '123456789012345.1', '1e3', '-1', '', '.5', '1.'].map(
    (multiplier): Fee => ({ model: 'quadratic', multiplier, maker: false }),
  ),
  ...['0', '0.02', '0.0625', '0.05', '0.123456789012', '900719925474099', 'NaN'].map(
    (rate): Fee => ({ model: 'rate', rate }),
  ),
  { model: 'quadratic', multiplier: '1', maker: true, waived_until: '2099-01-01T00:00:00Z' },
];
const prices = [0, 1, 99, 100, 1_000, 10_000, 12_345, 500_000, 501_700, 999_900, 999_999, 1_000_000];

describe('the taker fee of SQL', () => {
  test.each(fees)('is the fee of the engine at every price for %j', async (fee) => {
    const schedule = scheduleOf(fee);
    const venue = fee.model === 'quadratic' ? 'venue_a' : 'venue_b';
    // The engine computes in doubles: a fee of billions of USD is not exact there.
    const tried = Number(fee.model === 'quadratic' ? fee.multiplier : fee.rate) > 1_000 ? [0, 1_000_000] : prices;
    const rows = await db.sql<{ fee: number | null }[]>`
      select price.taker_fee(${venue}, price.fee_share(${db.sql.json(fee)}), p)::float8 as fee
      from unnest(${tried}::integer[]) with ordinality as t (p, n)
      order by n`;
    expect(rows.map((row) => row.fee)).toEqual(tried.map((price) => schedule && feePerContract(schedule, price)));
  });

  test('is null for an unknown schedule', async () => {
    const [row] = await db.sql`
      select price.fee_share(null) as none, price.fee_share('{}') as empty, price.fee_share('{"model":"quadratic"}') as half,
             price.taker_fee('venue_a', null, 500000) as fee`;
    expect(row).toEqual({ none: null, empty: null, half: null, fee: null });
  });
});
