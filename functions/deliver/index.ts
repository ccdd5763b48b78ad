import { CpuMeter, processCpu } from '../_shared/cpu.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { errorFields } from '../_shared/pool/error_fields.ts';
import { connect, Doors } from './database.ts';
import { Shift } from './delivery_worker.ts';
import { denoNetwork } from './network.ts';
import { Sender } from './sender.ts';
import { service } from './service.ts';
import { settingsOf } from './settings.ts';
import { budgetOf, MEASURED, spentOf } from './work_limits.ts';

/**
 * The deliver function: the database calls it when there is something to send (webhook.wake), pg_cron when that was lost. It sends in the
 * background and stops in time. The same for ever: container.ts.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const settings = settingsOf((name) => Deno.env.get(name));
const log = createLog({ function: 'deliver', least: levelOf(Deno.env.get('LOG_LEVEL')) });
const network = denoNetwork(settings.ca);
const shifts = new Set<Shift>();
const bootedAt = Date.now();
const meter = new CpuMeter({ read: processCpu, estimate: MEASURED, now: () => Date.now() });
/** The boot is the first shift's; each call has CPU of its own. */
let spentBefore = 0;

function start(requestId: string): boolean {
  const running = [...shifts].find((shift) => !shift.ending);
  if (running) {
    running.nudge();
    return false;
  }
  const say = (line: string): void => log.say(line, requestId);
  const doors = new Doors(connect(settings.databaseUrl, say, settings.databaseConnections, requestId));
  const life = settings.wallClockSeconds * 1_000;
  // The platform counts from the isolate's start. Where nobody keeps the limit, a full shift begins all the same.
  const endsAt = bootedAt + life - Date.now() > 30_000 ? bootedAt + life : Date.now() + life;
  const sender = new Sender({ network, publicAmong: (all) => doors.publicAmong(all), timeoutMs: 5_000 });
  const budget = budgetOf(settings.cpuSeconds, (endsAt - Date.now()) / 1_000);
  const spent = spentOf(meter, settings.cpuSeconds, spentBefore);
  spentBefore = meter.usedMs;
  const shift = new Shift({ doors, attempt: (one) => sender.attempt(one), budget, endsAt, spent, log: say });
  log.write('info', 'shift.began', { ends_in_s: Math.round((endsAt - Date.now()) / 1_000) }, requestId);
  shifts.add(shift);
  const work = shift
    .run()
    .catch((error) => log.write('error', 'shift.failed', errorFields(error), requestId))
    .finally(() => {
      shifts.delete(shift);
      return doors.end();
    });
  if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(work);
  return true;
}

addEventListener('beforeunload', () => {
  for (const shift of shifts) shift.stop();
});

const app = service({ log, cronKey: settings.cronKey, start });

export default { fetch: app.fetch };
