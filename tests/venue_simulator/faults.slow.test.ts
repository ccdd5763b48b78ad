import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { ClientA, ClientB, getJson, openSocket, signedHeaders } from './clients.ts';
import { activePairs, fastClock, type RunningVenues, startVenues, type Truth } from './fixture.ts';

let venues: RunningVenues;
let truth: Truth;
beforeAll(async () => {
  venues = await startVenues('--seed', '41', '--games', '200', '--clock', fastClock(6));
  truth = await getJson<Truth>(`${venues.sim}/truth`);
});
afterAll(() => venues.end());

const injectFault = async (body: Record<string, unknown>) =>
  (await fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify(body) })).status;
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

describe('injected faults', () => {
  it('silence keeps the socket open and answers PING, but sends no book data', async () => {
    const client = await connectB();
    const ping = async () => {
      const before = client.pongs.length;
      client.socket.send('PING');
      await waitUntil(() => client.pongs.length > before);
    };
    const isStale = async (token: string) =>
      (await getJson<{ hash: string }>(`${venues.listening.venue_b.clob}/book?token_id=${token}`)).hash !==
      client.books.get(token)?.hash;
    const stale = async () => (await Promise.all(tokens().map(isStale))).filter((one) => one).length;
    // Until the test lifts it: a slow machine would outlive a silence of a few seconds.
    expect(await injectFault({ fault: 'silence', venue: 'b', for_ms: 600_000 })).toBe(200);
    // Every message from before the silence arrives before the answer to PING.
    await ping();
    const received = client.messages.length;
    await waitUntil(async () => (await stale()) > 5, { everyMs: 500 });
    await ping();
    expect(client.messages.length).toBe(received);
    expect(await injectFault({ fault: 'silence', venue: 'b', for_ms: 0 })).toBe(200);
    await waitUntil(() => client.messages.length > received);
    // No message reports the loss; only a comparison with REST finds it.
    expect(await stale()).toBeGreaterThan(0);
    client.socket.terminate();
  });

  it('cut ends the socket without a close frame', async () => {
    const client = await connectA();
    const code = new Promise<number>((resolve) => client.socket.once('close', resolve));
    expect(await injectFault({ fault: 'cut', venue: 'a' })).toBe(200);
    expect(await code).toBe(1006);
  });

  it('duplicate sends a frame twice, and reorder swaps two frames', async () => {
    const client = await connectA();
    const seqs = () => client.frames.flatMap((frame) => (frame.seq === undefined ? [] : [frame.seq]));
    await injectFault({ fault: 'duplicate', venue: 'a' });
    await waitUntil(() => seqs().some((seq, i) => i > 0 && seq === seqs()[i - 1]));
    await injectFault({ fault: 'reorder', venue: 'a', for_ms: 10_000 });
    await waitUntil(() => seqs().some((seq, i) => i > 0 && seq === (seqs()[i - 1] ?? 0) - 1));
    client.socket.terminate();
  });

  it('overflow sends error 25 and removes the subscription', async () => {
    const client = await connectA();
    await injectFault({ fault: 'overflow', venue: 'a' });
    await waitUntil(() => client.frames.some((frame) => frame.type === 'error' && frame.msg?.code === 25));
    const listed = await client.reply(client.send('list_subscriptions', {}));
    expect(listed.msg).toEqual([]);
    client.socket.terminate();
  });

  it('schema renames or removes a field of one listing, and by default of no paired listing', async () => {
    const { rest } = venues.listening.venue_a;
    const leg = legs()[0];
    expect(await injectFault({ fault: 'schema', ticker: leg?.ticker, how: 'renamed' })).toBe(200);
    const { market } = await getJson<{ market: Record<string, unknown> }>(`${rest}/markets/${leg?.ticker}`);
    expect(market.ticker).toBeUndefined();
    expect(market.market_ticker).toBe(leg?.ticker);
    expect(await injectFault({ fault: 'schema', how: 'missing' })).toBe(200);
    const { injected } = await getJson<{ injected: { fault: string; hit: string }[] }>(`${venues.sim}/faults`);
    const hit = injected.at(-1)?.hit.split(' ').at(-1) ?? '';
    const isPaired = truth.pairs.some(
      (pair) => pair.venue_b.event_slug === hit || pair.outcomes.some((one) => one.ticker === hit),
    );
    expect(isPaired).toBe(false);
  });

  it('shift_rows repeats the last row of the previous page and omits no row', async () => {
    type Page = { cursor: string; events: { event_ticker: string }[] };
    const { rest } = venues.listening.venue_a;
    const first = await getJson<Page>(`${rest}/events?limit=10`);
    await injectFault({ fault: 'shift_rows', for_ms: 5_000 });
    const second = await getJson<Page>(`${rest}/events?limit=10&cursor=${first.cursor}`);
    expect(second.events[0]).toEqual(first.events.at(-1));
    expect(second.events).toHaveLength(11);
  });

  it('late_market answers 404 for a new market until the delay is over', async () => {
    const world = venues.world;
    if (!world) throw new Error('no world');
    await injectFault({ fault: 'late_market', for_ms: 3_600_000 });
    const newMarket = await waitUntil(() => {
      world.advance(world.t + 600_000);
      return world.catalog.eventsA().find((event) => event.question.moments.listed_a > world.t - 1_200_000)?.markets[0];
    });
    const url = `${venues.listening.venue_a.rest}/markets/${newMarket.ticker}`;
    expect((await fetch(url)).status).toBe(404);
    world.advance(world.t + 3_700_000);
    expect((await fetch(url)).status).toBe(200);
  });

  it('hostile_answer gives one request 10 MB of brackets, and the next one its usual answer', async () => {
    const url = `${venues.listening.venue_a.rest}/exchange/status`;
    expect(await injectFault({ fault: 'hostile_answer', venue: 'a', how: 'brackets' })).toBe(200);
    const body = await (await fetch(url)).text();
    expect([body.length, body.slice(0, 3), body.slice(-3)]).toEqual([10_000_000, '[[[', ']]]']);
    expect(await getJson(url)).toMatchObject({ exchange_active: true });
  });

  it('hostile_answer redirects a request of venue B to the address in how', async () => {
    const how = 'http://127.0.0.9:1/elsewhere';
    expect(await injectFault({ fault: 'hostile_answer', venue: 'b', how })).toBe(200);
    const response = await fetch(`${venues.listening.venue_b.clob}/book`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, how]);
  });

  it('hostile_answer sends a body without end until the client cuts the connection', async () => {
    expect(await injectFault({ fault: 'hostile_answer', venue: 'b', how: 'endless' })).toBe(200);
    const cut = new AbortController();
    const response = await fetch(`${venues.listening.venue_b.gamma}/sports`, { signal: cut.signal });
    const reader = response.body?.getReader();
    let bytes = 0;
    while (bytes < 30_000_000) bytes += (await reader?.read())?.value?.length ?? 30_000_000;
    cut.abort();
    expect((await getJson<unknown[]>(`${venues.listening.venue_b.gamma}/sports`)).length).toBeGreaterThan(0);
  });

  it('hostile_answer needs a venue and a known answer', async () => {
    expect(await injectFault({ fault: 'hostile_answer', how: 'brackets' })).toBe(409);
    expect(await injectFault({ fault: 'hostile_answer', venue: 'a', how: 'kindness' })).toBe(409);
  });

  it('long_frame sends one frame of 32 MB, or of the length in how', async () => {
    const client = await connectA();
    const long = new Promise<number>((resolve) => {
      client.socket.on('message', (data) => {
        const { length } = String(data);
        if (length > 1_000_000) resolve(length);
      });
    });
    expect(await injectFault({ fault: 'long_frame', venue: 'a', how: '2000000' })).toBe(200);
    expect(await long).toBeGreaterThan(2_000_000);
    client.socket.terminate();
  });

  it('rejects an unknown fault with 400, and a fault without a target with 409', async () => {
    expect(await injectFault({ fault: 'bears' })).toBe(400);
    expect(await injectFault({ fault: 'gap', venue: 'a' })).toBe(409);
  });
});
