import type postgres from 'postgres';
import { median, progress } from '../measure.ts';
import { framesWithMarker, markerOf } from '../stream/frames.ts';
import { type BenchCluster, mintTargets } from './cluster.ts';
import { monotonicMs, startListeners, within } from './listeners.ts';

/** Frames of one row of the log. */
const FRAMES_PER_APPEND = 100;

export type BrokerOptions = { frames: number; rounds: number };

export type BrokerResult = {
  /** Publications a second of stream.relay_pending, median. */
  relayPerSecond: number;
  /** From the start of the relay to the last frame at a client of the last node, median. */
  deliveredPerSecond: number;
};

/** As many frames as the relay gives to the broker in one call. */
export async function measureBroker(cluster: BenchCluster, options: BrokerOptions): Promise<BrokerResult> {
  const { sql, nodes } = cluster;
  const clients = await startListeners();
  try {
    await clients.connect(await mintTargets(cluster, nodes.length));
    const rounds: { relayMs: number; deliveredMs: number }[] = [];
    for (let round = 0; round <= options.rounds; round += 1) {
      progress(`broker, round ${round} of ${options.rounds}`);
      const frames = framesWithMarker(options.frames, round);
      await append(sql, frames);
      const { done } = await clients.awaitLast(markerOf(round));
      const from = monotonicMs();
      await sql`select stream.relay_pending()`;
      const relayMs = monotonicMs() - from;
      const deliveredMs = (await within(done, 120_000, 'the last frame')) - from;
      if (round > 0) rounds.push({ relayMs, deliveredMs });
    }
    const rate = (ms: readonly number[]) => (1_000 * options.frames) / median(ms);
    return {
      relayPerSecond: rate(rounds.map(({ relayMs }) => relayMs)),
      deliveredPerSecond: rate(rounds.map(({ deliveredMs }) => deliveredMs)),
    };
  } finally {
    clients.stop();
  }
}

async function append(sql: postgres.Sql, frames: readonly string[]): Promise<void> {
  for (let from = 0; from < frames.length; from += FRAMES_PER_APPEND)
    await sql`select stream.append_publication('markets:all', ${frames.slice(from, from + FRAMES_PER_APPEND)})`;
}
