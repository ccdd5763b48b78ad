import { existsSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listingsIn } from '../../local/match/match.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { winnerA, winnerB } from '../catalog/sports_listings.ts';
import { cpuTimeOf } from './cpu_time.ts';
import { scratchOfTests } from './scratch_database.ts';

let scratch: TemporaryPostgres;
beforeAll(() => {
  scratch = scratchOfTests('evidence_growth');
});
afterAll(() => scratch.stop());

const DAY = '2026-08-09';
const NOW = '2026-08-01T12:00:00.000Z';

/** A word of letters for each number. No two begin alike. */
const nameOf = (n: number): string =>
  `${[n % 26, Math.floor(n / 26) % 26, Math.floor(n / 676)].map((at) => String.fromCharCode(97 + at)).join('')}town`;

/** CPU time of the evidence stage over this many games of an unknown league on each venue. */
async function measure(games: number): Promise<number> {
  const sql = postgres(await scratch.create(`games_${games}`, 'template_db'), { max: 1, onnotice: () => {} });
  try {
    const pairs = Array.from({ length: games }, (_, n): [string, string] => [nameOf(2 * n), nameOf(2 * n + 1)]);
    const a = pairs.map(
      ([one, two]) =>
        winnerA('KXUNKNOWNLIGAGAME', DAY, `${one}${two}`.toUpperCase(), `${one} vs ${two}`, [
          `${one.toUpperCase()} ${one}`,
          `${two.toUpperCase()} ${two}`,
        ]).event,
    );
    await listingsIn(
      sql,
      a,
      pairs.map(([one, two]) => winnerB(`xyz-${one}-${two}-${DAY}`, [one, two])),
      NOW,
    );
    await sql`analyze`;
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const stage = async () => (await sql`select 1 from catalog.find_evidence_candidates('{}')`).length;
    // The first call plans the statements.
    await stage();
    const cpuTime = () => cpuTimeOf(backend?.pid ?? 0) ?? Number.NaN;
    const before = cpuTime();
    for (let call = 0; call < 3; call += 1) expect(await stage()).toBe(games);
    return cpuTime() - before;
  } finally {
    await sql.end({ timeout: 2 });
  }
}

// Measured 3.6. A plan that compares every game with every other gives 16 and takes over 30 s.
it.skipIf(!existsSync('/proc/self/stat'))(
  'four times the games of an unknown league cost the evidence stage at most 8 times the CPU time (skipped without /proc)',
  async () => {
    const small = await measure(100);
    expect((await measure(400)) / small).toBeLessThan(8);
  },
);
