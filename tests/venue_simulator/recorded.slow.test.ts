import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { ClientA, ClientB, getJson, openSocket, signedHeaders } from './clients.ts';
import { activePairs, fastClock, type RunningVenues, startVenues, type Truth } from './fixture.ts';

/**
 * Recorded payloads of both venues. They exist only on development machines, next to the checkout.
 */
const RECORDING_URL = new URL('../../../shared/data/recorded/', import.meta.url);
const isRecordingMissing = !existsSync(RECORDING_URL);
if (isRecordingMissing)
  console.warn('skipped: tests/venue_simulator/recorded.slow.test.ts needs ../shared/data/recorded');

type Row = Record<string, unknown>;
/** Only some recorded markets have these fields. */
const OPTIONAL_FIELDS = ['subtitle'];
const readRecorded = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, RECORDING_URL), 'utf8')) as T;

/**
 * The recorded fields that the simulator omits or writes with another type. A null on either side
 * is no difference.
 */
function shapeErrors(real: Row, simulated: Row, ignored: readonly string[] = []): string[] {
  return Object.entries(real).flatMap(([name, value]) => {
    if (ignored.includes(name) || value === null) return [];
    if (!(name in simulated)) return [`${name} is missing`];
    const own = simulated[name];
    const typeOf = (one: unknown) => (Array.isArray(one) ? 'array' : typeof one);
    return own === null || typeOf(own) === typeOf(value) ? [] : [`${name} is ${typeOf(own)}, not ${typeOf(value)}`];
  });
}

