import { functionNames } from '../../local/platform/functions/worker.ts';
import { supervisor } from '../../local/platform/supervisor/data_folder.ts';
import { ownMemoryMb } from '../support/process_memory.ts';
import type { ProcessRow } from '../support/stack.ts';
import { clientMb, type Life, slackMb } from './check/memory.ts';
import type { Alive } from './collector.ts';

const names: readonly [RegExp, string][] = [
  [/local\/cli\.ts start/, supervisor],
  ...functionNames().map((name): [RegExp, string] => [new RegExp(`deno run .*f-${name}`), `functions/${name}`]),
  [/local\/venues\/main\.ts/, 'venues'],
  [/local\/platform\/jobs\/main\.ts/, 'jobs'],
  [/local\/platform\/auth\/main\.ts/, 'auth+rest'],
  [/local\/platform\/realtime\/main\.ts/, 'realtime'],
];

/** Those whose garbage is collected before they are judged. */
const inspected = (name: string) => name === supervisor || name.startsWith('functions/');

/** Memory of each process of the stack over its life: what is its own (RssAnon), as shared buffers would count many times. */
export class Processes {
  readonly lives = new Map<string, Life>();
  readonly #clients: number;

  /** `clients`: how many listen to the stream. */
  constructor(clients: number) {
    this.#clients = clients;
  }

  /** MB by name, now. All of Postgres's backends are one figure; they come and go, so it is drawn and not judged. */
  sample(rows: readonly ProcessRow[], at: number): Record<string, number> {
    const now: Record<string, number> = {};
    for (const { pid, command } of rows) {
      const mb = ownMemoryMb(pid);
      if (mb === undefined) continue;
      if (/^postgres:|native\/bin\/postgres/.test(command)) {
        now.postgres = (now.postgres ?? 0) + mb;
        continue;
      }
      const name = names.find(([pattern]) => pattern.test(command))?.[1];
      if (name === undefined || now[name] !== undefined) continue;
      now[name] = mb;
      // The inspected ones are judged after a collection alone.
      if (!inspected(name)) this.#live('process', name, pid, at, mb);
    }
    return now;
  }

  /** Right after `alive` collected their garbage. */
  collected(rows: readonly ProcessRow[], alive: readonly Alive[], at: number): void {
    for (const { pid, command } of rows) {
      const name = names.find(([pattern]) => pattern.test(command))?.[1];
      const found = alive.find((one) => one.name === name);
      const mb = ownMemoryMb(pid);
      if (name === undefined || !found || mb === undefined) continue;
      this.#live('process', name, pid, at, mb);
      this.#live('heap', `what is alive in ${name}`, pid, at, found.mb);
    }
  }

  #live(kind: 'process' | 'heap', name: string, pid: number, at: number, mb: number): void {
    const key = `${kind} ${pid}`;
    const clients = kind === 'process' && name === 'functions/stream' ? this.#clients : 0;
    const life = this.lives.get(key) ?? { name, pid, slackMb: slackMb[kind] + clients * clientMb, samples: [] };
    life.samples.push({ at, mb });
    this.lives.set(key, life);
  }
}
