import postgres from 'postgres';
import { listingsIn } from '../local/match/match.ts';
import type { Scratch } from '../local/platform/scratch.ts';
import { season } from './listings.ts';
import { median, progress, timed } from './measure.ts';
import { type Row, rowOf } from './row.ts';

/** What the pass reads: both venues' questions and their legs, the texts of their markets, and their events. */
async function readEverything(sql: postgres.Sql): Promise<number> {
  const questions = await sql`select * from venue.questions`;
  const legs = await sql`select * from venue.legs`;
  const texts = await sql`select market_id, rules from venue.markets`;
  const events = await sql`select event_id, payload from venue.events`;
  return questions.length + legs.length + texts.length + events.length;
}

async function medianOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let run = 0; run < times; run += 1) took.push(await timed(work));
  return median(took);
}

/**
 * The match pass over n x n questions, beside reading the same rows out of Postgres. Cold: every pair is made and written. Warm: nothing
 * has changed, which is what nearly every pass meets.
 */
export async function matchPass(scratch: Scratch, house: string, sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const sql = postgres(await scratch.create(`pass_${size}`, house), { max: 1, onnotice: () => {} });
    try {
      progress(`match pass, about ${size} questions a venue: reading the listings`);
      const { a, b } = season(size);
      await listingsIn(sql, a, b, '2026-01-01T12:00:00.000Z');
      await sql`analyze`;
      progress('match pass: the passes');
      await readEverything(sql);
      // The yardstick on both sides of what stands beside it.
      const before = await medianOf(3, () => readEverything(sql));
      const cold = await timed(() => sql`select catalog.match_pass()`);
      const after = await medianOf(3, () => readEverything(sql));
      const warm = await medianOf(3, () => sql`select catalog.match_pass()`);
      const read = (before + after) / 2;
      const [{ pairs, a: inA, b: inB } = { pairs: 0, a: 0, b: 0 }] = await sql<
        { pairs: number; a: number; b: number }[]
      >`
        select (select count(*)::integer from catalog.pairs) as pairs,
               (select count(*)::integer from venue.questions where venue = 'venue_a') as a,
               (select count(*)::integer from venue.questions where venue = 'venue_b') as b`;
      const what = `${inA} x ${inB} questions, ${pairs} pairs`;
      progress(
        `match pass: ${what}: all new ${Math.round(cold)} ms, unchanged ${Math.round(warm)} ms, reading ${Math.round(read)} ms`,
      );
      rows.push(
        row(`match pass, all new (${what})`, cold, read, 5),
        row(`match pass, unchanged (${what})`, warm, read, 5),
      );
    } finally {
      await sql.end({ timeout: 2 });
    }
  }
  return rows;
}

function row(name: string, took: number, read: number, target: number): Row {
  const detail = `${Math.round(took)} ms; reading the rows ${Math.round(read)} ms`;
  return rowOf({ name, ratio: took / read, target, better: 'lower', detail });
}
