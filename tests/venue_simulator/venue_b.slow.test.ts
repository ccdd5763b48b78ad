import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { ClientB, getJson, openSocket } from './clients.ts';
import { activePairs, type BookAtTime, fastClock, type RunningVenues, startVenues, type Truth } from './fixture.ts';

let venues: RunningVenues;
let truth: Truth;
beforeAll(async () => {
  venues = await startVenues('--seed', '22', '--games', '200', '--clock', fastClock(6));
  truth = await getJson<Truth>(`${venues.sim}/truth`);
});
afterAll(() => venues.end());

const activeTokens = () => activePairs(truth).flatMap((pair) => pair.outcomes.map((one) => one.token_id));

type Market = {
  slug: string;
  conditionId: string;
  outcomes: string;
  clobTokenIds: string;
  outcomePrices: string;
  bestBid?: number;
  bestAsk?: number;
  feeSchedule: { rate: number };
};

describe('venue_b WebSocket', () => {
  it('sends books with the best level last, then absolute sizes for both tokens with matching best prices', async () => {
    const client = new ClientB(await openSocket(venues.listening.venue_b.ws));
    const tokens = activeTokens();
    client.subscribe(tokens);
    const changes = () => client.messages.filter((message) => message.event_type === 'price_change');
    await waitUntil(() => changes().length > 15, { timeoutMs: 25_000 });
    for (const message of client.messages.filter((one) => one.event_type === 'book')) {
      const bids = (message.bids as { price: string }[]).map((one) => Number(one.price));
      const asks = (message.asks as { price: string }[]).map((one) => Number(one.price));
      expect(bids).toEqual([...bids].sort((x, y) => x - y));
      expect(asks).toEqual([...asks].sort((x, y) => y - x));
    }
    for (const message of changes()) {
      const rows = message.price_changes as { asset_id: string; price: string; size: string; side: string }[];
      expect(rows.length % 2).toBe(0);
      for (let i = 0; i < rows.length; i += 2) {
        const [one, other] = [rows[i], rows[i + 1]];
        expect(one?.asset_id).not.toBe(other?.asset_id);
        expect(Number(one?.price) + Number(other?.price)).toBeCloseTo(1, 9);
        expect(one?.size).toBe(other?.size);
        expect(one?.side).not.toBe(other?.side);
      }
    }
    expect(client.topErrors).toEqual([]);
    let compared = 0;
    for (const token of tokens) {
      const stamp = client.messages.length;
      const rest = await getJson<{ hash: string; bids: { price: string; size: string }[] }>(
        `${venues.listening.venue_b.clob}/book?token_id=${token}`,
      );
      if (client.messages.slice(stamp).some((message) => JSON.stringify(message).includes(token))) continue;
      expect(client.books.get(token)?.hash).toBe(rest.hash);
      expect([...(client.books.get(token)?.bids ?? [])].sort()).toEqual(
        rest.bids.map(({ price, size }) => [price, size]).sort(),
      );
      compared++;
    }
    expect(compared).toBeGreaterThan(0);
    client.socket.terminate();
  });

  it('answers PING with PONG, sends some messages as arrays, and stops after unsubscribe', async () => {
    const client = new ClientB(await openSocket(venues.listening.venue_b.ws));
    const tokens = activeTokens();
    client.socket.send('PING');
    await waitUntil(() => client.pongs.length === 1);
    client.subscribe(tokens);
    await waitUntil(
      () => client.arrayCount > 0 && client.messages.some((message) => message.event_type === 'price_change'),
      { timeoutMs: 20_000 },
    );
    client.socket.send(JSON.stringify({ assets_ids: tokens, operation: 'unsubscribe' }));
    client.socket.send('PING');
    await waitUntil(() => client.pongs.length === 2);
    const count = client.messages.filter((message) => message.event_type !== 'new_market').length;
    await pause(2_500);
    expect(client.messages.filter((message) => message.event_type !== 'new_market').length).toBe(count);
    client.socket.terminate();
  });

  it('sends the best prices that GET /_sim/book returns', async () => {
    const client = new ClientB(await openSocket(venues.listening.venue_b.ws));
    const tokens = truth.pairs.flatMap((pair) => pair.outcomes.map((one) => one.token_id)).slice(0, 300);
    client.subscribe(tokens);
    await waitUntil(() => client.books.size === tokens.length);
    let compared = 0;
    for (const token of tokens) {
      const stamp = client.messages.length;
      const book = await getJson<BookAtTime>(`${venues.sim}/book?token_id=${token}`);
      const { bid, bid_size, ask, ask_size } = client.top(token);
      if (client.messages.slice(stamp).some((message) => JSON.stringify(message).includes(token))) continue;
      expect({ bid: book.bid, bid_size: book.bid_size, ask: book.ask, ask_size: book.ask_size }).toEqual({
        bid,
        bid_size,
        ask,
        ask_size,
      });
      compared++;
    }
    expect(compared).toBeGreaterThan(200);
    client.socket.terminate();
  });
});

