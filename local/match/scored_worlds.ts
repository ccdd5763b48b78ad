import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Sql } from '../platform/postgres/template.ts';
import { UserError } from '../platform/user_error.ts';
import { readListings } from './files.ts';
import { competitionsOf, isUnconfirmed } from './leave_one_out.ts';
import { matchListings } from './match.ts';
import { type Miss, reasonsOfMisses } from './misses.ts';
import type { MatchRow } from './rows.ts';
import type { Counts, LabelledWorld, Score, Scorer, Truth } from './score.ts';
import { type Tiers, tiersOf } from './tiers.ts';

export type ScoredWorld = {
  name: string;
  score: Score;
  generated: Counts;
  tiers: Tiers[];
  misses: Miss[];
  /** The competition of each event of venue_a. */
  competitions: ReadonlyMap<string, string>;
};

const parseJsonLines = (path: string): Truth[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Truth);

/** The names of the labelled worlds of a folder that contain `part`, in order. */
export const labelledWorldsIn = (dir: string, part: string): string[] =>
  readdirSync(dir)
    .sort()
    .filter((name) => name.includes(part) && existsSync(join(dir, name, 'truth.jsonl')));

export function readWorld(root: string, name: string): LabelledWorld {
  const dir = join(root, name);
  const read = (venue: string) => readListings(join(dir, `listings.${venue}.json`));
  return { name, dir, listings: [read('venue_a'), read('venue_b')], truth: parseJsonLines(join(dir, 'truth.jsonl')) };
}

/** Loads score.mjs of a folder. The file is next to the labels and not part of this project. */
export async function scorerIn(dir: string): Promise<Scorer> {
  const path = join(dir, 'score.mjs');
  if (!existsSync(path))
    throw new UserError(`${dir} contains no score.mjs. Name the folder of labelled worlds with --data DIR.`);
  return (await import(pathToFileURL(path).href)) as Scorer;
}

/** Matches one world, scores its rows, and reads the reason of each missed event. */
export async function scoreWorld(
  sql: Sql,
  scorer: Scorer,
  world: LabelledWorld,
  strict: boolean,
): Promise<ScoredWorld> {
  const { name, dir, truth, listings } = world;
  const { rows, seconds } = await matchListings(sql, listings[0], listings[1], null);
  const score = scorer.score({ truth, out: rows, listings: scorer.readListings(dir), strict });
  const { total } = score;
  const evidence = rows.filter(isUnconfirmed).length;
  const spent = (seconds.parse + seconds.store + seconds.pass).toFixed(1);
  console.error(
    `${name}: ${total.any_right ?? 0} right, ${total.any_wrong ?? 0} wrong, ${total.inverted ?? 0} inverted, ${score.missed.length} missed, ${evidence} by text evidence (${spent} s)`,
  );
  return {
    name,
    score,
    generated: generated(truth, rows),
    tiers: tiersOf(truth, rows, score),
    misses: await reasonsOfMisses(sql, score.missed),
    competitions: await competitionsOf(sql),
  };
}

/**
 * Counts by family the same events that the pass considered at all, as a pair or as a rejection. It
 * measures candidate generation separately from the decision.
 */
function generated(truth: readonly Truth[], rows: readonly MatchRow[]): Counts {
  const ids = (row: MatchRow) => {
    const { venue_a, venue_b } = row as { venue_a: { event_ticker: string }; venue_b: { event_slug: string } };
    return `${venue_a.event_ticker}|${venue_b.event_slug}`;
  };
  const met = new Set(rows.map(ids));
  const counts: Counts = new Map();
  const same = truth.filter((row) => row.label === 'same' && !row.thin && row.family !== 'other');
  for (const [pair, family] of new Map(
    same.map((row) => [`${row.venue_a.event_ticker}|${row.venue_b.event_slug}`, row.family]),
  )) {
    const count = counts.get(family) ?? { of: 0, met: 0 };
    counts.set(family, { of: count.of + 1, met: count.met + (met.has(pair) ? 1 : 0) });
  }
  return counts;
}
