import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases, putUpdates, type SeedUpdate } from '../../api/support/catalog.ts';
import { good } from '../../arb/fixture.ts';
import { type Frame, ReplayedState } from '../../support/replayed_state.ts';
import { sortedJson } from '../../support/sorted_json.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { putPairs } from '../fixture.ts';
import { lastOffset } from '../published_frames.ts';
import { expectedState } from '../truth.ts';
import { createStreamClient, type Isolate, type StreamFixture, startStream, ticketSource } from './fixture.ts';
import { createKey } from './minted.ts';

// STREAM_CHAOS=full runs for ten minutes with 100 cuts; the default is 45 s with 12 cuts.
const full = process.env.STREAM_CHAOS === 'full';
const seconds = full ? 600 : 45;
const cuts = full ? 100 : 12;
/**
 * Two workers of ingest, each with half of the pairs, publish together more than 1,000 price frames
 * a second, and the frames of opportunities.
 */
const writers = 2;
const flushesPerSecond = 10;
const pricesInFlush = 55;
const pairs = 200;

let fixture: StreamFixture;
let isolates: Isolate[];
beforeAll(async () => {
  fixture = await startStream();
  isolates = await Promise.all([fixture.startIsolate(), fixture.startIsolate()]);
  // The connection leases of a killed isolate expire after 40 s. A high limit keeps reconnecting
  // clients from waiting for them.
  await fixture.sql`update account.tiers set stream_connections = 1000 where tier = 'basic'`;
  await holdShardLeases(fixture.sql);
});
afterAll(() => fixture.stop());

test(
  'cuts, killed isolates and a restarted Realtime lose, repeat and reorder no frame of the stream',
  async () => {
    const org = await createKey(fixture.sql, 'basic');
    let next = 0;
    const anyIsolate = () => (isolates[next++ % isolates.length] as Isolate).url;
    const checkedClients = Array.from({ length: 3 }, () =>
      checkedClientOf(createStreamClient(anyIsolate, ticketSource(fixture.sql, org))),
    );
    for (const { client } of checkedClients) client.centrifuge.connect();
    const clients = checkedClients.map(({ client }) => client);
    await Promise.all(
      clients.map((client) => waitUntil(() => client.subscribed.includes('markets:all'), { what: 'subscribed' })),
    );
    await putPairs(fixture.sql, pairs);

    const endsAt = Date.now() + seconds * 1000;
    await Promise.all([...Array.from({ length: writers }, (_, writer) => write(writer, endsAt)), cutAll(clients)]);
    await fixture.sql`select stream.broadcast_pending()`;

    const top = await lastOffset(fixture.sql, 'markets:all');
    console.log(`${top} frames in ${seconds} s`);
    // On a busy machine the writers fall behind, so the pace is printed and only a low bound is
    // checked.
    expect(top).toBeGreaterThan(seconds * 100);
    for (const [n, { client }] of checkedClients.entries()) {
      const { offsets } = client.received('markets:all');
      await waitUntil(() => offsets.at(-1) === top, {
        what: `client ${n} receives the last of ${top} frames`,
        timeoutMs: 60_000,
      });
    }
    const log = await checksumsOfLog(top);
    const expected = await expectedState(fixture.sql, 'markets:all');
    expect(expected.markets.length).toBeGreaterThan(pairs / 2);
    expect(expected.opportunities.length).toBeGreaterThan(0);
    for (const [n, { client, checksums, replayed }] of checkedClients.entries()) {
      const { offsets, recovered, wasRecovering } = client.received('markets:all');
      const wrong = offsets.findIndex((offset, place) => offset !== place + 1);
      expect(wrong, `around ${offsets.slice(Math.max(0, wrong - 3), wrong + 3)}`).toBe(-1);
      expect(checksums.findIndex((checksum, place) => checksum !== log[place])).toBe(-1);
      expect(recovered.filter((one, place) => wasRecovering[place] && !one)).toEqual([]);
      expect(replayed.state()).toEqual(expected);
      console.log(`client ${n}: ${offsets.length} frames over ${recovered.length} connections`);
      client.centrifuge.disconnect();
    }
  },
  (seconds + 240) * 1000,
);

/**
 * Keeps a checksum of each frame and its effect, because the frames of ten minutes are gigabytes.
 */
function checkedClientOf(client: ReturnType<typeof createStreamClient>) {
  const replayed = new ReplayedState();
  const checksums: number[] = [];
  client.centrifuge.on('publication', ({ channel, data }) => {
    client.received(channel).frames.length = 0;
    if (channel !== 'markets:all') return;
    checksums.push(checksumOf(data));
    replayed.apply([data as Frame]);
  });
  return { client, replayed, checksums };
}

/** A checksum of the frame, independent of the order of its keys. */
const checksumOf = (frame: unknown): number => crc32(sortedJson(frame));

async function checksumsOfLog(top: number): Promise<number[]> {
  const checksums: number[] = [];
  const rows = fixture.sql<{ frames: string[] }[]>`
    select frames from stream.publications where channel = 'markets:all' order by last_offset`;
  for await (const batch of rows.cursor(500))
    for (const { frames } of batch) for (const frame of frames) checksums.push(checksumOf(JSON.parse(frame)));
  expect(checksums.length, 'the log has every offset').toBe(top);
  return checksums;
}

/**
 * Writes as a worker of ingest: changing prices, invalid books, opportunities that open and close.
 */
async function write(writer: number, endsAt: number): Promise<void> {
  const everyMs = 1000 / flushesPerSecond;
  for (let due = Date.now(), round = 0; Date.now() < endsAt; due += everyMs, round += 1) {
    const frames = Array.from({ length: pricesInFlush }, (_, i): readonly [number, SeedUpdate] => {
      const n = 1 + writer + writers * ((round * pricesInFlush + i) % (pairs / writers));
      const at = new Date().toISOString();
      if ((round + i) % 97 === 0) return [n, { at, void: 'feed.silent', opp: null }];
      const ask = 300_000 + ((round * 11 + i * 5) % 40) * 10_000;
      const [asks, sizes] = [
        [ask, 990_000 - ask],
        [100 + (round % 50), 100],
      ];
      const opp = (round + i) % 23 < 2 ? good(n, 1_000 + (round % 500)) : null;
      return [n, { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes, opp }];
    });
    await putUpdates(fixture.sql, frames);
    await fixture.sql`select stream.broadcast_pending()`;
    await pause(Math.max(0, due + everyMs - Date.now()));
  }
}

async function cutAll(clients: readonly ReturnType<typeof createStreamClient>[]): Promise<void> {
  const random = seeded(42);
  for (let n = 0; n < cuts; n += 1) {
    await pause((seconds * 1000) / (cuts + 1));
    const kind = random();
    if (kind < 0.5) sever(clients[Math.floor(random() * clients.length)]);
    else if (kind < 0.7) for (const client of clients) sever(client);
    else if (kind < 0.9) {
      const isolate = isolates[Math.floor(random() * isolates.length)];
      await isolate?.kill(random() < 0.7 ? 'SIGKILL' : 'SIGTERM');
      void pause(300).then(() => isolate?.restart());
    } else {
      await fixture.realtime.kill();
      void pause(1_500).then(() => fixture.realtime.restart());
    }
  }
}

/** Ends the socket of the client without a close frame, as a failing network does. */
function sever(client: ReturnType<typeof createStreamClient> | undefined): void {
  client?.sockets.at(-1)?.terminate();
}

/** A seeded generator, so that each run has the same cuts. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
