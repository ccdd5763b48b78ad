import { budgetOf } from './budget.ts';
import { connect, Doors } from './database.ts';
import { parsers } from './parsers.ts';
import { surroundings } from './runtime.ts';
import { service } from './service.ts';
import { settingsOf } from './settings.ts';
import { Shift } from './shift.ts';
import { openSocket } from './sockets.ts';

/**
 * The ingest function: pg_cron calls it, it reads both venues in the background for as long as a call may live, and stops in time for its
 * successor to take over. The same shift for ever, without limits: container.ts.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

/** An orderly end takes some seconds: the last flush, and the leases given back. */
const RESERVE_SECONDS = 15;
/** Less time than this is not worth the warm-up. */
const LEAST_SECONDS = 30;

const settings = settingsOf((name) => Deno.env.get(name));
// The platform counts from the worker's start, not from the call that found it awake.
const endsAt = Date.now() + (settings.wallClockSeconds - RESERVE_SECONDS) * 1_000;
const log = (line: string): void => console.log(`ingest: ${line}`);

let shift: Shift | null = null;

async function run(current: Shift, doors: Doors): Promise<void> {
  try {
    await current.run();
  } catch (error) {
    log(`the shift broke off: ${String(error)}`);
  } finally {
    shift = null;
    await doors.end();
  }
}

function start(): boolean {
  const left = (endsAt - Date.now()) / 1_000;
  if (left < LEAST_SECONDS) return false;
  const doors = new Doors(connect(settings.databaseUrl));
  shift = new Shift({
    settings,
    budget: budgetOf(settings.cpuSeconds, left),
    doors,
    around: surroundings,
    make: openSocket,
    parsers,
    log,
    endsAt,
  });
  const running = run(shift, doors);
  if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(running);
  return true;
}

addEventListener('beforeunload', () => shift?.stop());

const app = service({ cronKey: settings.cronKey, running: () => shift, start });

export default { fetch: app.fetch };
