// npm run bench [-- --json FILE] [--only NAME]: what is fast here, each beside its yardstick in the same run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildFromSql } from '../local/platform/build.ts';
import { startScratch } from '../local/platform/scratch.ts';
import { matchPass } from './match_pass.ts';
import type { Row } from './row.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });

const line = (row: Row): string =>
  `${row.holds ? 'holds ' : 'MISSED'}  ${row.name}: ${row.ratio.toFixed(2)}x (target ${row.better === 'lower' ? '<=' : '>='} ${row.target}x; ${row.detail})`;

const scratch = await startScratch();
const rows: Row[] = [];
try {
  await buildFromSql(await scratch.create('house'));
  rows.push(...(await matchPass(scratch, 'house', [2_000, 8_000, 20_000])));
} finally {
  await scratch.stop();
}
for (const row of rows) console.log(line(row));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows }, null, 1)}\n`);
