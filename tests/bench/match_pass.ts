import postgres from 'postgres';
import { listingsIn } from '../../local/match/match.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { copyListings } from './copy_listings.ts';
import { season } from './listings.ts';
import { median, progress, timed } from './measure.ts';
import { type Row, rowOf } from './result_row.ts';

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

export type Pass = {
  /** Questions of venue_a and of venue_b, and the pairs that came of them. */
  a: number;
  b: number;
  pairs: number;
  /** Milliseconds: everything new, nothing changed, and reading the same rows. */
  cold: number;
  warm: number;
  read: number;
};

/** A database in which each venue lists about so many questions; gives its name, which is one to clone. */
export async function listSeason(scratch: TemporaryPostgres, house: string, questions: number): Promise<string> {
  const name = `season_${questions}`;
  const sql = postgres(await scratch.create(name, house), { max: 1, onnotice: () => {} });
  try {
    const { a, b } = season(questions);
    await listingsIn(sql, a, b, '2026-01-01T12:00:00.000Z');
  } finally {
    await sql.end({ timeout: 2 });
  }
  return name;
}

/** One pass over the listings of `from`, so many times over, in a database of its own. */
async function onePass(scratch: TemporaryPostgres, from: string, times: number): Promise<Pass> {
  const sql = postgres(await scratch.create(`${from}_by_${times}`, from), { max: 1, onnotice: () => {} });
  try {
    if (times > 1) await copyListings(sql, times - 1);
    await sql`analyze`;
    await readEverything(sql);
    // The yardstick on both sides of what stands beside it.
    const before = await medianOf(3, () => readEverything(sql));
    const cold = await timed(() => sql`select pipeline.match_listings()`);
    const after = await medianOf(3, () => readEverything(sql));
    const warm = await medianOf(3, () => sql`select pipeline.match_listings()`);
    const [counted = { a: 0, b: 0, pairs: 0 }] = await sql<{ a: number; b: number; pairs: number }[]>`
      select (select count(*)::integer from catalog.pairs) as pairs,
             (select count(*)::integer from venue.questions where venue = 'venue_a') as a,
             (select count(*)::integer from venue.questions where venue = 'venue_b') as b`;
    return { ...counted, cold, warm, read: (before + after) / 2 };
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/**
 * The match pass over n x n questions, beside reading the same rows out of Postgres. Cold: every pair is made and written. Warm: nothing
 * has changed, which is what nearly every pass meets. `times`: how many seasons of about `questions` questions a venue, from few to many.
 */
export async function matchPass(
  scratch: TemporaryPostgres,
  house: string,
  questions: number,
  times: readonly number[],
): Promise<Row[]> {
  progress(`match pass: reading about ${questions} listings a venue through the parsers`);
  const from = await listSeason(scratch, house, questions);
  const passes: Pass[] = [];
  for (const many of times) {
    progress(`match pass: ${many} times those`);
    const pass = await onePass(scratch, from, many);
    const { cold, warm, read } = pass;
    progress(`${whatOf(pass)}: all new ${round(cold)} ms, unchanged ${round(warm)} ms, reading ${round(read)} ms`);
    passes.push(pass);
  }
  const rows = passes.flatMap((pass) => [
    row(`match pass, all new (${whatOf(pass)})`, pass.cold, pass.read, 5),
    row(`match pass, unchanged (${whatOf(pass)})`, pass.warm, pass.read, 5),
  ]);
  const [first, last] = [passes[0], passes.at(-1)];
  return first && last && first !== last ? [...rows, growthOf(first, last)] : rows;
}

const round = Math.round;
const whatOf = ({ a, b, pairs }: Pass): string => `${a} x ${b} questions, ${pairs} pairs`;

/** How much longer the greater pass takes than n log n of the smaller one lets it: 1 is n log n to the letter. */
export function growthOf(small: Pass, great: Pass): Row {
  const work = ({ a, b }: Pass) => (a + b) * Math.log(a + b);
  const [took, due] = [great.cold / small.cold, work(great) / work(small)];
  return rowOf({
    name: `match pass, all new: growth beside n log n, ${small.a + small.b} to ${great.a + great.b} questions`,
    ratio: took / due,
    target: 1.2,
    better: 'lower',
    detail: `${took.toFixed(1)} times as long; n log n is ${due.toFixed(1)} times`,
  });
}

function row(name: string, took: number, read: number, target: number): Row {
  const detail = `${Math.round(took)} ms; reading the rows ${Math.round(read)} ms`;
  return rowOf({ name, ratio: took / read, target, better: 'lower', detail });
}
