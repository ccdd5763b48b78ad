import { findCentrifugo } from '../../local/platform/carrier/binary.ts';
import { brokers } from '../../local/platform/carrier/config.ts';
import { findRedis, type RedisBinary } from '../../local/platform/carrier/redis.ts';
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
 * CARRIERS_STORM: fewer clients than 5,000 where the machine is too slow for them.
 */
export function carrierSizes(): CarrierSizes {
  const clients = Number(process.env.CARRIERS_STORM ?? 5_000);
  return {
    fanout: { clients: 1_000, frames: 1_500, rounds: 6 },
    latency: { clients: 200, rates: [20, 100, 1_000], seconds: 10, rounds: 2 },
    broker: { frames: 10_000, rounds: 5 },
    storms: [
      { clients, tier: 'basic' },
      { clients: Math.ceil(clients / 5), tier: 'pro' },
    ],
  };
}

/**
 * Measures the carriers of the stream next to each other: functions/stream, one node and two nodes
 * of Centrifugo, and a bare loop. Without the program of Centrifugo it measures nothing.
 */
export async function measureCarriers(
  scratch: TemporaryPostgres,
  template: string,
  sizes: CarrierSizes,
  add: (rows: ResultRow[]) => void,
): Promise<void> {
  const binary = findCentrifugo();
  if ('missing' in binary) {
    progress(`skipped: ${binary.missing}. sh local/platform/carrier/build.sh builds Centrifugo.`);
    return;
  }
  const cluster = (database: string, nodes: number, redis?: RedisBinary) =>
    startCluster({ scratch, template, database, binary, nodes, ...(redis && { redis }) });
  const oneNode = await cluster('carriers_one', 1);
  const twoNodes = await cluster('carriers_two', 2);
  try {
    const fanouts = await measureFanouts(scratch, template, { oneNode, twoNodes }, sizes.fanout);
    add([...fanoutRows(fanouts, sizes.fanout), memoryRow(fanouts, sizes.fanout.clients)]);
    add(latencyRows(await measureLatencies(scratch.cluster, { oneNode, twoNodes }, sizes.latency)));
    add([brokerRow('postgres', await measureBroker(oneNode, sizes.broker), sizes.broker.frames)]);
  } finally {
    await twoNodes.stop();
    await oneNode.stop();
  }
  const found = findRedis();
  const redis = 'missing' in found ? undefined : found;
  if ('missing' in found) progress(`skipped with Redis: ${found.missing}. It is the Debian package redis-server.`);
  if (redis) {
    const overRedis = await cluster('carriers_redis', 1, redis);
    try {
      add([brokerRow('redis', await measureBroker(overRedis, sizes.broker), sizes.broker.frames)]);
    } finally {
      await overRedis.stop();
    }
  }
  for (const storm of sizes.storms) {
    for (const broker of redis ? brokers : (['postgres'] as const)) {
      const storms = await cluster(`storm_${storm.tier}_${broker}`, 2, broker === 'redis' ? redis : undefined);
      try {
        add(stormRows(broker, storm, await measureStorm(storms, storm)));
      } finally {
        await storms.stop();
      }
    }
  }
}
