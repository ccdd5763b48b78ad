// npm run bench [-- --json FILE] [--only NAME] [--memory-minutes N]: what is fast here, each beside its yardstick in the same run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { number } from '../../local/platform/supervisor/options.ts';
import { UserError } from '../../local/platform/user_error.ts';
import { admission } from './admission.ts';
import { engineDecision } from './engine.ts';
import { markets } from './markets.ts';
import { matchPass } from './match_pass.ts';
import { progress } from './measure.ts';
import { memory } from './memory.ts';
import { jsonOf, type Row, tableOf } from './result_row.ts';
import { streamFanout } from './stream_fanout.ts';
import { streamLatency } from './stream_latency.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, 'memory-minutes': { type: 'string' } },
});
// Short unless asked: a plain run shows that nothing leaks by the minute, thirty minutes are design.md's.
const minutes = number('--memory-minutes', values['memory-minutes'], 3, { min: 1, max: 24 * 60, whole: false });

const measurements: Readonly<Record<string, (scratch: TemporaryPostgres) => Promise<Row[]>>> = {
  engine: () => engineDecision([50, 100, 200]),
  markets: (scratch) => markets(scratch, 'house', [600, 2_000, 6_000]),
  admission: (scratch) => admission(scratch, 'house'),
  match: (scratch) => matchPass(scratch, 'house', 2_000, [1, 4, 10]),
  fanout: (scratch) => streamFanout(scratch, 'house', [100, 300, 1_000]),
  latency: () => streamLatency(),
  memory: () => memory(minutes),
};

const { only } = values;
const chosen = Object.entries(measurements).filter(([name]) => only === undefined || name === only);
if (chosen.length === 0) {
  throw new UserError(`There is no measurement "${only}". There are: ${Object.keys(measurements).join(', ')}.`);
}
const scratch = await startTemporaryPostgres();
const rows: Row[] = [];
const write = () => {
  if (values.json !== undefined) writeFileSync(values.json, jsonOf(rows));
};
try {
  await buildFromSql(await scratch.create('house'));
  for (const [name, measure] of chosen) {
    progress(name);
    const found = await measure(scratch);
    for (const line of tableOf(found)) console.error(line);
    rows.push(...found);
    // After each: what was measured is kept though a later one fails.
    write();
  }
} finally {
  await scratch.stop();
}
for (const line of tableOf(rows)) console.log(line);
