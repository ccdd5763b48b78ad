import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import type { ListingBatch } from '../../functions/ingest/listing.ts';
import { ListingSweep } from '../../functions/ingest/listing_sweep.ts';
import type { ListingReader } from '../../functions/ingest/readers.ts';
import { SerialQueue } from '../../functions/ingest/serial_queue.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { recordingRuntime } from './runtime.ts';

type Fields = Record<string, unknown>;
const nothing = { questions: [], rejected: [] };
const marketA = (more: Fields = {}): Fields => ({
  ticker: 'KXT-1-A',
  event_ticker: 'KXT-1',
  status: 'active',
  market_type: 'binary',
  yes_sub_title: 'Alpha',
  open_time: '2026-11-01T00:00:00Z',
  close_time: '2026-12-01T00:00:00Z',
  rules_primary: 'If Alpha wins …',
  ...more,
});
const eventA = (markets: unknown[], more: Fields = {}): Fields => ({
  event_ticker: 'KXT-1',
  series_ticker: 'KXT',
  title: 'Alpha vs Beta',
  mutually_exclusive: true,
  markets,
  ...more,
});
const { byTicker: series } = parseSeries([
  { ticker: 'KXT', fee_type: 'quadratic_with_maker_fees', fee_multiplier: 0.5 },
]);
const contextA = {
  series,
  milestones: [] as unknown[],
  now: '2026-11-20T00:00:00.000Z',
  recorded: false,
  questionsOf: () => nothing,
};
const marketB = (more: Fields = {}): Fields => ({
  conditionId: '0x1',
  slug: 'm',
  question: 'Q?',
  active: true,
  closed: false,
  acceptingOrders: true,
  enableOrderBook: true,
  outcomes: '["Yes", "No"]',
  clobTokenIds: '["11", "22"]',
  ...more,
});
const contextB = { now: '2026-11-20T00:00:00.000Z', recorded: false, questionsOf: () => nothing };
const listA = (market: Fields, event: Fields = {}) => listVenueA([eventA([market], event)], contextA);
const listB = (market: Fields, event: Fields = {}) =>
  listVenueB([{ slug: 'e', title: 'E', markets: [market], ...event }], contextB);
const codes = (batch: ListingBatch): string[] => batch.rejected.map((row) => `${row.code} ${row.detail}`);

describe('listings that are rejected', () => {
  it.each(['ticker', 'status', 'close_time', 'yes_sub_title', 'rules_primary'])(
    'venue_a: a market whose %s is absent or null is rejected, and the others are kept',
    (field) => {
      for (const broken of [
        marketA({ [field]: undefined }),
        marketA({ [field]: null }),
        { ...marketA({ [`${field}_x`]: 'renamed' }), [field]: undefined },
      ]) {
        const batch = listVenueA([eventA([broken, marketA({ ticker: 'KXT-1-B' })])], contextA);
        expect(codes(batch)).toEqual([`market.missing_field The field ${field} is missing.`]);
        expect(batch.events[0]?.markets.map((market) => market.market_id)).toEqual(['KXT-1-B']);
      }
      expect(listA(marketA({ [field]: 7 })).rejected[0]?.code).toBe('market.wrong_type');
    },
  );

  it.each(['conditionId', 'outcomes', 'clobTokenIds'])(
    'venue_b: a market whose %s is absent or null is rejected',
    (field) => {
      for (const value of [undefined, null]) {
        const batch = listB(marketB({ [field]: value }));
        expect([batch.rejected[0]?.code, batch.events[0]?.markets]).toEqual(['market.missing_field', []]);
      }
    },
  );

  it('include whole events, unknown statuses and markets without two tokens', () => {
    expect(codes(listVenueA([{ nonsense: 1 }, null, 'text', eventA([])], contextA))).toHaveLength(3);
    expect(codes(listA(marketA({ status: 'dreaming' })))[0]).toContain('market.unknown_status');
    expect(listB(marketB({ outcomes: '["a","b","c"]' })).rejected[0]?.code).toBe('market.not_two_outcomes');
    expect(listB(marketB({ clobTokenIds: '["1","1"]' })).rejected[0]?.code).toBe('market.same_token');
    expect(listB(marketB({ outcomes: 'not json' })).rejected[0]?.code).toBe('market.wrong_type');
  });

  it('include ids with invisible characters, which would make the database reject the whole page', () => {
    for (const field of ['ticker', 'event_ticker']) {
      const batch = listA(marketA({ [field]: 'KXT-1-\u0000A' }));
      expect([batch.rejected[0]?.code, batch.events[0]?.markets]).toEqual(['market.wrong_type', []]);
      expect(JSON.stringify(batch)).not.toContain('\\u0000');
    }
    expect(listA(marketA({}), { series_ticker: 'KX\u200bT' }).events).toEqual([]);
    for (const broken of [{ conditionId: '0x\ud800' }, { clobTokenIds: '["1", "2\u200b"]' }]) {
      expect(listB(marketB(broken)).rejected[0]?.code).toBe('market.wrong_type');
    }
    // A title is text for people: it is cleaned, and the listing is kept.
    expect(listA(marketA({}), { title: 'A\u3164 game' }).rejected).toEqual([]);
  });

  it('do not include markets with unknown fields, or combos, which are skipped', () => {
    expect(listA(marketA({ brand_new: { deep: [1] } })).rejected).toEqual([]);
    expect(listVenueA([{ event_ticker: 'KXMVESPORTS-1' }], contextA)).toEqual({ events: [], rejected: [] });
  });
});

