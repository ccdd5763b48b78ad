import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PastOccasion, PastRow } from '../../local/venue_simulator/settled_past/past_truth.ts';
import { leagueBy } from '../../local/venue_simulator/universe/leagues/index.ts';
import { seriesIdOf } from '../../local/venue_simulator/universe/listing/listing_b.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from './fixture.ts';

const DAY_MS = 86_400_000;

type MarketOnA = { ticker: string; event_ticker: string; status: string; [field: string]: unknown };
type EventOnA = { event_ticker: string; series_ticker: string; markets?: MarketOnA[]; [field: string]: unknown };
type MilestoneOnA = { related_event_tickers: string[]; start_date: string };
type MarketOnB = {
  slug: string;
  conditionId: string;
  outcomes: string;
  outcomePrices: string;
  [field: string]: unknown;
};
type EventOnB = { slug: string; closed: boolean; markets: MarketOnB[]; [field: string]: unknown };

let venues: RunningVenues;
beforeAll(async () => {
  venues = await startVenues(
    ...['--games', '130', '--tokens', '100000'],
    ...['--plant-divergence', 'KXNFLGAME:3,KXMLSGAME:1', '--changed-text', 'KXNHLGAME:40'],
  );
});
afterAll(() => venues?.end());

type Query = Record<string, string | number>;
const getA = <T>(path: string, query: Query) => get<T>(venues.listening.venue_a.rest + path, query);
const getB = <T>(path: string, query: Query) => get<T>(venues.listening.venue_b.gamma + path, query);

async function get<T>(url: string, query: Query): Promise<T> {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const response = await fetch(`${url}?${new URLSearchParams(texts)}`);
  expect(response.status, url).toBe(200);
  return (await response.json()) as T;
}

/** All settled events of a series that closed in the last `days` days. */
async function settledOnA(series: string, days = 120, limit = 200) {
  const events: EventOnA[] = [];
  const milestones: MilestoneOnA[] = [];
  const closes = Math.floor((Date.now() - days * DAY_MS) / 1000);
  let cursor = '';
  do {
    const page = await getA<{ cursor: string; events: EventOnA[]; milestones: MilestoneOnA[] }>('/events', {
      ...{ series_ticker: series, status: 'settled', min_close_ts: closes, limit, cursor },
      ...{ with_nested_markets: 'true', with_milestones: 'true' },
    });
    events.push(...page.events);
    milestones.push(...page.milestones);
    cursor = page.cursor;
  } while (cursor);
  return { events, milestones };
}

async function historicalMarkets(query: Record<string, string>, limit = 1000): Promise<MarketOnA[]> {
  const markets: MarketOnA[] = [];
  let cursor = '';
  do {
    const page = await getA<{ cursor: string; markets: MarketOnA[] }>('/historical/markets', {
      ...query,
      ...{ mve_filter: 'exclude', limit, cursor },
    });
    markets.push(...page.markets);
    cursor = page.cursor;
  } while (cursor);
  return markets;
}

async function closedOnB(query: Record<string, string>, limit = 500): Promise<EventOnB[]> {
  const events: EventOnB[] = [];
  let cursor = '';
  do {
    const page = await getB<{ next_cursor?: string; events: EventOnB[] }>('/events/keyset', {
      ...query,
      ...{ closed: 'true', limit, after_cursor: cursor },
    });
    events.push(...page.events);
    cursor = page.next_cursor ?? '';
  } while (cursor);
  return events;
}

const truth = (query: string) =>
  fetch(`${venues.sim}/past?${query}`).then(
    (response) => response.json() as Promise<{ rows: PastRow[]; occasions: PastOccasion[] }>,
  );

const cutoffOf = async () => (await getA<{ market_settled_ts: string }>('/historical/cutoff', {})).market_settled_ts;
const seriesOnB = (league: string) => ({ series_id: seriesIdOf(leagueBy(league).bSeries) });
const since = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
const isUnique = (names: readonly string[]) => new Set(names).size === names.length;

