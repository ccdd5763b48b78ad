import { rmSync } from 'node:fs';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { hostedDeno } from '../../local/platform/functions/hosted_deno.ts';
import { checkDeliveries } from '../soak/database.ts';
import { Findings } from '../soak/findings.ts';
import { WebhookReceivers } from '../soak/load/webhooks.ts';
import { fetchAllMarkets, Simulator, untilFastForwardEnds } from '../stack/simulator.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { mintTicket } from '../support/stream_ticket.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

// The whole `npm start` with one worker per call, and with a wall clock so short that everything is
// handed over repeatedly, on the platform's version of Deno. Then every worker is killed at once,
// as the platform does at a limit. Takes about eight minutes; HOSTED_MINUTES=10 hands over for ten.

const wallSeconds = 60;
const runMinutes = Number(process.env.HOSTED_MINUTES ?? 4);
/**
 * A shard without a worker loses its prices when its lease of 10 s expires. In normal operation
 * this does not happen.
 */
const quietSeconds = 8;

type Line = {
  function: string;
  calls: number;
  broken: number;
  killed: Record<string, number>;
  cpu_ms: Used;
  memory_mb: Used;
};
type Used = { max: number; p50: number | null; p99: number | null } | null;
type Subscriber = { offsets: Map<string, number[]>; handedOver: number; ends: Set<number>; stop(): void };

let stack: RunningStack;
let folder: string;
let hooks: WebhookReceivers;
let simulator: Simulator;
let key: string;
let began: { frame: string; tokens: Map<string, number> };
const subscribers: Subscriber[] = [];

const lines = async (): Promise<Record<string, Line>> => {
  const answer = await fetch(`http://127.0.0.1:${stack.port}/limits.json`);
  const { functions } = (await answer.json()) as { functions: Line[] };
  return Object.fromEntries(functions.map((line) => [line.function, line]));
};

async function tokens(): Promise<Map<string, number>> {
  const rows = await stack.sql<{ name: string; token: number }[]>`
    select l.name, l.token::integer as token from venue.leases l where l.name like 'books:%'`;
  return new Map(rows.map(({ name, token }) => [name, token]));
}

async function newestFrame(): Promise<string> {
  const [row] = await stack.sql<
    { at: string }[]
  >`select coalesce(max(f.update_no), 0)::text as at from price.updates f`;
  return row?.at ?? '0';
}

/**
 * A subscriber of plan pro with the public SDK. It records every offset of every channel in order
 * of arrival.
 */
function listen(own: string): Subscriber {
  const stream = new Centrifuge(`ws://127.0.0.1:${stack.port}/functions/v1/stream`, {
    websocket: WebSocket,
    getData: async () => ({ t: (await mintTicket(stack.baseUrl, own)).ticket }),
  });
  const subscriber: Subscriber = {
    offsets: new Map(),
    handedOver: 0,
    ends: new Set(),
    stop: () => stream.disconnect(),
  };
  stream.on('publication', ({ channel, offset }) => {
    const offsets = subscriber.offsets.get(channel) ?? [];
    subscriber.offsets.set(channel, offsets);
    offsets.push(offset ?? 0);
  });
  stream.on('connecting', ({ code }) => {
    if (code === 3001) subscriber.handedOver += 1;
    if (code !== 0) subscriber.ends.add(code);
  });
  stream.on('error', () => {});
  stream.connect();
  return subscriber;
}

/** Every subscriber has received each offset up to the current position, once and in order. */
async function expectWhole(): Promise<void> {
  for (const channel of ['markets:all', 'quotes:all']) {
    const [latest] = await stack.sql<{ offset: number }[]>`
      select (p.value ->> 'offset')::integer as offset
      from jsonb_array_elements(stream.channel_positions(array[${channel}])::jsonb) p`;
    for (const { offsets: received } of subscribers) {
      const offsets = received.get(channel) ?? [];
      await waitUntil(async () => (offsets.at(-1) ?? 0) >= (latest?.offset ?? 0), {
        what: `${channel} up to ${latest?.offset}`,
        timeoutMs: 60_000,
      });
      expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
      expect(offsets.length, channel).toBeGreaterThan(100);
    }
  }
}

/** Update numbers since `began` have no gap: everything that a flush wrote is still there. */
async function expectNoHole(): Promise<void> {
  const [row] = await stack.sql<{ all: number; wide: number }[]>`
    select count(*)::integer as all, (max(f.update_no) - min(f.update_no) + 1)::integer as wide
    from price.updates f
    where f.update_no > ${began.frame}::bigint`;
  expect(row?.all).toBeGreaterThan(500);
  expect(row?.all).toBe(row?.wide);
}

/** The asks of REST equal those of the simulator's books at the snapshot step. */
async function expectRight(): Promise<void> {
  const { markets, page } = await fetchAllMarkets(stack, key, '&market_type=moneyline');
  const errors: string[] = [];
  let compared = 0;
  for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 40)) {
    const looked = await simulator.askErrors(market, Date.parse(page.snapshot_at));
    errors.push(...looked.errors);
    compared += looked.compared;
  }
  expect(errors).toEqual([]);
  expect(compared).toBeGreaterThan(100);
}

