import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { BookA, ClientA, type Frame, getJson, openSocket, signedHeaders } from './clients.ts';
import { activePairs, type BookAtTime, fastClock, type RunningVenues, startVenues, type Truth } from './fixture.ts';

let venues: RunningVenues;
let rest: string;
let truth: Truth;

beforeAll(async () => {
  venues = await startVenues('--seed', '21', '--games', '200', '--clock', fastClock(6));
  rest = venues.listening.venue_a.rest;
  truth = await getJson<Truth>(`${venues.sim}/truth`);
});
afterAll(() => venues.end());

async function connect(): Promise<ClientA> {
  const { ws, key_id, private_key_file } = venues.listening.venue_a;
  return new ClientA(await openSocket(ws, signedHeaders(key_id, private_key_file)));
}

const activeTickers = () =>
  activePairs(truth)
    .flatMap((pair) => pair.outcomes.map((one) => one.ticker))
    .slice(0, 24);

const sequenceOf = (reader: ClientA, sid: number) =>
  reader.frames.filter((frame) => frame.sid === sid && frame.seq !== undefined).map((frame) => frame.seq);
const oneTo = (length: number) => Array.from({ length }, (_, i) => i + 1);

describe('venue_a WebSocket handshake', () => {
  const attempt = async (headers: Record<string, string>) =>
    openSocket(venues.listening.venue_a.ws, headers).then(
      () => 'open',
      (error: Error) => error.message,
    );

  it('accepts only a valid signature over timestamp, method and path', async () => {
    const { key_id, private_key_file } = venues.listening.venue_a;
    const good = signedHeaders(key_id, private_key_file);
    expect(await attempt(good)).toBe('open');
    expect(await attempt({})).toContain('401');
    expect(await attempt({ ...good, 'KALSHI-ACCESS-KEY': 'unknown-key' })).toContain('401');
    expect(await attempt({ ...good, 'KALSHI-ACCESS-TIMESTAMP': String(Date.now() + 1) })).toContain('401');
    expect(await attempt(signedHeaders(key_id, private_key_file, '/trade-api/v2/markets'))).toContain('401');
    expect(
      await attempt(signedHeaders(key_id, private_key_file, '/trade-api/ws/v2', Date.now() - 3_600_000)),
    ).toContain('401');
  });
});

