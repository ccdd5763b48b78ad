// npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]: pairs the listings of two files, as the product would.
// npm run match -- --worlds DIR --out DIR: the same for every folder of listings in DIR.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { readListings } from '../match/files.ts';
import { type MatchResult, matchListings } from '../match/match.ts';
import { jsonLinesOf, matchWorlds, worldsIn } from '../match/worlds.ts';
import { buildFromSql } from '../platform/postgres/build.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]
npm run match -- --worlds DIR --out DIR

Runs the parsers and the match pass over two listing files in a scratch database and writes JSON lines: one a pair, one a refused look-alike.
  --a FILE    venue_a: a JSON array of events with nested markets
  --b FILE    venue_b: a JSON array of Gamma events with their markets
  --out FILE  where the lines go (standard output when not given)
  --now TIME  market time by which undated listings are read, ISO 8601 (when not given: the day that the listings name)

  --worlds DIR  every folder of DIR with listings.venue_a.json and listings.venue_b.json, in one process, a database each;
                now.txt in such a folder is its --now
  --out DIR     the folder of the results, one NAME.jsonl a world (made if it is missing)`;

function summary({ rows, rejected, now, seconds }: MatchResult): string {
  const refused = rows.filter((row) => row.refused === true).length;
  const pairs = rows.filter((row) => row.refused !== true);
  const bands = ['EXACT', 'HIGH', 'REVIEW'].map((band) => `${pairs.filter((row) => row.band === band).length} ${band}`);
  const unread = rejected.length > 0 ? `, ${rejected.length} listings set aside` : '';
  return `${pairs.length} pairs (${bands.join(', ')}), ${refused} refusals${unread}; read as of ${now}; parsers ${seconds.parse} s, storing ${seconds.store} s, match pass ${seconds.pass} s`;
}

type Options = { a?: string; b?: string; out?: string; now?: string; worlds?: string };

async function matchFolder({ a, b, now, worlds, out }: Options & { worlds: string }): Promise<void> {
  if (a !== undefined || b !== undefined || now !== undefined)
    throw new UserError('--worlds reads the files and now.txt of each folder: leave out --a, --b and --now.');
  if (out === undefined) throw new UserError('--worlds needs --out DIR, the folder for the results.');
  const found = worldsIn(worlds);
  console.error(`${found.length} worlds; starting a scratch server`);
  const scratch = await startTemporaryPostgres();
  try {
    await matchWorlds(scratch, found, out, (world, matched) => console.error(`${world.name}: ${summary(matched)}`));
  } finally {
    await scratch.stop();
  }
}

async function matchFiles({ a: fileA, b: fileB, out, now }: Options & { a: string; b: string }): Promise<void> {
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new UserError(`--now ${now} is no time, such as 2026-04-14T12:00:00Z`);
  const [a, b] = [readListings(fileA), readListings(fileB)];
  console.error(`${a.length} events of venue_a, ${b.length} of venue_b; starting a scratch database`);
  const scratch = await startTemporaryPostgres();
  const url = await scratch.create('match');
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await buildFromSql(url);
    const matched = await matchListings(sql, a, b, now === undefined ? null : new Date(now).toISOString());
    if (out === undefined) process.stdout.write(jsonLinesOf(matched));
    else writeFileSync(out, jsonLinesOf(matched));
    console.error(summary(matched));
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

export async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      a: { type: 'string' },
      b: { type: 'string' },
      out: { type: 'string' },
      now: { type: 'string' },
      worlds: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { a, b, worlds } = values;
  if (!values.help && worlds !== undefined) return matchFolder({ ...values, worlds });
  if (!values.help && a !== undefined && b !== undefined) return matchFiles({ ...values, a, b });
  console.error(usage);
  process.exitCode = values.help ? 0 : 2;
}
