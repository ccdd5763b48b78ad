// npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]: pairs the listings of two files as
// the product does.
//
// npm run match -- --worlds DIR --out DIR: does the same for every folder of listings in DIR.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import type { Output } from '../command.ts';
import { readListings } from '../match/files.ts';
import { type MatchResult, matchListings } from '../match/match.ts';
import { jsonLinesOf, matchWorlds, worldsIn } from '../match/worlds.ts';
import { buildFromSql } from '../platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]
npm run match -- --worlds DIR --out DIR

Runs the parsers and the match pass over two listing files in a scratch database and writes JSON lines: one a pair, one a refused look-alike.
  --a FILE    venue_a: a JSON array of events with nested markets
  --b FILE    venue_b: a JSON array of Gamma events with their markets
  --out FILE  output file (default: standard output)
  --now TIME  market time for undated listings, ISO 8601 (default: the date that the listings name)

  --worlds DIR  every folder of DIR with listings.venue_a.json and listings.venue_b.json, each alone;
                now.txt in such a folder replaces --now
  --out DIR     the folder of the results, one NAME.jsonl per world (created if missing)`;

function summary({ rows, rejected, now, seconds }: MatchResult): string {
  const refused = rows.filter((row) => row.refused === true).length;
  const pairs = rows.filter((row) => row.refused !== true);
  const bands = ['EXACT', 'HIGH', 'REVIEW'].map((band) => `${pairs.filter((row) => row.band === band).length} ${band}`);
  const unread = rejected.length > 0 ? `, ${rejected.length} rejected listings` : '';
  return `${pairs.length} pairs (${bands.join(', ')}), ${refused} rejections${unread}; market time ${now}; parse ${seconds.parse} s, store ${seconds.store} s, match pass ${seconds.pass} s`;
}

type Options = { a?: string; b?: string; out?: string; now?: string; worlds?: string };

async function matchFolder(
  { a, b, now, worlds, out }: Options & { worlds: string },
  output: Output,
  startPostgres: StartPostgres,
): Promise<void> {
  if (a !== undefined || b !== undefined || now !== undefined)
    throw new UserError('--worlds reads the listings and now.txt of each folder. Omit --a, --b and --now.');
  if (out === undefined) throw new UserError('--worlds needs --out DIR, the folder of the results.');
  const found = worldsIn(worlds);
  output.error(`${found.length} worlds; starting a temporary Postgres`);
  await matchWorlds(startPostgres, found, out, (world, matched) => output.error(`${world.name}: ${summary(matched)}`));
}

async function matchFiles(
  { a: fileA, b: fileB, out, now }: Options & { a: string; b: string },
  output: Output,
  startPostgres: StartPostgres,
): Promise<void> {
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new UserError(`--now ${now} is not a time. Example: 2026-04-14T12:00:00Z`);
  const [a, b] = [readListings(fileA), readListings(fileB)];
  output.error(`${a.length} events of venue_a, ${b.length} of venue_b; starting a temporary Postgres`);
  const scratch = await startPostgres();
  const url = await scratch.create('match');
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await buildFromSql(url);
    const matched = await matchListings(sql, a, b, now === undefined ? null : new Date(now).toISOString());
    if (out === undefined) output.log(jsonLinesOf(matched).replace(/\n$/, ''));
    else writeFileSync(out, jsonLinesOf(matched));
    output.error(summary(matched));
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

type StartPostgres = () => Promise<TemporaryPostgres>;

/** Tests give another `startPostgres`, whose server starts sooner. */
export async function main(
  args: readonly string[],
  output: Output,
  startPostgres: StartPostgres = startTemporaryPostgres,
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
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
  if (!values.help && worlds !== undefined) await matchFolder({ ...values, worlds }, output, startPostgres);
  else if (!values.help && a !== undefined && b !== undefined)
    await matchFiles({ ...values, a, b }, output, startPostgres);
  else {
    output.error(usage);
    return values.help ? 0 : 2;
  }
  return 0;
}
