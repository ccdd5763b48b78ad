import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { ClientA, ClientB, getJson, openSocket, signedHeaders } from './clients.ts';
import { type RunningVenues, startVenues } from './fixture.ts';

const STARTED_AT = Date.parse('2026-08-09T20:00:00Z');
const TICKER = 'KXMLBGAME-26AUG092020HOUSD-HOU';
const TOKENS = ['111', '222'];

/** Three messages are in the past when the client connects, two are in the future. */
const LINES = [
  {
    at: STARTED_AT,
    venue: 'venue_a',
    message: {
      type: 'orderbook_snapshot',
      sid: 9,
      seq: 41,
      msg: {
        market_ticker: TICKER,
        market_id: 'm-1',
        yes_dollars_fp: [
          ['0.4000', '10.00'],
          ['0.4100', '5.50'],
        ],
        no_dollars_fp: [['0.5700', '7.00']],
      },
    },
  },
  {
    at: new Date(STARTED_AT + 500).toISOString(),
    venue: 'venue_a',
    message: {
      type: 'orderbook_delta',
      sid: 9,
      seq: 42,
      msg: {
        market_ticker: TICKER,
        market_id: 'm-1',
        price_dollars: '0.4100',
        delta_fp: '-5.50',
        side: 'yes',
        ts_ms: STARTED_AT + 490,
      },
    },
  },
  {
    at: STARTED_AT,
    venue: 'venue_b',
    message: [
      {
        event_type: 'book',
        asset_id: '111',
        market: '0xabc',
        bids: [{ price: '0.4', size: '100' }],
        asks: [{ price: '0.43', size: '50' }],
        timestamp: String(STARTED_AT),
        hash: 'h1',
      },
    ],
  },
  {
    at: STARTED_AT + 3_000,
    venue: 'venue_a',
    message: {
      type: 'orderbook_delta',
      sid: 9,
      seq: 44,
      msg: {
        market_ticker: TICKER,
        market_id: 'm-1',
        price_dollars: '0.5800',
        delta_fp: '3.25',
        side: 'no',
        ts_ms: STARTED_AT + 2_990,
      },
    },
  },
  {
    at: STARTED_AT + 3_100,
    venue: 'venue_b',
    message: {
      event_type: 'price_change',
      market: '0xabc',
      timestamp: String(STARTED_AT + 3_100),
      price_changes: [
        { asset_id: '111', price: '0.41', size: '12.5', side: 'BUY', hash: 'h2', best_bid: '0.41', best_ask: '0.43' },
      ],
    },
  },
];

let folder: string;
let venues: RunningVenues;

beforeAll(async () => {
  folder = temporaryFolder('recording');
  writeFileSync(
    join(folder, 'listings.venue_a.json'),
    JSON.stringify([
      {
        event_ticker: 'KXMLBGAME-26AUG092020HOUSD',
        title: 'Houston vs San Diego',
        markets: [{ ticker: TICKER, status: 'active' }],
      },
    ]),
  );
  writeFileSync(
    join(folder, 'listings.venue_b.json'),
    JSON.stringify([
      {
        slug: 'mlb-hou-sd-2026-08-09',
        markets: [
          {
            slug: 'mlb-hou-sd-2026-08-09',
            conditionId: '0xabc',
            outcomes: '["Astros","Padres"]',
            clobTokenIds: JSON.stringify(TOKENS),
          },
        ],
      },
    ]),
  );
  writeFileSync(join(folder, 'books.jsonl'), LINES.map((line) => JSON.stringify(line)).join('\n'));
  const clock = [{ real_from: Date.now(), market_from: STARTED_AT + 1_000, rate: 1 }];
  venues = await startVenues('--replay', folder, '--clock', JSON.stringify(clock));
});
afterAll(() => {
  venues.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('a replayed recording', () => {
  it('serves its listings unchanged, with their missing fields', async () => {
    expect(venues.listening.source).toBe('replay');
    const a = await getJson<{ events: Record<string, unknown>[] }>(
      `${venues.listening.venue_a.rest}/events?with_nested_markets=true&status=open`,
    );
    expect(a.events).toEqual([
      {
        event_ticker: 'KXMLBGAME-26AUG092020HOUSD',
        title: 'Houston vs San Diego',
        markets: [{ ticker: TICKER, status: 'active' }],
      },
    ]);
    const b = await getJson<{ events: { slug: string }[] }>(
      `${venues.listening.venue_b.gamma}/events/keyset?closed=false`,
    );
    expect(b.events.map((event) => event.slug)).toEqual(['mlb-hou-sd-2026-08-09']);
    const { series } = await getJson<{ series: { ticker: string }[] }>(`${venues.listening.venue_a.rest}/series`);
    expect(series.map((row) => row.ticker)).toEqual(['KXMLBGAME']);
  });

  it('sends the current books, then each message at its time, with a new sequence on venue_a', async () => {
    const { ws, key_id, private_key_file } = venues.listening.venue_a;
    const a = new ClientA(await openSocket(ws, signedHeaders(key_id, private_key_file)));
    const b = new ClientB(await openSocket(venues.listening.venue_b.ws));
    a.send('subscribe', { channels: ['orderbook_delta'], market_ticker: TICKER });
    b.subscribe(TOKENS);
    const snapshot = await waitUntil(() => a.frames.find((frame) => frame.type === 'orderbook_snapshot'));
    expect(snapshot).toMatchObject({
      sid: 1,
      seq: 1,
      msg: {
        market_ticker: TICKER,
        market_id: 'm-1',
        yes_dollars_fp: [['0.4000', '10.00']],
        no_dollars_fp: [['0.5700', '7.00']],
      },
    });
    const delta = await waitUntil(() => a.frames.find((frame) => frame.type === 'orderbook_delta'));
    expect(delta).toMatchObject({
      seq: 2,
      msg: { price_dollars: '0.5800', delta_fp: '3.25', side: 'no', ts_ms: STARTED_AT + 2_990 },
    });
    const change = await waitUntil(() => b.messages.find((message) => message.event_type === 'price_change'));
    expect(change).toEqual(LINES[4]?.message);
    expect(b.messages.filter((message) => message.event_type === 'book')).toHaveLength(1);
    const rest = await getJson<{ orderbook_fp: Record<string, unknown> }>(
      `${venues.listening.venue_a.rest}/markets/${TICKER}/orderbook`,
    );
    expect(rest.orderbook_fp).toEqual({
      yes_dollars: [['0.4000', '10.00']],
      no_dollars: [
        ['0.5700', '7.00'],
        ['0.5800', '3.25'],
      ],
    });
    const book = await getJson<{ hash: string; bids: unknown }>(`${venues.listening.venue_b.clob}/book?token_id=111`);
    expect(book).toMatchObject({
      hash: 'h2',
      bids: [
        { price: '0.4', size: '100' },
        { price: '0.41', size: '12.5' },
      ],
    });
    a.socket.terminate();
    b.socket.terminate();
  });
});
