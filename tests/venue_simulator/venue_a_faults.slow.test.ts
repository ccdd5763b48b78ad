import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VENUE_A_FAULTS } from '../../local/venue_simulator/faults/venue_a_faults.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { ClientA, getJson, openSocket, signedHeaders } from './clients.ts';
import { type RunningVenues, startVenues, type Truth } from './fixture.ts';

/** Faults of venue A's key, limits and status, as its documents of 2026-08-22 describe them. */

type Flags = { exchange_active: boolean; trading_active: boolean };
type Status = Flags & { exchange_index_statuses?: (Flags & { exchange_index: number })[] };
type Event = {
  event_ticker: string;
  exchange_index: number;
  markets?: ({ ticker: string; exchange_index: number } & Record<string, unknown>)[] | null;
};

let venues: RunningVenues;
let tickers: string[];
beforeAll(async () => {
  venues = await startVenues('--seed', '41', '--games', '60', '--tokens', '400');
  const truth = await getJson<Truth>(`${venues.sim}/truth`);
  tickers = truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => leg.ticker)).slice(0, 40);
});
afterEach(async () => {
  for (const fault of VENUE_A_FAULTS) await inject({ fault, for_ms: 0 });
});
afterAll(() => venues.end());

const inject = async (body: Record<string, unknown>) =>
  (await fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify(body) })).status;
const rest = () => venues.listening.venue_a.rest;
const status = () => getJson<Status>(`${rest()}/exchange/status`);
const headers = (path?: string) =>
  signedHeaders(venues.listening.venue_a.key_id, venues.listening.venue_a.private_key_file, path);
const signed = async (path: string) =>
  (await fetch(`${rest()}${path}`, { headers: headers(`/trade-api/v2${path.split('?')[0]}`) })).status;
const unsigned = async (path: string) => (await fetch(`${rest()}${path}`)).status;
const connect = async () => new ClientA(await openSocket(venues.listening.venue_a.ws, headers()));
const errorOf = (client: ClientA, id: number) => client.reply(id).then((frame) => frame.msg?.code);

describe('exchange indexes', () => {
  it('crypto is on index 2, tennis and baseball are on 3, and an event, its markets and its series agree', async () => {
    type Series = { ticker: string; category: string; tags: string[] | null; exchange_index: number };
    const { series } = await getJson<{ series: Series[] }>(`${rest()}/series`);
    const expected = ({ category, tags }: Series) =>
      category === 'Crypto' ? 2 : tags?.some((tag) => tag === 'Tennis' || tag === 'Baseball') ? 3 : 0;
    expect(series.filter((one) => one.exchange_index !== expected(one))).toEqual([]);
    const indexes = new Map(series.map((one) => [one.ticker, one.exchange_index]));
    const { events } = await getJson<{ events: Event[] }>(`${rest()}/events?limit=200&with_nested_markets=true`);
    for (const event of events) {
      expect(event.exchange_index).toBe(indexes.get(event.event_ticker.split('-')[0] ?? ''));
      for (const market of event.markets ?? []) expect(market.exchange_index).toBe(event.exchange_index);
    }
    expect(new Set(events.map((event) => event.exchange_index))).toEqual(new Set([0, 2, 3]));
  });

  it('a pause can concern one index, and the flags at the top are those of index 0', async () => {
    const rows = async () =>
      (await status()).exchange_index_statuses?.map((row) => [row.exchange_index, row.trading_active]);
    const all = (paused: number[]) => [0, 1, 2, 3].map((index) => [index, !paused.includes(index)]);
    expect(await rows()).toEqual(all([]));
    expect(await inject({ fault: 'pause', how: '2', for_ms: 400 })).toBe(200);
    expect([await rows(), (await status()).trading_active]).toEqual([all([2]), true]);
    expect(await inject({ fault: 'pause', how: '0', for_ms: 400 })).toBe(200);
    expect((await status()).trading_active).toBe(false);
    await pause(450);
    await inject({ fault: 'pause', for_ms: 200 });
    expect(await rows()).toEqual(all([0, 1, 2, 3]));
    expect(await inject({ fault: 'pause', how: 'all' })).toBe(409);
  });

  it('no_status omits the row of one index, or all rows', async () => {
    await inject({ fault: 'no_status', how: '3', for_ms: 60_000 });
    expect((await status()).exchange_index_statuses?.map((row) => row.exchange_index)).toEqual([0, 1, 2]);
    await inject({ fault: 'no_status', for_ms: 60_000 });
    expect(Object.keys(await status())).not.toContain('exchange_index_statuses');
  });
});

describe('the key', () => {
  it('a signature that is there is checked, and only the account needs one', async () => {
    expect([await unsigned('/events?limit=1'), await signed('/events?limit=1')]).toEqual([200, 200]);
    expect([await unsigned('/account/limits'), await signed('/account/limits')]).toEqual([401, 200]);
    const forged = { ...headers('/trade-api/v2/series'), 'KALSHI-ACCESS-SIGNATURE': 'AAAA' };
    expect((await fetch(`${rest()}/series`, { headers: forged })).status).toBe(401);
  });

  it('expired_key refuses handshakes and signed requests with 401, and open sockets go on', async () => {
    const client = await connect();
    await inject({ fault: 'expired_key', for_ms: 60_000 });
    await expect(connect()).rejects.toThrow('Unexpected server response: 401');
    expect([await unsigned('/events?limit=1'), await signed('/events?limit=1')]).toEqual([200, 401]);
    expect((await client.reply(client.send('list_subscriptions', {}))).type).toBe('ok');
    client.socket.terminate();
  });

  it.each([
    ['closed', 'Unexpected server response: 401'],
    ['reset', 'socket hang up'],
  ])('expired_key (%s) also ends open sockets, and a handshake fails with "%s"', async (how, message) => {
    const client = await connect();
    const code = new Promise<number>((resolve) => client.socket.once('close', resolve));
    await inject({ fault: 'expired_key', how, for_ms: 60_000 });
    expect(await code).toBe(1006);
    await expect(connect()).rejects.toThrow(message);
  });
});

