import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../../functions/ingest/engine/fees.ts';
import type { ListedEvent } from '../../functions/ingest/listing.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { EndpointCosts } from '../../functions/ingest/venue_a/endpoint_costs.ts';
import { HandshakeCheck } from '../../functions/ingest/venue_a/handshake_check.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import { TradingStatus } from '../../functions/ingest/venue_a/trading_status.ts';
import { marketFieldsA } from '../../local/venue_simulator/universe/listing/listing_a.ts';
import { runtime } from './runtime.ts';

/** Guarantee: what venue_a leaves out, or sends as null, is not taken for a value (venues.md G). */

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

const market = (changes: Record<string, unknown> = {}) => {
  const fields = marketFieldsA(
    {
      ...{ ticker: 'KXATPMATCH-26NOV20AB-A', event: 'KXATPMATCH-26NOV20AB', title: 'A vs B', yes: 'A' },
      ...{ rules: ['If A wins, the market resolves to Yes.', ''], open: NOW - HOUR, close: NOW + 10 * HOUR },
      ...{ expected: NOW + 5 * HOUR, occurrence: null, earlyClose: '', settlementSeconds: 60 },
      strike: { type: 'custom' },
    },
    1,
  );
  return { ...fields, status: 'active', result: '', ...changes };
};
const series = parseSeries([{ ticker: 'KXATPMATCH', fee_type: 'quadratic', fee_multiplier: 1, exchange_index: 3 }]);

/** The event as listed, with the markets as they are written here. */
function list(changes: Record<string, unknown>, now = new Date(NOW).toISOString()) {
  const event = {
    event_ticker: 'KXATPMATCH-26NOV20AB',
    series_ticker: 'KXATPMATCH',
    title: 'A vs B',
    mutually_exclusive: true,
    ...changes,
  };
  return listVenueA([event], {
    series: series.byTicker,
    milestones: [],
    now,
    recorded: false,
    questionsOf: () => ({ questions: [], rejected: [] }),
  });
}
const listed = (changes: Record<string, unknown>, now?: string): ListedEvent['markets'][number] | undefined =>
  list({ markets: [market(changes)] }, now).events[0]?.markets[0];

describe('listings of venue_a', () => {
  it.each([
    ['absent', {}],
    ['null', { markets: null }],
  ])('an event whose markets are %s is an event without markets, and no rejected row', (_form, changes) => {
    const { events, rejected } = list(changes);
    expect(events.map((event) => event.markets)).toEqual([[]]);
    expect(rejected).toEqual([]);
  });

  it.each(['close_time', 'open_time', 'status', 'market_type', 'rules_primary', 'yes_sub_title'])(
    'a market whose %s is null is rejected and keeps its last known state',
    (field) => {
      const { events, rejected } = list({ markets: [market({ [field]: null })] });
      expect(events[0]?.markets).toEqual([]);
      expect(rejected).toMatchObject([{ kind: 'market', code: 'market.missing_field' }]);
    },
  );

  it('a market has its own exchange index, else that of its event, else that of its series', () => {
    expect(listed({ exchange_index: 2 })?.exchange_index).toBe(2);
    const inherited = (event: Record<string, unknown>) =>
      list({ ...event, markets: [market({ exchange_index: null })] }).events[0]?.markets[0]?.exchange_index;
    expect([inherited({ exchange_index: 0 }), inherited({})]).toEqual([0, 3]);
  });

  it.each([['2'], [-1], [1.5], [{}], [true]])(
    'an exchange index of the form %j is unknown and rejects nothing',
    (index) => {
      const { events, rejected } = list({ markets: [market({ exchange_index: index })] });
      expect([events[0]?.markets[0]?.exchange_index, rejected]).toEqual([null, []]);
    },
  );
});

describe('the payout of venue_a', () => {
  it.each<[string | null, string | null | undefined, string | null]>([
    ['yes', '0.5000', '0.5000'],
    ['no', '0.0300', '0.0300'],
    ['yes', '1.0000', '1.0000'],
    ['no', '0', '0'],
    ['yes', null, '1'],
    ['no', undefined, '0'],
    ['yes', '', '1'],
    ['', '0.2500', '0.2500'],
    // A value that cannot be a payout is not replaced by the result.
    ['yes', '1.0001', null],
    ['no', '-0.0001', null],
    ['yes', 'one', null],
    ['', null, null],
    ['void', null, null],
  ])('result %j with the settlement value %j pays %j', (result, settlement_value_dollars, payout) => {
    expect(listed({ status: 'finalized', result, settlement_value_dollars })?.payout).toBe(payout);
  });
});

