import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Simulator } from '../stack/simulator.ts';
import type { RunningStack } from '../support/stack.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

const killed = {
  'kill-ingest': /deno run .*f-ingest/,
  'kill-api': /deno run .*f-api/,
  'kill-stream': /deno run .*f-stream/,
  'kill-deliver': /deno run .*f-deliver/,
  'kill-venues': /local\/venues\/main\.ts/,
  'kill-jobs': /local\/platform\/jobs\/main\.ts/,
  'kill-auth': /local\/platform\/auth\/main\.ts/,
  'kill-realtime': /local\/platform\/realtime\/main\.ts/,
  'kill-postgres': /native\/bin\/postgres -D/,
} as const;

const others = [
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

export type FaultName = keyof typeof killed | (typeof others)[number];
export const faultNames: readonly FaultName[] = [...(Object.keys(killed) as (keyof typeof killed)[]), ...others];

/** How long what does not end by itself is held, ms. */
const heldMs = 6_000;

/** One fault from its beginning until it is taken back. Throws where there was nothing to hit. */
export async function inject(
  name: FaultName,
  stack: RunningStack,
  simulator: Simulator,
  random: () => number,
): Promise<void> {
  if (name in killed) {
    stack.kill(killed[name as keyof typeof killed]);
    return;
  }
  const venue = random() < 0.5 ? 'a' : 'b';
  switch (name) {
    case 'stop-realtime':
      return frozen(pidsOf(stack, killed['kill-realtime']), heldMs);
    // Postgres answers nobody who writes prices: frames queue up in ingest.
    case 'full-queue':
      return frozen(pidsOf(stack, /^postgres: parallax_ingest/), heldMs);
    case 'slow-disk':
      return slowCommits(stack, 2 * heldMs);
    case 'cut-sockets':
      return sprung(simulator, { trap: 'cut', venue });
    case 'silent-socket':
      return sprung(simulator, { trap: 'silence', venue, for_ms: 2 * heldMs });
    case 'late-socket':
      return sprung(simulator, { trap: 'late', for_ms: heldMs });
    case 'overflow':
      return sprung(simulator, { trap: 'overflow', venue: 'a' });
    case 'venue-away':
      return sprung(simulator, { trap: 'restart', venue, for_ms: heldMs });
    // The venues' clock goes back by seven seconds, and later returns.
    default:
      return sprung(simulator, { trap: 'skew', for_ms: heldMs });
  }
}

const pidsOf = (stack: RunningStack, pattern: RegExp): number[] =>
  stack
    .processes()
    .filter(({ command }) => pattern.test(command))
    .map(({ pid }) => pid);

/** Stops processes as a debugger would, and lets them go on. */
async function frozen(pids: readonly number[], forMs: number): Promise<void> {
  if (pids.length === 0) throw new Error('there is no such process to stop');
  const tell = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  tell('SIGSTOP');
  await pause(forMs).finally(() => tell('SIGCONT'));
}

/** Every write of the log to disk takes a tenth of a second longer: Postgres's own setting, which is the superuser's. */
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

/** A trap of the simulator, tried again while there is nothing to spring it on. */
async function sprung(simulator: Simulator, order: Parameters<Simulator['pull']>[0]): Promise<void> {
  await waitUntil(() => simulator.pull(order), {
    what: `something to spring ${order.trap} on`,
    timeoutMs: 5_000,
    everyMs: 250,
  });
  await pause(order.for_ms ?? 0);
}