/** Every webhook delivery has arrived with its exact bytes. */
async function expectDelivered(least: number): Promise<void> {
  const decided = new Date();
  await waitUntil(
    async () => {
      const rows = await stack.sql`
        select from webhook.deliveries d where d.state = 'waiting' and d.created_at <= ${decided}`;
      return rows.length === 0;
    },
    { what: 'no waiting delivery', timeoutMs: 90_000 },
  );
  const wrong: string[] = [];
  await checkDeliveries(stack.sql, hooks, decided, new Findings((line) => wrong.push(line)));
  expect(wrong).toEqual([]);
  const delivered = await stack.sql`select from webhook.deliveries d where d.state = 'delivered'`;
  expect(delivered.length).toBeGreaterThanOrEqual(least);
}

describe('the stack under the platform’s limits', () => {
  beforeAll(async () => {
    folder = temporaryFolder('hooks');
    hooks = await WebhookReceivers.open(folder);
    stack = await startStack({
      args: [
        '--hosted-limits',
        '--wall-clock',
        `${wallSeconds}`,
        '--webhook-allow',
        hooks.allowedHost,
        '--webhook-ca',
        hooks.caFile,
      ],
      env: { REST_DELAY_SECONDS: '30', VENUE_TRAPS: 'none' },
      // Forty calls read the listings. With another test file on two slow cores each takes
      // seconds.
      readyWithinMs: 600_000,
    });
    console.log(`ready after ${(stack.bootMs / 1000).toFixed(1)} s`);
    simulator = new Simulator(stack);
    key = await stack.key('pro', 'reader');
    await hooks.register(stack.baseUrl, await stack.key('premium', 'receiver'));
    await untilFastForwardEnds(stack);
    subscribers.push(listen(key), listen(await stack.key('pro', 'subscriber')));
    await waitUntil(async () => subscribers.every(({ offsets }) => (offsets.get('markets:all')?.length ?? 0) > 5), {
      what: 'prices',
      timeoutMs: 60_000,
    });
    began = { frame: await newestFrame(), tokens: await tokens() };
  }, 720_000);
  afterAll(async () => {
    for (const one of subscribers) one.stop();
    await stack?.stop();
    await hooks?.receiver.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test(
    'no update or delivery is lost while every worker is handed over, and no worker is killed',
    async () => {
      // npm has this version for Linux on x64 only; there, the functions run on it.
      if (process.arch === 'x64') expect(hostedDeno()).not.toBeNull();
      const beganAt = Date.now();
      let latest = Date.now();
      let seen = began.frame;
      let longest = 0;
      await waitUntil(
        async () => {
          const now = await newestFrame();
          if (now !== seen) [seen, latest] = [now, Date.now()];
          longest = Math.max(longest, Date.now() - latest);
          const after = await tokens();
          const books = [...began.tokens].every(([name, token]) => (after.get(name) ?? 0) >= token + 2);
          const isOver = Date.now() - beganAt > runMinutes * 60_000;
          return isOver && books && subscribers.every(({ handedOver }) => handedOver >= 2);
        },
        { what: 'two handovers of each', timeoutMs: (runMinutes + 2) * 60_000 },
      );
      await expectWhole();
      await expectNoHole();
      const voids = await stack.sql`
      select f.void_reason as void, count(*)::integer as times from price.updates f
      where f.update_no > ${began.frame}::bigint and f.void_reason = 'lease.expired' group by f.void_reason`;
      expect([...voids]).toEqual([]);
      expect(longest).toBeLessThan(quietSeconds * 1_000);
      await expectRight();
      await expectDelivered(5);
      // Each worker announced its end and ended before its limit.
      for (const { ends } of subscribers) expect(ends).toEqual(new Set([3001]));
      const used = await lines();
      console.log(
        `The subscribers were handed over ${subscribers.map(({ handedOver }) => handedOver).join(' and ')} times.`,
      );
      console.log(
        Object.values(used)
          .map((line) => JSON.stringify(line))
          .join('\n'),
      );
      for (const name of ['api', 'deliver', 'ingest', 'stream']) {
        expect(used[name], name).toMatchObject({ broken: 0, killed: { cpu: 0, memory: 0, wall: 0 } });
        expect(used[name]?.calls, name).toBeGreaterThan(0);
      }
    },
    (runMinutes + 7) * 60_000,
  );

  test('prices return after the leases expire when every worker is killed, and nothing is lost', async () => {
    const workers = stack.processes().filter(({ command }) => /limits\/call\.ts/.test(command));
    expect(workers.length).toBeGreaterThan(8);
    for (const { pid } of workers) process.kill(pid, 'SIGKILL');
    const before = await tokens();
    const counts = subscribers.map((one) => one.offsets.get('markets:all')?.length ?? 0);
    await waitUntil(
      async () => {
        const after = await tokens();
        return [...before].every(([name, token]) => (after.get(name) ?? 0) > token);
      },
      { what: 'a new worker for each shard', timeoutMs: 90_000 },
    );
    await waitUntil(
      async () => subscribers.every((one, n) => (one.offsets.get('markets:all')?.length ?? 0) > (counts[n] ?? 0) + 100),
      { what: 'prices for both', timeoutMs: 60_000 },
    );
    await waitUntil(
      async () => {
        const rows = await stack.sql`select from price.latest_updates l where l.void_reason = 'lease.expired'`;
        return rows.length === 0;
      },
      { what: 'priced', timeoutMs: 60_000 },
    );
    await expectWhole();
    await expectNoHole();
    await expectDelivered(6);
    const used = await lines();
    expect(used.ingest?.broken).toBeGreaterThan(0);
    expect(used.stream?.broken).toBeGreaterThanOrEqual(2);
    // REST is delayed by 30 s, so the books of the new workers appear in it only now.
    await pause(45_000);
    await expectRight();
  });
});
