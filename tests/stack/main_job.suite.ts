import { beforeAll, describe, expect, it } from 'vitest';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fetchAllMarkets, type Market, Simulator, untilFastForwardEnds } from './simulator.ts';

// The whole path: two simulated venues with their own wire formats, the real functions, matching
// and prices in the real database, REST, and a comparison with the ground truth of the simulator.

const LINE_FAMILIES = new Set(['total', 'spread', 'team_total', 'advance']);
const STRIKE_LADDER_FAMILIES = new Set([
  'weather_high',
  'weather_low',
  'crypto_above',
  'fed_decision',
  'cb_decision',
  'econ_print',
]);

/** `at` returns the stack once it is ready. */
export const mainJobSuite = (at: () => RunningStack) =>
  describe('the whole path from the venues to REST', () => {
    let stack: RunningStack;
    let key: string;
    let simulator: Simulator;

    beforeAll(async () => {
      stack = at();
      key = await stack.key('pro');
      simulator = new Simulator(stack);
    });

    const pairName = (a: string, b: string) => `${a} x ${b}`;

    /** True pairs of the simulator that REST does not list in any status. */
    async function missingPairs(): Promise<string[]> {
      const { pairs, now } = await simulator.truth();
      const { markets } = await fetchAllMarkets(stack, key, '&status=open,live,resolving,closed,settled');
      const found = new Set(
        markets.map((market) => pairName(market.venues.venue_a.event_ticker, market.venues.venue_b.slug)),
      );
      // Games that ended before the first sweep of the stack are not in the open listings. Pairs
      // with a listing defect are candidates.
      return pairs
        .filter(
          (pair) =>
            ['moneyline', 'outright'].includes(pair.family) &&
            pair.defect === null &&
            (pair.ends ?? Number.POSITIVE_INFINITY) > now,
        )
        .map((pair) => pairName(pair.venue_a.event_ticker, pair.venue_b.event_slug))
        .filter((pair) => !found.has(pair));
    }

    it('is ready on a new data folder, reports simulated venues, and has prices of most markets', async () => {
      expect(stack.lines.join('\n')).toMatch(/SIMULATED/);
      const health = (await (await fetch(`${stack.baseUrl}/health`)).json()) as {
        status: string;
        venues: Record<string, { state: string; source: string }>;
      };
      expect(health.status).toBe('ok');
      expect(health.venues.venue_a).toMatchObject({ state: 'up', source: 'simulated' });
      expect(health.venues.venue_b).toMatchObject({ state: 'up', source: 'simulated' });
      let share = 0;
      await waitUntil(
        async () => {
          const { markets } = await fetchAllMarkets(stack, key);
          share = markets.filter(({ coverage }) => coverage.venue_a && coverage.venue_b).length / markets.length;
          return share > 0.8;
        },
        { what: 'both prices of four fifths of the markets', evidence: () => `${share}` },
      );
    });

    it('serves several levels of most books of both venues, best first', async () => {
      type Levels = { asks: { price: number }[]; bids: { price: number }[] };
      type Deep = { outcomes: Record<'venue_a_book' | 'venue_b_book', { levels: Levels } | null>[] };
      const readSides = async (venue: 'venue_a_book' | 'venue_b_book') => {
        const { markets } = await stack.get<{ markets: Deep[] }>('/v2/markets?include=depth&levels=10&limit=100', key);
        const books = markets.flatMap(({ outcomes }) => outcomes.map((outcome) => outcome[venue]?.levels));
        return books.flatMap((levels) => (levels ? [levels.asks, levels.bids] : []));
      };
      for (const venue of ['venue_a_book', 'venue_b_book'] as const) {
        let sides = await readSides(venue);
        const deep = () => sides.filter((side) => side.length > 1).length / sides.length;
        await waitUntil(
          async () => {
            sides = await readSides(venue);
            return deep() > 0.5;
          },
          // A step samples at most 500 pairs, and REST is 10 s behind.
          {
            what: `several levels of ${venue}`,
            evidence: () => `${deep()} of ${sides.length} sides`,
            everyMs: 1_000,
          },
        );
        for (const side of sides) {
          const prices = side.map(({ price }) => price);
          const sorted = [...prices].sort((one, other) => one - other);
          expect([sorted, sorted.toReversed()]).toContainEqual(prices);
        }
      }
    });

    it('publishes the best quotes of most markets on best:all while books change', async () => {
      type Best = { offset: number; best: { priced_at: string; best: { buy: object | null }[] }[] };
      const read = () => stack.get<Best>('/v1/stream/state?channel=best:all', key);
      const { offset } = await read();
      const { now: from } = await simulator.get<{ now: number }>('time');
      const { best } = await waitUntil(
        async () => {
          const state = await read();
          const pricedAt = state.best.map(({ priced_at }) => Date.parse(priced_at));
          return state.offset > offset + 20 && Math.max(...pricedAt) > from && state;
        },
        { what: 'twenty best frames, of books that were read just now' },
      );
      expect(best.length).toBeGreaterThan(100);
      const bought = best.filter((market) => market.best.every(({ buy }) => buy !== null));
      expect(bought.length).toBeGreaterThan(best.length / 2);
    });

    it('lists hundreds of pairs, all of them true pairs with correct contracts, and misses none', async () => {
      const { markets } = await fetchAllMarkets(stack, key);
      const truth = await simulator.truth();
      const truePairs = new Map(
        truth.pairs.map((pair) => [pairName(pair.venue_a.event_ticker, pair.venue_b.event_slug), pair]),
      );
      expect(markets.length).toBeGreaterThan(200);
      for (const market of markets) {
        const truePair = truePairs.get(pairName(market.venues.venue_a.event_ticker, market.venues.venue_b.slug));
        expect(
          truePair,
          `${market.venues.venue_a.event_ticker} and ${market.venues.venue_b.slug} are no true pair`,
        ).toBeDefined();
        const legs = new Map(truePair?.outcomes.map((leg) => [leg.ticker, leg]));
        for (const outcome of market.outcomes) {
          const leg = legs.get(outcome.venue_a_book?.ticker ?? '');
          expect(leg, `${market.id} ${outcome.key}`).toBeDefined();
          expect(outcome.venue_b_book?.token_id, `${market.id} ${outcome.key} is inverted`).toBe(leg?.token_id);
        }
      }
      // The next listing sweep, at most a minute later, finds new listings.
      await waitUntil(async () => (await missingPairs()).length === 0, {
        what: 'every true pair is listed',
        everyMs: 2_000,
        evidence: async () => (await missingPairs()).join('\n'),
      });
    });

    it('returns the asks that both books had at the snapshot', async () => {
      await untilFastForwardEnds(stack);
      const { markets, page } = await fetchAllMarkets(stack, key, '&market_type=moneyline');
      const at = Date.parse(page.snapshot_at);
      const errors: string[] = [];
      let compared = 0;
      for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 80)) {
        const result = await simulator.askErrors(market, at);
        errors.push(...result.errors);
        compared += result.compared;
        expect(Date.parse(market.priced_at)).toBeLessThanOrEqual(at);
      }
      expect(errors).toEqual([]);
      expect(compared).toBeGreaterThan(200);
    });

    it('lists every family with correct contracts and asks, lines with their game and complete strike ladders', async () => {
      await untilFastForwardEnds(stack);
      const { markets, page } = await fetchAllMarkets(stack, key, '&market_type=all');
      const truth = await simulator.truth();
      const legs = new Map(truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => [leg.token_id, leg])));
      const no = new Set([...legs.values()].filter((leg) => leg.side === 'no').map((leg) => leg.token_id));
      const games = new Set(markets.filter((one) => one.market_type === 'moneyline').map((one) => one.id));
      const at = Date.parse(page.snapshot_at);
      const byFamily = new Map<string, Market[]>();
      for (const market of markets)
        byFamily.set(market.market_type, [...(byFamily.get(market.market_type) ?? []), market]);
      // The families depend on the day. REST must list those of the true pairs and no other.
      const listed = new Set(truth.pairs.filter((pair) => pair.defect === null).map((pair) => pair.family));
      expect([...byFamily.keys()].sort()).toEqual([...listed].sort());
      const known = [...LINE_FAMILIES, ...STRIKE_LADDER_FAMILIES, 'moneyline', 'outright'];
      expect(known.filter((family) => byFamily.has(family)).length).toBeGreaterThan(known.length - 3);
      expect(known).toEqual(expect.arrayContaining([...byFamily.keys()]));
      for (const market of markets) {
        for (const { key: outcome, relation, venue_a, venue_a_book: a, venue_b_book: b } of market.outcomes) {
          const isExact = relation === undefined || relation === 'EXACT';
          if (a && b && isExact) expect(a.ticker, `${market.id} ${outcome}`).toBe(legs.get(b.token_id)?.ticker);
          if (!a) expect(venue_a, `${market.id} ${outcome} has a price without a contract`).toBeNull();
        }
        const isLadder = STRIKE_LADDER_FAMILIES.has(market.market_type);
        expect(market.venue_a_ladder !== undefined && market.closes !== undefined, market.id).toBe(isLadder);
        expect(market.line !== undefined, market.id).toBe(LINE_FAMILIES.has(market.market_type));
        if (isLadder) expect(market.venue_a_ladder?.length, market.id).toBeGreaterThan(0);
      }
      // Most betting lines belong to a game that is paired too.
      const lines = markets.filter((one) => LINE_FAMILIES.has(one.market_type));
      expect(lines.filter((one) => games.has(one.game_id ?? '')).length).toBeGreaterThan(lines.length * 0.8);
      const errors: string[] = [];
      for (const [family, all] of byFamily) {
        let compared = 0;
        for (const market of all.filter((one) => one.outcomes.length > 0).slice(0, 8)) {
          const result = await simulator.askErrors(market, at, no);
          errors.push(...result.errors);
          compared += result.compared;
        }
        expect(compared, family).toBeGreaterThan(2);
      }
      expect(errors).toEqual([]);
    });

    it('returns the same bytes within a step, and 304 for a matching ETag', async () => {
      const url = `${stack.baseUrl}/v2/markets?limit=20`;
      const headers = { authorization: `Bearer ${key}` };
      for (let attempt = 0; ; attempt += 1) {
        const [one, two] = [await fetch(url, { headers }), await fetch(url, { headers })];
        const [first, second] = [await one.text(), await two.text()];
        if (one.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
        expect(second).toBe(first);
        const etag = two.headers.get('etag') ?? '';
        const cached = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
        if (cached.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
        expect(cached.status).toBe(304);
        return;
      }
    });
  });
