// npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]: pairs the listings of two files, as the product would.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { readListings } from './match/files.ts';
import { type Matched, matchListings } from './match/match.ts';
import { buildFromSql } from './platform/build.ts';
import { PlainFailure } from './platform/failure.ts';
import { startScratch } from './platform/scratch.ts';

const usage = `npm run match -- --a FILE --b FILE [--out FILE] [--now TIME]

Runs the parsers and the match pass over two listing files in a scratch database and writes JSON lines: one a pair, one a refused look-alike.
  --a FILE    venue_a: a JSON array of events with nested markets
  --b FILE    venue_b: a JSON array of Gamma events with their markets
  --out FILE  where the lines go (standard output when not given)
  --now TIME  market time by which undated listings are read, ISO 8601 (when not given: the day that the listings name)`;

function summary({ rows, set_aside, now, seconds }: Matched): string {
  const refused = rows.filter((row) => row.refused === true).length;
  const pairs = rows.filter((row) => row.refused !== true);
  const bands = ['EXACT', 'HIGH', 'REVIEW'].map((band) => `${pairs.filter((row) => row.band === band).length} ${band}`);
  const unread = set_aside.length > 0 ? `, ${set_aside.length} listings set aside` : '';
  return `${pairs.length} pairs (${bands.join(', ')}), ${refused} refusals${unread}; read as of ${now}; parsers ${seconds.parse} s, storing ${seconds.store} s, match pass ${seconds.pass} s`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      a: { type: 'string' },
      b: { type: 'string' },
      out: { type: 'string' },
      now: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || values.a === undefined || values.b === undefined) {
    console.error(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (values.now !== undefined && Number.isNaN(Date.parse(values.now)))
    throw new PlainFailure(`--now ${values.now} is no time, such as 2026-04-14T12:00:00Z`);
  const [a, b] = [readListings(values.a), readListings(values.b)];
  console.error(`${a.length} events of venue_a, ${b.length} of venue_b; starting a scratch database`);
  const scratch = await startScratch();
  const url = await scratch.create('match');
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await buildFromSql(url);
    const now = values.now === undefined ? null : new Date(values.now).toISOString();
    const matched = await matchListings(sql, a, b, now);
    const lines = matched.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (values.out === undefined) process.stdout.write(lines);
    else writeFileSync(values.out, lines);
    console.error(summary(matched));
  } finally {
    await sql.end({ timeout: 2 });
    await scratch.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof PlainFailure ? error.message : error);
  process.exitCode = 1;
});