describe('limits', () => {
  const batch = (count: number) =>
    `/markets/orderbooks?${tickers
      .slice(0, count)
      .map((one) => `tickers=${one}`)
      .join('&')}`;

  it('batch_refused answers 401 for a batch of books, and 200 for a single one', async () => {
    await inject({ fault: 'batch_refused', for_ms: 60_000 });
    expect([await unsigned(batch(2)), await signed(batch(2))]).toEqual([401, 401]);
    expect(await unsigned(`/markets/${tickers[0]}/orderbook`)).toBe(200);
  });

  it('item_billing charges each book of a batch, and lists the cost unless it is unlisted', async () => {
    type Costs = { default_cost: number; endpoint_costs: { method: string; path: string; cost: number }[] };
    const costs = async () => {
      const { default_cost, endpoint_costs } = await getJson<Costs>(`${rest()}/account/endpoint_costs`);
      return [default_cost, endpoint_costs.find((row) => row.path.endsWith('/markets/orderbooks'))?.cost];
    };
    expect(await costs()).toEqual([10, undefined]);
    expect(await unsigned(batch(40))).toBe(200);
    await inject({ fault: 'item_billing', how: '25', for_ms: 60_000 });
    expect(await costs()).toEqual([10, 25]);
    // 40 books cost 1,000 tokens, and the bucket holds 800.
    expect(await unsigned(batch(40))).toBe(429);
    await inject({ fault: 'item_billing', how: 'unlisted', for_ms: 60_000 });
    expect(await costs()).toEqual([10, undefined]);
  });

  it('throttled answers every request with 429, except that of the status', async () => {
    await inject({ fault: 'throttled', for_ms: 60_000 });
    expect([await unsigned('/series'), await unsigned('/exchange/status')]).toEqual([429, 200]);
  });

  it('market_limit refuses markets beyond the limit of a subscription with error 26', async () => {
    await inject({ fault: 'market_limit', how: '10', for_ms: 60_000 });
    const client = await connect();
    const subscribe = (some: string[]) =>
      client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: some });
    expect(await errorOf(client, subscribe(tickers.slice(0, 11)))).toBe(26);
    const { msg } = await client.reply(subscribe(tickers.slice(0, 10)));
    const add = { sids: [msg?.sid], action: 'add_markets', market_tickers: tickers.slice(10, 12) };
    expect(await errorOf(client, client.send('update_subscription', add))).toBe(26);
    client.socket.terminate();
  });

  it('command_rate refuses commands beyond the rate of a connection with error 27', async () => {
    const client = await connect();
    await inject({ fault: 'command_rate', how: '2', for_ms: 60_000 });
    const ids = [1, 2, 3].map(() => client.send('list_subscriptions', {}));
    const types = await Promise.all(ids.map(async (id) => (await client.reply(id)).type));
    expect(types).toEqual(['ok', 'ok', 'error']);
    expect(await errorOf(client, ids[2] ?? 0)).toBe(27);
    await pause(1_050);
    expect((await client.reply(client.send('list_subscriptions', {}))).type).toBe('ok');
    client.socket.terminate();
  });
});

describe('listings', () => {
  const eventOf = async (ticker: string): Promise<Event | undefined> =>
    (await getJson<{ events: Event[] }>(`${rest()}/events?tickers=${ticker}&with_nested_markets=true`)).events[0];

  it('no_markets serves an event without its list of markets, or with null', async () => {
    const { event_ticker } = (await getJson<{ market: Event }>(`${rest()}/markets/${tickers[0]}`)).market;
    await inject({ fault: 'no_markets', ticker: tickers[0], for_ms: 600 });
    expect(Object.keys((await eventOf(event_ticker)) ?? {})).not.toContain('markets');
    await inject({ fault: 'no_markets', ticker: tickers[0], how: 'null', for_ms: 600 });
    expect((await eventOf(event_ticker))?.markets).toBeNull();
    await waitUntil(async () => ((await eventOf(event_ticker))?.markets?.length ?? 0) > 0, {
      what: 'the markets again',
    });
  });

  it('fee_waiver gives a market the end of a waiver', async () => {
    const market = async () =>
      (await getJson<{ market: Record<string, unknown> }>(`${rest()}/markets/${tickers[1]}`)).market;
    expect(Object.keys(await market())).not.toContain('fee_waiver_expiration_time');
    await inject({ fault: 'fee_waiver', ticker: tickers[1], for_ms: 60_000 });
    const end = Date.parse(String((await market()).fee_waiver_expiration_time));
    expect(Math.abs(end - Date.now() - 60_000)).toBeLessThan(2_000);
  });
});
