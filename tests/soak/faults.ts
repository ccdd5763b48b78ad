import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Simulator } from '../stack/simulator.ts';
import type { RunningStack } from '../support/stack.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

const KILL_PATTERNS = {
  'kill-ingest': /deno run .*f-ingest/,
  'kill-api': /deno run .*f-api/,
  'kill-stream': /deno run .*f-stream/,
  'kill-deliver': /deno run .*f-deliver/,
  'kill-venues': /local\/venue_simulator\/main\.ts/,
  'kill-jobs': /local\/platform\/jobs\/main\.ts/,
  'kill-auth': /local\/platform\/auth\/main\.ts/,
  'kill-realtime': /local\/platform\/realtime\/main\.ts/,
  'kill-postgres': /native\/bin\/postgres -D/,
} as const;

const OTHER_FAULTS = [
  'stop-realtime',
  'cut-sockets',
  'silent-socket',
  'late-socket',
  'overflow',
  'venue-away',
  'full-queue',
  'slow-disk',
  'clock-step',
] as const;

export type FaultName = keyof typeof KILL_PATTERNS | (typeof OTHER_FAULTS)[number];
export const faultNames: readonly FaultName[] = [
  ...(Object.keys(KILL_PATTERNS) as (keyof typeof KILL_PATTERNS)[]),
  ...OTHER_FAULTS,
];

/** Duration of a fault that does not end by itself, ms. */
const FAULT_MS = 6_000;

/** Injects one fault and returns after its end. Throws when the fault has no target. */
export async function inject(
  name: FaultName,
  stack: RunningStack,
  simulator: Simulator,
  random: () => number,
): Promise<void> {
  if (name in KILL_PATTERNS) {
    stack.kill(KILL_PATTERNS[name as keyof typeof KILL_PATTERNS]);
    return;
  }
  const venue = random() < 0.5 ? 'a' : 'b';
  switch (name) {
    case 'stop-realtime':
      return freeze(pidsOf(stack, KILL_PATTERNS['kill-realtime']), FAULT_MS);
    // Stops the Postgres sessions of ingest, so that price updates queue up in ingest.
    case 'full-queue':
      return freeze(pidsOf(stack, /^postgres: parallax_ingest/), FAULT_MS);
    case 'slow-disk':
      return slowCommits(stack, 2 * FAULT_MS);
    case 'cut-sockets':
      return injectVenueFault(simulator, { fault: 'cut', venue });
    case 'silent-socket':
      return injectVenueFault(simulator, { fault: 'silence', venue, for_ms: 2 * FAULT_MS });
    case 'late-socket':
      return injectVenueFault(simulator, { fault: 'late', for_ms: FAULT_MS });
    case 'overflow':
      return injectVenueFault(simulator, { fault: 'overflow', venue: 'a' });
    case 'venue-away':
      return injectVenueFault(simulator, { fault: 'restart', venue, for_ms: FAULT_MS });
    // The clock of the venues falls seven seconds behind and later returns.
    default:
      return injectVenueFault(simulator, { fault: 'skew', for_ms: FAULT_MS });
  }
}

const pidsOf = (stack: RunningStack, pattern: RegExp): number[] =>
  stack
    .processes()
    .filter(({ command }) => pattern.test(command))
    .map(({ pid }) => pid);

/** Stops processes with SIGSTOP and continues them after `forMs`. */
async function freeze(pids: readonly number[], forMs: number): Promise<void> {
  if (pids.length === 0) throw new Error('there is no such process to stop');
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has ended.
      }
    }
  };
  signalAll('SIGSTOP');
  await pause(forMs).finally(() => signalAll('SIGCONT'));
}

/**
 * Each flush of the WAL takes 0.1 s longer. Only a superuser may change this setting of Postgres.
 */
async function slowCommits(stack: RunningStack, forMs: number): Promise<void> {
  const { superuser } = JSON.parse(readFileSync(join(stack.folder, 'secrets.json'), 'utf8')) as { superuser: string };
  const url = new URL(stack.facts.database_url);
  url.username = 'supabase_admin';
  url.password = superuser;
  const admin = postgres(url.href, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    for (const setting of ['commit_delay = 100000', 'commit_siblings = 0']) {
      await admin.unsafe(`alter system set ${setting}`);
    }
    await admin`select pg_reload_conf()`;
    await pause(forMs);
  } finally {
    for (const setting of ['commit_delay', 'commit_siblings']) await admin.unsafe(`alter system reset ${setting}`);
    await admin`select pg_reload_conf()`;
    await admin.end({ timeout: 2 });
  }
}

/** Injects a fault of the simulator. Retries while the fault has no target. */
async function injectVenueFault(simulator: Simulator, fault: Parameters<Simulator['injectFault']>[0]): Promise<void> {
  await waitUntil(() => simulator.injectFault(fault), {
    what: `the fault ${fault.fault} has a target`,
    timeoutMs: 5_000,
    everyMs: 250,
  });
  await pause(fault.for_ms ?? 0);
}
