import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { ticketSource } from '../function/fixture.ts';
import { openRawConnection } from '../function/raw.ts';
import { type Carrier, type CentrifugoNode, missingCentrifugo, missingRedis } from './nodes.ts';
import { faultsOf, type RedisStream, startRedisStream } from './redis_fixture.ts';
import { afterFailover, redisCli } from './redis_group.ts';

// Frames go from the queue of the database through one node at a time to Redis, which numbers them.

const missing = missingCentrifugo || missingRedis;
if (missing) console.log(`skipped over Redis: ${missing}`);

let stream: RedisStream;
let carrier: Carrier;
let nodes: CentrifugoNode[];
beforeAll(async () => {
  if (!missing) stream = await startRedisStream();
});
beforeEach(async () => {
  if (missing) return;
  carrier = await stream.startCarrier();
  nodes = [await carrier.startNode(), await carrier.startNode()];
});
afterEach(async () => await stream?.reset());
afterAll(async () => await stream?.stop());

const node = (n: number) => nodes[n] as CentrifugoNode;
const metaOf = async (channel: string) => {
  const { port, password } = carrier.redis.server;
  const lines = (await redisCli(port, password)('HGETALL', `centrifugo.stream.meta.${channel}`)).trim().split('\n');
  return Object.fromEntries(lines.flatMap((name, n) => (n % 2 === 0 ? [[name, lines[n + 1]]] : [])));
};
const queued = async () => Number((await stream.sql`select count(*) from stream.carrier_commands`)[0]?.count);

