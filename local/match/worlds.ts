import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { buildFromSql } from '../platform/postgres/build.ts';
import type { Queries, Sql } from '../platform/postgres/template.ts';
import type { TemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { UserError } from '../platform/user_error.ts';
import { readListings } from './files.ts';
import { type MatchResult, matchListings } from './match.ts';

/**
 * A folder with the listings of both venues, and the market time of its pass; null for the date
 * that the listings name.
 */
export type World = { name: string; dir: string; now: string | null };

const LISTINGS = ['listings.venue_a.json', 'listings.venue_b.json'] as const;

/** The market time of a world, ISO 8601. A world without now.txt has none. */
function nowOf(name: string, dir: string): string | null {
  const path = join(dir, 'now.txt');
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8').trim();
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(Date.parse(text)))
    throw new UserError(
      `World ${name}: now.txt contains "${text.slice(0, 60)}", which is not a time. Example: 2026-04-14T12:00:00Z.`,
    );
  return new Date(text).toISOString();
}

/** Every folder of `dir` that contains listings of both venues, ordered by name. */
export function worldsIn(dir: string): World[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory())
    throw new UserError(`${dir} is not a folder. Name the folder of worlds with --worlds DIR.`);
  const worlds = readdirSync(dir)
    .sort()
    .filter((name) => LISTINGS.every((file) => existsSync(join(dir, name, file))))
    .map((name) => ({ name, dir: join(dir, name), now: nowOf(name, join(dir, name)) }));
  if (worlds.length === 0)
    throw new UserError(`${dir} contains no world, which is a folder with ${LISTINGS.join(' and ')}.`);
  return worlds;
}

/** The listings of both venues. An error names the world. */
export function listingsOf({ name, dir }: World): [unknown[], unknown[]] {
  try {
    return [readListings(join(dir, LISTINGS[0])), readListings(join(dir, LISTINGS[1]))];
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`World ${name}: ${error.message}`);
    throw error;
  }
}

/** The output of the match command: a line per pair and per rejected lookalike. */
export const jsonLinesOf = ({ rows }: MatchResult): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/**
 * Matches each world alone and writes `out`/NAME.jsonl. All listings are read before the first
 * match, so an invalid file stops the command before it writes anything.
 */
export async function matchWorlds(
  startPostgres: () => Promise<TemporaryPostgres>,
  worlds: readonly World[],
  out: string,
  report: (world: World, matched: MatchResult) => void,
): Promise<void> {
  const listings = worlds.map(listingsOf);
  const scratch = await startPostgres();
  const url = await scratch.create('worlds');
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    mkdirSync(out, { recursive: true });
    await buildFromSql(url);
    for (const [at, world] of worlds.entries()) {
      const [a, b] = listings[at] ?? [[], []];
      const matched = await alone(sql, (queries) => matchListings(queries, a, b, world.now));
      writeFileSync(join(out, `${world.name}.jsonl`), jsonLinesOf(matched));
      report(world, matched);
    }
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

/** Runs `work` in a transaction that is rolled back, so that nothing of it is left for the next. */
async function alone<T>(sql: Sql, work: (queries: Queries) => Promise<T>): Promise<T> {
  const done: { result?: T } = {};
  class RolledBack extends Error {}
  await sql
    .begin(async (transaction) => {
      done.result = await work(transaction);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return done.result as T;
}
