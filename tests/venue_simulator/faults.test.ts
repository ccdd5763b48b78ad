import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { getJson, openSocket, ClientA, ClientB, signedHeaders } from './clients.ts';
import { activePairs, fastClock, type RunningVenues, startVenues, type Truth } from './running.ts';

let venues: RunningVenues;
let truth: Truth;
beforeAll(async () => {
  venues = await startVenues('--seed', '41', '--games', '200', '--clock', fastClock(6));
  truth = await getJson<Truth>(`${venues.sim}/truth`);
});
afterAll(() => venues.end());

const injectFault = async (body: Record<string, unknown>) =>
  (await fetch(`${venues.sim}/trap`, { method: 'POST', body: JSON.stringify(body) })).status;
const legs = () => activePairs(truth).flatMap((pair) => pair.outcomes);
const tokens = () => truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.token_id));

async function connectA(): Promise<ClientA> {
  const { ws, key_id, private_key_file } = venues.listening.venue_a;
  const client = new ClientA(await openSocket(ws, signedHeaders(key_id, private_key_file)));
  await client.reply(
    client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: legs().map((leg) => leg.ticker) }),
  );
  return client;
}

async function connectB(): Promise<ClientB> {
  const client = new ClientB(await openSocket(venues.listening.venue_b.ws));
  client.subscribe(tokens());
  await waitUntil(() => client.books.size > 0);
  return client;
}

describe('traps', () => {
  it('silence: the socket stays open and answers PING, but no book data comes', async () => {
    const client = await connectB();
    expect(await injectFault({ trap: 'silence', venue: 'b', for_ms: 4_000 })).toBe(200);
    const heard = client.messages.length;
    await pause(3_000);
    client.socket.send('PING');
    await waitUntil(() => client.pongs.length === 1);
    expect(client.messages.length).toBe(heard);
    await waitUntil(() => client.messages.length > heard);
    // Nothing says what was missed; only the book itself differs.
    const stale = async (token: string) =>
      (await getJson<{ hash: string }>(`${venues.listening.venue_b.clob}/book?token_id=${token}`)).hash !==
      client.books.get(token)?.hash;
    const found = await Promise.all(tokens().map(stale));
    expect(found).toContain(true);
    client.socket.terminate();
  });

  it('cut: the socket ends without a close frame', async () => {
    const client = await connectA();
    const code = new Promise<number>((resolve) => client.socket.once('close', resolve));
    expect(await injectFault({ trap: 'cut', venue: 'a' })).toBe(200);
    expect(await code).toBe(1006);
  });

  it('duplicate and reorder: a frame comes twice, two frames come swapped', async () => {
    const client = await connectA();
    const seqs = () => client.frames.flatMap((frame) => (frame.seq === undefined ? [] : [frame.seq]));
    await injectFault({ trap: 'duplicate', venue: 'a' });
    await waitUntil(() => seqs().some((seq, i) => i > 0 && seq === seqs()[i - 1]));
    await injectFault({ trap: 'reorder', venue: 'a', for_ms: 10_000 });
    await waitUntil(() => seqs().some((seq, i) => i > 0 && seq === (seqs()[i - 1] ?? 0) - 1));
    client.socket.terminate();
  });

  it('overflow: error 25, and the subscription is gone', async () => {
    const client = await connectA();
    await injectFault({ trap: 'overflow', venue: 'a' });
    await waitUntil(() => client.frames.some((frame) => frame.type === 'error' && frame.msg?.code === 25));
    const listed = await client.reply(client.send('list_subscriptions', {}));
    expect(listed.msg).toEqual([]);
    client.socket.terminate();
  });

  it('schema: one listing loses, renames or nulls a field, and the pairs are left alone', async () => {
    const { rest } = venues.listening.venue_a;
    const leg = legs()[0];
    expect(await injectFault({ trap: 'schema', ticker: leg?.ticker, how: 'renamed' })).toBe(200);
    const { market } = await getJson<{ market: Record<string, unknown> }>(`${rest}/markets/${leg?.ticker}`);
    expect(market.ticker).toBeUndefined();
    expect(market.market_ticker).toBe(leg?.ticker);
    expect(await injectFault({ trap: 'schema', how: 'missing' })).toBe(200);
    const { seen } = await getJson<{ seen: { trap: string; hit: string }[] }>(`${venues.sim}/traps`);
    const hit = seen.at(-1)?.hit.split(' ').at(-1) ?? '';
    const paired = truth.pairs.some(
      (pair) => pair.venue_b.event_slug === hit || pair.outcomes.some((one) => one.ticker === hit),
    );
    expect(paired).toBe(false);
  });

  it('shift_rows: a page repeats a row of the page before, and loses none', async () => {
    type Page = { cursor: string; events: { event_ticker: string }[] };
    const { rest } = venues.listening.venue_a;
    const first = await getJson<Page>(`${rest}/events?limit=10`);
    await injectFault({ trap: 'shift_rows', for_ms: 5_000 });
    const second = await getJson<Page>(`${rest}/events?limit=10&cursor=${first.cursor}`);
    expect(second.events[0]).toEqual(first.events.at(-1));
    expect(second.events).toHaveLength(11);
  });

  it('late_market: a market answers 404 for a while after it was created', async () => {
    const world = venues.world;
    if (!world) throw new Error('no world');
    await injectFault({ trap: 'late_market', for_ms: 3_600_000 });
    const fresh = await waitUntil(() => {
      world.advance(world.t + 600_000);
      return world.catalog.eventsA().find((event) => event.question.moments.listed_a > world.t - 1_200_000)?.markets[0];
    });
    const url = `${venues.listening.venue_a.rest}/markets/${fresh.ticker}`;
    expect((await fetch(url)).status).toBe(404);
    world.advance(world.t + 3_700_000);
    expect((await fetch(url)).status).toBe(200);
  });

  it('refuses unknown traps and says when there is nothing to spring one on', async () => {
    expect(await injectFault({ trap: 'bears' })).toBe(400);
    expect(await injectFault({ trap: 'gap', venue: 'a' })).toBe(409);
  });
});
