import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twinsOf } from '../../local/venue_simulator/universe/question.ts';
import { universeOf } from '../../local/venue_simulator/universe/universe.ts';
import { World } from '../../local/venue_simulator/world/world.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fastClock, type RunningVenues, startVenues } from './fixture.ts';

const BASE = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;

/**
 * Whether the books that the sockets publish hold an arbitrage. A second implementation, apart from
 * that of the simulator: in floating point, and it tries every combination.
 */
function hasArbitrage(world: World, legs: readonly { ticker: string; side: string; token_id: string }[]): boolean {
  const offers = legs.map(({ ticker, side, token_id }) => {
    const marketA = world.catalog.marketA(ticker);
    const marketB = world.catalog.marketB(token_id);
    const a = marketA?.ladder;
    const b = marketB?.book(token_id).ladder;
    if (!marketA || !marketB || !a?.bids[0] || !a.asks[0] || !b?.bids[0] || !b.asks[0]) return null;
    if (a.bids[0][0] >= a.asks[0][0] || b.bids[0][0] >= b.asks[0][0]) return null;
    const ownAsk = side === 'yes' ? a.asks[0] : ([10_000 - a.bids[0][0], a.bids[0][1]] as const);
    const oppositeAsk = side === 'yes' ? ([10_000 - a.bids[0][0], a.bids[0][1]] as const) : a.asks[0];
    const multiplier = world.catalog.eventA(marketA.event_ticker)?.series_ticker.startsWith('KXMLB') ? 0.5 : 1;
    const rate = Number((marketB.contract.fields.feeSchedule as { rate: number }).rate);
    const offerOf = (venue: string, [ask, size]: readonly [number, number], k: number, unit: number) => {
      const p = ask / 10_000;
      return { venue, p, size: size / 100, cost: p + Math.ceil(k * p * (1 - p) * unit - 1e-9) / unit };
    };
    return {
      ticker,
      own: [offerOf('a', ownAsk, 0.07 * multiplier, 1e4), offerOf('b', b.asks[0], rate, 1e5)],
      opposite: offerOf('a', oppositeAsk, 0.07 * multiplier, 1e4),
    };
  });
  if (offers.some((one) => one === null)) return false;
  const rows = offers.flatMap((one, i) => {
    const other = offers.length === 2 ? offers[1 - i] : null;
    return one ? [other && other.ticker !== one.ticker ? [...one.own, other.opposite] : one.own] : [];
  });
  const sets = rows.reduce<(typeof rows)[number][]>(
    (all, row) => all.flatMap((set) => row.map((next) => [...set, next])),
    [[]],
  );
  return sets.some((set) => {
    const size = Math.min(...set.map((leg) => leg.size));
    const profit = (1 - set.reduce((sum, leg) => sum + leg.cost, 0)) * size;
    const legsOnA = set.filter((leg) => leg.venue === 'a').length;
    const isOrderable = set.every((leg) => leg.venue === 'a' || (size >= 5 && size * leg.p >= 1));
    return legsOnA > 0 && legsOnA < set.length && isOrderable && profit > 0.01 * legsOnA + 1e-9;
  });
}

