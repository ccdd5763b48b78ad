// npm run eval:matching: runs the match command on labelled worlds and scores its output.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import type { Output } from '../command.ts';
import { confirmLeague } from '../match/confirm_league.ts';
import { type LeftOutLeague, leaveOneOut, leaveOneOutTable } from '../match/leave_one_out.ts';
import { hasMicroWorlds, microReport } from '../match/micro_worlds.ts';
import { table } from '../match/report_table.ts';
import { type LabelledWorld, type Scorer, sumScores } from '../match/score.ts';
import { labelledWorldsIn, readWorld, type ScoredWorld, scorerIn, scoreWorld } from '../match/scored_worlds.ts';
import { tiersTable } from '../match/tiers.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { buildFromSql } from '../platform/postgres/build.ts';
import { dropDatabase, type Sql } from '../platform/postgres/template.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';

const usage = `npm run eval:matching [-- --data DIR] [--world PART] [--confusions N] [--strict] [--json FILE]

Runs the match command on every labelled world (a folder with listings.venue_a.json, listings.venue_b.json and
truth.jsonl), scores its output with the score.mjs of that folder, and prints the totals. Then prints what each tier
finds by family, and why each missed event has no pair.
  --data DIR       the folder of worlds (default ../shared/data/labels)
  --micro DIR      the folder of small worlds: worlds/ and injected/ (default: micro next to the folder of
                   worlds; skipped if missing)
  --world PART     only worlds whose name contains PART
  --confusions N   number of wrong pairs and missed events to list (default 40)
  --strict         a different settlement source or rule makes it a different question
  --leave-one-out  matches each world again without each competition of its labelled games, and counts what
                   text evidence alone still finds, and what is found after one confirmation of a person
  --json FILE      writes the totals as JSON`;

type Run = { strict: boolean; part: string; withDatabase: <T>(run: (sql: Sql) => Promise<T>) => Promise<T> };

/** Scores every labelled world of a folder. `afterWorld` may match it again. */
async function scoreFolder(
  dir: string,
  scorer: Scorer,
  { strict, part, withDatabase }: Run,
  afterWorld?: (world: LabelledWorld, scored: ScoredWorld) => Promise<void>,
): Promise<ScoredWorld[]> {
  const worlds: ScoredWorld[] = [];
  for (const name of labelledWorldsIn(dir, part)) {
    const world = readWorld(dir, name);
    const scored = await withDatabase((sql) => scoreWorld(sql, scorer, world, strict));
    worlds.push(scored);
    await afterWorld?.(world, scored);
  }
  return worlds;
}

/** The worlds of injected/ with the scorer of the folder above, and the cases of worlds/. */
async function microReports(dir: string, run: Run): Promise<string[]> {
  const injected = join(dir, 'injected');
  const worlds = await scoreFolder(injected, await scorerIn(dir), run);
  return [
    `Worlds with rules texts added (${injected}):\n${tiersTable(worlds)}`,
    await microReport(dir, run.part, run.withDatabase),
  ];
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string', default: join(repository, '..', 'shared', 'data', 'labels') },
      micro: { type: 'string' },
      world: { type: 'string', default: '' },
      confusions: { type: 'string', default: '40' },
      'leave-one-out': { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const listed = Number(values.confusions);
  const micro = values.micro ?? join(values.data, '..', 'micro');
  const leftOut: LeftOutLeague[] = [];
  const scorer = await scorerIn(values.data);
  const scratch = await startTemporaryPostgres();
  let databases = 0;
  const withDatabase = async <T>(use: (sql: Sql) => Promise<T>): Promise<T> => {
    const database = `eval_${databases++}`;
    const sql = postgres(await scratch.create(database, 'house'), { max: 1, onnotice: () => {} });
    try {
      return await use(sql);
    } finally {
      await sql.end({ timeout: 2 });
      await dropDatabase(scratch.admin, database);
    }
  };
  try {
    await buildFromSql(await scratch.create('house'));
    const run: Run = { strict: values.strict, part: values.world, withDatabase };
    const worlds = await scoreFolder(values.data, scorer, run, async (world, { competitions }) => {
      if (values['leave-one-out'])
        leftOut.push(...(await leaveOneOut(scorer, world, competitions, withDatabase, confirmLeague)));
    });
    const total = sumScores(worlds.map((world) => world.score));
    output.log(table(total, worlds, listed));
    output.log(`\n${tiersTable(worlds)}`);
    if (values['leave-one-out']) output.log(`\n${leaveOneOutTable(leftOut, listed)}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(total, null, 1)}\n`);
    if (hasMicroWorlds(micro)) for (const report of await microReports(micro, run)) output.log(`\n${report}`);
    else if (values.micro !== undefined || existsSync(micro)) output.error(`${micro} contains no score_micro.mjs`);
  } finally {
    await scratch.stop();
  }
  return 0;
}
