import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { missingCentrifugo, missingRedis } from './nodes.ts';
import { faultsOf, type RedisClient, type RedisStream, startRedisStream } from './redis_fixture.ts';
import {
  afterFailover,
  type GroupOptions,
  PASSWORD,
  type RedisGroup,
  type RedisProcess,
  redisCli,
  startRedisGroup,
} from './redis_group.ts';

// A Redis that fails over may lose frames under the same epoch. after_failover.sh makes new epochs.

const missing = missingCentrifugo || missingRedis;
if (missing) console.log(`skipped over Redis: ${missing}`);
const script = afterFailover;

let stream: RedisStream;
let group: RedisGroup | undefined;
let runs = 0;
beforeAll(async () => {
  if (!missing) stream = await startRedisStream();
});
afterEach(async () => {
  await stream?.reset();
  await group?.stop();
});
afterAll(async () => await stream?.stop());

async function startGroup(options: Omit<GroupOptions, 'folder'> = {}) {
  const one = await startRedisGroup({ folder: join(stream.folder, `group-${++runs}`), ...options });
  group = one;
  const carrier = await stream.startCarrier({ url: one.url, password: one.password });
  const nodes = [await carrier.startNode(), await carrier.startNode()] as const;
  return { group: one, carrier, nodes };
}

const replicaOf = (one: RedisGroup) => one.replicas[0] as RedisProcess;
const queued = async () => Number((await stream.sql`select count(*) from stream.carrier_commands`)[0]?.count);
const evidence = () => group?.lines.slice(-30).join('\n') ?? '';
const untilInformed = (client: RedisClient, timeoutMs = 60_000) =>
  waitUntil(() => client.events.includes(false), { what: 'recovered false', timeoutMs, evidence });

/** Publishes frames that the replica lacks, kills the master, and waits for the promotion. */
async function loseFrames(one: RedisGroup, client: RedisClient, count: number): Promise<void> {
  await one.cutReplication(replicaOf(one));
  await client.untilFrame(await stream.publish(count));
  await one.master.kill();
  await one.untilPromoted(replicaOf(one));
}

describe.skipIf(missing)('a failover to a replica that lacks the newest frames', () => {
  test('without the script, clients miss frames and are not informed', async () => {
    const { group: redis, nodes } = await startGroup();
    const client = await stream.connect(nodes[0].url);
    const first = await stream.publish(10);
    await client.untilFrame(first);
    await loseFrames(redis, client, 5);
    // Five frames take the numbers of the lost ones, and Centrifugo skips them as old.
    await stream.publish(5);
    await client.untilLive();
    expect(faultsOf(client.events)).toEqual({ unknown: [6, 7, 8, 9, 10].map((n) => first + n), repeated: [] });
    expect(client.events).not.toContain(false);
  });

  test('with the script, every client gets recovered false, also one that was away', async () => {
    const { group: redis, nodes } = await startGroup({ script, env: { FAILOVER_GRACE_SECONDS: '3' } });
    const connected = [await stream.connect(nodes[0].url), await stream.connect(nodes[1].url)] as const;
    const away = await stream.connect(nodes[0].url);
    const first = await stream.publish(10);
    for (const client of [...connected, away]) await client.untilFrame(first);
    away.centrifuge.disconnect();
    await loseFrames(redis, connected[0], 5);
    const promotedAt = Date.now();
    // Frames all the time, so that a client in the window before the script would be deceived.
    const stopPublishing = stream.keepPublishing();
    for (const client of connected) await untilInformed(client);
    console.log(`informed ${Date.now() - promotedAt} ms after the promotion`);
    await stopPublishing();
    away.centrifuge.connect();
    await waitUntil(() => away.events.includes(false), { what: 'recovered false for the client that was away' });
    for (const client of [...connected, away]) {
      await client.untilLive();
      expect(faultsOf(client.events).unknown).toEqual([]);
    }
    console.log(redis.lines.filter((line) => line.includes('after_failover')).join('\n'));
  });

  test('without Sentinel scripts, a process that watches Redis does the same', async () => {
    const { group: redis, nodes } = await startGroup();
    const watchers = [redis.master, replicaOf(redis)].map(({ port }) => startWatcher(port));
    try {
      // The first look at a Redis makes new epochs as well.
      await waitUntil(() => watchers[0]?.lines.some((line) => line.includes('pass 2')), { what: 'both passes' });
      const client = await stream.connect(nodes[0].url);
      const first = await stream.publish(10);
      await client.untilFrame(first);
      await loseFrames(redis, client, 5);
      const stopPublishing = stream.keepPublishing();
      await untilInformed(client);
      await stopPublishing();
      await waitUntil(() => watchers[1]?.lines.some((line) => line.includes('pass 2')), { what: 'both passes' });
      await client.untilLive();
      expect(faultsOf(client.events).unknown).toEqual([]);
    } finally {
      for (const { child } of watchers) child.kill('SIGKILL');
    }
  });
});

