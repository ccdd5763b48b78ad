import { publicationPush } from '../../../functions/stream/protocol.ts';
import type { Cluster } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { startStream } from '../../stream/function/fixture.ts';
import { pause } from '../../support/wait_until.ts';
import { cpuTimeOfPostgres } from '../cpu_time.ts';
import { progress } from '../measure.ts';
import { framesWithMarker, MARKER_PREFIX } from '../stream/frames.ts';
import { mintTickets } from '../stream/tickets.ts';
import { type BenchCluster, mintTargets } from './cluster.ts';
import { startBareLoop, targetsOfLoop, targetsOfStream } from './embedded.ts';
import { type Listeners, monotonicMs, monotonicOf, startListeners } from './listeners.ts';
import { cpuOf } from './usage.ts';

/** The flush interval of ingest in a container. */
const FLUSH_MS = 50;
/** Frames of earlier rounds have arrived after this time. */
const SETTLE_MS = 1_500;

export type LatencyOptions = { clients: number; rates: readonly number[]; seconds: number; rounds: number };

/** From the commit of a flush to its last frame at a client. */
export type LatencyResult = {
  rate: number;
  p50: number;
  p99: number;
  /** CPU of the servers for one publication to one client, us, without that of no work. */
  deliveryCpuUs: number;
  /** The same of Postgres for one publication, with the log and the broadcast. */
  postgresCpuUs: number;
};
/** CPU in a second without publications, ms: of the servers, and of their Postgres. */
export type IdleCpu = { serverMs: number; postgresMs: number };
export type LatencyResults = Record<LatencyName, { idle: IdleCpu; byRate: LatencyResult[] }>;
export const latencyNames = ['bare', 'embedded', 'oneNode', 'twoNodes'] as const;
export type LatencyName = (typeof latencyNames)[number];

type Contender = {
  pids: readonly number[];
  clients: Listeners;
  cluster: Cluster | null;
  /** Commits the frames and gives them to the carrier. Returns the time of the commit. */
  flush(frames: readonly string[]): Promise<number>;
};
type Sample = {
  latencies: number[];
  seconds: number;
  serverCpuMs: number;
  postgresCpuMs: number;
  frames: number;
  deliveries: number;
};

export async function measureLatencies(
  postgres: Cluster,
  clusters: { oneNode: BenchCluster; twoNodes: BenchCluster },
  options: LatencyOptions,
): Promise<LatencyResults> {
  const closing: (() => unknown)[] = [];
  const clientsAt = async (connect: (clients: Listeners) => Promise<void>) => {
    const clients = await startListeners();
    closing.push(() => clients.stop());
    await connect(clients);
    return clients;
  };
  const addLoop = async (): Promise<Contender> => {
    const loop = await startBareLoop();
    closing.push(() => loop.stop());
    return {
      pids: [loop.pid],
      cluster: null,
      clients: await clientsAt((clients) => clients.connect(targetsOfLoop(loop.port, options.clients))),
      async flush(frames) {
        const at = monotonicMs();
        await loop.send([frames.map((frame, n) => publicationPush('"markets:all"', frame, n + 1)).join('\n')]);
        return at;
      },
    };
  };
  const addEmbedded = async (): Promise<Contender> => {
    const stream = await startStream();
    closing.push(() => stream.stop());
    const isolate = await stream.startIsolate({ STREAM_MOST_PER_ADDRESS: '5000' });
    const { commands } = await mintTickets(stream.sql as never, options.clients);
    const port = Number(new URL(isolate.url).port);
    return {
      pids: [isolate.pid],
      cluster: stream.realtime.scratch.cluster,
      clients: await clientsAt((clients) => clients.connect(targetsOfStream(port, commands))),
      flush: (frames) => flushAsIngest(stream.sql, frames, false),
    };
  };
  const addCluster = async (given: BenchCluster): Promise<Contender> => {
    const { sql, nodes } = given;
    await sql`update stream.settings set messages_a_second = 10000`;
    const targets = await mintTargets(given, options.clients);
    return {
      pids: nodes.map(({ pid }) => pid),
      cluster: postgres,
      clients: await clientsAt((clients) => clients.connect(targets)),
      flush: (frames) => flushAsIngest(sql as never, frames, true),
    };
  };
  try {
    const contenders: Record<LatencyName, Contender> = {
      bare: await addLoop(),
      embedded: await addEmbedded(),
      oneNode: await addCluster(clusters.oneNode),
      twoNodes: await addCluster(clusters.twoNodes),
    };
    return await roundsOf(contenders, options);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** As functions/ingest does after it has written prices. */
async function flushAsIngest(sql: Sql, frames: readonly string[], isRelayed: boolean): Promise<number> {
  const [row] = await sql<{ at: number }[]>`
    select stream.append_publication('markets:all', ${frames as string[]}),
           (extract(epoch from clock_timestamp()) * 1000)::float8 as at`;
  const at = monotonicOf(row?.at ?? Number.NaN);
  await sql`select stream.broadcast_pending()`;
  if (isRelayed) await sql`select stream.relay_pending()`;
  return at;
}

async function roundsOf(contenders: Record<LatencyName, Contender>, options: LatencyOptions): Promise<LatencyResults> {
  const results = {} as LatencyResults;
  for (const name of latencyNames)
    results[name] = { idle: await idleCpuOf(contenders[name], options.seconds), byRate: [] };
  for (const rate of options.rates) {
    const samples: Record<LatencyName, Sample[]> = { bare: [], embedded: [], oneNode: [], twoNodes: [] };
    // The first round warms up.
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const name of latencyNames) {
        progress(`latency at ${rate} publications/s, round ${round} of ${options.rounds}: ${name}`);
        const sample = await sampleOf(contenders[name], rate, round === 0 ? 2 : options.seconds, options.clients);
        if (round > 0) samples[name].push(sample);
      }
    }
    for (const name of latencyNames) results[name].byRate.push(resultOf(rate, samples[name], results[name].idle));
  }
  return results;
}

