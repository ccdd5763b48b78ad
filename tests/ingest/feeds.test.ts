import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Shelf } from '../../functions/_shared/engine/shelf.ts';
import { VenueAFeed } from '../../functions/_shared/venue_a/feed.ts';
import { VenueARest } from '../../functions/_shared/venue_a/rest.ts';
import { signerOf } from '../../functions/_shared/venue_a/sign.ts';
import { VenueBFeed } from '../../functions/_shared/venue_b/feed.ts';
import { VenueBRest } from '../../functions/_shared/venue_b/rest.ts';
import { TokenBucket } from '../../functions/_shared/wire/bucket.ts';
import type { BookFeed } from '../../functions/_shared/wire/feed.ts';
import { RestClient } from '../../functions/_shared/wire/rest.ts';
import { type Running, running, type Truth } from '../venues/running.ts';
import { around, nodeSocket, until, watched } from './around.ts';

/** One feed against the simulator's sockets and REST, without a database: what the guards do about each trap. */
describe('feeds and the traps of the venues', () => {
  let venues: Running;
  let truth: Truth;
  const feeds: BookFeed[] = [];

  beforeAll(async () => {
    venues = await running('--games', '20');
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
  });
  afterAll(() => venues?.end());

  const client = (base: string) =>
    new RestClient({ base, around, bucket: new TokenBucket(500, 500, around), attempts: 2, timeoutMs: 2_000 });
  const pull = async (order: Record<string, unknown>): Promise<number> =>
    (
      await fetch(`${venues.sim}/trap`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order),
      })
    ).status;
  const legs = (count: number) => truth.pairs.flatMap((pair) => pair.outcomes).slice(-count);

  async function venueA(options: { refusedMs?: number; quietMs?: number } = {}) {
    const { rest, ws, key_id, private_key_file } = venues.listening.venue_a;
    const doubts: string[] = [];
    const shelf: Shelf = new Shelf('venue_a', (ticker) => doubts.push(shelf.get(ticker)?.doubt ?? 'believed'));
    const tickers = [...new Set(legs(300).map((leg) => leg.ticker))];
    for (const ticker of tickers) shelf.want(ticker, Date.now());
    const sign = await signerOf(key_id, readFileSync(private_key_file, 'utf8'), Date.now);
    const world = watched();
    const feed = new VenueAFeed({
      shelf,
      rest: new VenueARest(client(rest)),
      around: world,
      socket: { url: ws, make: nodeSocket, sign },
      ...options,
    });
    feeds.push(feed);
    feed.start();
    const believed = () => tickers.filter((ticker) => shelf.get(ticker)?.doubt === null).length;
    await until('all books of venue_a', () => believed() === tickers.length);
    doubts.length = 0;
    return { feed, shelf, tickers, doubts, believed, world };
  }

  async function venueB() {
    const { gamma, clob, ws } = venues.listening.venue_b;
    const doubts: string[] = [];
    const shelf: Shelf = new Shelf('venue_b', (token) => doubts.push(shelf.get(token)?.doubt ?? 'believed'));
    const tokens = [...new Set(legs(300).map((leg) => leg.token_id))];
    for (const token of tokens) shelf.want(token, Date.now());
    const world = watched();
    const feed = new VenueBFeed({
      shelf,
      rest: new VenueBRest(client(gamma), client(clob)),
      around: world,
      socket: { url: ws, make: nodeSocket },
      quietMs: 1_500,
    });
    feeds.push(feed);
    feed.start();
    const believed = () => tokens.filter((token) => shelf.get(token)?.doubt === null).length;
    await until('all books of venue_b', () => believed() === tokens.length);
    doubts.length = 0;
    return { feed, shelf, tokens, doubts, believed, world };
  }

  it.each(['gap', 'duplicate', 'reorder'])(
    'venue_a: %s shows in the sequence, and every book is read again',
    async (trap) => {
      const a = await venueA();
      expect(await pull({ trap, venue: 'a' })).toBe(200);
      await until('the gap', () => a.doubts.includes('book.gap'));
      await until('all believed again', () => a.believed() === a.tickers.length);
    },
  );

  it('venue_a: a buffer overflow goes on with smaller connections', async () => {
    const a = await venueA();
    expect(await pull({ trap: 'overflow', venue: 'a' })).toBe(200);
    await until('the overflow', () => a.world.lines.some((line) => line.includes('buffer overflow')));
    await until('all believed again', () => a.believed() === a.tickers.length);
  });

  it('venue_a: a refused key leaves polled books, and is tried again', async () => {
    const a = await venueA({ refusedMs: 4_000 });
    expect(await pull({ trap: 'auth', venue: 'a' })).toBe(200);
    await until('polling', () => a.feed.detail === 'polling', 25_000);
    await until('believed', () => a.believed() === a.tickers.length);
    await until('the socket again', () => a.feed.detail === 'websocket');
    await until('believed by the socket', () => a.believed() === a.tickers.length);
  }, 45_000);

  it('venue_a: a socket that has gone silent is found out by REST', async () => {
    const a = await venueA({ quietMs: 1_500 });
    expect(await pull({ trap: 'silence', venue: 'a', for_ms: 10_000 })).toBe(200);
    await until('frozen', () => a.doubts.includes('feed.frozen'), 20_000);
    await until('all believed again', () => a.believed() === a.tickers.length, 20_000);
  }, 45_000);

  it('venue_b: a socket that has gone silent is found out by REST, group by group', async () => {
    const b = await venueB();
    expect(await pull({ trap: 'silence', venue: 'b', for_ms: 10_000 })).toBe(200);
    await until('frozen', () => b.doubts.includes('feed.frozen'), 20_000);
    await until('all believed again', () => b.believed() === b.tokens.length, 20_000);
  }, 45_000);

  it.each(['a', 'b'] as const)(
    'venue_%s: an engine that restarts costs its books until they are read again',
    async (venue) => {
      const one = venue === 'a' ? await venueA() : await venueB();
      const all = one.believed();
      expect(await pull({ trap: 'restart', venue, for_ms: 1_500 })).toBe(200);
      await until('disconnected', () => one.doubts.includes('feed.disconnected'));
      await until('all believed again', () => one.believed() === all, 20_000);
    },
    45_000,
  );
});