describe('fee waivers of venue_a', () => {
  const until = '2026-11-20T13:00:00Z';
  const end = Date.parse(until);
  const normal = { model: 'quadratic', multiplier: '1', maker: false };

  it('a waiver is listed with its end, and a waiver that is over or unreadable is not', () => {
    expect(listed({ fee_waiver_expiration_time: until })?.fee).toEqual({
      ...normal,
      waived_until: '2026-11-20T13:00:00.000Z',
    });
    expect(listed({ fee_waiver_expiration_time: until }, '2026-11-20T13:00:00.000Z')?.fee).toEqual(normal);
    for (const time of [null, undefined, 'soon', '']) {
      expect(listed({ fee_waiver_expiration_time: time })?.fee).toEqual(normal);
    }
  });

  it('an unknown fee stays unknown during a waiver', () => {
    const { events } = list({ fee_type_override: 'flat', markets: [market({ fee_waiver_expiration_time: until })] });
    expect(events[0]?.markets[0]?.fee).toBeNull();
  });

  it('a waived fee is zero until the end of the waiver and the usual fee from then on', () => {
    const fee = listed({ fee_waiver_expiration_time: until })?.fee ?? null;
    const usual = scheduleOf(listed({})?.fee ?? null);
    expect(usual?.factor).toBe(7);
    expect([end - 1, end, end + 1].map((at) => scheduleOf(fee, at)?.factor)).toEqual([0, 7, 7]);
    // Without a time the fee counts in full.
    expect(scheduleOf(fee)).toEqual(usual);
  });
});

describe('trading status of venue_a', () => {
  const row = (exchange_index: unknown, trading_active: unknown) => ({
    ...{ exchange_index, trading_active, exchange_active: true },
  });
  const read = (...responses: unknown[]): TradingStatus => {
    const status = new TradingStatus();
    for (const response of responses) status.read(response);
    return status;
  };
  const top = { exchange_active: true, trading_active: true };

  it('no index trades before the first response that can be read', () => {
    for (const status of [read(), read(null), read('x'), read({}), read({ exchange_index_statuses: [] })]) {
      expect([status.isKnown, status.isTrading(0), status.isTrading(null)]).toEqual([false, false, false]);
      expect(status.describe([0])).toBe('status unknown');
    }
  });

  it('each index trades by its own row, and one without a row does not', () => {
    const status = read({ ...top, exchange_index_statuses: [row(0, true), row(2, false), row(3, true)] });
    expect([0, 2, 3, 1].map((index) => status.isTrading(index))).toEqual([true, false, true, false]);
    expect(status.isTrading(null)).toBe(false);
    expect(status.describe([0, 3, 1])).toBe('index 2 paused, index 1 unknown');
    expect(read({ ...top, exchange_index_statuses: [row(0, true), row(2, true)] }).isTrading(null)).toBe(true);
  });

  it.each([
    ['null', null],
    ['a text', 'true'],
    ['absent', undefined],
  ])('a flag that is %s does not count as trading', (_form, flag) => {
    expect(read({ ...top, exchange_index_statuses: [row(2, flag)] }).isTrading(2)).toBe(false);
    expect(read({ ...top, exchange_index_statuses: [{ ...row(2, true), exchange_active: flag }] }).isTrading(2)).toBe(
      false,
    );
    expect(read({ exchange_active: true, trading_active: flag }).isTrading(0)).toBe(false);
  });

  it('the flags at the top are those of index 0, and the stricter statement about it counts', () => {
    const paused = { exchange_active: true, trading_active: false };
    expect(read({ ...paused, exchange_index_statuses: [row(0, true), row(2, true)] }).isTrading(0)).toBe(false);
    expect(read({ ...paused, exchange_index_statuses: [row(0, true), row(2, true)] }).isTrading(2)).toBe(true);
    expect(read({ ...top, exchange_index_statuses: [row(0, false)] }).isTrading(0)).toBe(false);
  });

  it.each([[undefined], [null], [[]], ['x']])('with rows of the form %j only index 0 trades', (rows) => {
    const status = read({ ...top, exchange_index_statuses: rows });
    expect([0, 2, null].map((index) => status.isTrading(index))).toEqual([true, false, false]);
  });

  it('a response that cannot be read changes nothing', () => {
    const status = new TradingStatus();
    expect(status.read({ ...top, exchange_index_statuses: [row(0, true), row(2, true)] })).toBe(true);
    for (const response of [null, {}, { error: 'x' }]) expect(status.read(response)).toBe(false);
    expect(status.isTrading(2)).toBe(true);
    expect(status.read({ ...top, exchange_index_statuses: [row(2, true), row(0, true)] })).toBe(false);
    expect(status.read({ ...top, exchange_index_statuses: [row(0, true)] })).toBe(true);
  });

  it('the whole venue is paused when no index trades', () => {
    const down = { exchange_active: false, trading_active: false };
    expect(read({ ...down, exchange_index_statuses: [row(0, false), row(2, false)] }).describe([0])).toBe(
      'venue paused',
    );
    expect(read({ ...top, exchange_index_statuses: [row(0, true), row(2, true)] }).describe([0, null])).toBeNull();
  });
});

