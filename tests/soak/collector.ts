import { WebSocket } from 'ws';

/** A heap after a garbage collection in MB: its objects, and the bytes of its buffers. */
export type LiveHeap = { name: string; objectsMb: number; buffersMb: number };

const INSPECTOR_METHODS = ['HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'] as const;
const TIMEOUT_MS = 5_000;

type Reply = { id?: number; result?: { usedSize?: number; backingStorageSize?: number } };

/**
 * Requests a garbage collection from processes through their inspectors (`npm start -- --inspect`),
 * and returns the live heaps of those that answer. `ports` are the inspector ports by process name.
 * V8 keeps garbage while there is room, so the memory of a process shows a leak only right after a
 * collection.
 */
export async function collectGarbage(ports: Readonly<Record<string, number>>): Promise<LiveHeap[]> {
  const all = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => {
      // A process that was just killed does not answer.
      const heap = await liveHeapAt(port).catch(() => undefined);
      return heap === undefined ? [] : [{ name, ...heap }];
    }),
  );
  return all.flat();
}

async function liveHeapAt(port: number): Promise<Omit<LiveHeap, 'name'> | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal });
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  return target && heapUsageAt(target.webSocketDebuggerUrl, signal);
}

function heapUsageAt(url: string, signal: AbortSignal): Promise<Omit<LiveHeap, 'name'> | undefined> {
  const socket = new WebSocket(url);
  const send = (id: number) => socket.send(JSON.stringify({ id, method: INSPECTOR_METHODS[id] }));
  return new Promise<Omit<LiveHeap, 'name'> | undefined>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    socket.on('error', reject);
    socket.on('close', () => resolve(undefined));
    socket.on('open', () => send(0));
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data)) as Reply;
      if (id === 0) send(1);
      else if (id === 1)
        resolve({
          objectsMb: (result?.usedSize ?? 0) / 2 ** 20,
          buffersMb: (result?.backingStorageSize ?? 0) / 2 ** 20,
        });
    });
  }).finally(() => socket.terminate());
}