describe('settled past of venue_a', () => {
  it('returns every settled event of a series once over all pages', async () => {
    const { events } = await settledOnA('KXNFLGAME', 60, 7);
    expect(events.length).toBeGreaterThan(100);
    expect(isUnique(events.map((event) => event.event_ticker))).toBe(true);
    expect(new Set(events.map((event) => event.series_ticker))).toEqual(new Set(['KXNFLGAME']));
    const whole = await settledOnA('KXNFLGAME', 60, 200);
    expect(whole.events.map((event) => event.event_ticker)).toEqual(events.map((event) => event.event_ticker));
  });

  it('splits markets at the cutoff: newer ones in their events, older ones below /historical', async () => {
    const cutoff = await cutoffOf();
    const { events } = await settledOnA('KXNFLGAME');
    const nested = events.flatMap((event) => event.markets ?? []);
    const bare = new Set(events.filter((event) => !event.markets).map((event) => event.event_ticker));
    const historical = await historicalMarkets({ series_ticker: 'KXNFLGAME' }, 37);
    expect(bare.size).toBeGreaterThan(100);
    expect(nested.length).toBeGreaterThan(200);
    expect(nested.every((market) => String(market.settlement_ts) >= cutoff)).toBe(true);
    expect(historical.every((market) => String(market.settlement_ts) < cutoff)).toBe(true);
    expect(isUnique([...nested, ...historical].map((market) => market.ticker))).toBe(true);
    const found = new Set(historical.map((market) => market.event_ticker));
    expect([...bare].filter((ticker) => !found.has(ticker))).toEqual([]);
  });

  it('finds a past event and its markets by ticker, on both sides of the cutoff', async () => {
    const { events } = await settledOnA('KXMLBTOTAL');
    const newer = events.find((event) => event.markets);
    const older = events.find((event) => !event.markets);
    if (!newer?.markets || !older) throw new Error('no event on one side of the cutoff');
    const both = await getA<{ events: EventOnA[]; milestones: MilestoneOnA[] }>('/events', {
      ...{ tickers: `${newer.event_ticker},${older.event_ticker}` },
      ...{ with_nested_markets: 'true', with_milestones: 'true' },
    });
    expect(both.events).toEqual([newer, older]);
    expect(both.milestones.length).toBe(2);
    const one = await getA<{ event: EventOnA; markets?: MarketOnA[] }>(`/events/${newer.event_ticker}`, {});
    expect(one.markets).toEqual(newer.markets);
    const bare = await getA<{ event: EventOnA; markets?: MarketOnA[] }>(`/events/${older.event_ticker}`, {});
    expect(bare).toEqual({ event: older });
    const [first] = newer.markets;
    expect(await getA(`/markets/${first?.ticker}`, {})).toEqual({ market: first });
    expect(await getA('/markets', { event_ticker: newer.event_ticker })).toEqual({
      cursor: '',
      markets: newer.markets,
    });
    expect(await getA('/markets', { event_ticker: older.event_ticker })).toEqual({ cursor: '', markets: [] });
    const historical = await historicalMarkets({ event_ticker: older.event_ticker });
    expect(historical.length).toBe(newer.markets.length);
    expect(await getA(`/historical/markets/${historical[0]?.ticker}`, {})).toEqual({ market: historical[0] });
    expect(await historicalMarkets({ tickers: `${historical[1]?.ticker},${first?.ticker}` })).toEqual([historical[1]]);
    const missing = await fetch(`${venues.listening.venue_a.rest}/markets/${historical[0]?.ticker}`);
    expect(missing.status).toBe(404);
  });

  it('rejects two filters, other values of mve_filter and a foreign cursor of /historical/markets', async () => {
    const status = async (query: string) =>
      (await fetch(`${venues.listening.venue_a.rest}/historical/markets?${query}`)).status;
    expect(await status('series_ticker=KXNFLGAME&event_ticker=X')).toBe(400);
    expect(await status('event_ticker=X&tickers=Y')).toBe(400);
    expect(await status('mve_filter=only')).toBe(400);
    expect(await status('limit=1001')).toBe(400);
    expect(await status('cursor=abc')).toBe(400);
    expect(await status('series_ticker=KXNONE')).toBe(200);
  });

  it('gives each game and its betting lines the milestone with the start', async () => {
    const games = await settledOnA('KXNBAGAME', 30);
    const lines = await settledOnA('KXNBATOTAL', 30);
    for (const { events, milestones } of [games, lines]) {
      const related = new Set(milestones.flatMap((one) => one.related_event_tickers));
      expect(events.length).toBeGreaterThan(3);
      expect(events.filter((event) => !related.has(event.event_ticker))).toEqual([]);
    }
  });

  it('lists a settled event with the fields of an open one and its result', async () => {
    const { events } = await settledOnA('KXEPLGAME', 30);
    const { events: open } = await getA<{ events: EventOnA[] }>('/events', {
      ...{ series_ticker: 'KXEPLGAME', status: 'open', with_nested_markets: 'true' },
    });
    const past = events.at(-1);
    const keys = (value: object | undefined) => Object.keys(value ?? {}).sort();
    expect(keys(past)).toEqual(keys(open[0]));
    const results = ['settlement_ts', 'settlement_value_dollars'];
    expect(keys(past?.markets?.[0])).toEqual([...keys(open[0]?.markets?.[0]), ...results].sort());
    for (const market of past?.markets ?? []) {
      expect(market).toMatchObject({ status: 'finalized', yes_bid_dollars: '0.0000', yes_ask_dollars: '1.0000' });
      expect(Date.parse(String(market.close_time))).toBeLessThan(Date.parse(String(market.settlement_ts)));
    }
    expect(past?.markets?.map((market) => market.settlement_value_dollars).sort()).toEqual([
      '0.0000',
      '0.0000',
      '1.0000',
    ]);
  });
});

