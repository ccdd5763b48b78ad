import { WEBSOCKET_PATH } from '../../../local/platform/carrier/config.ts';
import { Swarm } from '../../stream/carrier/swarm.ts';
import { createKey, type OrganizationKey } from '../../stream/function/minted.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { progress } from '../measure.ts';
import type { BenchCluster, BenchNode } from './cluster.ts';
import { measureRefreshes } from './refreshes.ts';
import { cpuOf, memoryOf } from './usage.ts';

const CLIENTS_OF_ONE = 10;
const PROCESSES = 4;
/** The first connections are no storm. */
const FIRST_EVERY_MS = 25;
/** Sports with a channel of candidates, which the plan Pro has. */
const SPORTS = ['american_football', 'baseball', 'basketball', 'ice_hockey', 'mma', 'soccer', 'tennis', 'politics'];
/** Postgres counts the transactions of an idle backend within ten seconds. */
const COUNTED_MS = 11_000;
const BACKGROUND_MS = 10_000;

export type StormOptions = { clients: number; tier: 'basic' | 'pro' };

export type StormResult = {
  clients: number;
  /** Channels of one client. */
  channels: number;
  /** From the end of the node until this share of the clients was back, seconds. */
  seconds: { half: number; most: number; all: number };
  /** Connections a second between a tenth and nine tenths of the clients. */
  connectsPerSecond: number;
  /** Of a reconnection, without what the nodes do when nothing happens. */
  transactionsPerConnect: number;
  /** Questions of a node to its broker: where a channel is, and what a client missed. */
  positionsPerConnect: number;
  recoveriesPerConnect: number;
  /** Memory of the node for one more connection, KB. */
  connectionKb: number;
  /** CPU for one reconnection, ms: of the node that took them, and of functions/api. */
  nodeCpuMs: number;
  apiCpuMs: number;
  recovered: number;
  notRecovered: number;
  refused: Record<string, number>;
  /** Renewals of leases that functions/api answers in a second, and its CPU for one, ms. */
  refreshesPerSecond: number;
  refreshApiCpuMs: number;
};

/** All clients are at the first node, which is killed. The second takes them. */
export async function measureStorm(cluster: BenchCluster, { clients, tier }: StormOptions): Promise<StormResult> {
  const { sql, nodes } = cluster;
  const [first, second] = nodes as [BenchNode, BenchNode];
  const url = (node: BenchNode) => `ws://127.0.0.1:${node.wsPort}${WEBSOCKET_PATH}`;
  await sql`update account.tiers set stream_connections = 32000, window_requests = 1000000, month_requests = 10000000`;
  for (const sport of tier === 'pro' ? SPORTS : [])
    await sql`select stream.append_publication(${`candidates:${sport}`}, array['{"type":"market"}'])`;
  await sql`select stream.append_publication('markets:all', array['{"type":"market"}'])`;
  await sql`select stream.relay_pending()`;
  const orgs: OrganizationKey[] = [];
  for (let n = 0; n < clients / CLIENTS_OF_ONE; n += 1) orgs.push(await createKey(sql as never, tier));
  const keys = Array.from({ length: clients }, (_, n) => orgs[n % orgs.length]?.key ?? '');
  const emptyMb = memoryOf([first.pid]);
  progress(`${clients} clients of plan ${tier} connect to one node`);
  const began = performance.now();
  const swarm = new Swarm(
    {
      api: cluster.api,
      keys,
      urls: [url(second)],
      firstUrl: url(first),
      everyMs: FIRST_EVERY_MS,
      channel: 'markets:all',
    },
    PROCESSES,
  );
  try {
    await untilAll(swarm, clients, 0, began);
    await pause(5_000);
    const connectionKb = ((memoryOf([first.pid]) - emptyMb) * 1024) / clients;
    // What the clients miss.
    await sql`select stream.append_publication('markets:all', array['{"type":"price"}', '{"type":"price"}'])`;
    await sql`select stream.relay_pending()`;
    await pause(COUNTED_MS);
    const before = await countsOf(sql, cluster, second);
    progress(`the node is killed; ${clients} clients come back`);
    const killedAt = performance.now();
    await first.kill();
    const times = await untilAll(swarm, clients, clients, killedAt);
    await pause(COUNTED_MS);
    const after = await countsOf(sql, cluster, second);
    // Only the node that is left asks Postgres now.
    const background = await backgroundOf(sql);
    const elapsed = (after.at - before.at) / 1_000;
    const [channels] = await sql<{ count: number }[]>`
      select cardinality(stream.entitled_channels(${orgs[0]?.orgId ?? ''}))::integer as count`;
    const report = await swarm.report();
    return {
      clients,
      channels: channels?.count ?? Number.NaN,
      seconds: { half: times.at(0.5), most: times.at(0.9), all: times.at(1) },
      connectsPerSecond: times.rate,
      transactionsPerConnect: (after.transactions - before.transactions - background * elapsed) / clients,
      positionsPerConnect: (after.positions - before.positions) / clients,
      recoveriesPerConnect: (after.recoveries - before.recoveries) / clients,
      connectionKb,
      nodeCpuMs: (after.nodeCpuMs - before.nodeCpuMs) / clients,
      apiCpuMs: (after.apiCpuMs - before.apiCpuMs) / clients,
      recovered: report.recovered,
      notRecovered: report.notRecovered,
      refused: report.refusedTickets,
      ...(await measureRefreshes(cluster)),
    };
  } finally {
    swarm.stop();
  }
}

type Times = { at(share: number): number; rate: number };

/** Waits until all clients have connected once more than `before`. */
async function untilAll(swarm: Swarm, clients: number, before: number, from: number): Promise<Times> {
  const seen: { seconds: number; count: number }[] = [];
  await waitUntil(
    async () => {
      const { connects, connected } = await swarm.report();
      seen.push({ seconds: (performance.now() - from) / 1_000, count: connects - before });
      return connects - before >= clients && connected === clients;
    },
    {
      what: `${clients} clients are connected`,
      timeoutMs: 180_000,
      everyMs: 250,
      evidence: async () => JSON.stringify(await swarm.report()),
    },
  );
  const at = (share: number) => seen.find(({ count }) => count >= share * clients)?.seconds ?? Number.NaN;
  return { at, rate: (0.8 * clients) / (at(0.9) - at(0.1)) };
}

/** Transactions a second without new connections. */
async function backgroundOf(sql: BenchCluster['sql']): Promise<number> {
  const [from, before] = [performance.now(), await transactionsOf(sql)];
  await pause(BACKGROUND_MS);
  return ((await transactionsOf(sql)) - before) / ((performance.now() - from) / 1_000);
}

async function transactionsOf(sql: BenchCluster['sql']): Promise<number> {
  const [row] = await sql<{ count: string }[]>`
    select xact_commit as count from pg_stat_database where datname = current_database()`;
  return Number(row?.count);
}

async function countsOf(sql: BenchCluster['sql'], { apiPid }: BenchCluster, node: BenchNode) {
  const metrics = await (await fetch(`http://127.0.0.1:${node.internalPort}/metrics`)).text();
  const actions = (name: string) =>
    [...metrics.matchAll(new RegExp(`^centrifugo_node_action_count\\{[^}]*action="${name}"[^}]*\\} (\\S+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  return {
    at: performance.now(),
    transactions: await transactionsOf(sql),
    positions: actions('history_stream_top'),
    recoveries: actions('history_recover'),
    nodeCpuMs: cpuOf([node.pid]),
    apiCpuMs: cpuOf([apiPid]),
  };
}
