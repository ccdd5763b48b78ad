import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { ClockSegment } from '../../../functions/ingest/clock.ts';
import { repository } from '../postgres/binaries.ts';
import { quietTools } from '../postgres/build.ts';
import type { OutputSink } from './log_file.ts';
import { Service, type ServiceEvents } from './service.ts';
import { type VenueAddresses, venueAddresses } from './venue_addresses.ts';

export const venuesProgram = join(repository, 'local', 'venue_simulator', 'main.ts');

export type VenuesOptions = {
  /** The clock at the start of a process. Later changes are sent with `setClock`. */
  segments(): readonly ClockSegment[];
  seed: number;
  games: number | undefined;
  replay: string | undefined;
  folder: string;
  log: OutputSink;
};

/**
 * The simulator (or the player of a recording) as a service. After a crash it has the same
 * addresses.
 */
export function venuesService(
  plan: VenuesOptions,
  events: ServiceEvents,
): { service: Service; addresses(): VenueAddresses; setClock(segments: readonly ClockSegment[]): void } | undefined {
  if (!existsSync(venuesProgram)) return undefined;
  let known: VenueAddresses | undefined;
  let input: Writable | null = null;
  const portOf = (url: string | undefined) => (url ? new URL(url).port : '0');
  const service = new Service(
    {
      name: 'venues',
      spawn() {
        const args = [
          ...['--seed', String(plan.seed), '--clock', JSON.stringify(plan.segments()), '--data', plan.folder],
          ...['--port-a', portOf(known?.venue_a.rest), '--port-b', portOf(known?.venue_b.gamma)],
          ...(plan.games === undefined ? [] : ['--games', String(plan.games)]),
          ...(plan.replay === undefined ? [] : ['--replay', plan.replay]),
          // For tests: the faults that the simulator injects by itself
          // (local/venue_simulator/README.md).
          ...(process.env.VENUE_TRAPS ? ['--traps', process.env.VENUE_TRAPS] : []),
          ...(process.env.VENUE_PLANT_DIVERGENCE ? ['--plant-divergence', process.env.VENUE_PLANT_DIVERGENCE] : []),
          ...(process.env.VENUE_CHANGED_TEXT ? ['--changed-text', process.env.VENUE_CHANGED_TEXT] : []),
        ];
        const child = spawn(process.execPath, [...tsxArguments, venuesProgram, ...args], {
          cwd: repository,
          detached: true,
          stdio: ['pipe', 'pipe', 'pipe'],
          env: { ...process.env, ...quietTools },
        });
        // A write to a process that has just died fails. Its successor starts with the current
        // clock.
        child.stdin?.on('error', () => {});
        plan.log.collect(child);
        input = child.stdin;
        return child;
      },
      async ready(child) {
        if (!child.stdout) throw new Error('the process has no output');
        const lines = createInterface({ input: child.stdout });
        // Reads all later output as well, so that the pipe never fills up.
        const firstLine = await new Promise<string>((resolve, reject) => {
          lines.on('line', (line) => {
            if (line.startsWith('{')) resolve(line);
          });
          lines.once('close', () => reject(new Error('the simulator ended before it printed its addresses')));
        });
        known = venueAddresses.parse(JSON.parse(firstLine));
        return `venue_a ${known.venue_a.rest}  venue_b ${known.venue_b.gamma}`;
      },
    },
    events,
  );
  return {
    service,
    addresses() {
      if (!known) throw new Error('The venues have not printed their addresses yet.');
      return known;
    },
    setClock(segments) {
      input?.write(`${JSON.stringify(segments)}\n`);
    },
  };
}

/**
 * Runs TypeScript in node itself. The tsx command would put a second process between us and our
 * child. `import.meta.resolve` does not exist in the set-up of Vitest.
 */
export const tsxArguments = ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
