import postgres from 'postgres';
import { listingsIn } from '../../local/match/match.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { copyListings } from './copy_listings.ts';
import { createSeason } from './listings.ts';
import { median, progress, timed } from './measure.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

/**
 * Reads the rows that the match pass reads: questions, legs, market texts and events of both
 * venues.
 */
async function readRows(sql: postgres.Sql): Promise<number> {
  const questions = await sql`select * from venue.questions`;
  const legs = await sql`select * from venue.legs`;
  const texts = await sql`select market_id, rules from venue.markets`;
  const events = await sql`select event_id, payload from venue.events`;
  return questions.length + legs.length + texts.length + events.length;
}

async function medianOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let run = 0; run < times; run += 1) durations.push(await timed(work));
  return median(durations);
}

export type PassTimes = {
  /** Questions of venue_a and of venue_b, and their pairs. */
  a: number;
  b: number;
  pairs: number;
  /**
   * Milliseconds of a pass with new rows only, of publishing its pairs, of a pass without changes,
   * and of reading the rows.
   */
  cold: number;
  published: number;
  warm: number;
  read: number;
};

/**
 * Creates a database in which each venue lists about this many questions. Returns its name for
 * clones.
 */
export async function listSeason(scratch: TemporaryPostgres, template: string, questions: number): Promise<string> {
  const name = `season_${questions}`;
  const sql = postgres(await scratch.create(name, template), { max: 1, onnotice: () => {} });
  try {
    const { a, b } = createSeason(questions);
    await listingsIn(sql, a, b, '2026-01-01T12:00:00.000Z');
  } finally {
    await sql.end({ timeout: 2 });
  }
  return name;
}

/**
 * The parts of pipeline.match_listings in one transaction: the match pass, which writes the pairs,
 * then their webhooks and frames.
 */
async function measureNewPairs(sql: postgres.Sql): Promise<{ cold: number; published: number }> {
  return await sql.begin(async (tx) => {
    const cold = await timed(() => tx`select catalog.run_match_pass()`);
    const published = await timed(async () => {
      await tx`select catalog.propose_names()`;
      await tx`select webhook.fire_pair_created()`;
      await tx`select stream.publish_changes(stream.unpublished_pairs())`;
    });
    return { cold, published };
  });
}

/** Measures passes over `times` copies of the listings of `from`, in a new database. */
async function measurePass(scratch: TemporaryPostgres, from: string, times: number): Promise<PassTimes> {
  const sql = postgres(await scratch.create(`${from}_by_${times}`, from), { max: 1, onnotice: () => {} });
  try {
    if (times > 1) await copyListings(sql, times - 1);
    await sql`analyze`;
    await readRows(sql);
    // Measure the baseline before and after the pass.
    const before = await medianOf(3, () => readRows(sql));
    const created = await measureNewPairs(sql);
    const after = await medianOf(3, () => readRows(sql));
    const warm = await medianOf(3, () => sql`select pipeline.match_listings()`);
    const [counted = { a: 0, b: 0, pairs: 0 }] = await sql<{ a: number; b: number; pairs: number }[]>`
      select (select count(*)::integer from catalog.pairs) as pairs,
             (select count(*)::integer from venue.questions where venue = 'venue_a') as a,
             (select count(*)::integer from venue.questions where venue = 'venue_b') as b`;
    return { ...counted, ...created, warm, read: (before + after) / 2 };
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/**
 * Measures the match pass over n x n questions. The baseline is reading the same rows from
 * Postgres. A cold pass creates and writes every pair; publishing them is measured by itself. In a
 * warm pass nothing has changed, as in nearly every real pass. `times` are the numbers of copies of
 * a season with about `questions` questions a venue.
 */
export async function measureMatchPass(
  scratch: TemporaryPostgres,
  template: string,
  questions: number,
  times: readonly number[],
): Promise<ResultRow[]> {
  progress(`match pass: reading about ${questions} listings a venue through the parsers`);
  const from = await listSeason(scratch, template, questions);
  const passes: PassTimes[] = [];
  for (const copies of times) {
    progress(`match pass: ${copies} times these listings`);
    const pass = await measurePass(scratch, from, copies);
    const { cold, published, warm, read } = pass;
    progress(
      `${sizeText(pass)}: all new ${round(cold)} ms, publishing ${round(published)} ms, ` +
        `unchanged ${round(warm)} ms, reading ${round(read)} ms`,
    );
    passes.push(pass);
  }
  const rows = passes.flatMap((pass) => [
    row(`match pass, all new (${sizeText(pass)})`, pass.cold, pass.read, 5),
    row(`publishing the pairs of that pass (${sizeText(pass)})`, pass.published, pass.read, 5),
    row(`match pass, unchanged (${sizeText(pass)})`, pass.warm, pass.read, 5),
  ]);
  const [first, last] = [passes[0], passes.at(-1)];
  return first && last && first !== last ? [...rows, growthOf(first, last)] : rows;
}

const round = Math.round;
const sizeText = ({ a, b, pairs }: PassTimes): string => `${a} x ${b} questions, ${pairs} pairs`;

/** The growth of the pass time relative to n log n. 1 is exactly n log n. */
export function growthOf(small: PassTimes, large: PassTimes): ResultRow {
  const work = ({ a, b }: PassTimes) => (a + b) * Math.log(a + b);
  const [durations, due] = [large.cold / small.cold, work(large) / work(small)];
  return toResultRow({
    name: `match pass, all new: growth relative to n log n, ${small.a + small.b} to ${large.a + large.b} questions`,
    ratio: durations / due,
    target: 1.2,
    better: 'lower',
    detail: `${durations.toFixed(1)} times as long; n log n is ${due.toFixed(1)} times`,
  });
}

function row(name: string, durations: number, read: number, target: number): ResultRow {
  const detail = `${Math.round(durations)} ms; reading the rows ${Math.round(read)} ms`;
  return toResultRow({ name, ratio: durations / read, target, better: 'lower', detail });
}
