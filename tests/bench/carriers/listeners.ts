import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../../support/wait_until.ts';
import type { ListenerCommand, ListenerEvent, ListenerTarget } from './listener_process.ts';

/** The monotonic clock of this machine, ms. It is the same in all its processes. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

/** The monotonic time of a clock_timestamp() of Postgres on this machine, to the millisecond. */
export const monotonicOf = (epochMs: number) => epochMs - Date.now() + monotonicMs();

/** Clients of one carrier, in a process of their own. */
export type Listeners = {
  pid: number;
  connect(targets: readonly ListenerTarget[]): Promise<void>;
  /** `done` resolves, with the monotonic time, when every client has this text last. */
  awaitLast(marker: string): Promise<{ done: Promise<number> }>;
  recordEach(prefix: string): Promise<void>;
  /** What was recorded: the number of the marker and when it arrived at a client. */
  takeRecords(): Promise<[number, number][]>;
  stop(): void;
};

export async function startListeners(): Promise<Listeners> {
  const child = fork(fileURLToPath(new URL('listener_process.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  await eventOf(child, 'ready');
  /** Sends a command and waits for its answer. */
  const ask = async (command: ListenerCommand, answer: ListenerEvent['event']) => {
    const answered = eventOf(child, answer);
    child.send(command);
    return await answered;
  };
  return {
    pid: child.pid ?? 0,
    connect: async (targets) => void (await ask({ connect: [...targets] }, 'connected')),
    async awaitLast(marker) {
      await ask({ awaitLast: marker }, 'waiting');
      const done = eventOf(child, 'all').then(monotonicMs);
      // A failure before the caller waits is reported when it does.
      done.catch(() => {});
      return { done };
    },
    recordEach: async (prefix) => void (await ask({ recordEach: prefix }, 'waiting')),
    async takeRecords() {
      const given = await ask({ takeRecords: true }, 'records');
      return given.event === 'records' ? given.records : [];
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** The next event of this name. Rejects when a client lost its connection. */
function eventOf(child: ChildProcess, wanted: ListenerEvent['event']): Promise<ListenerEvent> {
  return new Promise((resolve, reject) => {
    const end = () => {
      child.off('message', take);
      child.off('exit', exited);
    };
    const take = (given: ListenerEvent) => {
      if (given.event === 'failed') {
        end();
        reject(new Error(given.why));
      } else if (given.event === wanted) {
        end();
        resolve(given);
      }
    };
    const exited = (code: number | null) => reject(new Error(`a process of clients ended with ${code}`));
    child.on('message', take);
    child.once('exit', exited);
  });
}

/** Rejects when it takes longer. */
export async function within<T>(given: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  const { value } = await waitUntil(async () => ({ value: await given }), { what, timeoutMs });
  return value;
}