describe('settled past of venue_b', () => {
  it('returns every closed event of a series once over all pages, without other series', async () => {
    const query = { ...seriesOnB('mlb'), end_date_min: since(60) };
    const events = await closedOnB(query, 9);
    expect(events.length).toBeGreaterThan(100);
    expect(isUnique(events.map((event) => event.slug))).toBe(true);
    expect(events.every((event) => event.closed && event.slug.startsWith('mlb-'))).toBe(true);
    expect((await closedOnB(query)).map((event) => event.slug)).toEqual(events.map((event) => event.slug));
  });

  it('selects closed events by tag and by the end of the event', async () => {
    const [from, until] = [since(50), since(40)];
    const range = { end_date_min: from, end_date_max: until };
    const byTag = await closedOnB({ ...range, tag_slug: 'nba' });
    const bySeries = await closedOnB({ ...range, ...seriesOnB('nba') });
    expect(byTag.length).toBeGreaterThan(10);
    expect(byTag).toEqual(bySeries);
    const ends = byTag.map((event) => Date.parse(String(event.endDate)));
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(Date.parse(from));
    expect(Math.max(...ends)).toBeLessThanOrEqual(Date.parse(until));
    const weather = await closedOnB({ ...range, tag_id: '84' });
    expect(new Set(weather.map((event) => event.slug.split('-')[1]))).toEqual(new Set(['temperature']));
  });

  it('finds a past event and its markets by slug', async () => {
    const families = [seriesOnB('epl'), { tag_slug: 'weather' }, { tag_slug: 'bitcoin' }, { tag_slug: 'finance' }];
    for (const family of families) {
      const events = await closedOnB({ ...family, end_date_min: since(150), end_date_max: since(140) });
      expect(events.length).toBeGreaterThan(2);
      for (const event of events) {
        expect(await getB<EventOnB>(`/events/slug/${event.slug}`, {})).toEqual(event);
        const market = event.markets.at(-1);
        expect((await getB<MarketOnB>(`/markets/slug/${market?.slug}`, {})).conditionId).toBe(market?.conditionId);
      }
    }
  });

  it('states the payout of every market, and that of a v2 market in /v2/resolutions', async () => {
    const events = await closedOnB({ ...seriesOnB('nhl'), end_date_min: since(60) });
    const markets = events.flatMap((event) => event.markets);
    const prices = (market: MarketOnB) => (JSON.parse(market.outcomePrices) as string[]).map(Number);
    expect(markets.filter((market) => !market.closed || prices(market).reduce((a, b) => a + b) !== 1)).toEqual([]);
    const v2 = markets.filter((market) => market.version === 'v2').slice(0, 20);
    expect(v2.length).toBeGreaterThan(5);
    expect(new Set(v2.map((market) => market.umaResolutionStatuses))).toEqual(new Set(['[]']));
    expect(v2.filter((market) => 'umaResolutionStatus' in market)).toEqual([]);
    const wide = v2.map((market) => market.conditionId.padEnd(66, '0'));
    const data = venues.listening.venue_b.gamma.replace('/gamma', '/data');
    const rows = (await (await fetch(`${data}/v2/resolutions?condition=${wide.join(',')}`)).json()) as {
      data: { condition_id: string; payouts: number[] }[];
    };
    const paid = new Map(rows.data.map((row) => [row.condition_id, row.payouts]));
    for (const [i, market] of v2.entries())
      expect(paid.get(wide[i] ?? '')).toEqual(prices(market).map((price) => price * 1_000_000));
  });
});

