import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import type { RejectedRow } from '../../functions/ingest/listing.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { parseRestBook } from '../../functions/ingest/venue_a/rest_book.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const hasData = existsSync(DATA);
if (!hasData) console.log(`recorded payloads are skipped: there is no ${DATA}`);
const load = <T>(path: string): T => JSON.parse(readFileSync(`${DATA}/${path}`, 'utf8')) as T;
const STATES: Record<string, string> = { closed: 'closed', determined: 'proposed', finalized: 'final' };
const nothing = { questions: [], rejected: [] };

describe.skipIf(!hasData)('recorded payloads of venue_a', () => {
  const context = { milestones: [], now: '2026-08-08T00:00:00.000Z', recorded: false, questionsOf: () => nothing };

  it('replays 180 messages without a gap, a crossed book or a rejected message', () => {
    type Capture = { tickers: string[]; frames: { received_ms: number; frame: { type: string; id?: number } }[] };
    const capture = load<Capture>('recorded/venue_a/cockpit_2026-08/ws_orderbook_stream.json');
    const crossed: string[] = [];
    const store: BookStore = new BookStore('venue_a', (ticker) => {
      if (store.get(ticker)?.book?.isCrossed) crossed.push(ticker);
    });
    for (const ticker of capture.tickers) store.track(ticker, 0);
    const rejected: RejectedRow[] = [];
    // Recorded before `use_yes_price`: NO bids are NO prices.
    const stream = new VenueAStream(
      store,
      { send() {}, reject: (row) => rejected.push(row), reconnect() {}, onKeyRejected() {}, onOverflow() {} },
      false,
    );
    stream.subscribe(capture.tickers, 0);
    stream.onOpen(0);
    for (const { received_ms, frame } of capture.frames)
      stream.receive(JSON.stringify(frame), received_ms, received_ms);
    expect(capture.frames).toHaveLength(180);
    expect([stream.gaps, crossed, rejected]).toEqual([0, [], []]);
    for (const ticker of capture.tickers) {
      const entry = store.get(ticker);
      expect(entry?.invalidReason, ticker).toBeNull();
      expect((entry?.book?.bid?.price ?? 0) < (entry?.book?.ask?.price ?? 1_000_000), ticker).toBe(true);
    }
  });

  it('lists every recorded event and market, with no price in the stored payload', () => {
    type Wrapped = { events?: unknown[]; events_by_series?: Record<string, unknown[]> };
    const folder = 'recorded/venue_a/cockpit_2026-08';
    const wrapped = ['events_nfl_preseason', 'events_mlb_props_nested'].map((name) =>
      load<Wrapped>(`${folder}/${name}.json`),
    );
    const events = [
      ...load<unknown[]>(`${folder}/events_sports_nested.json`),
      ...wrapped.flatMap((file) => file.events ?? Object.values(file.events_by_series ?? {}).flat()),
    ];
    const batch = listVenueA(events, { ...context, series: new Map() });
    expect(batch.rejected).toEqual([]);
    expect(batch.events).toHaveLength(events.length);
    const text = JSON.stringify(
      batch.events.flatMap((event) => [event.payload, ...event.markets.map((market) => market.payload)]),
    );
    expect(text).not.toMatch(/"(yes_bid|yes_ask|no_bid|no_ask|last_price|previous_|volume|open_interest|liquidity)/);
    for (const market of batch.events.flatMap((event) => event.markets)) expect(market.fee).toBeNull();
  });

  it('parses the payouts of settled markets', () => {
    type Settled = { markets: { event_ticker: string; status: string; result: string }[] };
    const { markets } = load<Settled>('recorded/venue_a/cockpit_2026-08/markets_settled.json');
    const events = markets.map((market) => ({
      event_ticker: market.event_ticker,
      series_ticker: market.event_ticker.split('-')[0],
      title: 'settled',
      mutually_exclusive: true,
      markets: [market],
    }));
    const listed = listVenueA(events, { ...context, series: new Map() }).events.flatMap((event) => event.markets);
    expect(listed).toHaveLength(markets.length);
    for (const [place, market] of listed.entries()) {
      expect(market.state).toBe(STATES[markets[place]?.status ?? '']);
      if (market.state !== 'final') continue;
      if (markets[place]?.result === 'yes') expect(Number(market.payout)).toBe(1);
      if (markets[place]?.result === 'no') expect(Number(market.payout)).toBe(0);
      expect(market.settled_at).not.toBeNull();
    }
  });

  it('takes fees from the series, half of them for baseball', () => {
    const { payloads } = load<{ payloads: Record<string, { series: unknown }> }>(
      'recorded/venue_a/cockpit_2026-08/series_fee_fields.json',
    );
    const list = parseSeries(Object.values(payloads).map((one) => one.series));
    const fees = Object.fromEntries(list.rows.map((row) => [row.series_id, row.fee]));
    expect(fees.KXMLBGAME).toEqual({ model: 'quadratic', multiplier: '0.5', maker: true });
    expect(fees.KXMLBSPREAD).toMatchObject({ model: 'quadratic', multiplier: '0.5' });
  });

  it('parses a one-sided REST book, and rejects the shape before the fixed-point change', () => {
    const sample = load<{ ticker: string; response: { orderbook_fp: unknown } }>(
      'recorded/venue_a/arb_scanner_2026/kalshi_orderbook_real_sample.json',
    );
    const reading = parseRestBook({ ticker: sample.ticker, ...sample.response });
    expect(reading.ok && [reading.book.bid, reading.book.ask !== null]).toEqual([null, true]);
    const old = load<{ response: object }>('recorded/venue_a/kalshi_starter_golden_2026-01/orderbook.json');
    expect(parseRestBook({ ticker: 'X', ...old.response })).toMatchObject({ ok: false, code: 'book.missing_field' });
  });

  it('skips the combos among the listings of January', () => {
    type Old = { response: { markets: { event_ticker: string }[] } };
    const { response } = load<Old>('recorded/venue_a/kalshi_starter_golden_2026-01/markets_list.json');
    const combos = response.markets.filter((market) => market.event_ticker.startsWith('KXMVE'));
    const events = combos.map((market) => ({ event_ticker: market.event_ticker, markets: [market] }));
    expect(listVenueA(events, { ...context, series: new Map() })).toEqual({ events: [], rejected: [] });
  });
});

describe.skipIf(!hasData)('recorded payloads of venue_b', () => {
  const context = { now: '2026-09-16T00:00:00.000Z', recorded: false, questionsOf: () => nothing };
  const one = <T>(path: string): T => load<T>(`recorded/venue_b/${path}`);

  it('lists Gamma events with start, fees and tokens', () => {
    const batch = listVenueB(one<unknown[]>('arb_engine_2026-09/pm_event_nfl-car-atl-2026-09-20.json'), context);
    expect(batch.rejected).toEqual([]);
    expect(batch.events[0]).toMatchObject({
      event_id: 'nfl-car-atl-2026-09-20',
      start_at: '2026-09-20T17:00:00.000Z',
      start_source: 'gameStartTime',
      markets: [
        {
          state: 'trading',
          fee: { model: 'rate', rate: '0.05' },
          match_delay_seconds: 1,
          min_order: '5',
          ticks: [{ step: '0.01' }],
        },
      ],
    });
    expect(batch.events[0]?.markets[0]?.contracts.map((contract) => contract.label)).toEqual(['Over', 'Under']);
    const president = listVenueB(one<unknown[]>('nautilus_trader_2026-07/gamma_event.json'), context);
    expect(president.rejected).toEqual([]);
    expect(president.events[0]?.markets.length).toBeGreaterThan(0);
  });

  it('parses the payout of a closed market', () => {
    const market = one<Record<string, unknown>>('nautilus_trader_2026-07/gamma_market_sports_market_money_line.json');
    const [event] = listVenueB([{ slug: 'e', title: 'E', markets: [market] }], context).events;
    expect(event?.markets[0]).toMatchObject({ state: 'final', settled_at: '2026-04-05T19:37:33.000Z' });
    expect(['0', '1']).toContain(event?.markets[0]?.payout);
  });

  it('parses the present price_change and rejects the shape before September 2025', () => {
    const now = one<{ price_changes: { asset_id: string; best_bid: string }[] }>(
      'nautilus_trader_2026-07/py_ws_messages_price_change_v2.json',
    );
    const old = one<{ asset_id: string }>('nautilus_trader_2026-07/py_ws_messages_price_change.json');
    const book = one<{ asset_id: string }>('nautilus_trader_2026-07/py_ws_messages_book.json');
    const tokens = [...new Set([...now.price_changes.map((change) => change.asset_id), old.asset_id])];
    const store = new BookStore('venue_b', () => {});
    for (const token of tokens) store.track(token, 0);
    const rejected: RejectedRow[] = [];
    const stream = new VenueBStream(store, { send() {}, reject: (row) => rejected.push(row) });
    stream.subscribe(tokens, 0);
    stream.onOpen(0);
    stream.receive(JSON.stringify([book, now]), 1, 1);
    expect(rejected).toEqual([]);
    expect(store.get(book.asset_id)?.invalidReason).toBeNull();
    stream.receive(JSON.stringify(old), 2, 2);
    expect([rejected[0]?.code, store.get(old.asset_id)?.invalidReason]).toEqual(['message.old_shape', 'book.gap']);
  });
});