describe('venue_b Gamma API', () => {
  type Page = { events: { id: string; slug: string; negRisk: boolean; markets: Market[] }[]; next_cursor?: string };
  const { parse } = JSON;

  it('returns every event once with after_cursor, and ignores a parameter named cursor', async () => {
    const { gamma } = venues.listening.venue_b;
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Page = await getJson<Page>(`${gamma}/events/keyset?limit=41&after_cursor=${cursor}`);
      seen.push(...page.events.map((event) => event.slug));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(truth.pairs.filter((pair) => !seen.includes(pair.venue_b.event_slug))).toEqual([]);
    const first = await getJson<Page>(`${gamma}/events/keyset?limit=5`);
    const withOtherName = await getJson<Page>(`${gamma}/events/keyset?limit=5&cursor=${first.next_cursor}`);
    expect(withOtherName.events.map((event) => event.id)).toEqual(first.events.map((event) => event.id));
  });

  it('writes lists as JSON strings, fees as a schedule, and best prices of outcome 0', async () => {
    const { gamma } = venues.listening.venue_b;
    const page = await getJson<Page>(`${gamma}/events/keyset?limit=500&closed=false`);
    for (const market of page.events.flatMap((event) => event.markets)) {
      expect(parse(market.outcomes)).toHaveLength(2);
      expect(parse(market.clobTokenIds)).toHaveLength(2);
      const [zero, one] = parse(market.outcomePrices) as [string, string];
      expect(Number(zero) + Number(one)).toBeCloseTo(1, 9);
      expect(market.feeSchedule.rate).toBeGreaterThan(0);
      if (market.bestBid !== undefined && market.bestAsk !== undefined)
        expect(market.bestBid).toBeLessThan(market.bestAsk);
    }
    const soccer = page.events.find((event) => event.slug.startsWith('epl-'));
    expect(soccer?.negRisk).toBe(true);
    expect(soccer?.markets.map((market) => market.slug.split('-').at(-1)).includes('draw')).toBe(true);
    const one = await getJson<{ slug: string }>(`${gamma}/events/slug/${soccer?.slug}`);
    expect(one.slug).toBe(soccer?.slug);
    const slugs = await getJson<{ slug: string; events: unknown[] }>(
      `${gamma}/markets/slug/${soccer?.markets[0]?.slug}`,
    );
    expect(slugs.events).toHaveLength(1);
  });

  it('limits a page of markets to 100', async () => {
    const page = await getJson<{ markets: unknown[]; next_cursor?: string }>(
      `${venues.listening.venue_b.gamma}/markets/keyset?limit=500`,
    );
    expect(page.markets).toHaveLength(100);
    expect(page.next_cursor).toBeDefined();
  });
});

describe('venue_b CLOB API', () => {
  it('returns books in batches, the tick size of a book, and 404 for an unknown token', async () => {
    const { clob } = venues.listening.venue_b;
    const tokens = activeTokens().slice(0, 6);
    const answer = await fetch(`${clob}/books`, {
      method: 'POST',
      body: JSON.stringify(tokens.map((token_id) => ({ token_id }))),
    });
    const books = (await answer.json()) as { asset_id: string; tick_size: string; min_order_size: string }[];
    expect(books.map((book) => book.asset_id)).toEqual(tokens);
    expect(books.every((book) => book.min_order_size === '5')).toBe(true);
    expect(await getJson(`${clob}/tick-size?token_id=${tokens[0]}`)).toEqual({
      minimum_tick_size: Number(books[0]?.tick_size),
    });
    expect((await fetch(`${clob}/book?token_id=1`)).status).toBe(404);
  });

  it('answers 425 while the engine restarts', async () => {
    await fetch(`${venues.sim}/fault`, {
      method: 'POST',
      body: JSON.stringify({ fault: 'restart', venue: 'b', for_ms: 300 }),
    });
    const { clob } = venues.listening.venue_b;
    const token = activeTokens()[0];
    expect((await fetch(`${clob}/book?token_id=${token}`)).status).toBe(425);
    await pause(350);
    expect((await fetch(`${clob}/book?token_id=${token}`)).status).toBe(200);
  });
});
