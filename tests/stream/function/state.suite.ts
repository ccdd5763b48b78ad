import { expect, test } from 'vitest';
import { changePair, holdShardLeases, putPair, putUpdates, type SeedUpdate } from '../../api/support/catalog.ts';
import { good } from '../../arb/fixture.ts';
import { type Frame, ReplayedState } from '../../support/replayed_state.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { lastOffset } from '../published_frames.ts';
import { expectedState } from '../truth.ts';
import { connectClient, createStreamClient, type StreamWorld, ticketSource } from './fixture.ts';
import { createKey } from './minted.ts';

// The same guarantee as tests/stream/replayed_state.db.test.ts, but through Realtime, the function
// and the SDK, with interruptions.

const pairs = 40;
export const stateSuite = (at: () => StreamWorld) =>
  test('the state replayed from frames alone equals the database: markets, prices, opportunities', async () => {
    const { fixture, isolate } = at();
    const { sql } = fixture;
    await holdShardLeases(sql);
    const client = await connectClient(
      createStreamClient(isolate.url, ticketSource(sql, await createKey(sql, 'basic'))),
    );
    // Suites before this one have published frames of pairs that do not exist.
    const from = await lastOffset(sql, 'markets:all');
    const replayed = new ReplayedState();
    client.centrifuge.on('publication', ({ channel, data }) => {
      if (channel === 'markets:all') replayed.apply([data as Frame]);
    });
    for (let n = 1; n <= pairs; n += 1)
      await putPair(sql, { n, confirmed: n % 3 !== 0, stage: n % 10 === 9 ? 'candidate' : 'catalog' });
    for (let flush = 0; flush < 120; flush += 1) {
      const frames = Array.from({ length: 10 }, (_, i): readonly [number, SeedUpdate] => {
        const n = 1 + ((flush * 7 + i * 3) % pairs);
        const ask = 300_000 + ((flush * 11 + i * 5) % 40) * 10_000;
        const at = new Date().toISOString();
        if ((flush + i) % 17 === 0) return [n, { at, void: 'feed.silent', opp: null }];
        const asks = [ask, 990_000 - ask];
        const sizes = [100, 100];
        const opp = (flush + i) % 5 === 0 ? good(n, 1_000 + flush) : null;
        return [n, { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes, opp }];
      });
      await putUpdates(sql, frames);
      if (flush % 10 === 3) {
        await changePair(sql, 1 + (flush % pairs), { title: `Title of ${flush}` });
        await sql`select stream.publish_changes(array(select pair_id from catalog.pairs))`;
      }
      await sql`select stream.broadcast_pending()`;
      if (flush === 40) client.sockets.at(-1)?.terminate();
      if (flush === 80) {
        await isolate.kill();
        await isolate.restart();
      }
    }
    await sql`select stream.broadcast_pending()`;
    const top = await lastOffset(sql, 'markets:all');
    const received = client.received('markets:all');
    await waitUntil(() => received.offsets.at(-1) === top, { what: 'all frames' });
    expect(received.offsets).toEqual(Array.from({ length: top - from }, (_, n) => from + 1 + n));
    const expected = await expectedState(sql, 'markets:all');
    expect(replayed.state()).toEqual(expected);
    expect(expected.markets.length).toBeGreaterThan(pairs / 2);
    expect(expected.opportunities.length).toBeGreaterThan(0);
    client.centrifuge.disconnect();
  });