const cpuTimesOf = ({ pids, cluster }: Contender) => ({
  at: monotonicMs(),
  server: cpuOf(pids),
  postgres: cluster ? cpuTimeOfPostgres(cluster) : 0,
});

async function idleCpuOf(contender: Contender, seconds: number): Promise<IdleCpu> {
  const before = cpuTimesOf(contender);
  await pause(seconds * 1_000);
  const after = cpuTimesOf(contender);
  const elapsed = (after.at - before.at) / 1_000;
  return {
    serverMs: (after.server - before.server) / elapsed,
    postgresMs: (after.postgres - before.postgres) / elapsed,
  };
}

/** The number of a flush, also over all rounds. */
let sequence = 0;

async function sampleOf(contender: Contender, rate: number, seconds: number, listeners: number): Promise<Sample> {
  const { clients, flush } = contender;
  const committed = new Map<number, number>();
  await pause(SETTLE_MS);
  await clients.recordEach(MARKER_PREFIX);
  const before = cpuTimesOf(contender);
  const perFlush = Math.round((rate * FLUSH_MS) / 1_000);
  const flushes = (seconds * 1_000) / FLUSH_MS;
  const startedAt = monotonicMs();
  for (let n = 0; n < flushes; n += 1) {
    await pause(startedAt + n * FLUSH_MS - monotonicMs());
    sequence += 1;
    committed.set(sequence, await flush(framesWithMarker(perFlush, sequence)));
  }
  await pause(SETTLE_MS);
  const after = cpuTimesOf(contender);
  const records = await clients.takeRecords();
  if (records.length !== flushes * listeners)
    throw new Error(`${records.length} of ${flushes * listeners} markers arrived`);
  return {
    latencies: records.map(([number, at]) => at - (committed.get(number) ?? Number.NaN)),
    seconds: (after.at - before.at) / 1_000,
    serverCpuMs: after.server - before.server,
    postgresCpuMs: after.postgres - before.postgres,
    frames: flushes * perFlush,
    deliveries: flushes * perFlush * listeners,
  };
}

function resultOf(rate: number, samples: readonly Sample[], idle: IdleCpu): LatencyResult {
  const latencies = samples.flatMap((sample) => sample.latencies).sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  const sum = (of: (sample: Sample) => number) => samples.reduce((total, sample) => total + of(sample), 0);
  const seconds = sum((sample) => sample.seconds);
  return {
    rate,
    p50: at(0.5),
    p99: at(0.99),
    deliveryCpuUs:
      (1_000 * (sum(({ serverCpuMs }) => serverCpuMs) - idle.serverMs * seconds)) / sum(({ deliveries }) => deliveries),
    postgresCpuUs:
      (1_000 * (sum(({ postgresCpuMs }) => postgresCpuMs) - idle.postgresMs * seconds)) / sum(({ frames }) => frames),
  };
}
