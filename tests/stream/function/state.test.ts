import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePair, holdBooks, putFrames, putPair, type SeedFrame } from '../../api/support/catalog.ts';
import { good } from '../../arb/fixture.ts';
import { type Frame, ReplayedState } from '../../support/replayed_state.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { topOf } from '../published_frames.ts';
import { truth } from '../truth.ts';
import { clientOf, connected, type Isolate, startWorld, ticketFor, type World } from './fixture.ts';
import { keyOf } from './minted.ts';

// What room stream promises of its log (tests/stream/replayed_state.test.ts), heard through Realtime, the function and the SDK, cut on the way.

const pairs = 40;
let world: World;
let isolate: Isolate;
beforeAll(async () => {
  world = await startWorld();
  isolate = await world.isolate();
  await holdBooks(world.sql);
}, 60_000);
afterAll(() => world.stop());

test('the state replayed from frames alone equals the database: markets, prices, opportunities', async () => {
  const { sql } = world;
  const client = await connected(clientOf(isolate.url, ticketFor(sql, await keyOf(sql, 'basic'))));
  const replayed = new ReplayedState();
  client.centrifuge.on('publication', ({ channel, data }) => {
    if (channel === 'markets:all') replayed.apply([data as Frame]);
  });
  for (let n = 1; n <= pairs; n += 1)
    await putPair(sql, { n, confirmed: n % 3 !== 0, stage: n % 10 === 9 ? 'candidate' : 'catalog' });
  for (let flush = 0; flush < 120; flush += 1) {
    const frames = Array.from({ length: 10 }, (_, i): readonly [number, SeedFrame] => {
      const n = 1 + ((flush * 7 + i * 3) % pairs);
      const ask = 300_000 + ((flush * 11 + i * 5) % 40) * 10_000;
      const at = new Date().toISOString();
      if ((flush + i) % 17 === 0) return [n, { at, void: 'feed.silent', opp: null }];
      const asks = [ask, 990_000 - ask];
      const sizes = [100, 100];
      const opp = (flush + i) % 5 === 0 ? good(n, 1_000 + flush) : null;
      return [n, { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes, opp }];
    });
    await putFrames(sql, frames);
    if (flush % 10 === 3) {
      await changePair(sql, 1 + (flush % pairs), { title: `Title of ${flush}` });
      await sql`select stream.publish_changes(array(select pair_id from catalog.pairs))`;
    }
    await sql`select stream.broadcast_pending()`;
    if (flush === 40) client.sockets.at(-1)?.terminate();
    if (flush === 80) {
      await isolate.kill();
      await isolate.revive();
    }
  }
  await sql`select stream.broadcast_pending()`;
  const top = await topOf(sql, 'markets:all');
  const heard = client.heard('markets:all');
  await waitUntil(() => heard.offsets.at(-1) === top, { what: 'all is heard', timeoutMs: 30_000 });
  expect(heard.offsets).toEqual(Array.from({ length: top }, (_, n) => n + 1));
  const known = await truth(sql, 'markets:all');
  expect(replayed.state()).toEqual(known);
  expect(known.markets.length).toBeGreaterThan(pairs / 2);
  expect(known.opportunities.length).toBeGreaterThan(0);
  client.centrifuge.disconnect();
}, 120_000);
