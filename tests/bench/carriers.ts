import { findCentrifugo } from '../../local/platform/carrier/binary.ts';
import { findRedis } from '../../local/platform/carrier/redis.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { measureBroker } from './carriers/brokers.ts';
import { startCluster } from './carriers/cluster.ts';
import { measureFanouts } from './carriers/fanout.ts';
import { measureLatencies } from './carriers/latency.ts';
import { brokerRow, fanoutRows, latencyRows, memoryRow, stormRows } from './carriers/rows.ts';
import { measureStorm, type StormOptions } from './carriers/storm.ts';
import { progress } from './measure.ts';
import type { ResultRow } from './result_row.ts';

export type CarrierSizes = {
  fanout: { clients: number; frames: number; rounds: number };
  latency: { clients: number; rates: readonly number[]; seconds: number; rounds: number };
  broker: { frames: number; rounds: number };
  storms: readonly StormOptions[];
};

/**
 * Fan-out as in stream_fanout.ts. 20 publications a second are near what a client of plan Pro gets
 * (docs/measurements/2026-11-20-capacity.md). The relay gives at most 10,000 frames in one call.
 */
export const fullSizes: CarrierSizes = {
  fanout: { clients: 1_000, frames: 1_500, rounds: 6 },
  latency: { clients: 200, rates: [20, 100, 1_000], seconds: 10, rounds: 2 },
  broker: { frames: 10_000, rounds: 5 },
  storms: [
    { clients: 5_000, tier: 'basic' },
    { clients: 1_000, tier: 'pro' },
  ],
};

/**
 * Measures the carriers of the stream next to each other: functions/stream, one node and two nodes
 * of Centrifugo, and a bare loop. Without the program of Centrifugo it measures nothing.
 */
export async function measureCarriers(
  scratch: TemporaryPostgres,
  template: string,
  sizes: CarrierSizes = fullSizes,
): Promise<ResultRow[]> {
  const binary = findCentrifugo();
  if ('missing' in binary) {
    progress(`skipped: ${binary.missing}. sh local/platform/carrier/build.sh builds Centrifugo.`);
    return [];
  }
  const cluster = (database: string, nodes: number, more: Partial<Parameters<typeof startCluster>[0]> = {}) =>
    startCluster({ scratch, template, database, binary, nodes, ...more });
  const rows: ResultRow[] = [];
  const oneNode = await cluster('carriers_one', 1);
  const twoNodes = await cluster('carriers_two', 2);
  try {
    const fanouts = await measureFanouts(scratch, template, { oneNode, twoNodes }, sizes.fanout);
    rows.push(...fanoutRows(fanouts, sizes.fanout), memoryRow(fanouts, sizes.fanout.clients));
    rows.push(...latencyRows(await measureLatencies(scratch.cluster, { oneNode, twoNodes }, sizes.latency)));
    rows.push(brokerRow('postgres', await measureBroker(oneNode, sizes.broker), sizes.broker.frames));
  } finally {
    await twoNodes.stop();
    await oneNode.stop();
  }
  const redis = findRedis();
  if ('missing' in redis) progress(`skipped with Redis: ${redis.missing}. It is the Debian package redis-server.`);
  else {
    const overRedis = await cluster('carriers_redis', 1, { redis });
    try {
      rows.push(brokerRow('redis', await measureBroker(overRedis, sizes.broker), sizes.broker.frames));
    } finally {
      await overRedis.stop();
    }
  }
  for (const storm of sizes.storms) {
    for (const broker of ['missing' in redis ? [] : ['redis' as const], 'postgres' as const].flat()) {
      const storms = await cluster(`storm_${storm.tier}_${broker}`, 2, broker === 'redis' ? { redis: redis as never } : {});
      try {
        rows.push(...stormRows(broker, storm, await measureStorm(storms, storm)));
      } finally {
        await storms.stop();
      }
    }
  }
  return rows;
}