describe.skipIf(isRecordingMissing)('simulated payloads compared with recorded payloads', () => {
  let venues: RunningVenues;
  let truth: Truth;
  beforeAll(async () => {
    venues = await startVenues('--seed', '31', '--games', '150', '--clock', fastClock(6));
    truth = await getJson<Truth>(`${venues.sim}/truth`);
  });
  afterAll(() => venues?.end());

  it('events and markets of games and futures of venue_a have the recorded fields and types', async () => {
    const { rest } = venues.listening.venue_a;
    const recordedEvents = readRecorded<(Row & { markets: Row[] })[]>(
      'venue_a/cockpit_2026-08/events_sports_nested.json',
    );
    for (const series of ['KXNFLGAME', 'KXMLSGAME', 'KXMLBGAME', 'KXWNBAGAME', 'KXNBA', 'KXNFLMVP']) {
      const { events } = await getJson<{ events: (Row & { markets: Row[] })[] }>(
        `${rest}/events?series_ticker=${series}&with_nested_markets=true`,
      );
      const simulated = events[0];
      const real = recordedEvents.find((event) => event.series_ticker === series);
      if (!simulated || !real) throw new Error(`no ${series}`);
      expect(shapeErrors(real, simulated), series).toEqual([]);
      expect(simulated.product_metadata).toEqual(real.product_metadata);
      expect(shapeErrors(real.markets[0] ?? {}, simulated.markets[0] ?? {}, OPTIONAL_FIELDS)).toEqual([]);
      for (const name of ['yes_bid_dollars', 'volume_fp', 'yes_ask_size_fp', 'last_price_dollars']) {
        expect(String(simulated.markets[0]?.[name]), name).toMatch(
          name.endsWith('_fp') ? /^\d+\.\d{2}$/ : /^[01]\.\d{4}$/,
        );
      }
    }
  });

  it('series, milestones and exchange status of venue_a have the recorded fields and types', async () => {
    const { rest } = venues.listening.venue_a;
    const fees = readRecorded<{ payloads: Record<string, { series: Row }> }>(
      'venue_a/cockpit_2026-08/series_fee_fields.json',
    ).payloads;
    for (const series of ['KXMLBGAME', 'KXWNBAGAME']) {
      const real = fees[series]?.series;
      if (!real) continue;
      const simulated = (await getJson<{ series: Row }>(`${rest}/series/${series}`)).series;
      expect(shapeErrors(real, simulated)).toEqual([]);
      expect([simulated.fee_multiplier, simulated.fee_type]).toEqual([real.fee_multiplier, real.fee_type]);
    }
    const milestone = readRecorded<{ response: { milestones: Row[] } }>(
      'venue_a/kalshi_starter_golden_2026-01/milestones_list.json',
    ).response.milestones[0];
    const { milestones } = await getJson<{ milestones: Row[] }>(`${rest}/milestones`);
    expect(shapeErrors(milestone ?? {}, milestones[0] ?? {})).toEqual([]);
    const status = readRecorded<{ response: Row }>(
      'venue_a/kalshi_starter_golden_2026-01/exchange_status.json',
    ).response;
    expect(shapeErrors(status, await getJson<Row>(`${rest}/exchange/status`))).toEqual([]);
  });

  it('WebSocket frames of venue_a have the recorded fields and types', async () => {
    const { shape } = readRecorded<{
      shape: { frame_keys: Record<string, string[]>; msg_keys: Record<string, string[]> };
    }>('venue_a/cockpit_2026-08/ws_orderbook_stream.json');
    const { ws, key_id, private_key_file } = venues.listening.venue_a;
    const client = new ClientA(await openSocket(ws, signedHeaders(key_id, private_key_file)));
    const tickers = activePairs(truth).flatMap((pair) => pair.outcomes.map((one) => one.ticker));
    const { msg } = await client.reply(
      client.send('subscribe', { channels: ['orderbook_delta'], market_tickers: tickers.slice(1) }),
    );
    await client.reply(
      client.send('update_subscription', { sid: msg?.sid, action: 'add_markets', market_tickers: tickers.slice(0, 1) }),
    );
    await waitUntil(() => client.frames.some((frame) => frame.type === 'orderbook_delta'));
    for (const type of ['subscribed', 'ok', 'orderbook_snapshot', 'orderbook_delta']) {
      const frames = client.frames.filter((frame) => frame.type === type);
      const full =
        frames.find((frame) => type !== 'orderbook_snapshot' || Object.keys(frame.msg ?? {}).length === 4) ?? frames[0];
      expect(Object.keys(full ?? {}).sort(), type).toEqual(shape.frame_keys[type]);
      expect(Object.keys(full?.msg ?? {}).sort(), type).toEqual(shape.msg_keys[type]);
    }
    client.socket.terminate();
  });

  it('events and markets of games of venue_b have the recorded fields and types', async () => {
    const { gamma } = venues.listening.venue_b;
    // The simulator omits interest counters, values of the recorded day and ids of other systems.
    const notSimulated = [
      'positionIds',
      'comboStatus',
      'volume1wk',
      'volume1mo',
      'volume1yr',
      'volume24hrClob',
      'volume1wkClob',
      'volume1moClob',
      'volume1yrClob',
      'oneDayPriceChange',
      'oneWeekPriceChange',
      'oneMonthPriceChange',
      'eventWeek',
      'usId',
      'competitive',
      'liquidityClob',
      'line',
    ];
    const [event] = readRecorded<(Row & { markets: Row[] })[]>(
      'venue_b/arb_engine_2026-09/pm_event_nfl-car-atl-2026-09-20.json',
    );
    const [market] = readRecorded<Row[]>('venue_b/arb_engine_2026-09/pm_market_nfl-phi-ten-2026-09-20.json');
    const page = await getJson<{ events: (Row & { slug: string; markets: Row[] })[] }>(
      `${gamma}/events/keyset?tag_slug=nfl&limit=500&closed=false`,
    );
    const simulated = page.events.find((one) => one.slug.startsWith('nfl-') && one.period === 'NS');
    expect(shapeErrors(event ?? {}, simulated ?? {}, notSimulated)).toEqual([]);
    expect(shapeErrors(market ?? {}, { ...simulated?.markets[0], events: [] }, notSimulated)).toEqual([]);
    const full = await getJson<Row>(`${gamma}/markets/slug/${simulated?.slug}`);
    const nested = ((market?.events ?? []) as Row[])[0] ?? {};
    expect(shapeErrors(nested, (full.events as Row[])[0] ?? {}, notSimulated)).toEqual([]);
    const outright = page.events.find((one) => one.negRisk === true);
    const real =
      readRecorded<(Row & { markets: Row[] })[]>('venue_b/nautilus_trader_2026-07/gamma_event.json')[0]?.markets[0] ??
      {};
    expect(
      shapeErrors(real, outright?.markets[0] ?? {}, [
        ...notSimulated,
        'submitted_by',
        'pagerDutyNotificationEnabled',
        'seriesColor',
        'showGmpSeries',
        'showGmpOutcome',
      ]),
    ).toEqual([]);
  });

  it('books and market channel messages of venue_b have the recorded fields and types', async () => {
    const client = new ClientB(await openSocket(venues.listening.venue_b.ws));
    client.subscribe(truth.pairs.flatMap((pair) => pair.outcomes.map((one) => one.token_id)));
    const first = (type: string, matches: (message: Row) => boolean = () => true) =>
      waitUntil(() => client.messages.find((message) => message.event_type === type && matches(message)), {
        timeoutMs: 25_000,
      });
    const change = readRecorded<Row>('venue_b/nautilus_trader_2026-07/py_ws_messages_price_change_v2.json');
    // The recorded book had both sides. For an empty side, venue B may omit the key.
    const simulated = await first('price_change', (message) => {
      const [one] = message.price_changes as Row[];
      return one !== undefined && Number(one.best_bid) > 0 && Number(one.best_ask) > 0;
    });
    expect(Object.keys(simulated).sort()).toEqual(Object.keys(change).sort());
    expect(Object.keys((simulated.price_changes as Row[])[0] ?? {}).sort()).toEqual(
      Object.keys((change.price_changes as Row[])[0] ?? {}).sort(),
    );
    const trade = readRecorded<Row>('venue_b/nautilus_trader_2026-07/py_ws_messages_last_trade_price.json');
    expect(shapeErrors(trade, await first('last_trade_price'))).toEqual([]);
    expect(Object.keys(await first('best_bid_ask')).sort()).toEqual(
      Object.keys(readRecorded<Row>('venue_b/nautilus_trader_2026-07/ws_market_best_bid_ask_msg.json')).sort(),
    );
    const { token_id } = truth.pairs[0]?.outcomes[0] ?? { token_id: '' };
    const book = await getJson<Row>(`${venues.listening.venue_b.clob}/book?token_id=${token_id}`);
    expect(shapeErrors(readRecorded<Row>('venue_b/arb_engine_2026-09/polymarket_book.json'), book)).toEqual([]);
    expect(shapeErrors(readRecorded<Row>('venue_b/nautilus_trader_2026-07/py_http_responses_book.json'), book)).toEqual(
      [],
    );
    client.socket.terminate();
  });

  // The last test, because it leaves the world five hours ahead of its clock.
  it('settled markets of venue_a have the recorded fields and types', async () => {
    const world = venues.world;
    const real = readRecorded<{ markets: Row[] }>('venue_a/cockpit_2026-08/markets_settled.json').markets.find(
      (market) => market.status === 'finalized',
    );
    world?.advance(world.t + 5 * 3_600_000);
    const { markets } = await getJson<{ markets: Row[] }>(
      `${venues.listening.venue_a.rest}/markets?status=settled&limit=1000`,
    );
    expect(markets.length).toBeGreaterThan(0);
    expect(
      shapeErrors(
        real ?? {},
        markets.find((market) => String(market.ticker).startsWith('KXMLBGAME')) ?? markets[0] ?? {},
      ),
    ).toEqual([]);
  });
});