describe('true opportunities', () => {
  it('are open exactly while the published books hold an arbitrage', () => {
    const world = new World(universeOf(3, BASE, 270), BASE);
    const families = new Set<string>();
    let compared = 0;
    for (let minute = 0; minute < 12; minute++) {
      for (let step = 0; step < 240; step++) world.advance(world.t + 250);
      const open = new Set(
        world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).map(({ twin }) => twin.legs[0]?.token_id),
      );
      for (const twin of world.known().flatMap(twinsOf)) {
        // With more than three legs there are too many combinations. best_set.test.ts covers those.
        if (
          twin.legs.length > 3 ||
          twin.unpairedLegs.length > 0 ||
          !['moneyline', 'total', 'spread', 'team_total', 'advance'].includes(twin.family)
        )
          continue;
        const name = `${twin.event_ticker} ${twin.line ?? ''} at ${world.t}`;
        expect(open.has(twin.legs[0]?.token_id), name).toBe(hasArbitrage(world, twin.legs));
        compared++;
        if (open.has(twin.legs[0]?.token_id)) families.add(twin.family);
      }
    }
    expect(compared).toBeGreaterThan(4_000);
    expect(families.size).toBeGreaterThan(2);
  });

  it('close when one of their books is crossed or empty, and open again when it recovers', () => {
    const world = new World(universeOf(3, BASE, 270), BASE);
    for (const kind of ['crossed', 'empty'] as const) {
      for (let step = 0; step < 240; step++) world.advance(world.t + 250);
      // The newest one: a planned opportunity lasts 25 seconds or longer.
      const opportunity = world.arbitrage
        .opportunitiesSince(Number.POSITIVE_INFINITY)
        .filter(({ twin }) => twin.family === 'moneyline')
        .at(-1);
      const book = world.catalog.marketA(opportunity?.twin.legs[0]?.ticker ?? '')?.instrument;
      if (!opportunity || !book) throw new Error('no opportunity is open');
      const open = () =>
        world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).some(({ twin }) => twin === opportunity.twin);
      world.override(book, { kind, until: world.t + 1_000 });
      expect(open(), kind).toBe(false);
      world.advance(world.t + 1_001);
      expect(open(), kind).toBe(true);
    }
  });

  it('are open at more than 80% of the samples, mostly with an edge of 0.5% to 3%, in many families', () => {
    const world = new World(universeOf(1, BASE, 270), BASE);
    for (let step = 0; step < 600; step++) world.advance(world.t + 500);
    const from = world.t;
    let [withOne, withSeveral, samples] = [0, 0, 0];
    for (let t = from; t < from + 60 * MINUTE; t += 500) {
      world.advance(t);
      if (t % 5_000 !== 0) continue;
      const open = world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).length;
      samples++;
      if (open > 0) withOne++;
      if (open > 1) withSeveral++;
    }
    const observed = world.arbitrage.opportunitiesSince(from);
    expect(withOne / samples).toBeGreaterThan(0.8);
    expect(withSeveral / samples).toBeGreaterThan(0.5);
    const usual = observed.filter(({ edge }) => edge >= 5_000 && edge <= 30_000);
    expect(usual.length / observed.length).toBeGreaterThan(0.6);
    expect(Math.max(...observed.map(({ edge }) => edge))).toBeLessThan(60_000);
    expect(new Set(observed.map(({ twin }) => twin.event_ticker.split('-')[0])).size).toBeGreaterThan(15);
    expect(new Set(observed.map(({ twin }) => twin.family)).size).toBeGreaterThan(3);
    const others = observed.filter(({ twin }) => twin.family !== 'moneyline');
    expect(others.length / observed.length).toBeGreaterThan(0.25);
  });

  it('are planned the same after a restart', () => {
    const universe = universeOf(6, BASE, 120);
    const first = new World(universe, BASE);
    for (let step = 0; step < 400; step++) first.advance(first.t + 1_000);
    const planned = (world: World) =>
      world.plannedOpportunities
        .filter(({ plan }) => plan.opens <= first.t && plan.closes > first.t)
        .map(({ plan }) => [plan.id, plan.twin.event_ticker, plan.market.slug, plan.shift, plan.opens, plan.closes]);
    expect(planned(first).length).toBeGreaterThan(0);
    expect(planned(new World(universe, first.t))).toEqual(planned(first));
  });
});

describe('GET /_sim/opportunities', () => {
  let venues: RunningVenues;
  beforeAll(async () => {
    venues = await startVenues('--seed', '3', '--clock', fastClock(40));
  });
  afterAll(() => venues?.end());

  type OpportunityJson = {
    opened_at: number;
    closed_at: number | null;
    edge: number;
    size: number;
    caused_by: string;
    contracts: { ticker: string; token_id: string }[];
  };

  it('returns the opportunities that are open or have closed since the given time', async () => {
    const get = async (since: string) => {
      const response = await fetch(`${venues.sim}/opportunities?since=${since}`);
      return {
        status: response.status,
        body: (await response.json()) as { now: number; opportunities: OpportunityJson[] },
      };
    };
    const { body, closed } = await waitUntil(
      async () => {
        const { body } = await get('0');
        const closed = body.opportunities.find(({ closed_at }) => closed_at !== null);
        return closed && { body, closed };
      },
      { what: 'a closed opportunity', timeoutMs: 20_000 },
    );
    expect(closed.closed_at).toBeGreaterThan(closed.opened_at);
    for (const { edge, size, caused_by, contracts } of body.opportunities) {
      expect(edge).toBeGreaterThan(0);
      expect(size).toBeGreaterThanOrEqual(5);
      expect(['planned', 'own']).toContain(caused_by);
      expect(contracts.length).toBeGreaterThan(1);
    }
    const later = await get(String((closed.closed_at ?? 0) + 1));
    expect(
      later.body.opportunities.some(({ closed_at }) => closed_at !== null && closed_at <= (closed.closed_at ?? 0)),
    ).toBe(false);
    expect((await get('soon')).status).toBe(400);
  });
});