describe('listing', () => {
  it('does not change with its prices, and has no invisible characters in its labels', () => {
    const quiet = listA(marketA());
    const busy = listA(
      marketA({
        yes_bid_dollars: '0.5',
        last_price_dollars: '0.4',
        volume_fp: '1',
        updated_time: 'now',
        liquidity_dollars: '0',
      }),
    );
    // Only the volume of the event differs. No hash covers it.
    expect(busy.events).toEqual(quiet.events.map((event) => ({ ...event, volume: '1' })));
    const filled = listA(marketA({ yes_sub_title: '\u3164 Alpha\u0000\u0007\ud800 ' }), { title: 'A\u0000 vs B' });
    expect(filled.events[0]).toMatchObject({ title: 'A vs B', markets: [{ contracts: [{ label: 'Alpha' }] }] });
    expect(JSON.stringify(filled)).not.toMatch(/\\u0000|\\ud800|\u3164/);
    expect(
      listB(marketB({ bestBid: 0.4, outcomePrices: '["0.4","0.6"]', volume: '9' }), { score: '1-0', liquidity: 3 }),
    ).toEqual(listB(marketB()));
  });

  it('has the exact volume of all markets of venue_a, in contracts, and that of an event of venue_b', () => {
    const volumeA = (...markets: Fields[]) =>
      listVenueA([eventA(markets.map((one, at) => marketA({ ticker: `KXT-1-${at}`, ...one })))], contextA).events[0]
        ?.volume;
    expect(volumeA({ volume_fp: '12345678.10' }, { volume_fp: '0.20' }, { volume: 7 })).toBe('12345685.3');
    // A market that cannot be parsed was traded too.
    expect(volumeA({ volume_fp: '5.00' }, { volume_fp: '1.50', status: 7 })).toBe('6.5');
    const volumeB = (volume: unknown) => listB(marketB({ volume: '3' }), { volume }).events[0]?.volume;
    expect([40760.82821500001, 0, '12.5'].map(volumeB)).toEqual(['40760.82821500001', '0', '12.5']);
  });

  it.each([undefined, null, '', '-1', -1, 'NaN', '1e300', 1e300, '1'.repeat(16), 1e15, {}, ['1'], true])(
    'has no volume where the venue states %o, and is listed without a rejected row',
    (volume) => {
      const batches = [
        listVenueA(
          [eventA([marketA({ volume_fp: '1' }), marketA({ ticker: 'KXT-1-B', volume_fp: volume })])],
          contextA,
        ),
        listB(marketB(), { volume }),
      ];
      for (const { events, rejected } of batches) expect([events[0]?.volume, rejected]).toEqual([null, []]);
    },
  );

  it('has no volume where the sum of its markets is out of bounds, or where it has no market', () => {
    const large = { volume_fp: '999999999999999.99' };
    const volumeOf = (markets: Fields[]) => listVenueA([eventA(markets)], contextA).events[0]?.volume;
    expect(volumeOf([marketA(large), marketA({ ...large, ticker: 'KXT-1-B' })])).toBeNull();
    expect(volumeOf([])).toBeNull();
  });

  it('has the notice of its event in the rules text of every market of venue_a', () => {
    const notice = { id: 'n', markdown: 'In the event of death, …', message: '', title: '' };
    const rulesOf = (product_metadata: unknown) =>
      listA(marketA({ rules_secondary: 'B' }), { product_metadata }).events[0]?.markets[0]?.rules;
    expect(rulesOf({ important_info: notice })).toBe('If Alpha wins …\n\nB\n\nIn the event of death, …');
    for (const without of [
      undefined,
      null,
      {},
      { important_info: null },
      { important_info: { ...notice, markdown: 7 } },
    ])
      expect(rulesOf(without)).toBe('If Alpha wins …\n\nB');
  });

  it('is trading only until its close time, for any status of its event', () => {
    const state = (more: Fields) => listA(marketA(more)).events[0]?.markets[0]?.state;
    expect([
      state({}),
      state({ close_time: '2026-11-19T23:59:59Z' }),
      state({ status: 'inactive' }),
      state({ status: 'finalized' }),
    ]).toEqual(['trading', 'closed', 'paused', 'final']);
    expect(['initialized', 'closed', 'determined', 'disputed', 'amended'].map((status) => state({ status }))).toEqual([
      'unopened',
      'closed',
      'proposed',
      'proposed',
      'proposed',
    ]);
  });

  it('starts at the time of its milestone, never at its occurrence or end', () => {
    const milestone = {
      id: 'm',
      start_date: '2026-11-21T18:00:00Z',
      related_event_tickers: ['KXT-1', 'KXT-2'],
      primary_event_tickers: ['KXT-1'],
    };
    const [event] = listVenueA([eventA([marketA({ occurrence_datetime: '2026-11-21T21:00:00Z' })])], {
      ...contextA,
      milestones: [milestone],
    }).events;
    expect([event?.start_at, event?.start_source]).toEqual(['2026-11-21T18:00:00.000Z', 'milestone']);
    expect(listA(marketA({ occurrence_datetime: '2026-11-21T21:00:00Z' })).events[0]?.start_at).toBeNull();
    expect(
      listB(marketB({ endDate: '2026-11-28T00:00:00Z' }), { endDate: '2026-11-28T00:00:00Z' }).events[0]?.start_at,
    ).toBeNull();
    expect(
      listB(marketB({ gameStartTime: '2026-11-21 18:00:00+00' }), { startTime: '2026-11-21T17:00:00Z' }).events[0],
    ).toMatchObject({
      start_at: '2026-11-21T18:00:00.000Z',
      start_source: 'gameStartTime',
    });
  });

  it('has the fee of its own schedule, or null when the schedule is unknown', () => {
    const feeA = (event: Fields) => listA(marketA(), event).events[0]?.markets[0]?.fee;
    expect(feeA({})).toEqual({ model: 'quadratic', multiplier: '0.5', maker: true });
    expect(feeA({ fee_type_override: 'quadratic', fee_multiplier_override: 2 })).toEqual({
      model: 'quadratic',
      multiplier: '2',
      maker: false,
    });
    expect(feeA({ fee_type_override: 'flat' })).toBeNull();
    expect(feeA({ series_ticker: 'KXOTHER' })).toBeNull();
    const feeB = (more: Fields) => listB(marketB(more)).events[0]?.markets[0]?.fee;
    const schedule = { rate: 0.05, exponent: 1, takerOnly: true };
    expect(feeB({ feesEnabled: true, feeSchedule: schedule })).toEqual({ model: 'rate', rate: '0.05' });
    expect(feeB({ feesEnabled: false })).toEqual({ model: 'rate', rate: '0' });
    expect(feeB({ feesEnabled: true, feeSchedule: { ...schedule, rate: 0 } })).toEqual({ model: 'rate', rate: '0' });
    for (const unknown of [{}, { feesEnabled: true }, { feesEnabled: true, feeSchedule: { ...schedule, exponent: 2 } }])
      expect(feeB(unknown)).toBeNull();
  });

  it('is final on venue_b only when it is closed and its prices are a payout', () => {
    const state = (more: Fields) => {
      const market = listB(marketB(more)).events[0]?.markets[0];
      return [market?.state, market?.payout];
    };
    expect(state({ closed: true, outcomePrices: '["1","0"]' })).toEqual(['final', '1']);
    expect(state({ closed: true, outcomePrices: '["0","1"]', umaResolutionStatus: 'resolved' })).toEqual([
      'final',
      '0',
    ]);
    expect(state({ closed: true, outcomePrices: '["0.5","0.5"]', umaResolutionStatus: 'resolved' })).toEqual([
      'final',
      '0.5',
    ]);
    expect(
      state({
        closed: true,
        outcomePrices: '["0.5","0.5"]',
        umaResolutionStatus: 'resolved',
        umaResolutionStatuses: '["proposed"]',
      }),
    ).toEqual(['final', '0.5']);
    expect(state({ closed: true, outcomePrices: '["0.5","0.5"]' })).toEqual(['closed', null]);
    expect(state({ closed: true, outcomePrices: null })).toEqual(['closed', null]);
    expect(state({ umaResolutionStatus: 'resolved', outcomePrices: null })).toEqual(['proposed', null]);
    expect(state({ umaResolutionStatuses: '["proposed"]' })).toEqual(['proposed', null]);
    expect(state({ acceptingOrders: false })).toEqual(['paused', null]);
    expect(state({ active: false })).toEqual(['unopened', null]);
  });
});

