import { readdirSync, readlinkSync } from 'node:fs';
import { functionNames } from '../../local/platform/functions/worker.ts';
import { SUPERVISOR_NAME } from '../../local/platform/supervisor/data_folder.ts';
import { ownMemoryMb } from '../support/process_memory.ts';
import type { ProcessRow } from '../support/stack.ts';
import { CLIENT_MB, type MemorySeries, REFUSED_ANSWERS_MB, RESPONSE_CACHE_MB, slackMb } from './check/memory.ts';
import type { DescriptorSample } from './check/sockets.ts';
import type { LiveHeap } from './collector.ts';

const PROCESS_NAMES: readonly [RegExp, string][] = [
  [/local\/cli\.ts start/, SUPERVISOR_NAME],
  ...functionNames().map((name): [RegExp, string] => [new RegExp(`deno run .*f-${name}`), `functions/${name}`]),
  [/local\/venue_simulator\/main\.ts/, 'venues'],
  [/local\/platform\/jobs\/main\.ts/, 'jobs'],
  [/local\/platform\/auth\/main\.ts/, 'auth+rest'],
  [/local\/platform\/realtime\/main\.ts/, 'realtime'],
];

/** The processes that strangers reach. Their descriptors are counted. */
export const EXPOSED: ReadonlySet<string> = new Set([SUPERVISOR_NAME, 'functions/stream']);

const isPostgres = (command: string) => /^postgres:|native\/bin\/postgres/.test(command);

/** The name of a process of the stack. All processes of Postgres have one name. */
export const stackProcessOf = (command: string): string | undefined =>
  isPostgres(command) ? 'postgres' : PROCESS_NAMES.find(([pattern]) => pattern.test(command))?.[1];

/** The open descriptors of a process on Linux, and how many are sockets. */
function descriptorsOf(pid: number): { descriptors: number; sockets: number } | undefined {
  try {
    const all = readdirSync(`/proc/${pid}/fd`);
    const isSocket = (name: string): boolean => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
      } catch {
        return false;
      }
    };
    return { descriptors: all.length, sockets: all.filter(isSocket).length };
  } catch {
    return undefined;
  }
}

/** Whether the soak requests garbage collections of this process and judges it only after them. */
const isInspected = (name: string) => name === SUPERVISOR_NAME || name.startsWith('functions/');

/**
 * The memory of each process of the stack. It is anonymous memory (RssAnon), because shared buffers
 * would count many times.
 */
export class Processes {
  /** By kind and pid. */
  readonly series = new Map<string, MemorySeries>();
  /** The pid of each process of the last sample, by name. */
  pids = new Map<string, number>();
  /** Of the gateway and the stream, by name, since their last start. */
  readonly descriptors = new Map<string, DescriptorSample[]>();
  readonly #clients: number;

  /** `clients` is the number of stream clients. */
  constructor(clients: number) {
    this.#clients = clients;
  }

  /**
   * Returns the memory now in MB by process name. All backends of Postgres are one figure. The
   * report draws it, but does not judge it, because backends start and end all the time.
   */
  sample(rows: readonly ProcessRow[], at: number): Record<string, number> {
    const now: Record<string, number> = {};
    const pids = new Map<string, number>();
    for (const { pid, command } of rows) {
      const mb = ownMemoryMb(pid);
      if (mb === undefined) continue;
      const name = stackProcessOf(command);
      if (name === 'postgres') {
        now.postgres = (now.postgres ?? 0) + mb;
        continue;
      }
      if (name === undefined || now[name] !== undefined) continue;
      now[name] = mb;
      pids.set(name, pid);
      if (EXPOSED.has(name)) this.#countDescriptors(name, pid, at);
      if (!isInspected(name)) this.#append('process', name, pid, at, mb);
    }
    this.pids = pids;
    return now;
  }

  /** The sockets of the last sample by process name. */
  sockets(): Record<string, number> {
    return Object.fromEntries(
      [...this.descriptors].flatMap(([name, samples]) => {
        const last = samples.at(-1);
        return last ? [[name, last.sockets]] : [];
      }),
    );
  }

  #countDescriptors(name: string, pid: number, at: number): void {
    const counted = descriptorsOf(pid);
    if (!counted) return;
    const known = this.pids.get(name) === pid ? (this.descriptors.get(name) ?? []) : [];
    known.push({ at, ...counted });
    this.descriptors.set(name, known);
  }

  /** Records the memory of the processes right after the garbage collections that gave `heaps`. */
  recordLiveHeaps(rows: readonly ProcessRow[], heaps: readonly LiveHeap[], at: number): void {
    for (const { pid, command } of rows) {
      const name = stackProcessOf(command);
      const heap = heaps.find((one) => one.name === name);
      const mb = ownMemoryMb(pid);
      if (name === undefined || !heap || mb === undefined) continue;
      this.#append('process', name, pid, at, mb);
      this.#append('objects', `live objects of ${name}`, pid, at, heap.objectsMb);
      this.#append('buffers', `live buffers of ${name}`, pid, at, heap.buffersMb);
    }
  }

  #append(kind: keyof typeof slackMb, name: string, pid: number, at: number, mb: number): void {
    const key = `${kind} ${pid}`;
    const series = this.series.get(key) ?? {
      name,
      pid,
      slackMb: slackMb[kind] + this.#keptMb(kind, name),
      samples: [],
    };
    series.samples.push({ at, mb });
    this.series.set(key, series);
  }

  /** What a process may keep, MB: its cache of responses, or what its allocator keeps of a peak. */
  #keptMb(kind: keyof typeof slackMb, name: string): number {
    if (name.endsWith('functions/api') && kind !== 'objects') return RESPONSE_CACHE_MB;
    if (kind !== 'process') return 0;
    if (name === 'functions/stream') return this.#clients * CLIENT_MB;
    return name === 'functions/ingest' ? REFUSED_ANSWERS_MB : 0;
  }
}