describe('venue_a WebSocket', () => {
  it('uses one sequence per sid for snapshots, deltas and ok frames', async () => {
    const client = await connect();
    const tickers = activeTickers();
    const { msg } = await client.reply(
      client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers.slice(0, 3) }),
    );
    const sid = Number(msg?.sid);
    const ok = await client.reply(
      client.send('update_subscription', { sid, action: 'add_markets', market_tickers: tickers.slice(3) }),
    );
    expect(ok).toMatchObject({ type: 'ok', sid, msg: { market_tickers: [...tickers].sort() } });
    expect(ok.seq).toBeGreaterThan(3);
    await waitUntil(() => client.frames.filter((frame) => frame.type === 'orderbook_delta').length > 30);
    const removed = await client.reply(
      client.send('update_subscription', { sids: [sid], action: 'delete_markets', market_tickers: tickers.slice(3) }),
    );
    expect(removed.type).toBe('ok');
    const snapshots = () => client.frames.filter((frame) => frame.type === 'orderbook_snapshot').length;
    const before = snapshots();
    await client.reply(
      client.send('update_subscription', { sid, action: 'get_snapshot', market_tickers: tickers.slice(0, 2) }),
    );
    await waitUntil(() => snapshots() === before + 2);
    const left = await client.reply(client.send('unsubscribe', { sids: [sid] }));
    expect(left).toMatchObject({ type: 'unsubscribed', sid });
    const seqs = sequenceOf(client, sid);
    expect(seqs).toEqual(oneTo(seqs.length));
    client.socket.terminate();
  });

  it('sends snapshots and deltas that lead to the book of REST, and never to a crossed book', async () => {
    const client = await connect();
    const tickers = activeTickers();
    client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers });
    let crossed = 0;
    client.socket.on('message', () => {
      for (const book of client.books.values()) {
        const { bid, ask } = book.top();
        if (bid !== null && ask !== null && bid >= ask) crossed++;
      }
    });
    await waitUntil(() => client.frames.filter((frame) => frame.type === 'orderbook_delta').length > 60);
    let compared = 0;
    for (const ticker of tickers) {
      const stamp = client.frames.length;
      const { orderbook_fp } = await getJson<{ orderbook_fp: Record<string, [string, string][] | null> }>(
        `${rest}/markets/${ticker}/orderbook`,
      );
      if (client.frames.slice(stamp).some((frame) => frame.msg?.market_ticker === ticker)) continue;
      const book = new BookA();
      book.apply({
        type: 'orderbook_snapshot',
        msg: { yes_dollars_fp: orderbook_fp.yes_dollars, no_dollars_fp: orderbook_fp.no_dollars },
      });
      expect(client.books.get(ticker)?.yes).toEqual(book.yes);
      expect(client.books.get(ticker)?.no).toEqual(book.no);
      const prices = (orderbook_fp.yes_dollars ?? []).map(([price]) => price);
      expect(prices).toEqual([...prices].sort());
      compared++;
    }
    expect(compared).toBeGreaterThan(tickers.length / 2);
    expect(crossed).toBe(0);
    expect([...client.books.values()].map((book) => book.negative)).toEqual(tickers.map(() => 0));
    client.socket.terminate();
  });

  it('writes the NO side in YES prices only with use_yes_price', async () => {
    const client = await connect();
    const ticker = activeTickers()[0] ?? '';
    const noSide = async (use_yes_price: boolean) => {
      const from = client.frames.length;
      const { msg } = await client.reply(
        client.send('subscribe', { channels: ['orderbook_delta'], market_ticker: ticker, use_yes_price }),
      );
      const frame = await waitUntil(() => client.frames.slice(from).find((one) => one.type === 'orderbook_snapshot'));
      await client.reply(client.send('unsubscribe', { sids: [msg?.sid] }));
      const levels = (frame.msg?.no_dollars_fp ?? []) as [string, string][];
      return levels.map(([price]) => Number(price));
    };
    const no = Math.max(...(await noSide(false)));
    const yes = Math.min(...(await noSide(true)));
    expect(Math.abs(1 - no - yes)).toBeLessThan(0.03);
    client.socket.terminate();
  });

  it('answers invalid commands with the error codes of the venue', async () => {
    const client = await connect();
    const ticker = activeTickers()[0];
    const code = async (cmd: string, params: Record<string, unknown>) =>
      (await client.reply(client.send(cmd, params))).msg?.code;
    expect(await code('subscribe', { channels: ['orderbook_delta'], market_ticker: 'KXNOSUCH-26-A' })).toBe(16);
    expect(
      (await client.reply(client.send('subscribe', { channels: ['orderbook_delta'], market_ticker: ticker }))).type,
    ).toBe('subscribed');
    expect(await code('subscribe', { channels: ['orderbook_delta'], market_ticker: ticker })).toBe(6);
    expect(await code('unsubscribe', { sids: [99] })).toBe(7);
    expect(await code('dance', {})).toBe(5);
    const listed = await client.reply(client.send('list_subscriptions', {}));
    expect(listed.msg).toEqual([{ channel: 'orderbook_delta', sid: 1 }]);
    client.socket.terminate();
  });

  it('sends a ping with the body heartbeat', async () => {
    const client = await connect();
    const body = await new Promise<string>((resolve) => client.socket.once('ping', (data) => resolve(String(data))));
    expect(body).toBe('heartbeat');
    client.socket.terminate();
  });

  it('leaves exactly one gap in the sequence after a gap fault', async () => {
    const client = await connect();
    const { msg } = await client.reply(
      client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: activeTickers() }),
    );
    await fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify({ fault: 'gap', venue: 'a' }) });
    const afterGap = await waitUntil(
      () => {
        const seqs = sequenceOf(client, Number(msg?.sid));
        return seqs.find((seq, i) => i > 0 && seq !== (seqs[i - 1] ?? 0) + 1);
      },
      { timeoutMs: 20_000 },
    );
    const seqs = sequenceOf(client, Number(msg?.sid));
    expect(seqs.filter((seq, i) => i > 0 && seq !== (seqs[i - 1] ?? 0) + 1)).toEqual([afterGap]);
    client.socket.terminate();
  });

  it('keeps a book crossed, one-sided or empty for the requested time', async () => {
    const client = await connect();
    client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: activeTickers() });
    // The book of a game that is nearly decided may have only one side, even without a fault.
    const ticker = await waitUntil(() =>
      activeTickers().find((one) => {
        const top = client.books.get(one)?.top();
        return top?.bid != null && top.ask != null && top.bid > 0.1 && top.ask < 0.9;
      }),
    );
    const injectFault = (fault: string) =>
      fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify({ fault, ticker, for_ms: 5_000 }) });
    const isHealthy = () => {
      const top = client.books.get(ticker)?.top();
      return top && top.bid !== null && top.ask !== null && top.bid < top.ask;
    };
    await injectFault('crossed');
    await waitUntil(() => (client.books.get(ticker)?.top().bid ?? 0) > (client.books.get(ticker)?.top().ask ?? 1));
    await waitUntil(isHealthy);
    await injectFault('one_sided');
    await waitUntil(() => client.books.get(ticker)?.top().ask === null && client.books.get(ticker)?.top().bid !== null);
    await waitUntil(isHealthy);
    await injectFault('empty');
    await waitUntil(() => client.books.get(ticker)?.yes.size === 0 && client.books.get(ticker)?.no.size === 0);
    await waitUntil(isHealthy);
    client.socket.terminate();
  });
});

