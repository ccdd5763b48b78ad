import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { copyListings } from './copy_listings.ts';
import { processorOf } from './cpu_time.ts';
import { listSeason } from './match_pass.ts';
import { scratchOfTests } from './scratch_database.ts';

let scratch: TemporaryPostgres;
beforeAll(() => {
  scratch = scratchOfTests('growth');
});
afterAll(() => scratch.stop());

// By the processor, so that other work on the machine does not count. Measured 3.0: what each pass costs whatever it finds is a part of both. n log n is 4.9. Where the pass does not measure the tables that
// it finds grown, it is 5.1; without the keys of venue.legs 8 to 9.
it.skipIf(!existsSync('/proc/self/stat'))(
  'four times the listings cost the match pass at most four and a half times the work (skipped where there is no /proc)',
  async () => {
    const from = await listSeason(scratch, 'house', 150);
    const sql = postgres(await scratch.create('pass', from), { max: 1, onnotice: () => {} });
    try {
      const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const work = async () => {
        const spent = () => processorOf(backend?.pid ?? 0) ?? Number.NaN;
        const before = spent();
        await sql`select pipeline.match_listings()`;
        return spent() - before;
      };
      // The first one plans what the others run.
      await work();
      await copyListings(sql, 3);
      const few = await work();
      await copyListings(sql, 3, 11);
      const many = await work();
      const [made] = await sql<{ pairs: number }[]>`select count(*)::integer as pairs from catalog.pairs`;
      expect(made?.pairs).toBeGreaterThan(16 * 100);
      expect(many / few).toBeLessThan(4.5);
    } finally {
      await sql.end({ timeout: 2 });
    }
  },
);
