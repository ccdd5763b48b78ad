import { readFileSync } from 'node:fs';
import type { ProcessRow } from '../tests/support/stack.ts';
import type { Life } from './check/memory.ts';

const names: readonly [RegExp, string][] = [
  [/local\/start\.ts/, 'supervisor+gateway'],
  [/deno run .*f-ingest/, 'functions/ingest'],
  [/deno run .*f-api/, 'functions/api'],
  [/deno run .*f-stream/, 'functions/stream'],
  [/deno run .*f-deliver/, 'functions/deliver'],
  [/local\/venues\/main\.ts/, 'venues'],
  [/local\/jobs\/main\.ts/, 'jobs'],
  [/local\/auth\/main\.ts/, 'auth+rest'],
  [/local\/realtime\/main\.ts/, 'realtime'],
];

/** Memory of each process of the stack over its life: what is its own (RssAnon), as shared buffers would count many times. */
export class Processes {
  readonly lives = new Map<number, Life>();

  /** MB by name, now. All of Postgres's backends are one figure; they come and go, so it is drawn and not judged. */
  sample(rows: readonly ProcessRow[], at: number): Record<string, number> {
    const now: Record<string, number> = {};
    for (const { pid, command } of rows) {
      const mb = ownMb(pid);
      if (mb === undefined) continue;
      if (/^postgres:|native\/bin\/postgres/.test(command)) {
        now.postgres = (now.postgres ?? 0) + mb;
        continue;
      }
      const name = names.find(([pattern]) => pattern.test(command))?.[1];
      if (name === undefined || now[name] !== undefined) continue;
      now[name] = mb;
      const life = this.lives.get(pid) ?? { name, pid, samples: [] };
      life.samples.push({ at, mb });
      this.lives.set(pid, life);
    }
    return now;
  }
}

/** Undefined where the system does not say (it is Linux that does) or the process has gone. */
function ownMb(pid: number): number | undefined {
  try {
    const [, kb] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
