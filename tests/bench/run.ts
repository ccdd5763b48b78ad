// npm run bench [-- --json FILE] [--only NAME] [--memory-minutes N]
//
// Measures the parts that must be fast, each against a baseline in the same run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { parseNumber } from '../../local/platform/supervisor/options.ts';
import { UserError } from '../../local/platform/user_error.ts';
import { measureAdmission } from './admission.ts';
import { measureBacktest } from './backtest.ts';
import { measureCarriers } from './carriers.ts';
import { measureEngine } from './engine.ts';
import { measureMarkets } from './markets.ts';
import { measureMatchPass } from './match_pass.ts';
import { progress } from './measure.ts';
import { measureMemory } from './memory.ts';
import { type ResultRow, renderJson, renderTable } from './result_row.ts';
import { measureStartup } from './startup.ts';
import { measureFanout } from './stream_fanout.ts';
import { measureLatency } from './stream_latency.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, 'memory-minutes': { type: 'string' } },
});
// The default is short and shows a leak of megabytes a minute. A run of 30 minutes shows smaller
// ones.
const minutes = parseNumber('--memory-minutes', values['memory-minutes'], 3, { min: 1, max: 24 * 60, whole: false });

const measurements: Readonly<Record<string, (scratch: TemporaryPostgres) => Promise<ResultRow[]>>> = {
  engine: () => measureEngine([50, 100, 200]),
  markets: (scratch) => measureMarkets(scratch, 'template_db', [600, 2_000, 6_000]),
  admission: (scratch) => measureAdmission(scratch, 'template_db'),
  match: (scratch) => measureMatchPass(scratch, 'template_db', 2_000, [1, 4, 10]),
  backtest: (scratch) => measureBacktest(scratch, 'template_db'),
  fanout: (scratch) => measureFanout(scratch, 'template_db', [100, 300, 1_000]),
  carriers: (scratch) => measureCarriers(scratch, 'template_db'),
  startup: (scratch) => measureStartup(scratch, 'template_db'),
  latency: () => measureLatency(),
  memory: () => measureMemory(minutes),
};

const { only } = values;
const chosen = Object.entries(measurements).filter(([name]) => only === undefined || name === only);
if (chosen.length === 0) {
  throw new UserError(`Unknown measurement "${only}". The measurements are: ${Object.keys(measurements).join(', ')}.`);
}
const scratch = await startTemporaryPostgres();
const rows: ResultRow[] = [];
const write = () => {
  if (values.json !== undefined) writeFileSync(values.json, renderJson(rows));
};
try {
  await buildFromSql(await scratch.create('template_db'));
  for (const [name, measure] of chosen) {
    progress(name);
    const result = await measure(scratch);
    for (const line of renderTable(result)) console.error(line);
    rows.push(...result);
    // Write after each measurement, so that a later failure does not lose its rows.
    write();
  }
} finally {
  await scratch.stop();
}
for (const line of renderTable(rows)) console.log(line);
