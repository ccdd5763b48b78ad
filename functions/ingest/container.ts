import { createLog, levelOf } from '../_shared/log.ts';
import { surroundings } from '../_shared/runtime.ts';
import { connect, Doors } from './database.ts';
import { Shift } from './ingest_worker.ts';
import { settingsOf } from './settings.ts';
import { openSocket } from './sockets.ts';
import { budgetOf } from './work_limits.ts';

/** `deno task ingest`: the same shift as the function, for ever and with all slices. SIGTERM and SIGINT end it in order. */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', least: levelOf(Deno.env.get('LOG_LEVEL')) }).say;
const doors = new Doors(connect(settings.databaseUrl, log, settings.databaseConnections));
const shift = new Shift({
  settings,
  budget: budgetOf(false),
  doors,
  around: surroundings,
  make: openSocket,
  parsers: async () => (await import('./parsers.ts')).parsers,
  log,
  endsAt: null,
  spending: null,
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) Deno.addSignalListener(signal, () => shift.stop());
await shift.run();
await doors.end();
Deno.exit(0);
