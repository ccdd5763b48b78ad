// A process of stream clients, told by its parent who they are; it says every second what they heard.
import { type Heard, StreamClient } from './stream_client.ts';

export type CrowdOrder = { base: string; wsUrl: string; keys: string[]; name: string };
export type CrowdWord = {
  connected: number;
  frames: number;
  /** From the venue's wire to the first client, ms: prices of the last second. */
  lags: number[];
  wrong: string[];
  ended: string[];
  connections: number;
  /** The least offset that all its clients of a channel have heard. */
  reached: [channel: string, offset: number][];
};

const clients: StreamClient[] = [];
const lags: number[] = [];

process.on('message', ({ base, wsUrl, keys, name }: CrowdOrder) => {
  for (const [n, key] of keys.entries())
    clients.push(new StreamClient(`${name}.${n}`, base, wsUrl, key, n === 0 ? timed : undefined));
  setInterval(() => process.send?.(look()), 1_000);
});
process.on('disconnect', () => process.exit(0));

function timed({ frame }: Heard): void {
  const { type, books_read_at } = frame as { type: string; books_read_at?: Record<string, string | null> };
  if (type !== 'price') return;
  const read = Object.values(books_read_at ?? {}).flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  if (read.length > 0) lags.push(Date.now() - Math.max(...read));
}

function look(): CrowdWord {
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
    wrong: clients.flatMap((one) => one.wrong.splice(0)),
    ended: clients.flatMap(({ ended }) => ended ?? []),
    reached: [...reached],
  };
}
