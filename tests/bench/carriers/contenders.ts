import { publicationPush } from '../../../functions/stream/protocol.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { pause } from '../../support/wait_until.ts';
import { stubRealtime } from '../stream/stub_realtime.ts';
import { mintTickets } from '../stream/tickets.ts';
import { type BenchCluster, mintTargets, relay } from './cluster.ts';
import { startBareLoop, startEmbedded, targetsOfLoop, targetsOfStream } from './embedded.ts';
import type { ListenerTarget } from './listener_process.ts';
import { type Listeners, monotonicMs, monotonicOf, startListeners } from './listeners.ts';
import { memoryOf } from './usage.ts';

/** What the carriers of the fan-out share. `closing` ends what they have started. */
export type Setting = {
  scratch: TemporaryPostgres;
  template: string;
  clients: number;
  closing: (() => unknown)[];
};

/** A carrier with its clients. */
export type Contender = {
  pids: readonly number[];
  clients: Listeners;
  emptyMb: number;
  connectedMb: number;
  /** Publishes a round. Returns the monotonic time at which the carrier can have it. */
  publish(frames: readonly string[]): Promise<number>;
};

/** The bare loop, with that many publications in a message. */
export async function bareLoop(setting: Setting, framesPerText: number): Promise<Contender> {
  const loop = await startBareLoop();
  setting.closing.push(() => loop.stop());
  return await connected(setting, [loop.pid], targetsOfLoop(loop.port, setting.clients), async (frames) => {
    const texts = textsOf(frames, framesPerText);
    const from = monotonicMs();
    void loop.send(texts);
    return from;
  });
}

/** functions/stream. Its broadcasts come from a stub of Realtime, and its log lacks the frames. */
export async function streamFunction(setting: Setting, framesPerBroadcast: number): Promise<Contender> {
  const realtime = await stubRealtime();
  const stream = await startEmbedded(setting.scratch, setting.template, 'carriers_embedded', realtime.url);
  setting.closing.push(
    () => realtime.close(),
    () => stream.stop(),
  );
  const { epoch, commands } = await mintTickets(stream.sql, setting.clients);
  let offset = 0;
  const targets = targetsOfStream(stream.port, commands);
  const contender = await connected(setting, [stream.pid], targets, async (frames) => {
    const from = monotonicMs();
    for (const group of groupsOf(frames, framesPerBroadcast)) {
      offset += group.length;
      realtime.broadcast('markets:all', epoch, offset, group);
    }
    return from;
  });
  await realtime.joined('markets:all');
  return contender;
}

/** Nodes of Centrifugo. A round begins when the relay has committed it. */
export async function nodesOf(setting: Setting, cluster: BenchCluster): Promise<Contender> {
  const { sql, nodes } = cluster;
  const pids = nodes.map(({ pid }) => pid);
  return await connected(setting, pids, await mintTargets(cluster, setting.clients), async (frames) => {
    await sql`select stream.append_publication('markets:all', ${frames as string[]})`;
    return monotonicOf(await relay(sql));
  });
}

async function connected(
  { closing }: Setting,
  pids: readonly number[],
  targets: readonly ListenerTarget[],
  publish: Contender['publish'],
): Promise<Contender> {
  const clients = await startListeners();
  closing.push(() => clients.stop());
  const emptyMb = memoryOf(pids);
  await clients.connect(targets);
  await pause(3_000);
  return { pids, clients, publish, emptyMb, connectedMb: memoryOf(pids) };
}

function textsOf(frames: readonly string[], framesPerText: number): string[] {
  let offset = 0;
  return groupsOf(frames, framesPerText).map((group) =>
    group.map((frame) => publicationPush('"markets:all"', frame, ++offset)).join('\n'),
  );
}

function groupsOf(frames: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(frames.length / size) }, (_, n) => frames.slice(n * size, (n + 1) * size));
}
