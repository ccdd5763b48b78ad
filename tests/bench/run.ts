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
import { carrierSizes, measureCarriers } from './carriers.ts';
import { measureEngine } from './engine.ts';
import { measureLeases } from './leases.ts';
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

/** `add` takes rows before the end, so that a later failure does not lose them. */
type Measurement = (scratch: TemporaryPostgres, add: (rows: ResultRow[]) => void) => Promise<ResultRow[]>;
const measurements: Readonly<Record<string, Measurement>> = {
  engine: () => measureEngine([50, 100, 200]),
  markets: (scratch) => measureMarkets(scratch, 'template_db', [600, 2_000, 6_000]),
  admission: (scratch) => measureAdmission(scratch, 'template_db'),
  leases: (scratch) => measureLeases(scratch, 'template_db', 600),
  match: (scratch) => measureMatchPass(scratch, 'template_db', 2_000, [1, 4, 10]),
  backtest: (scratch) => measureBacktest(scratch, 'template_db'),
  fanout: (scratch) => measureFanout(scratch, 'template_db', [100, 300, 1_000]),
  async carriers(scratch, add) {
    await measureCarriers(scratch, 'template_db', carrierSizes(), add);
    return [];
  },
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
const add = (more: ResultRow[]) => {
  for (const line of renderTable(more)) console.error(line);
  rows.push(...more);
  if (values.json !== undefined) writeFileSync(values.json, renderJson(rows));
};
try {
  await buildFromSql(await scratch.create('template_db'));
  for (const [name, measure] of chosen) {
    progress(name);
    add(await measure(scratch, add));
  }
} finally {
  await scratch.stop();
}
for (const line of renderTable(rows)) console.log(line);