describe('settled past and live world', () => {
  it('does not add past events to requests for open or for all current listings', async () => {
    const known = new Set(venues.world?.catalog.eventsA().map((event) => event.ticker));
    for (const filter of [{}, { status: 'open' }] as Record<string, string>[]) {
      const page = await getA<{ events: EventOnA[]; cursor: string }>('/events', {
        series_ticker: 'KXNFLGAME',
        ...filter,
      });
      expect(page.events.filter((event) => !known.has(event.event_ticker))).toEqual([]);
      expect(page.cursor).toBe('');
    }
    const slugs = new Set(venues.world?.catalog.eventsB().map((event) => event.slug));
    for (const filter of [{}, { closed: 'false' }] as Record<string, string>[]) {
      const page = await getB<{ events: EventOnB[] }>('/events/keyset', { ...seriesOnB('nfl'), ...filter, limit: 500 });
      expect(page.events.filter((event) => !slugs.has(event.slug))).toEqual([]);
    }
  });

  it('counts the outcomes that the payloads of both venues state', async () => {
    const { rows, occasions } = await truth('series=KXNFLGAME&days=55&occasions=true');
    const { events } = await settledOnA('KXNFLGAME', 56);
    const closed = await closedOnB({ ...seriesOnB('nfl'), end_date_min: since(70) });
    const { teams } = leagueBy('nfl');
    const onA = new Map(events.map((event) => [event.event_ticker, event.markets ?? []]));
    const onB = new Map(
      closed.map((event) => [event.slug, event.markets.find((market) => market.slug === event.slug)]),
    );
    const counts = { alike: 0, apart: 0, edge_cases: 0 };
    for (const { event_ticker, event_slug, outcome } of occasions.filter((one) => one.outcome !== 'defective')) {
      const market = onB.get(event_slug);
      if (!market) throw new Error(`${event_slug} is missing`);
      const prices = (JSON.parse(market.outcomePrices) as string[]).map(Number);
      const paid = (JSON.parse(market.outcomes) as string[]).map((nick, i) => {
        const city = teams.find((team) => team.nick === nick)?.city;
        const contract = onA.get(event_ticker)?.find((one) => String(one.yes_sub_title).replace('ㅤ', '') === city);
        return { a: Number(contract?.settlement_value_dollars), b: prices[i] };
      });
      const seen = paid.some(({ a, b }) => a !== b)
        ? 'apart'
        : paid.some(({ a }) => a % 1 !== 0)
          ? 'edge_case'
          : 'alike';
      expect(seen, event_ticker).toBe(outcome);
      counts[seen === 'edge_case' ? 'edge_cases' : seen] += 1;
    }
    expect(rows).toEqual([expect.objectContaining({ series: 'KXNFLGAME', family: 'moneyline', ...counts })]);
    expect(counts.alike).toBeGreaterThan(100);
  });

  it('settles planted games apart, and only those of the named series', async () => {
    const { rows, occasions } = await truth('series=KXNFLGAME&days=120&occasions=true');
    expect(rows[0]?.planted).toBe(3);
    expect(occasions.filter((one) => one.reason === 'planted').map((one) => one.outcome)).toEqual(
      Array(3).fill('apart'),
    );
    const soccer = await truth('series=KXMLSGAME&days=120&occasions=true');
    expect(soccer.rows[0]).toMatchObject({ planted: 1, apart: 1 });
    // One of three exclusive contracts pays, but not that of the winner on venue_b.
    const ticker = soccer.occasions.find((one) => one.reason === 'planted')?.event_ticker;
    const { markets } = await getA<{ markets: MarketOnA[] }>(`/events/${ticker}`, {});
    expect(markets.map((market) => market.result).sort()).toEqual(['no', 'no', 'yes']);
    expect((await truth('series=KXNBAGAME')).rows[0]?.planted).toBe(0);
  });

  it('states another text of a series before its rules changed', async () => {
    const { events, milestones } = await settledOnA('KXNHLGAME', 59);
    const startOf = (ticker: string) =>
      milestones.find((one) => one.related_event_tickers.includes(ticker))?.start_date ?? '';
    const hours = new Map<string, number[]>();
    for (const event of events) {
      const text = String(event.markets?.[0]?.rules_secondary);
      const wait = /begins within (\d+) hours/.exec(text)?.[1];
      if (wait) hours.set(wait, [...(hours.get(wait) ?? []), Date.parse(startOf(event.event_ticker))]);
    }
    expect([...hours.keys()].sort()).toEqual(['24', '48']);
    const changed = (venues.world?.universe.base ?? 0) - 40 * DAY_MS;
    expect(Math.max(...(hours.get('24') ?? []))).toBeLessThan(changed);
    expect(Math.min(...(hours.get('48') ?? []))).toBeGreaterThanOrEqual(changed);
    const { rows } = await truth('series=KXNHLGAME&days=59');
    expect(rows[0]?.earlier_texts).toBeGreaterThan(20);
  });

  it('moves a live event into the past once the live world removes it', async () => {
    const later = await startVenues('--games', '60', '--tokens', '100000');
    try {
      const { rest } = later.listening.venue_a;
      const request = async (query: string) =>
        (await (await fetch(`${rest}/events?series_ticker=KXNBAGAME&limit=200&${query}`)).json()) as {
          events: EventOnA[];
        };
      const soon = Date.now() + 2 * DAY_MS;
      const live = later.world?.catalog
        .eventsA()
        .filter(({ question, series_ticker }) => series_ticker === 'KXNBAGAME' && question.moments.ends < soon)
        .map((event) => event.ticker);
      expect(live?.length).toBeGreaterThan(2);
      later.setClock([{ real_from: Date.now(), market_from: Date.now() + 6 * DAY_MS, rate: 1 }]);
      await waitUntil(() => (later.world?.t ?? 0) > Date.now() + 5 * DAY_MS);
      const current = (await request('')).events.map((event) => event.event_ticker);
      const settled = (await request('status=settled')).events.map((event) => event.event_ticker);
      expect(current.filter((ticker) => live?.includes(ticker))).toEqual([]);
      expect(live?.filter((ticker) => settled.filter((one) => one === ticker).length !== 1)).toEqual([]);
      expect(isUnique(settled)).toBe(true);
    } finally {
      later.end();
    }
  });

  it('fails requests for the past during past_cut, and answers all others', async () => {
    const { venue_a, venue_b } = venues.listening;
    const inject = (body: object) =>
      fetch(`${venues.sim}/fault`, { method: 'POST', body: JSON.stringify({ fault: 'past_cut', ...body }) });
    const settled = [
      `${venue_a.rest}/events?status=settled&series_ticker=KXNFLGAME`,
      `${venue_a.rest}/historical/markets?series_ticker=KXNFLGAME`,
      `${venue_a.rest}/historical/cutoff`,
      `${venue_b.gamma}/events/keyset?closed=true`,
    ];
    const current = [`${venue_a.rest}/events?status=open&limit=1`, `${venue_b.gamma}/events/keyset?closed=false`];
    const outcome = (url: string) =>
      fetch(url).then(
        ({ status }) => status,
        () => 'cut',
      );
    const outcomes = (urls: string[]) => Promise.all(urls.map(outcome));
    try {
      await inject({ for_ms: 0 });
      expect(await outcomes(settled)).toEqual(['cut', 'cut', 'cut', 'cut']);
      expect(await outcomes(current)).toEqual([200, 200]);
      await inject({ for_ms: 0, how: '503' });
      expect(await outcomes(settled)).toEqual([503, 503, 503, 503]);
    } finally {
      await inject({ how: 'lift' });
    }
    expect(await outcomes(settled)).toEqual([200, 200, 200, 200]);
  });

  it('is served at a small part of the cost of parsing it', async () => {
    const before = process.cpuUsage();
    const leagues = ['nfl', 'nba', 'nhl', 'mlb', 'mls'];
    let count = 0;
    for (const league of leagues) {
      count += (await settledOnA(leagueBy(league).series)).events.length;
      count += (await historicalMarkets({ series_ticker: leagueBy(league).series })).length / 2;
      count += (await closedOnB({ ...seriesOnB(league), end_date_min: since(120) })).length;
    }
    const { user, system } = process.cpuUsage(before);
    const cost = (user + system) / 1000 / count;
    process.stdout.write(
      `settled past: ${Math.round(count)} events, ${cost.toFixed(2)} ms of CPU each, with the client\n`,
    );
    expect(count).toBeGreaterThan(2_000);
    expect(cost).toBeLessThan(5);
  });
});