describe('listing sweep', () => {
  let database: TestDatabase;
  let queries: IngestQueries;
  beforeAll(async () => {
    database = await createDatabase();
    queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
  });
  afterAll(async () => {
    await queries?.end();
    await database?.close();
  });

  const paged = (pages: ListingBatch[], fails: (page: number) => boolean): ListingReader => ({
    venue: 'venue_a',
    begin: async () => ({ series: [], rejected: [] }),
    async page(cursor) {
      const at = Number(cursor ?? 0);
      if (fails(at)) throw new Error(`page ${at} is not to be had`);
      return {
        batch: structuredClone(pages[at] ?? { events: [], rejected: [] }),
        cursor: at + 1 < pages.length ? String(at + 1) : null,
      };
    },
    eventsById: async (ids) => ({ batch: { events: [], rejected: [] }, missing: [...ids] }),
  });
  const pageOf = (id: string, more: Fields = {}): ListingBatch =>
    listVenueA([eventA([marketA({ ticker: `${id}-A`, event_ticker: id, ...more })], { event_ticker: id })], contextA);
  const startSweep = (reader: ListingReader) => {
    const runtime = recordingRuntime();
    const ending = new AbortController();
    const one = new ListingSweep({
      reader,
      queries: queries,
      queue: new SerialQueue(),
      runtime,
      holdsLease: () => true,
      tryPage: () => true,
      listingsSeconds: 60,
      alwaysRests: false,
      pageEvents: 100,
      maxUnsettled: 50,
      onPage: () => {},
    });
    const running = one.run(ending.signal);
    return {
      one,
      runtime,
      end: async () => {
        ending.abort();
        await running;
      },
    };
  };

  it('continues at the stored cursor after a crash', async () => {
    const pages = [pageOf('KXT-P0'), pageOf('KXT-P1'), pageOf('KXT-P2')];
    const first = startSweep(paged(pages, (page) => page === 2));
    await waitUntil(() => first.one.pages === 2, { what: 'two pages' });
    await first.end();
    const read: number[] = [];
    const second = startSweep(
      paged(pages, (page) => {
        read.push(page);
        return false;
      }),
    );
    await waitUntil(() => second.one.sweeps === 1, { what: 'the sweep' });
    await second.end();
    expect(read).toEqual([2]);
    const [sweep] =
      await database.sql`select sweep::int, pages, events, cursor, finished_at is not null as finished from venue.sweeps where venue = 'venue_a'`;
    expect(sweep).toEqual({ sweep: 1, pages: 3, events: 3, cursor: null, finished: true });
  });

  it('halves a page that earlier calls did not finish, until one finishes it', async () => {
    const pages = [pageOf('KXT-H0'), pageOf('KXT-H1')];
    const whole = paged(pages, () => false);
    const sizes: number[] = [];
    // The platform kills a call in the middle of this page: the call leaves no trace but its start.
    for (let call = 0; call < 3; call += 1) {
      const killed = new Promise<never>(() => {});
      startSweep({
        ...whole,
        page: (_cursor, size) => {
          sizes.push(size);
          return killed;
        },
      });
      await waitUntil(() => sizes.length === call + 1, { what: 'the page' });
    }
    const last = startSweep({
      ...whole,
      page: (cursor, size) => {
        sizes.push(size);
        return whole.page(cursor, size);
      },
    });
    await waitUntil(() => last.one.sweeps === 1, { what: 'the sweep' });
    await last.end();
    expect(sizes).toEqual([100, 50, 25, 12, 100]);
    const [sweep] = await database.sql`select attempts, pages from venue.sweeps where venue = 'venue_a'`;
    expect(sweep).toEqual({ attempts: 0, pages: 2 });
  });

  it('stores the rest of a page in which the database rejects one event, and records that event', async () => {
    const bad = pageOf('KXT-BAD');
    for (const market of bad.events[0]?.markets ?? []) market.payout = '7';
    const mixed = { events: [...pageOf('KXT-G1').events, ...bad.events, ...pageOf('KXT-G2').events], rejected: [] };
    const reading = startSweep(paged([mixed], () => false));
    await waitUntil(() => reading.one.sweeps === 1, { what: 'the sweep' });
    await reading.end();
    const rows = await database.sql<
      { event_id: string }[]
    >`select event_id from venue.events where event_id in ('KXT-G1', 'KXT-BAD', 'KXT-G2') order by 1`;
    expect(rows.map((row) => row.event_id)).toEqual(['KXT-G1', 'KXT-G2']);
    const rejected = await database.sql`select native_id, code from venue.rejected_rows where code = 'event.refused'`;
    expect([...rejected]).toEqual([{ native_id: 'KXT-BAD', code: 'event.refused' }]);
  });

  it('records the failure and starts again when the cursors go round in a circle', async () => {
    let calls = 0;
    const circling: ListingReader = {
      ...paged([], () => false),
      async page(cursor) {
        calls += 1;
        return { batch: { events: [], rejected: [] }, cursor: calls > 3 ? null : cursor === null ? 'x' : 'x' };
      },
    };
    const reading = startSweep(circling);
    await waitUntil(
      async () => {
        const [row] = await database.sql<
          { last_error: string | null; cursor: string | null }[]
        >`select last_error, cursor from venue.sweeps where venue = 'venue_a'`;
        return row?.last_error?.includes('circle') && row.cursor === null;
      },
      { what: 'the recorded failure' },
    );
    await waitUntil(() => reading.one.sweeps === 1, { what: 'the sweep' });
    await reading.end();
  });
});
