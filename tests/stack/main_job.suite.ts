import { beforeAll, describe, expect, it } from 'vitest';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { everyMarket, type Market, Simulator, untilCalm } from './simulator.ts';

// The main job, whole: both simulated venues in their own wire formats, read by the real functions, matched and priced by the real
// database, answered over HTTP, and held against what the simulator alone knows.

const LINES = new Set(['total', 'spread', 'team_total', 'advance']);
const LADDERS = new Set(['weather_high', 'weather_low', 'crypto_above', 'fed_decision', 'cb_decision', 'econ_print']);

/** `at` gives the stack once it is ready. */
export const mainJob = (at: () => RunningStack) =>
  describe('the main job', () => {
    let stack: RunningStack;
    let key: string;
    let simulator: Simulator;

    beforeAll(() => {
      stack = at();
      key = stack.key('pro');
      simulator = new Simulator(stack);
    });

    const name = (a: string, b: string) => `${a} x ${b}`;

    /** Twins of the simulator that REST does not list in any status. */
    async function missing(): Promise<string[]> {
      const { pairs, now } = await simulator.truth();
      const { markets } = await everyMarket(stack, key, '&status=open,live,resolving,closed,settled');
      const found = new Set(
        markets.map((market) => name(market.venues.venue_a.event_ticker, market.venues.venue_b.slug)),
      );
      // Games that were over before this stack first looked are not in open listings any more, and listings that cannot be trusted
      // are candidates.
      return pairs
        .filter(
          (pair) =>
            ['moneyline', 'outright'].includes(pair.family) &&
            pair.caution === null &&
            (pair.ends ?? Number.POSITIVE_INFINITY) > now,
        )
        .map((pair) => name(pair.venue_a.event_ticker, pair.venue_b.event_slug))
        .filter((pair) => !found.has(pair));
    }

    it('is ready on a fresh folder, says that the venues are simulated, and has prices at once', async () => {
      expect(stack.lines.join('\n')).toMatch(/SIMULATED/);
      const health = (await (await fetch(`${stack.baseUrl}/health`)).json()) as {
        status: string;
        venues: Record<string, { state: string; source: string }>;
      };
      expect(health.status).toBe('ok');
      expect(health.venues.venue_a).toMatchObject({ state: 'up', source: 'simulated' });
      expect(health.venues.venue_b).toMatchObject({ state: 'up', source: 'simulated' });
      const { markets } = await everyMarket(stack, key);
      const priced = markets.filter((market) => market.coverage.venue_a && market.coverage.venue_b);
      expect(priced.length).toBeGreaterThan(markets.length * 0.9);
    });

    it('lists hundreds of pairs, each a true twin with both sides the right way round, and misses none', async () => {
      const { markets } = await everyMarket(stack, key);
      const truth = await simulator.truth();
      const twins = new Map(
        truth.pairs.map((pair) => [name(pair.venue_a.event_ticker, pair.venue_b.event_slug), pair]),
      );
      expect(markets.length).toBeGreaterThan(200);
      for (const market of markets) {
        const twin = twins.get(name(market.venues.venue_a.event_ticker, market.venues.venue_b.slug));
        expect(twin, `${market.venues.venue_a.event_ticker} is no twin of ${market.venues.venue_b.slug}`).toBeDefined();
        const legs = new Map(twin?.outcomes.map((leg) => [leg.ticker, leg]));
        for (const outcome of market.outcomes) {
          const leg = legs.get(outcome.venue_a_book?.ticker ?? '');
          expect(leg, `${market.id} ${outcome.key}`).toBeDefined();
          expect(outcome.venue_b_book?.token_id, `${market.id} ${outcome.key} is turned round`).toBe(leg?.token_id);
        }
      }
      // What was listed since the last walk through the listings is found by the next one, a minute later at most.
      await waitUntil(async () => (await missing()).length === 0, {
        what: 'every twin is listed',
        timeoutMs: 100_000,
        everyMs: 2_000,
        evidence: async () => (await missing()).join('\n'),
      });
    }, 120_000);

    it('prices exactly what both books said at the step', async () => {
      await untilCalm(stack);
      const { markets, page } = await everyMarket(stack, key, '&market_type=moneyline');
      const at = Date.parse(page.snapshot_at);
      const wrong: string[] = [];
      let compared = 0;
      for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 80)) {
        const looked = await simulator.wrongAsks(market, at);
        wrong.push(...looked.wrong);
        compared += looked.compared;
        expect(Date.parse(market.priced_at)).toBeLessThanOrEqual(at);
      }
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(200);
    }, 120_000);

    it('shows every family: each leg a twin at the asks of its books, each line tied to its game, each ladder whole', async () => {
      await untilCalm(stack);
      const { markets, page } = await everyMarket(stack, key, '&market_type=all');
      const truth = await simulator.truth();
      const legs = new Map(truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => [leg.token_id, leg])));
      const no = new Set([...legs.values()].filter((leg) => leg.side === 'no').map((leg) => leg.token_id));
      const games = new Set(markets.filter((one) => one.market_type === 'moneyline').map((one) => one.id));
      const at = Date.parse(page.snapshot_at);
      const seen = new Map<string, Market[]>();
      for (const market of markets) seen.set(market.market_type, [...(seen.get(market.market_type) ?? []), market]);
      // What the venues list depends on the day: every family of their true pairs, and no other.
      const listed = new Set(truth.pairs.filter((pair) => pair.caution === null).map((pair) => pair.family));
      expect([...seen.keys()].sort()).toEqual([...listed].sort());
      const known = [...LINES, ...LADDERS, 'moneyline', 'outright'];
      expect(known.filter((family) => seen.has(family)).length).toBeGreaterThan(known.length - 3);
      expect(known).toEqual(expect.arrayContaining([...seen.keys()]));
      for (const market of markets) {
        for (const { key: outcome, relation, venue_a, venue_a_book: a, venue_b_book: b } of market.outcomes) {
          const claims = relation === undefined || relation === 'EXACT';
          if (a && b && claims) expect(a.ticker, `${market.id} ${outcome}`).toBe(legs.get(b.token_id)?.ticker);
          if (!a) expect(venue_a, `${market.id} ${outcome} has a price that no contract has`).toBeNull();
        }
        const ladder = LADDERS.has(market.market_type);
        expect(market.venue_a_ladder !== undefined && market.closes !== undefined, market.id).toBe(ladder);
        expect(market.line !== undefined, market.id).toBe(LINES.has(market.market_type));
        if (ladder) expect(market.venue_a_ladder?.length, market.id).toBeGreaterThan(0);
      }
      // Most lines belong to a game that is paired itself.
      const lines = markets.filter((one) => LINES.has(one.market_type));
      expect(lines.filter((one) => games.has(one.game_id ?? '')).length).toBeGreaterThan(lines.length * 0.8);
      const wrong: string[] = [];
      for (const [family, all] of seen) {
        let compared = 0;
        for (const market of all.filter((one) => one.outcomes.length > 0).slice(0, 8)) {
          const looked = await simulator.wrongAsks(market, at, no);
          wrong.push(...looked.wrong);
          compared += looked.compared;
        }
        expect(compared, family).toBeGreaterThan(2);
      }
      expect(wrong).toEqual([]);
    }, 120_000);

    it('gives the same bytes within a step, and 304 to who has them', async () => {
      const url = `${stack.baseUrl}/v2/markets?limit=20`;
      const headers = { authorization: `Bearer ${key}` };
      for (let attempt = 0; ; attempt += 1) {
        const [one, two] = [await fetch(url, { headers }), await fetch(url, { headers })];
        const [first, second] = [await one.text(), await two.text()];
        if (one.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
        expect(second).toBe(first);
        const etag = two.headers.get('etag') ?? '';
        const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } });
        if (again.headers.get('x-as-of') !== two.headers.get('x-as-of') && attempt < 3) continue;
        expect(again.status).toBe(304);
        return;
      }
    });
  });
