import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdBooks, putFrames, type SeedFrame } from '../../api/support/catalog.ts';
import { good } from '../../arb/fixture.ts';
import { type Frame, ReplayedState } from '../../support/replayed_state.ts';
import { sortedJson } from '../../support/sorted_json.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { putPairs } from '../fixture.ts';
import { topOf } from '../published_frames.ts';
import { truth } from '../truth.ts';
import { clientOf, type Isolate, startWorld, ticketFor, type World } from './fixture.ts';
import { keyOf } from './minted.ts';

// How long it goes on, and how often everything is cut: a hundred times in ten minutes with STREAM_CHAOS=full, in the everyday run a tenth.
const full = process.env.STREAM_CHAOS === 'full';
const seconds = full ? 600 : 45;
const cuts = full ? 100 : 12;
/** Two isolates of ingest, each with half of the pairs: together over a thousand frames a second, and what opportunities add. */
const writers = 2;
const flushesPerSecond = 10;
const pricesInFlush = 55;
const pairs = 200;

let world: World;
let isolates: Isolate[];
beforeAll(async () => {
  world = await startWorld();
  isolates = await Promise.all([world.isolate(), world.isolate()]);
  // A killed isolate's leases end after 40 s; clients that are cut all the time must not wait for them here.
  await world.sql`update account.tiers set stream_connections = 1000 where tier = 'basic'`;
  await holdBooks(world.sql);
}, 90_000);
afterAll(() => world.stop());

test(
  'cuts at random, killed isolates and a restarted Realtime leave each offset once, in order, and the state of the database',
  async () => {
    const org = await keyOf(world.sql, 'basic');
    let next = 0;
    const anyIsolate = () => (isolates[next++ % isolates.length] as Isolate).url;
    const listeners = Array.from({ length: 3 }, () => listenerOf(clientOf(anyIsolate, ticketFor(world.sql, org))));
    for (const { client } of listeners) client.centrifuge.connect();
    const clients = listeners.map(({ client }) => client);
    await Promise.all(
      clients.map((client) => waitUntil(() => client.subscribed.includes('markets:all'), { what: 'subscribed' })),
    );
    await putPairs(world.sql, pairs);

    const ends = Date.now() + seconds * 1000;
    await Promise.all([...Array.from({ length: writers }, (_, writer) => write(writer, ends)), cutAll(clients)]);
    await world.sql`select stream.broadcast_pending()`;

    const top = await topOf(world.sql, 'markets:all');
    console.log(`${top} frames in ${seconds} s`);
    // Where the machine is busy the writers fall behind: the pace is printed, not judged.
    expect(top).toBeGreaterThan(seconds * 300);
    for (const [n, { client }] of listeners.entries()) {
      const { offsets } = client.heard('markets:all');
      await waitUntil(() => offsets.at(-1) === top, {
        what: `client ${n} has heard the last of ${top}`,
        timeoutMs: 60_000,
      });
    }
    const log = await marksOfLog(top);
    const known = await truth(world.sql, 'markets:all');
    expect(known.markets.length).toBeGreaterThan(pairs / 2);
    expect(known.opportunities.length).toBeGreaterThan(0);
    for (const [n, { client, marks, replayed }] of listeners.entries()) {
      const { offsets, recovered, wasRecovering } = client.heard('markets:all');
      const wrong = offsets.findIndex((offset, place) => offset !== place + 1);
      expect(wrong, `around ${offsets.slice(Math.max(0, wrong - 3), wrong + 3)}`).toBe(-1);
      expect(marks.findIndex((mark, place) => mark !== log[place])).toBe(-1);
      expect(recovered.filter((one, place) => wasRecovering[place] && !one)).toEqual([]);
      expect(replayed.state()).toEqual(known);
      console.log(`client ${n}: ${offsets.length} frames over ${recovered.length} connections`);
      client.centrifuge.disconnect();
    }
  },
  (seconds + 240) * 1000,
);

/** Keeps of each frame a mark and what it changes, and not the frame: ten minutes of them are gigabytes. */
function listenerOf(client: ReturnType<typeof clientOf>) {
  const replayed = new ReplayedState();
  const marks: number[] = [];
  client.centrifuge.on('publication', ({ channel, data }) => {
    client.heard(channel).frames.length = 0;
    if (channel !== 'markets:all') return;
    marks.push(markOf(data));
    replayed.apply([data as Frame]);
  });
  return { client, replayed, marks };
}

/** The same for the same frame. */
const markOf = (frame: unknown): number => crc32(sortedJson(frame));

async function marksOfLog(top: number): Promise<number[]> {
  const marks: number[] = [];
  const rows = world.sql<{ frames: string[] }[]>`
    select frames from stream.publications where channel = 'markets:all' order by last_offset`;
  for await (const batch of rows.cursor(500))
    for (const { frames } of batch) for (const frame of frames) marks.push(markOf(JSON.parse(frame)));
  expect(marks.length, 'the log has every offset').toBe(top);
  return marks;
}

/** What an isolate of ingest does with its pairs: prices that move, books that fail, opportunities that come and go. */
async function write(writer: number, ends: number): Promise<void> {
  const everyMs = 1000 / flushesPerSecond;
  for (let due = Date.now(), turn = 0; Date.now() < ends; due += everyMs, turn += 1) {
    const frames = Array.from({ length: pricesInFlush }, (_, i): readonly [number, SeedFrame] => {
      const n = 1 + writer + writers * ((turn * pricesInFlush + i) % (pairs / writers));
      const at = new Date().toISOString();
      if ((turn + i) % 97 === 0) return [n, { at, void: 'feed.silent', opp: null }];
      const ask = 300_000 + ((turn * 11 + i * 5) % 40) * 10_000;
      const [asks, sizes] = [
        [ask, 990_000 - ask],
        [100 + (turn % 50), 100],
      ];
      const opp = (turn + i) % 23 < 2 ? good(n, 1_000 + (turn % 500)) : null;
      return [n, { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes, opp }];
    });
    await putFrames(world.sql, frames);
    await world.sql`select stream.broadcast_pending()`;
    await pause(Math.max(0, due + everyMs - Date.now()));
  }
}

async function cutAll(clients: readonly ReturnType<typeof clientOf>[]): Promise<void> {
  const random = seeded(42);
  for (let n = 0; n < cuts; n += 1) {
    await pause((seconds * 1000) / (cuts + 1));
    const which = random();
    if (which < 0.5) sever(clients[Math.floor(random() * clients.length)]);
    else if (which < 0.7) for (const client of clients) sever(client);
    else if (which < 0.9) {
      const isolate = isolates[Math.floor(random() * isolates.length)];
      await isolate?.kill(random() < 0.7 ? 'SIGKILL' : 'SIGTERM');
      void pause(300).then(() => isolate?.revive());
    } else {
      await world.realtime.kill();
      void pause(1_500).then(() => world.realtime.revive());
    }
  }
}

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
