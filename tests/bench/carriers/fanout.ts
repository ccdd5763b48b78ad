import { publicationPush } from '../../../functions/stream/protocol.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { ownMemoryMb } from '../../support/process_memory.ts';
import { pause } from '../../support/wait_until.ts';
import { exactCpuTimeOf } from '../cpu_time.ts';
import { median, progress } from '../measure.ts';
import { framesWithMarker, markerOf } from '../stream/frames.ts';
import { stubRealtime } from '../stream/stub_realtime.ts';
import { mintTickets } from '../stream/tickets.ts';
import { type BenchCluster, mintTargets, relay } from './cluster.ts';
import { startBareLoop, startEmbedded, targetsOfLoop, targetsOfStream } from './embedded.ts';
import { type Listeners, monotonicMs, monotonicOf, startListeners, within } from './listeners.ts';

/** As the stream function sends them. */
const FRAMES_PER_TEXT = 100;
/** As Centrifugo sends them at most. */
const FRAMES_PER_SHORT_TEXT = 16;

export type FanoutOptions = { clients: number; frames: number; rounds: number };

/** What one carrier took for a round, and its memory. */
export type FanoutResult = {
  /** The shortest time from the commit, or from the broadcast, to the last client. */
  wallMs: number;
  /** CPU of the servers and of the clients in a round, median. */
  serverCpuMs: number;
  clientCpuMs: number;
  /** Anonymous memory of the servers, MB: without clients, and with all of them before a round. */
  emptyMb: number;
  connectedMb: number;
};
export const fanoutNames = ['bare', 'bare16', 'embedded', 'oneNode', 'twoNodes'] as const;
export type FanoutName = (typeof fanoutNames)[number];

type Contender = {
  pids: readonly number[];
  clients: Listeners;
  emptyMb: number;
  connectedMb: number;
  /** Publishes a round. Returns the monotonic time at which the carrier can have it. */
  publish(frames: readonly string[]): Promise<number>;
};
type Round = { wallMs: number; serverCpuMs: number; clientCpuMs: number };

/** Every carrier with the same clients and frames, in turns. */
export async function measureFanouts(
  scratch: TemporaryPostgres,
  template: string,
  clusters: { oneNode: BenchCluster; twoNodes: BenchCluster },
  options: FanoutOptions,
): Promise<Record<FanoutName, FanoutResult>> {
  const closing: (() => unknown)[] = [];
  const add = async (
    pids: readonly number[],
    connect: (clients: Listeners) => Promise<void>,
    publish: Contender['publish'],
  ): Promise<Contender> => {
    const clients = await startListeners();
    closing.push(() => clients.stop());
    const emptyMb = memoryOf(pids);
    await connect(clients);
    await pause(3_000);
    return { pids, clients, publish, emptyMb, connectedMb: memoryOf(pids) };
  };
  const addLoop = async (framesPerText: number) => {
    const loop = await startBareLoop();
    closing.push(() => loop.stop());
    return await add(
      [loop.pid],
      (clients) => clients.connect(targetsOfLoop(loop.port, options.clients)),
      async (frames) => {
        const texts = textsOf(frames, framesPerText);
        const from = monotonicMs();
        void loop.send(texts);
        return from;
      },
    );
  };
  const addCluster = async (cluster: BenchCluster) =>
    await add(
      cluster.nodes.map(({ pid }) => pid),
      async (clients) => clients.connect(await mintTargets(cluster, options.clients)),
      async (frames) => {
        const { sql } = cluster;
        await sql`select stream.append_publication('markets:all', ${frames as string[]})`;
        return monotonicOf(await relay(sql));
      },
    );
  const addEmbedded = async () => {
    const realtime = await stubRealtime();
    const stream = await startEmbedded(scratch, template, 'carriers_embedded', realtime.url);
    closing.push(stream.stop, () => realtime.close());
    const { epoch, commands } = await mintTickets(stream.sql, options.clients);
    let offset = 0;
    const contender = await add(
      [stream.pid],
      (clients) => clients.connect(targetsOfStream(stream.port, commands)),
      async (frames) => {
        const from = monotonicMs();
        for (const group of groupsOf(frames, FRAMES_PER_TEXT)) {
          offset += group.length;
          realtime.broadcast('markets:all', epoch, offset, group);
        }
        return from;
      },
    );
    await realtime.joined('markets:all');
    return contender;
  };
  try {
    const contenders: Record<FanoutName, Contender> = {
      bare: await addLoop(FRAMES_PER_TEXT),
      bare16: await addLoop(FRAMES_PER_SHORT_TEXT),
      embedded: await addEmbedded(),
      oneNode: await addCluster(clusters.oneNode),
      twoNodes: await addCluster(clusters.twoNodes),
    };
    return await roundsOf(contenders, options);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function roundsOf(
  contenders: Record<FanoutName, Contender>,
  { frames, rounds }: FanoutOptions,
): Promise<Record<FanoutName, FanoutResult>> {
  const taken = Object.fromEntries(fanoutNames.map((name) => [name, [] as Round[]])) as Record<FanoutName, Round[]>;
  let sequence = 0;
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of fanoutNames) {
      progress(`fan-out, round ${round} of ${rounds}: ${name}`);
      sequence += 1;
      const one = await roundOf(contenders[name], framesWithMarker(frames, sequence), markerOf(sequence));
      if (round > 0) taken[name].push(one);
      await pause(500);
    }
  }
  const results = fanoutNames.map((name) => {
    const { emptyMb, connectedMb } = contenders[name];
    const result: FanoutResult = {
      wallMs: Math.min(...taken[name].map(({ wallMs }) => wallMs)),
      serverCpuMs: median(taken[name].map(({ serverCpuMs }) => serverCpuMs)),
      clientCpuMs: median(taken[name].map(({ clientCpuMs }) => clientCpuMs)),
      emptyMb,
      connectedMb,
    };
    return [name, result];
  });
  return Object.fromEntries(results) as Record<FanoutName, FanoutResult>;
}

async function roundOf({ pids, clients, publish }: Contender, frames: string[], marker: string): Promise<Round> {
  const { done } = await clients.awaitLast(marker);
  const [serverBefore, clientBefore] = [cpuOf(pids), cpuOf([clients.pid])];
  const from = await publish(frames);
  const wallMs = (await within(done, 120_000, 'a round')) - from;
  return { wallMs, serverCpuMs: cpuOf(pids) - serverBefore, clientCpuMs: cpuOf([clients.pid]) - clientBefore };
}

export const cpuOf = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + (exactCpuTimeOf(pid) ?? Number.NaN), 0);

/** Anonymous memory, MB. */
export const memoryOf = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + (ownMemoryMb(pid) ?? Number.NaN), 0);

function textsOf(frames: readonly string[], framesPerText: number): string[] {
  let offset = 0;
  return groupsOf(frames, framesPerText).map((group) =>
    group.map((frame) => publicationPush('"markets:all"', frame, ++offset)).join('\n'),
  );
}

function groupsOf(frames: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(frames.length / size) }, (_, n) => frames.slice(n * size, (n + 1) * size));
}
