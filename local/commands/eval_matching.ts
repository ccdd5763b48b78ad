// npm run eval:matching: runs the match command on labelled worlds and scores its output.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { readListings } from '../match/files.ts';
import {
  competitionsOf,
  isUnconfirmed,
  type LeftOutLeague,
  leaveOneOut,
  leaveOneOutTable,
} from '../match/leave_one_out.ts';
import { matchListings } from '../match/match.ts';
import { table } from '../match/report_table.ts';
import type { MatchRow } from '../match/rows.ts';
import { type Counts, type Score, type Scorer, sumScores, type Truth } from '../match/score.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { buildFromSql } from '../platform/postgres/build.ts';
import { dropDatabase, type Sql } from '../platform/postgres/template.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run eval:matching [-- --data DIR] [--world PART] [--confusions N] [--strict] [--json FILE]

Runs the match command on every labelled world (a folder with listings.venue_a.json, listings.venue_b.json and
truth.jsonl), scores its output with the score.mjs of that folder, and prints the totals.
  --data DIR       the folder of worlds (default ../shared/data/labels)
  --world PART     only worlds whose name contains PART
  --confusions N   number of wrong pairs and missed events to list (default 40)
  --strict         a different settlement source or rule makes it a different question
  --leave-one-out  matches each world again without each competition of its labelled games, and counts what
                   text evidence alone still finds
  --json FILE      writes the totals as JSON`;

type World = { name: string; score: Score; generated: Counts; seconds: number };

const parseJsonLines = (path: string): Truth[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Truth);

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

export async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: join(repository, '..', 'shared', 'data', 'labels') },
      world: { type: 'string', default: '' },
      confusions: { type: 'string', default: '40' },
      'leave-one-out': { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const scorerPath = join(values.data, 'score.mjs');
  if (!existsSync(scorerPath))
    throw new UserError(`${values.data} contains no score.mjs. Name the folder of labelled worlds with --data DIR.`);
  const scorer = (await import(pathToFileURL(scorerPath).href)) as Scorer;
  const names = readdirSync(values.data).filter(
    (name) => name.includes(values.world) && existsSync(join(values.data, name, 'truth.jsonl')),
  );
  const scratch = await startTemporaryPostgres();
  const worlds: World[] = [];
  const leftOut: LeftOutLeague[] = [];
  let databases = 0;
  const withDatabase = async <T>(run: (sql: Sql) => Promise<T>): Promise<T> => {
    const database = `eval_${databases++}`;
    const sql = postgres(await scratch.create(database, 'house'), { max: 1, onnotice: () => {} });
    try {
      return await run(sql);
    } finally {
      await sql.end({ timeout: 2 });
      await dropDatabase(scratch.admin, database);
    }
  };
  try {
    await buildFromSql(await scratch.create('house'));
    for (const name of names) {
      const dir = join(values.data, name);
      const read = (venue: string) => readListings(join(dir, `listings.${venue}.json`));
      const listings: [unknown[], unknown[]] = [read('venue_a'), read('venue_b')];
      const truth = parseJsonLines(join(dir, 'truth.jsonl'));
      const { rows, seconds, competitions } = await withDatabase(async (sql) => ({
        ...(await matchListings(sql, ...listings, null)),
        competitions: await competitionsOf(sql),
      }));
      if (values['leave-one-out'])
        leftOut.push(...(await leaveOneOut(name, listings, truth, competitions, withDatabase)));
      const score = scorer.score({ truth, out: rows, listings: scorer.readListings(dir), strict: values.strict });
      worlds.push({
        name,
        score,
        generated: generated(truth, rows),
        seconds: seconds.parse + seconds.store + seconds.pass,
      });
      const { total } = score;
      const evidence = rows.filter(isUnconfirmed).length;
      console.error(
        `${name}: ${total.any_right ?? 0} right, ${total.any_wrong ?? 0} wrong, ${total.inverted ?? 0} inverted, ${score.missed.length} missed, ${evidence} by text evidence (${(seconds.parse + seconds.store + seconds.pass).toFixed(1)} s)`,
      );
    }
  } finally {
    await scratch.stop();
  }
  const total = sumScores(worlds.map((world) => world.score));
  console.log(table(total, worlds, Number(values.confusions)));
  if (values['leave-one-out']) console.log(`\n${leaveOneOutTable(leftOut, Number(values.confusions))}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(total, null, 1)}\n`);
}
