import { WebSocket } from 'ws';

/** A heap after its garbage was collected, MB: objects, and the buffers that they hold. */
export type Alive = { name: string; mb: number };

const methods = ['HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'] as const;
const patienceMs = 5_000;

type Reply = { id?: number; result?: { usedSize?: number; backingStorageSize?: number } };

/**
 * Has processes collect their garbage through their inspectors, whose loopback ports are given by name (`npm start -- --inspect`), and
 * says what is alive in those that answered. V8 lets garbage lie while there is room, up to its limit: what a process has then says
 * nothing of a leak, what it has right after does.
 */
export async function collect(ports: Readonly<Record<string, number>>): Promise<Alive[]> {
  const all = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => {
      // One that was killed just now does not answer.
      const mb = await aliveAt(port).catch(() => undefined);
      return mb === undefined ? [] : [{ name, mb }];
    }),
  );
  return all.flat();
}

async function aliveAt(port: number): Promise<number | undefined> {
  const signal = AbortSignal.timeout(patienceMs);
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`, { signal });
  const [target] = (await listed.json()) as { webSocketDebuggerUrl: string }[];
  return target && usageAt(target.webSocketDebuggerUrl, signal);
}

function usageAt(url: string, signal: AbortSignal): Promise<number | undefined> {
  const socket = new WebSocket(url);
  const ask = (place: number) => socket.send(JSON.stringify({ id: place, method: methods[place] }));
  return new Promise<number | undefined>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    socket.on('error', reject);
    socket.on('close', () => resolve(undefined));
    socket.on('open', () => ask(0));
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data)) as Reply;
      if (id === 0) ask(1);
      else if (id === 1) resolve(((result?.usedSize ?? 0) + (result?.backingStorageSize ?? 0)) / 2 ** 20);
    });
  }).finally(() => socket.terminate());
}