describe.skipIf(missing)('over Redis', () => {
  test('frames arrive byte for byte and in order, with the offset of the log as their version', async () => {
    const raw = await openRawConnection(node(0).url);
    raw.send({ id: 1, connect: { data: { t: await ticketSource(stream.sql, stream.org)() } } });
    const connected = (await raw.reply(1)).connect as { subs: Record<string, { offset?: number; epoch: string }> };
    const frames = [
      '{"type":"price","b":1.10,"a":[ ],"é":"\\u00e9 😀"}',
      '{"type":"price", "z" : 1e3,  "a":"</script>&\\n"}',
      `{"type":"price","long":"${'x'.repeat(50_000)}"}`,
    ];
    await stream.sql`select stream.append_publication('markets:all', ${frames})`;
    const pushes = () => raw.lines.filter((line) => line.includes('"channel":"markets:all"'));
    await waitUntil(() => pushes().length === 3, { what: 'three pushes', evidence: () => raw.lines.join('\n') });
    const [log] = await stream.sql`select last_offset from stream.channels where channel = 'markets:all'`;
    const first = connected.subs['markets:all']?.offset ?? 0;
    for (const [n, line] of pushes().entries()) {
      expect(line).toContain(`"data":${frames[n]}`);
      const { push } = JSON.parse(line);
      expect(push.pub.offset).toBe(first + n + 1);
      expect(push.pub.version).toBe(Number(log?.last_offset) - 2 + n);
    }
    raw.socket.close();
  });

  test('clients of two nodes receive each frame once while they are cut and nodes are killed', async () => {
    const clients = [await stream.connect(node(0).url), await stream.connect(node(1).url)];
    let last = 0;
    for (let round = 0; round < runs(2); round += 1) {
      last = await stream.publish(400);
      for (const client of clients) client.sockets.at(-1)?.terminate();
      await node(round % 2).kill('SIGKILL');
      await stream.publish(50);
      await node(round % 2).restart();
    }
    last = await stream.publish();
    for (const client of clients) {
      await client.untilFrame(last);
      expect(faultsOf(client.events)).toEqual({ unknown: [], repeated: [] });
      expect(client.events).not.toContain(false);
    }
  });

  test.for(['the node', 'its database backend'])(
    'frames that are published but still queued are not repeated after %s was killed',
    async (what) => {
      const client = await stream.connect(node(0).url);
      const first = await stream.publish();
      await client.untilFrame(first);
      const before = await metaOf('markets:all');
      const holder = await holdConsumer();
      const last = await stream.publish(120);
      await stream.sql`select stream.relay_pending()`;
      // The consumer publishes all of them, then waits for this row.
      await holder.sql`begin`;
      await holder.sql`select from stream.carrier_commands order by id desc limit 1 for update`;
      await holder.release();
      await client.untilFrame(last);
      const [waiting] = await waitUntil(
        async () => {
          const rows = await stream.admin<{ pid: number; port: number }[]>`
            select pid, client_port as port from pg_stat_activity
            where usename = 'parallax_carrier' and wait_event_type = 'Lock' and query like 'DELETE%'`;
          return rows.length === 1 ? rows : undefined;
        },
        { what: 'the consumer waits for the row' },
      );
      if (what === 'the node') for (const one of nodes) await one.kill('SIGKILL');
      else await stream.admin`select pg_terminate_backend(${waiting?.pid ?? 0})`;
      expect(await queued()).toBe(120);
      await holder.sql`rollback`;
      await holder.sql.end();
      if (what === 'the node') for (const one of nodes) await one.restart();
      await waitUntil(async () => (await queued()) === 0, { what: 'the queue is empty' });
      await client.untilFrame(await stream.publish());
      const after = await metaOf('markets:all');
      expect(Number(after.s) - Number(before.s)).toBe(121);
      expect(after.e).toBe(before.e);
      expect(faultsOf(client.events)).toEqual({ unknown: [], repeated: [] });
      expect(client.events).not.toContain(false);
    },
  );

  test('a command that Centrifugo rejects does not stop what follows', async () => {
    const client = await stream.connect(node(0).url);
    await stream.sql`
      insert into stream.carrier_commands (method, partition, payload)
      values ('publish', 0, '{"channel": "nowhere:all", "b64data": "e30="}'), ('publish', 0, '{"channel": 1}')`;
    await client.untilFrame(await stream.publish());
    const refused = () =>
      nodes.flatMap(({ lines: all }) => all).filter((line) => line.includes('non retryable error')).length;
    await waitUntil(async () => (await queued()) === 0 && refused() === 2, {
      what: 'the queue is empty, and both commands were refused',
      evidence: async () => `${await queued()} commands, ${refused()} refusals`,
    });
  });

  test('while Redis is away, frames wait in the queue, and the next frame informs each client', async () => {
    const clients = [await stream.connect(node(0).url), await stream.connect(node(1).url)];
    const first = await stream.publish(5);
    for (const client of clients) await client.untilFrame(first);
    await carrier.redis.kill();
    await stream.publish(20);
    await waitUntil(async () => (await queued()) === 20, { what: 'the frames wait' });
    await carrier.redis.restart();
    for (const client of clients) {
      await client.untilLive();
      expect(client.events).toContain(false);
      expect(faultsOf(client.events).unknown).toEqual([]);
    }
  });

  test('after the log no longer follows what Redis has, the hint of the relay lets every client go on', async () => {
    const clients = [await stream.connect(node(0).url), await stream.connect(node(1).url)];
    for (const client of clients) await client.untilLive();
    await stream.sql`select stream.reset_channel('markets:all')`;
    await stream.publish(3);
    await expect(stream.sql`select stream.relay_pending()`).rejects.toThrow('no longer follows what Redis has');
    const { port, password } = carrier.redis.server;
    await stream.sql`select stream.use_carrier('embedded')`;
    const env = { PATH: process.env.PATH, REDISCLI_AUTH: password };
    const { stderr } = await promisify(execFile)(afterFailover, ['--now', '127.0.0.1', String(port)], { env });
    expect(stderr).toMatch(/deleted \d+ keys/);
    await stream.sql`select stream.use_carrier('redis')`;
    for (const client of clients) {
      await client.untilLive();
      expect(client.events).toContain(false);
      expect(faultsOf(client.events).unknown).toEqual([]);
    }
  });
});

/** Keeps the consumer from the frames until `release`. */
async function holdConsumer() {
  const sql = postgres(stream.databaseUrl, { max: 1, onnotice: () => {} });
  await sql`select pg_advisory_lock(hashtext('centrifugo_partition_lock_commands0'))`;
  return {
    sql,
    release: async () => void (await sql`select pg_advisory_unlock(hashtext('centrifugo_partition_lock_commands0'))`),
  };
}