describe('refused handshakes of venue_a', () => {
  const check = (isKeyRefused: () => Promise<boolean | null>) => {
    const refusals: string[] = [];
    const key = new AccessKey({ sign: async () => ({}), now: Date.now });
    const handshakes = new HandshakeCheck({
      ...{ url: 'ws://127.0.0.1/x', key, runtime, rest: { isKeyRefused } },
      make: () => ({ send() {}, close() {} }),
      refuse: (reason) => refusals.push(reason),
    });
    return { handshakes, refusals };
  };

  it.each([
    [401, ['401']],
    [403, ['403']],
    [404, []],
    [429, []],
    [503, []],
  ])('a handshake refused with %i concerns the key: %j', (status, expected) => {
    const { handshakes, refusals } = check(async () => false);
    handshakes.onRefused(status);
    expect(refusals).toEqual(expected);
  });

  it('three refusals without a status in a row lead to a question, and an open socket starts the count again', async () => {
    let asked = 0;
    const { handshakes, refusals } = check(async () => {
      asked += 1;
      return asked > 1;
    });
    for (const step of ['refused', 'refused', 'open', 'refused', 'refused'])
      step === 'open' ? handshakes.onOpen() : handshakes.onRefused(null);
    expect(asked).toBe(0);
    handshakes.onRefused(null);
    await runtime.sleep(1);
    expect([asked, refusals]).toEqual([1, []]);
    for (let at = 0; at < 3; at += 1) handshakes.onRefused(null);
    await runtime.sleep(1);
    expect([asked, refusals]).toEqual([2, ['401']]);
  });

  it('the refusal ends after its time, and a refused handshake outlasts accepted requests', () => {
    let now = 0;
    const key = new AccessKey({ sign: async () => ({ signed: 'yes' }), now: () => now, retryMs: 100 });
    key.refuse('401', 'rest');
    expect([key.isUsable, key.refusal]).toEqual([false, '401']);
    now = 100;
    expect(key.isUsable).toBe(true);
    key.accept('rest');
    expect(key.refusal).toBeNull();
    key.refuse('401', 'socket');
    key.refuse('401', 'rest');
    now = 200;
    key.accept('rest');
    expect([key.isUsable, key.refusal]).toEqual([true, '401']);
    key.accept('socket');
    expect(key.refusal).toBeNull();
  });
});

describe('costs of the endpoints of venue_a', () => {
  const rows = (...listed: [string, string, number][]) => ({
    default_cost: 10,
    endpoint_costs: listed.map(([method, path, cost]) => ({ method, path, cost })),
  });

  it('a listed path has its cost, with or without root and placeholders, and another the usual one', () => {
    const costs = EndpointCosts.parse(
      rows(
        ['GET', '/trade-api/v2/markets/{ticker}/orderbook', 4],
        ['GET', '/series/:series_ticker', 2],
        ['DELETE', '/events', 1],
      ),
    );
    expect(['/markets/KX-1/orderbook', '/series/KX', '/series', '/events'].map((path) => costs?.of(path))).toEqual([
      0.4, 0.2, 1, 1,
    ]);
    expect(costs?.ofBatchItem).toBeNull();
  });

  it('the listed cost of the batch is the cost of one book, and that of single markets is another', () => {
    expect(EndpointCosts.parse(rows(['GET', '/markets/orderbooks', 10]))?.ofBatchItem).toBe(1);
    expect(EndpointCosts.parse(rows(['GET', '/markets/{ticker}', 5]))?.ofBatchItem).toBeNull();
  });

  it.each([[null], [{}], [{ default_cost: 10 }], [{ default_cost: '10', endpoint_costs: [] }]])(
    'a table that cannot be read is no table: %j',
    (response) => expect(EndpointCosts.parse(response)).toBeNull(),
  );
});
