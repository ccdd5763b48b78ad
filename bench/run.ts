// npm run bench [-- --json FILE] [--only NAME]: what is fast here, each beside its yardstick in the same run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildFromSql } from '../local/platform/build.ts';
import { type Scratch, startScratch } from '../local/platform/scratch.ts';
import { admission } from './admission.ts';
import { matchPass } from './match_pass.ts';
import type { Row } from './row.ts';
import { streamFanout } from './stream_fanout.ts';
import { streamLatency } from './stream_latency.ts';

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } });

const measurements: Readonly<Record<string, (scratch: Scratch) => Promise<Row[]>>> = {
  match: (scratch) => matchPass(scratch, 'house', [2_000, 8_000, 20_000]),
  admission: (scratch) => admission(scratch, 'house'),
  fanout: (scratch) => streamFanout(scratch, 'house'),
  latency: () => streamLatency(),
};

const line = (row: Row): string =>
  `${row.holds ? 'holds ' : 'MISSED'}  ${row.name}: ${row.ratio.toFixed(2)}x (target ${row.better === 'lower' ? '<=' : '>='} ${row.target}x; ${row.detail})`;

const { only } = values;
const chosen = Object.entries(measurements).filter(([name]) => only === undefined || name === only);
if (chosen.length === 0) {
  console.error(`There is no measurement "${only}". There are: ${Object.keys(measurements).join(', ')}.`);
  process.exit(1);
}
const scratch = await startScratch();
const rows: Row[] = [];
try {
  await buildFromSql(await scratch.create('house'));
  for (const [, measure] of chosen) rows.push(...(await measure(scratch)));
} finally {
  await scratch.stop();
}
for (const row of rows) console.log(line(row));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows }, null, 1)}\n`);