describe.skipIf(missing)('a Redis that refuses frames without a replica', () => {
  const settings = ['min-replicas-to-write 1', 'min-replicas-max-lag 2'];

  test('loses none while its only replica is away: they wait in the queue', async () => {
    const { group: redis, nodes } = await startGroup({ settings });
    const client = await stream.connect(nodes[0].url);
    await client.untilFrame(await stream.publish(10));
    await redis.cutReplication(replicaOf(redis));
    const last = await stream.publish(5);
    await pause(3_000);
    expect(client.events).not.toContain(last);
    expect(await queued()).toBe(5);
    await replicaOf(redis).cli('CONFIG', 'SET', 'masterauth', redis.password);
    await client.untilFrame(last);
    expect(faultsOf(client.events)).toEqual({ unknown: [], repeated: [] });
    expect(client.events).not.toContain(false);
  });

  test('fails over with a second replica and the script, and every client is informed', async () => {
    const { group: redis, nodes } = await startGroup({ settings, replicas: 2, script });
    const clients = [await stream.connect(nodes[0].url), await stream.connect(nodes[1].url)];
    for (const client of clients) await client.untilLive();
    const stopPublishing = stream.keepPublishing();
    await redis.master.kill();
    for (const client of clients) await untilInformed(client);
    await stopPublishing();
    for (const client of clients) {
      await client.untilLive();
      expect(faultsOf(client.events).unknown).toEqual([]);
    }
  });
});

describe.skipIf(missing)('a failover while the old master still accepts frames', () => {
  test('ends with recovered false for every client, when the operator orders it under load', async () => {
    const { group: redis, nodes } = await startGroup({ script });
    const clients = [await stream.connect(nodes[0].url), await stream.connect(nodes[1].url)];
    for (const client of clients) await client.untilLive();
    const stopPublishing = stream.keepPublishing();
    await redis.sentinel.cli('SENTINEL', 'FAILOVER', 'stream');
    await waitUntil(() => redis.lines.some((line) => line.includes('pass 2 deleted')), {
      what: 'the second pass',
      timeoutMs: 60_000,
      evidence,
    });
    await pause(1_000);
    await stopPublishing();
    for (const client of clients) {
      await client.untilLive();
      expect(client.events).toContain(false);
      expect(faultsOf(client.events).unknown).toEqual([]);
    }
  });

  test('informs a second time those who have missed what only the old master got', async () => {
    // Without a Sentinel: one node stays with the old master, the other one has the new one.
    const redis = await startRedisGroup({ folder: join(stream.folder, `group-${++runs}`) });
    group = redis;
    const addressOf = ({ port }: RedisProcess) => ({ url: `redis://127.0.0.1:${port}`, password: PASSWORD });
    await redis.sentinel.kill();
    const carrier = await stream.startCarrier(addressOf(redis.master));
    const old = await carrier.startNode();
    await replicaOf(redis).cli('REPLICAOF', 'NO', 'ONE');
    const node = await carrier.startNode(addressOf(replicaOf(redis)));
    const lines: string[] = [];
    const ports = [redis.master, replicaOf(redis)].flatMap(({ port }) => ['127.0.0.1', String(port)]);
    const called = run(['stream', 'leader', 'start', ...ports], lines, '8');
    await waitUntil(() => lines.some((line) => line.includes('pass 1')), { what: 'the first pass' });
    const client = await stream.connect(node.url);
    await client.untilLive();
    // Each frame goes to the master of the node whose consumer was faster.
    for (let n = 0; n < 20; n += 1) {
      await stream.publish();
      await pause(20);
    }
    await old.kill();
    await waitUntil(() => faultsOf(client.events).unknown.length > 0, { what: 'missed frames', timeoutMs: 5_000 });
    await waitUntil(() => called.exitCode === 0, { what: 'the script ends', evidence: () => lines.join('\n') });
    await client.untilLive();
    expect(client.events).toContain(false);
    expect(faultsOf(client.events).unknown).toEqual([]);
  });
});

describe.skipIf(missing)('a Redis that is started again', () => {
  test('from an older file is noticed by the process that watches it, and its clients are informed', async () => {
    const carrier = await stream.startCarrier();
    const { port, password } = carrier.redis.server;
    const watcher = startWatcher(port, password);
    try {
      await waitUntil(() => watcher.lines.some((line) => line.includes('pass 2')), { what: 'both passes' });
      const client = await stream.connect((await carrier.startNode()).url);
      await client.untilFrame(await stream.publish(10));
      await redisCli(port, password)('SAVE');
      await client.untilFrame(await stream.publish(5));
      await carrier.redis.kill();
      await carrier.redis.restart();
      // As many frames as the file lacks: without new epochs, they are skipped as old.
      await stream.publish(5);
      await client.untilLive();
      const stopPublishing = stream.keepPublishing();
      await untilInformed(client);
      await stopPublishing();
      await client.untilLive();
      expect(faultsOf(client.events).unknown).toEqual([]);
    } finally {
      watcher.child.kill('SIGKILL');
    }
  });

  test('with no data is noticed within 80 s, also by a client of channels without news', async () => {
    const carrier = await stream.startCarrier();
    const client = await stream.connect((await carrier.startNode()).url);
    await client.untilFrame(await stream.publish(5));
    await carrier.redis.kill();
    await carrier.redis.restart();
    const began = Date.now();
    await untilInformed(client, 80_000);
    console.log(`informed ${Date.now() - began} ms after Redis was back`);
  });
});

/** Runs the script. Its output goes to `lines`. */
function run(args: string[], lines: string[], graceSeconds: string, password = PASSWORD): ChildProcess {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', REDISCLI_AUTH: password };
  const child = spawn(script, args, { env: { ...env, FAILOVER_GRACE_SECONDS: graceSeconds } });
  child.stderr.on('data', (chunk) => lines.push(...String(chunk).trimEnd().split('\n')));
  return child;
}

function startWatcher(port: number, password = PASSWORD): { child: ChildProcess; lines: string[] } {
  const lines: string[] = [];
  return { lines, child: run(['--watch', '127.0.0.1', String(port)], lines, '3', password) };
}
