import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRuntime } from '../../functions/_shared/system_runtime.ts';
import { MarketClock } from '../../functions/ingest/clock.ts';
import { openWithNode } from '../../functions/ingest/sockets.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { parseOptions } from '../../local/venue_simulator/args.ts';
import { systemClock } from '../../local/venue_simulator/core/clock.ts';
import type { FaultRequest, Faults } from '../../local/venue_simulator/faults/faults.ts';
import { type RunningSimulator, serve } from '../../local/venue_simulator/serve.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { seededRandom, VirtualTime } from '../support/virtual_time.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type FeedFixture, feedA, feedB, type VenueAccess } from './feed_fixture.ts';
import { VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: a feed sees the same over the transports of virtual time as over real sockets: the
 * same messages in the same order, the same refusals and ends of connections, the same answers. The
 * unit tests of the feeds rely on it.
 */

/** A transport to venues at a fixed market time, so that only a test changes a book. */
type Transport = VenueAccess & {
  faults: Faults;
  /** A ticker and the token of the same outcome, and more of each. */
  tickers: string[];
  tokens: string[];
  until(condition: () => unknown, what: string): Promise<unknown>;
  run<T>(work: Promise<T>): Promise<T>;
};

const SEED = 5;
const GAMES = 20;
const folder = temporaryFolder('transports');
let real: Transport;
let virtual: Transport;
let simulator: RunningSimulator;

beforeAll(async () => {
  const venues = new VirtualVenues({ seed: SEED, games: GAMES, rate: 0 });
  const legs = venues.legs(60);
  const tickers = [...new Set(legs.map((leg) => leg.ticker))];
  const tokens = [...new Set(legs.map((leg) => leg.token_id))];
  virtual = {
    ...venues,
    faults: venues.simulator.faults,
    tickers,
    tokens,
    until: (condition, what) => venues.time.until(condition, { what }),
    run: (work) => venues.time.run(work),
  };
  // The same market at the same market time.
  const segments = [{ real_from: 0, market_from: new VirtualTime().now(), rate: 0 }];
  const args = ['--data', folder, '--seed', String(SEED), '--games', String(GAMES), '--traps', 'none'];
  simulator = await serve(parseOptions([...args, '--clock', JSON.stringify(segments)]), {
    clock: systemClock,
    random: seededRandom('faults'),
    log: () => {},
  });
  const { venue_a, venue_b } = simulator.listening;
  const clock = new MarketClock(systemRuntime.now);
  clock.set(segments);
  real = {
    runtime: systemRuntime,
    openSocket: openWithNode,
    addresses: { venue_a, venue_b },
    sign: await signerOf(venue_a.key_id, readFileSync(venue_a.private_key_file, 'utf8'), systemRuntime.now),
    clock,
    faults: simulator.faults,
    tickers,
    tokens,
    until: (condition, what) => waitUntil(condition, { what, timeoutMs: 30_000 }),
    run: (work) => work,
  };
});
afterAll(() => {
  simulator?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inject = ({ faults }: Transport, request: FaultRequest) => expect(faults.inject(request)).not.toBeNull();

/** The events of one connection, as the feed gets them. */
function connect({ openSocket }: Transport, url: string, headers: Record<string, string> = {}) {
  const events: unknown[] = [];
  const socket = openSocket(url, headers, {
    open: () => events.push('open'),
    message: (text) => events.push(text),
    overLimit: (fault) => events.push({ overLimit: fault }),
    close: (reason, status) => events.push({ close: reason, status: status ?? null }),
  });
  const isClosed = () => events.some((event) => typeof event === 'object');
  return { socket, events, isClosed };
}

/** Runs the scenario over both transports and compares what it returns. */
async function expectSame<T>(scenario: (transport: Transport) => Promise<T>): Promise<T> {
  const [overReal, overVirtual] = [await scenario(real), await scenario(virtual)];
  expect(overVirtual).toEqual(overReal);
  return overVirtual;
}

const headersOf = async ({ sign, run }: Transport) => await run(sign('GET', '/trade-api/ws/v2'));

describe('sockets in virtual time and real ones', () => {
  it('are refused with the same statuses, and end in the same ways', async () => {
    const closed = await expectSame(async (transport) => {
      const { until, addresses, faults } = transport;
      const { ws } = addresses.venue_a;
      const ends: unknown[] = [];
      const attempt = async (url: string, headers: Record<string, string> = {}) => {
        const { events, isClosed } = connect(transport, url, headers);
        await until(isClosed, 'the end of the connection');
        ends.push(...events);
      };
      const signed = await headersOf(transport);
      await attempt(`${ws}/wrong`, signed);
      await attempt(ws);
      inject(transport, { fault: 'expired_key', for_ms: 60_000 });
      await attempt(ws, signed);
      inject(transport, { fault: 'expired_key', how: 'reset', for_ms: 60_000 });
      await attempt(ws, signed);
      inject(transport, { fault: 'expired_key', for_ms: 0 });
      inject(transport, { fault: 'restart', venue: 'a', for_ms: 60_000 });
      await attempt(ws, signed);
      inject(transport, { fault: 'restart', venue: 'a', for_ms: 0 });
      inject(transport, { fault: 'restart', venue: 'b', for_ms: 60_000 });
      await attempt(addresses.venue_b.ws);
      inject(transport, { fault: 'restart', venue: 'b', for_ms: 0 });
      // Nothing listens there.
      await attempt(transport === real ? 'ws://127.0.0.1:1' : 'ws://nowhere.test');
      const early = connect(transport, addresses.venue_b.ws);
      early.socket.close();
      await until(() => faults.connections.size === 0, 'no connection');
      return ends;
    });
    const statuses = [404, 401, 401, null, 503, 425, null];
    expect(closed).toEqual(statuses.map((status) => ({ close: '1006', status })));
  });

  it('carry the same messages of venue_a in the same order, until either side ends them', async () => {
    const events = await expectSame(async (transport) => {
      const { until, addresses, tickers, faults } = transport;
      const seen: unknown[] = [];
      for (const end of ['cut', 'close'] as const) {
        const one = connect(transport, addresses.venue_a.ws, await headersOf(transport));
        await until(() => one.events.includes('open'), 'an open connection');
        const params = { channels: ['orderbook_delta'], market_tickers: tickers, use_yes_price: true };
        one.socket.send(JSON.stringify({ id: 1, cmd: 'subscribe', params }));
        one.socket.send('no JSON');
        one.socket.send(JSON.stringify({ id: 2, cmd: 'list_subscriptions' }));
        await until(() => one.events.length >= 4 + tickers.length, 'the snapshots and three answers');
        inject(transport, { fault: 'one_sided', ticker: tickers[0] ?? '', for_ms: 60_000 });
        // The changes are on their way when the connection ends.
        if (end === 'cut') inject(transport, { fault: 'cut', venue: 'a' });
        else one.socket.close();
        await until(one.isClosed, 'the end of the connection');
        one.socket.send('after the end');
        await until(() => faults.connections.size === 0, 'no connection');
        inject(transport, { fault: 'one_sided', ticker: tickers[0] ?? '', how: 'bids', for_ms: 60_000 });
        seen.push(...one.events);
      }
      return seen;
    });
    const text = events.join('\n');
    expect(text.match(/"orderbook_snapshot"/g)).toHaveLength(2 * virtual.tickers.length);
    expect(text.match(/"orderbook_delta"/g)?.length).toBeGreaterThan(1);
    expect(events.filter((event) => typeof event === 'object')).toEqual([
      { close: '1006', status: null },
      { close: '1005', status: null },
    ]);
  });

  it('carry the same messages of venue_b, and lose the connection with one above the limit', async () => {
    const events = await expectSame(async (transport) => {
      const { until, addresses, tokens, faults } = transport;
      const one = connect(transport, addresses.venue_b.ws);
      await until(() => one.events.includes('open'), 'an open connection');
      one.socket.send(JSON.stringify({ assets_ids: tokens, type: 'market', custom_feature_enabled: true }));
      one.socket.send('PING');
      one.socket.send('no JSON');
      await until(() => one.events.includes('INVALID OPERATION'), 'the books and two answers');
      inject(transport, { fault: 'inverted', token_id: tokens[0] ?? '', for_ms: 60_000 });
      await until(() => one.events.length >= 5, 'the exchanged book');
      inject(transport, { fault: 'long_frame', venue: 'b', how: String(9 * 1_048_576) });
      await until(one.isClosed, 'the end of the connection');
      await until(() => faults.connections.size === 0, 'no connection');
      return one.events;
    });
    expect(events).toContain('PONG');
    expect(events.slice(-2)).toEqual([{ overLimit: 'too_large' }, { close: 'message.too_large', status: null }]);
  });
});

describe('HTTP in virtual time and over TCP', () => {
  it('answers the same to the same requests', async () => {
    const answers = await expectSame(async (transport) => {
      const { runtime, addresses, run, tickers, tokens } = transport;
      const seen: unknown[] = [];
      const ask = async (url: string, init: RequestInit = {}) => {
        const answered = (async () => {
          const response = await runtime.fetch(url, init);
          return [response.status, response.headers.get('content-type'), await response.text()];
        })();
        seen.push(await run(answered.catch((error: Error) => error.name)));
      };
      const { rest } = addresses.venue_a;
      const { gamma, clob, data } = addresses.venue_b;
      await ask(`${rest}/markets/${tickers[0]}`);
      await ask(`${rest}/markets/orderbooks?${tickers.map((ticker) => `tickers=${ticker}`).join('&')}`);
      await ask(`${rest}/markets/NONE`);
      await ask(`${rest}/markets`, { method: 'POST', body: '{}' });
      await ask(`${rest}/account/limits`);
      await ask(`${rest}/account/limits`, {
        headers: await run(transport.sign('GET', '/trade-api/v2/account/limits')),
      });
      await ask(`${clob}/books`, { method: 'POST', body: JSON.stringify(tokens.map((token_id) => ({ token_id }))) });
      await ask(`${clob}/books`, { method: 'POST', body: 'no JSON' });
      await ask(`${data}/v2/resolutions?condition=0x1`);
      await ask(new URL('/nothing', clob).href);
      inject(transport, { fault: 'past_cut', how: 'cut' });
      await ask(`${gamma}/events/keyset?closed=true&limit=1`);
      await ask(transport === real ? 'http://127.0.0.1:1/' : 'http://nowhere.test/');
      await ask(rest, { signal: AbortSignal.abort() });
      return seen;
    });
    const statuses = answers.map((answer) => (Array.isArray(answer) ? answer[0] : answer));
    expect(statuses).toEqual([
      200,
      200,
      404,
      405,
      401,
      200,
      200,
      400,
      400,
      404,
      'TypeError',
      'TypeError',
      'AbortError',
    ]);
  });
});

describe('a feed in virtual time and on real sockets', () => {
  /** What the feed makes of it: the changes of its books, its log, and the books. */
  const resultOf = ({ reasons, runtime, store, contracts }: FeedFixture) => ({
    reasons,
    lines: runtime.lines,
    rejected: runtime.rejected,
    books: contracts.map((contract) => {
      const { bids, asks } = store.get(contract)?.book ?? {};
      return [contract, bids?.prices, bids?.sizes, asks?.prices, asks?.sizes];
    }),
  });
  const steps = async (transport: Transport, one: FeedFixture, venue: 'a' | 'b') => {
    const { until, run } = transport;
    one.feed.start();
    await until(one.allValid, 'all books valid');
    const changed = one.contracts[1] ?? '';
    const before = one.reasons.length;
    const named = venue === 'a' ? { ticker: changed } : { token_id: changed };
    inject(transport, { fault: 'empty', ...named, for_ms: 60_000 });
    await until(() => one.reasons.length > before, 'an empty book');
    inject(transport, { fault: 'cut', venue });
    await until(() => one.reasons.includes('feed.disconnected'), 'the lost connection');
    await until(one.allValid, 'all books valid again');
    await run(one.feed.stop());
    await until(() => transport.faults.connections.size === 0, 'no connection');
    return resultOf(one);
  };

  it('venue_a: sees the same books, the same loss of a connection and the same recovery', async () => {
    const { reasons } = await expectSame((transport) => steps(transport, feedA(transport, transport.tickers), 'a'));
    expect(new Set(reasons)).toEqual(new Set(['valid', 'feed.disconnected']));
  });

  it('venue_b: sees the same books, the same loss of a connection and the same recovery', async () => {
    const { reasons } = await expectSame((transport) => steps(transport, feedB(transport, transport.tokens), 'b'));
    expect(new Set(reasons)).toEqual(new Set(['valid', 'feed.disconnected', 'venue.disconnected']));
  });
});