describe('venue_a REST', () => {
  type Page = { cursor: string; events: { event_ticker: string; markets?: { ticker: string; status: string }[] }[] };

  it('returns every event once over all pages, and filters by series', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await getJson<Page>(`${rest}/events?limit=37&with_nested_markets=true&cursor=${cursor}`);
      seen.push(...page.events.map((event) => event.event_ticker));
      cursor = page.cursor;
      if (!cursor) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const paired = truth.pairs.map((pair) => pair.venue_a.event_ticker);
    expect(paired.filter((ticker) => !seen.includes(ticker))).toEqual([]);
    const one = await getJson<Page>(`${rest}/events?series_ticker=KXNBAGAME&status=open`);
    expect(one.events.length).toBeGreaterThan(3);
    expect(
      one.events.every((event) => event.event_ticker.startsWith('KXNBAGAME-') && event.markets === undefined),
    ).toBe(true);
  });

  it('returns every market over pages that end within an event', async () => {
    const whole = await getJson<{ markets: { ticker: string }[] }>(
      `${rest}/markets?limit=1000&mve_filter=exclude&series_ticker=KXSB`,
    );
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await getJson<{ cursor: string; markets: { ticker: string }[] }>(
        `${rest}/markets?limit=7&series_ticker=KXSB&cursor=${cursor}`,
      );
      paged.push(...page.markets.map((market) => market.ticker));
      cursor = page.cursor;
      if (!cursor) break;
    }
    expect(paged).toEqual(whole.markets.map((market) => market.ticker));
  });

  it('rejects the filter status=finalized, limits outside the range and unknown tickers', async () => {
    const status = async (path: string) => (await fetch(`${rest}${path}`)).status;
    expect(await status('/markets?status=finalized')).toBe(400);
    expect(await status('/events?limit=201')).toBe(400);
    expect(await status('/markets?limit=1001')).toBe(400);
    expect(await status('/markets/KXNOSUCH-26-A')).toBe(404);
    expect(await status('/markets/orderbooks')).toBe(400);
    expect(await status('/exchange/schedule')).toBe(200);
  });

  it('returns books in batches, milestones with real start times, and half the fee for baseball', async () => {
    const tickers = activeTickers().slice(0, 5);
    const { orderbooks } = await getJson<{ orderbooks: { ticker: string }[] }>(
      `${rest}/markets/orderbooks?${tickers.map((one) => `tickers=${one}`).join('&')}`,
    );
    expect(orderbooks.map((one) => one.ticker)).toEqual(tickers);
    const game = truth.pairs.find((pair) => pair.family === 'moneyline');
    const { milestones } = await getJson<{ milestones: { start_date: string }[] }>(
      `${rest}/milestones?limit=500&related_event_ticker=${game?.venue_a.event_ticker}`,
    );
    expect(milestones.map((one) => Date.parse(one.start_date))).toEqual([game?.start]);
    const { series } = await getJson<{ series: { fee_multiplier: number; fee_type: string } }>(
      `${rest}/series/KXMLBGAME`,
    );
    expect(series).toMatchObject({ fee_multiplier: 0.5, fee_type: 'quadratic_with_maker_fees' });
  });

  it('limits requests with a token bucket and answers 429 with the error text of the venue', async () => {
    // A burst of two requests, then one a second: also 15 slow requests are more than that.
    const small = await startVenues('--games', '20', '--tokens', '10');
    try {
      const began = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 15 }, () => fetch(`${small.listening.venue_a.rest}/exchange/status`)),
      );
      const seconds = Math.ceil((performance.now() - began) / 1_000);
      const limited = answers.filter((answer) => answer.status === 429);
      expect(limited.length).toBeGreaterThan(2);
      expect(answers.length - limited.length).toBeGreaterThanOrEqual(2);
      expect(answers.length - limited.length).toBeLessThanOrEqual(2 + seconds);
      expect(await limited[0]?.json()).toEqual({ error: 'too many requests' });
      await waitUntil(async () => (await fetch(`${small.listening.venue_a.rest}/exchange/status`)).status === 200, {
        everyMs: 300,
      });
    } finally {
      small.end();
    }
  });
});

