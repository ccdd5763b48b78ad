import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { TEST_TEMPLATE } from '../../support/names.ts';
import { startOwnPostgres } from '../../support/own_postgres.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { type Client, connectClient, createStreamClient, ticketSource } from '../function/fixture.ts';
import { createKey, type OrganizationKey } from '../function/minted.ts';
import { type Carrier, type RedisAddress, startCarrier } from './nodes.ts';

const CHANNEL = 'markets:all';

/** A client of the SDK, with what it got on markets:all in the order of its events. */
export type RedisClient = Client & {
  /** A number is a frame; a boolean is `recovered` of a reply to a client that had a position. */
  events: (number | boolean)[];
  untilFrame(n: number): Promise<void>;
  /** Publishes until one of the frames arrives. The one that ends a connection does not. */
  untilLive(): Promise<void>;
};

/** Tests of the broker Redis: a database, numbered frames, and carriers one after the other. */
export type RedisStream = {
  sql: Sql;
  databaseUrl: string;
  admin: TemporaryPostgres['admin'];
  folder: string;
  /** Starts a carrier on a Redis without a past. `stop` ends it before its database. */
  startCarrier(redis?: RedisAddress): Promise<Carrier>;
  /** Publishes frames in one transaction, and returns the number of the last. */
  publish(count?: number): Promise<number>;
  /** Publishes a frame every 20 ms, in order, until the returned function is called. */
  keepPublishing(): () => Promise<void>;
  connect(url: string | (() => string)): Promise<RedisClient>;
  org: OrganizationKey;
  /** Ends the carrier and the clients of a test. */
  reset(): Promise<void>;
  stop(): Promise<void>;
};

export async function startRedisStream(): Promise<RedisStream> {
  const scratch = await startOwnPostgres();
  const name = 'redis_test';
  const sql = postgres(await scratch.create(name, TEST_TEMPLATE), { max: 8, onnotice: () => {} });
  const url = (role: string) => databaseUrl(scratch.cluster.port, role, scratch.password, name);
  const org = await createKey(sql, 'pro');
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  let published = 0;
  let carrier: Carrier | undefined;
  const clients: Client[] = [];
  const publishers: (() => Promise<void>)[] = [];
  const reset = async () => {
    for (const stopPublishing of publishers.splice(0)) await stopPublishing();
    for (const client of clients.splice(0)) client.centrifuge.disconnect();
    await carrier?.stop();
    carrier = undefined;
  };
  const publish = async (count = 1) => {
    const frames = Array.from({ length: count }, () => JSON.stringify({ type: 'price', id: ++published }));
    await sql`select stream.append_publication(${CHANNEL}, ${frames})`;
    return published;
  };
  return {
    sql,
    databaseUrl: url('postgres'),
    admin: scratch.admin,
    folder,
    org,
    reset,
    async startCarrier(redis) {
      // The new Redis has none of the frames that another one got.
      await sql`select stream.use_carrier('embedded')`;
      await sql`delete from stream.connections`;
      carrier = await startCarrier({ sql, broker: 'redis', url, ...(redis ? { redis } : {}) });
      return carrier;
    },
    publish,
    keepPublishing() {
      let isStopped = false;
      const loop = async () => {
        while (!isStopped) {
          await publish();
          await pause(20);
        }
      };
      const running = loop();
      const stopPublishing = async () => {
        isStopped = true;
        await running;
      };
      publishers.push(stopPublishing);
      return stopPublishing;
    },
    async connect(where) {
      const client = createStreamClient(where, ticketSource(sql, org));
      clients.push(client);
      const events: RedisClient['events'] = [];
      client.centrifuge.on('publication', ({ channel, data }) => channel === CHANNEL && events.push(data.id));
      client.centrifuge.on('subscribed', ({ channel, wasRecovering, recovered }) => {
        if (channel === CHANNEL && wasRecovering) events.push(recovered);
      });
      await connectClient(client);
      const evidence = () => `events: ${events.slice(-40).join(' ')}; ends: ${JSON.stringify(client.ends.slice(-5))}`;
      const until = async (what: string, condition: () => boolean | Promise<boolean>, everyMs?: number) =>
        void (await waitUntil(condition, { what, evidence, ...(everyMs ? { everyMs } : {}) }));
      return {
        ...client,
        events,
        untilFrame: (n) => until(`frame ${n} arrives`, () => events.includes(n)),
        async untilLive() {
          const from = published;
          const isNew = (event: number | boolean) => typeof event === 'number' && event > from;
          const arrives = async () => {
            if (events.some(isNew)) return true;
            await publish();
            return false;
          };
          await until('a new frame arrives', arrives, 100);
          await until('all arrive', () => events.at(-1) === published);
        },
      };
    },
    async stop() {
      await reset();
      await sql.end({ timeout: 2 });
      await scratch.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * What was not sent once and in order. `unknown` are missing frames that no `recovered: false`
 * followed.
 */
export function faultsOf(events: readonly (number | boolean)[]): { unknown: number[]; repeated: number[] } {
  let next: number | undefined;
  const unknown: number[] = [];
  const repeated: number[] = [];
  for (const event of events) {
    if (typeof event === 'boolean') {
      if (event) continue;
      unknown.length = 0;
      next = undefined;
    } else {
      for (let n = next ?? event; n < event; n += 1) unknown.push(n);
      if (next !== undefined && event < next) repeated.push(event);
      next = Math.max(next ?? 0, event + 1);
    }
  }
  return { unknown, repeated };
}
