import { createLog, levelOf } from '../_shared/log.ts';
import { connect, Doors } from './database.ts';
import { Shift } from './delivery_worker.ts';
import { denoNetwork } from './network.ts';
import { Sender } from './sender.ts';
import { settingsOf } from './settings.ts';
import { budgetOf } from './work_limits.ts';

/** `deno task deliver`: the same as the function, for ever. SIGTERM and SIGINT end it in order; killed, it loses nothing. */

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'deliver', least: levelOf(Deno.env.get('LOG_LEVEL')) }).say;
const doors = new Doors(connect(settings.databaseUrl, log, settings.databaseConnections));
const network = denoNetwork(settings.ca);
const sender = new Sender({ network, publicAmong: (all) => doors.publicAmong(all), timeoutMs: 5_000 });
const shift = new Shift({
  doors,
  attempt: (one) => sender.attempt(one),
  budget: { ...budgetOf(null, 0), quietMs: Number.POSITIVE_INFINITY },
  endsAt: Number.POSITIVE_INFINITY,
  spent: () => false,
  log,
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) Deno.addSignalListener(signal, () => shift.stop());
await shift.run();
await doors.end();
Deno.exit(0);