describe('GET /_sim/book', () => {
  it('returns the best prices that venue_a sent at a given time', async () => {
    const client = await connect();
    const tickers = activeTickers();
    client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers });
    const moments = () => new Set(client.frames.map((frame) => `${frame.msg?.market_ticker} ${frame.msg?.ts_ms}`)).size;
    await waitUntil(() => moments() > tickers.length + 12, { timeoutMs: 25_000 });
    // The top of book after each timestamp, rebuilt from the frames alone.
    const books = new Map<string, BookA>();
    const stamped: { ticker: string; at: number; top: ReturnType<BookA['top']> }[] = [];
    for (const frame of client.frames) {
      if (!frame.type.startsWith('orderbook_')) continue;
      const ticker = String((frame as Frame).msg?.market_ticker);
      const book = books.get(ticker) ?? new BookA();
      books.set(ticker, book);
      book.apply(frame);
      const at = Number(frame.msg?.ts_ms);
      if (!at) continue;
      const last = stamped.at(-1);
      if (last && last.ticker === ticker && last.at === at) last.top = book.top();
      else stamped.push({ ticker, at, top: book.top() });
    }
    expect(stamped.length).toBeGreaterThan(5);
    for (const { ticker, at, top } of stamped) {
      const book = await getJson<BookAtTime>(`${venues.sim}/book?ticker=${ticker}&at=${at}`);
      expect({ bid: book.bid, bid_size: book.bid_size, ask: book.ask, ask_size: book.ask_size }).toEqual(top);
    }
    client.socket.terminate();
  });
});
