// A process of stream clients. The parent sends the keys. The process reports to it every second.
import { setPriority } from 'node:os';
import { type ReceivedFrame, StreamClient } from './stream_client.ts';

export type FleetCommand = { base: string; wsUrl: string; keys: string[]; name: string };
export type FleetMessage = {
  connected: number;
  frames: number;
  /** Time from the venue message to the first client in ms, for the prices of the last second. */
  lags: number[];
  errors: string[];
  closeReasons: string[];
  connections: number;
  /** The highest offset of each channel that all its clients have received. */
  reached: [channel: string, offset: number][];
};

/** Behind the stack: real clients are on other machines. */
const PRIORITY = 10;

const clients: StreamClient[] = [];
const lags: number[] = [];

setPriority(PRIORITY);
process.on('message', ({ base, wsUrl, keys, name }: FleetCommand) => {
  for (const [n, key] of keys.entries())
    clients.push(new StreamClient(`${name}.${n}`, base, wsUrl, key, n === 0 ? recordLag : undefined));
  setInterval(() => process.send?.(readClients()), 1_000);
});
process.on('disconnect', () => process.exit(0));

function recordLag({ frame }: ReceivedFrame): void {
  const { type, books_read_at } = frame as { type: string; books_read_at?: Record<string, string | null> };
  if (type !== 'price') return;
  const readAt = Object.values(books_read_at ?? {}).flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  if (readAt.length > 0) lags.push(Date.now() - Math.max(...readAt));
}

function readClients(): FleetMessage {
  const reached = new Map<string, number>();
  let [frames, connections] = [0, 0];
  for (const client of clients) {
    frames += client.frames;
    connections += client.connections;
    for (const [channel, { last = 0 }] of client.sequences)
      reached.set(channel, Math.min(last, reached.get(channel) ?? Number.POSITIVE_INFINITY));
  }
  return {
    connected: clients.filter((one) => one.isConnected).length,
    frames,
    connections,
    lags: lags.splice(0),
    errors: clients.flatMap((one) => one.errors.splice(0)),
    closeReasons: clients.flatMap(({ closeReason }) => closeReason ?? []),
    reached: [...reached],
  };
}
