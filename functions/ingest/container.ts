import { createLog, levelOf } from '../_shared/log.ts';
import { surroundings } from '../_shared/wire/surroundings.ts';
import { budgetOf } from './budget.ts';
import { connect, Doors } from './database.ts';
import { parsers } from './parsers.ts';
import { settingsOf } from './settings.ts';
import { Shift } from './shift.ts';
import { openSocket } from './sockets.ts';

/** `deno task ingest`: the same shift as the function, for ever and with all slices. SIGTERM and SIGINT end it in order. */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'ingest', least: levelOf(Deno.env.get('LOG_LEVEL')) }).say;
const doors = new Doors(connect(settings.databaseUrl, log, settings.databaseConnections));
const shift = new Shift({
  settings,
  budget: budgetOf(null, Number.POSITIVE_INFINITY),
  doors,
  around: surroundings,
  make: openSocket,
  parsers,
  log,
  endsAt: null,
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) Deno.addSignalListener(signal, () => shift.stop());
await shift.run();
await doors.end();
Deno.exit(0);
