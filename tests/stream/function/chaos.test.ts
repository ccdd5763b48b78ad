import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../realtime/stage.ts';
import { keyOf } from './minted.ts';
import { clientOf, type Isolate, startWorld, ticketFor, type World } from './stage.ts';

// How long it goes on, and how often everything is cut: a hundred times in ten minutes with STREAM_CHAOS=full, in the everyday run a tenth.
const full = process.env.STREAM_CHAOS === 'full';
const seconds = full ? 600 : 45;
const cuts = full ? 100 : 12;
const framesPerSecond = 1_000;
const flushesPerSecond = 10;
const markets = 200;

let world: World;
let isolates: Isolate[];
beforeAll(async () => {
  world = await startWorld();
  isolates = await Promise.all([world.isolate(), world.isolate()]);
  // A killed isolate's leases end after 40 s; clients that are cut all the time must not wait for them here.
  await world.sql`update account.tiers set stream_connections = 1000 where tier = 'basic'`;
}, 90_000);
afterAll(() => world.stop());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(
  'cut at random, while isolates are killed and Realtime is stopped and started: each offset once, in order, and the state is the database’s',
  async () => {
    const org = await keyOf(world.sql, 'basic');
    let next = 0;
    const anyIsolate = () => (isolates[next++ % isolates.length] as Isolate).url;
    const clients = Array.from({ length: 3 }, () => clientOf(anyIsolate, ticketFor(world.sql, org)));
    // Each rebuilds the state from its frames alone: the last version of each market.
    const states = clients.map((client) => {
      const state = new Map<string, number>();
      client.centrifuge.on('publication', ({ channel, data }) => {
        if (channel === 'markets:all') state.set(data.id, data.version);
      });
      return state;
    });
    for (const client of clients) client.centrifuge.connect();
    await Promise.all(clients.map((client) => until('subscribed', () => client.subscribed.includes('markets:all'))));

    const ends = Date.now() + seconds * 1000;
    let version = 0;
    const truth = new Map<string, number>();
    const say = async () => {
      for (let due = Date.now(); Date.now() < ends; due += 1000 / flushesPerSecond) {
        const frames = Array.from({ length: framesPerSecond / flushesPerSecond }, () => {
          version += 1;
          const id = `mkt_${(version * 7919) % markets}`;
          truth.set(id, version);
          return JSON.stringify({ type: 'price', id, version });
        });
        await world.sql`select stream.append('markets:all', ${frames})`;
        await world.sql`select stream.flush()`;
        await sleep(Math.max(0, due + 1000 / flushesPerSecond - Date.now()));
      }
    };
    const cut = async () => {
      const random = seeded(42);
      for (let n = 0; n < cuts; n += 1) {
        await sleep((seconds * 1000) / (cuts + 1));
        const which = random();
        if (which < 0.5) sever(clients[Math.floor(random() * clients.length)]);
        else if (which < 0.7) for (const client of clients) sever(client);
        else if (which < 0.9) {
          const isolate = isolates[Math.floor(random() * isolates.length)];
          await isolate?.kill(random() < 0.7 ? 'SIGKILL' : 'SIGTERM');
          void sleep(300).then(() => isolate?.revive());
        } else {
          await world.realtime.kill();
          void sleep(1_500).then(() => world.realtime.revive());
        }
      }
    };
    await Promise.all([say(), cut()]);
    await sleep(2_000);

    for (const [n, client] of clients.entries()) {
      const heard = client.heard('markets:all');
      await until(
        `client ${n} has heard the last`,
        () => states[n]?.size === truth.size && heard.frames.at(-1)?.version === version,
        60_000,
      );
      const [first = 0] = heard.offsets;
      const wrong = heard.offsets.findIndex((offset, place) => offset !== first + place);
      expect(wrong, `around ${heard.offsets.slice(Math.max(0, wrong - 3), wrong + 3)}`).toBe(-1);
      expect(heard.frames.map((frame) => frame.version)).toEqual(
        heard.offsets.map((_, place) => version - heard.offsets.length + 1 + place),
      );
      expect(heard.recovered.filter((recovered, place) => heard.wasRecovering[place] && !recovered)).toEqual([]);
      expect([...(states[n] ?? [])].sort()).toEqual([...truth].sort());
      console.log(`client ${n}: ${heard.offsets.length} frames over ${heard.recovered.length} connections`);
      client.centrifuge.disconnect();
    }
  },
  (seconds + 180) * 1000,
);

/** Ends the client's socket as a dead network does, without a goodbye. */
function sever(client: ReturnType<typeof clientOf> | undefined): void {
  client?.sockets.at(-1)?.terminate();
}

/** The same cuts in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
