import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bestSet, type Offer } from '../../local/venues/arbitrage/best_set.ts';
import { feeOnA, feeOnB } from '../../local/venues/arbitrage/fees.ts';
import type { EventA, MarketB, SeriesA } from '../../local/venues/universe/question.ts';
import { twinsOf } from '../../local/venues/universe/question.ts';
import { universeOf } from '../../local/venues/universe/universe.ts';
import { World } from '../../local/venues/world/world.ts';
import { fastClock, type Running, running } from './running.ts';

const BASE = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;

const series = (fee_multiplier: unknown, fee_type = 'quadratic') =>
  ({ ticker: 'KX', fields: { fee_multiplier, fee_type } }) as SeriesA;
const event = (fields: Record<string, unknown> = {}) => ({ fields }) as EventA;
const market = (rate: unknown, more: Record<string, unknown> = {}) =>
  ({ fields: { feeSchedule: { rate, exponent: 1 }, ...more } }) as unknown as MarketB;

describe('what a taker pays', () => {
  // venues.md, "Fee drag": both fees of a pair at one price, in cents, before rounding.
  it.each([
    [0.5, 1, 0.05, 3],
    [0.5, 0.5, 0.05, 2.13],
    [0.3, 1, 0.05, 2.52],
    [0.3, 0.5, 0.05, 1.79],
    [0.1, 1, 0.07, 1.26],
    [0.5, 1, 0, 1.75],
  ])('is what the fact sheet says at %s with %s and %s', (price, multiplier, rate, cents) => {
    const at = Math.round(price * 10_000);
    const a = feeOnA(series(multiplier), event())?.(at) ?? Number.NaN;
    const b = feeOnB(market(rate))?.(at) ?? Number.NaN;
    expect(Math.abs((a + b) / 10_000 - cents)).toBeLessThan(0.02);
  });

  it('is rounded up, to $0.0001 on venue A and to $0.00001 on venue B', () => {
    expect(feeOnA(series(1), event())?.(4_300)).toBe(17_200);
    expect(feeOnA(series(1), event())?.(5_000)).toBe(17_500);
    expect(feeOnB(market(0.05))?.(4_300)).toBe(12_260);
    expect(feeOnB(market(0.05))?.(5_000)).toBe(12_500);
  });

  it("is the event's own where it has one, and unknown where the listing does not explain it", () => {
    expect(feeOnA(series(1), event({ fee_multiplier_override: 0.5 }))?.(5_000)).toBe(8_800);
    expect(feeOnA(series(1), event({ fee_type_override: 'flat' }))).toBeNull();
    expect(feeOnA(series(undefined), event())).toBeNull();
    expect(feeOnA(undefined, event())).toBeNull();
    expect(feeOnB(market(null))).toBeNull();
    expect(feeOnB(market(0.05, { feesEnabled: false }))?.(5_000)).toBe(0);
  });
});

describe('the best set', () => {
  const offer = (venue: 'a' | 'b', cents: number, contracts: number, least = venue === 'b' ? 5 : 0.01): Offer => ({
    venue,
    ask: cents * 100,
    cost: cents * 10_000 + 5_000,
    size: contracts * 100,
    least: least * 100,
  });

  it('has both venues in it, even where one alone is cheaper', () => {
    const cheapB = [
      [offer('a', 49, 50), offer('b', 45, 50)],
      [offer('a', 48, 50), offer('b', 45, 50)],
    ];
    expect(bestSet(cheapB)).toEqual({ cost: 940_000, size: 5_000, cheapest: true });
    expect(bestSet([[offer('b', 45, 50)], [offer('b', 45, 50)]])).toBeNull();
  });

  it.each([
    ['fewer than five contracts', 4.99, 45],
    ['an order below a dollar', 6, 10],
  ])('is none at %s of venue B', (_why, contracts, cents) => {
    const small = [[offer('b', cents, contracts)], [offer('a', 92 - cents, 500)]];
    expect(bestSet(small)).toBeNull();
    expect(bestSet([[offer('b', cents, 12)], [offer('a', 92 - cents, 500)]])).not.toBeNull();
  });

  it('is none where the cents that venue A may round away take the profit', () => {
    // Edge 0.1 cent of a contract: ten contracts earn a cent, which is not above one.
    const thin = (contracts: number) => [
      [{ ...offer('a', 50, contracts), cost: 500_000 }],
      [{ ...offer('b', 49, contracts), cost: 499_000 }],
    ];
    expect(bestSet(thin(10))).toBeNull();
    expect(bestSet(thin(10.01))).not.toBeNull();
  });

  it('is found behind a thin offer that is cheaper, and says so', () => {
    const hidden = [
      [offer('a', 40, 1), offer('a', 44, 80)],
      [offer('b', 45, 30), offer('a', 60, 500)],
    ];
    expect(bestSet(hidden)).toEqual({ cost: 900_000, size: 3_000, cheapest: false });
  });

  it('exists exactly where trying every combination finds one', () => {
    const one = fc.record({
      venue: fc.constantFrom('a' as const, 'b' as const),
      ask: fc.integer({ min: 100, max: 6_000 }),
      fee: fc.integer({ min: 0, max: 20_000 }),
      size: fc.integer({ min: 1, max: 3_000 }),
    });
    const offers = fc.array(one, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(offers, { minLength: 2, maxLength: 4 }), (drawn) => {
        const outcomes = drawn.map((row) =>
          row.map(
            ({ venue, ask, fee, size }): Offer => ({
              venue,
              ask,
              cost: ask * 100 + fee,
              size,
              least: venue === 'b' ? 500 : 1,
            }),
          ),
        );
        const all = outcomes.reduce<Offer[][]>(
          (sets, row) => sets.flatMap((set) => row.map((next) => [...set, next])),
          [[]],
        );
        const paying = all.filter((set) => {
          const size = Math.min(...set.map((leg) => leg.size));
          const cost = set.reduce((sum, leg) => sum + leg.cost, 0);
          const onA = set.filter((leg) => leg.venue === 'a').length;
          const taken = set.every(
            (leg) => leg.venue === 'a' || (size >= leg.least && (size / 100) * (leg.ask / 10_000) >= 1),
          );
          return onA > 0 && onA < set.length && taken && (1_000_000 - cost) * size > onA * 1_000_000;
        });
        expect(bestSet(outcomes) !== null).toBe(paying.length > 0);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Told apart from the world's own reckoning: floats, every combination, the books as the sockets show them. */
function paysNow(world: World, legs: readonly { ticker: string; side: string; token_id: string }[]): boolean {
  const seen = legs.map(({ ticker, side, token_id }) => {
    const onA = world.catalog.marketA(ticker);
    const onB = world.catalog.marketB(token_id);
    const a = onA?.ladder;
    const b = onB?.book(token_id).ladder;
    if (!onA || !onB || !a?.bids[0] || !a.asks[0] || !b?.bids[0] || !b.asks[0]) return null;
    if (a.bids[0][0] >= a.asks[0][0] || b.bids[0][0] >= b.asks[0][0]) return null;
    const own = side === 'yes' ? a.asks[0] : ([10_000 - a.bids[0][0], a.bids[0][1]] as const);
    const against = side === 'yes' ? ([10_000 - a.bids[0][0], a.bids[0][1]] as const) : a.asks[0];
    const multiplier = world.catalog.eventA(onA.event_ticker)?.series_ticker.startsWith('KXMLB') ? 0.5 : 1;
    const rate = Number((onB.contract.fields.feeSchedule as { rate: number }).rate);
    const priced = (venue: string, [ask, size]: readonly [number, number], k: number, unit: number) => {
      const p = ask / 10_000;
      return { venue, p, size: size / 100, cost: p + Math.ceil(k * p * (1 - p) * unit - 1e-9) / unit };
    };
    return {
      ticker,
      own: [priced('a', own, 0.07 * multiplier, 1e4), priced('b', b.asks[0], rate, 1e5)],
      against: priced('a', against, 0.07 * multiplier, 1e4),
    };
  });
  if (seen.some((one) => one === null)) return false;
  const rows = seen.flatMap((one, i) => {
    const other = seen.length === 2 ? seen[1 - i] : null;
    return one ? [other && other.ticker !== one.ticker ? [...one.own, other.against] : one.own] : [];
  });
  const sets = rows.reduce<(typeof rows)[number][]>(
    (all, row) => all.flatMap((set) => row.map((next) => [...set, next])),
    [[]],
  );
  return sets.some((set) => {
    const size = Math.min(...set.map((leg) => leg.size));
    const profit = (1 - set.reduce((sum, leg) => sum + leg.cost, 0)) * size;
    const onA = set.filter((leg) => leg.venue === 'a').length;
    const taken = set.every((leg) => leg.venue === 'a' || (size >= 5 && size * leg.p >= 1));
    return onA > 0 && onA < set.length && taken && profit > 0.01 * onA + 1e-9;
  });
}

describe('true windows', () => {
  it('are open exactly while the shown books pay, in every family whose legs are whole', () => {
    const world = new World(universeOf(3, BASE, 270), BASE);
    const families = new Set<string>();
    let looked = 0;
    for (let minute = 0; minute < 12; minute++) {
      for (let step = 0; step < 240; step++) world.advance(world.t + 250);
      const open = new Set(world.arbitrage.since(Number.POSITIVE_INFINITY).map(({ twin }) => twin.legs[0]?.token_id));
      for (const twin of world.known().flatMap(twinsOf)) {
        // More legs than a few have more combinations than can be tried; they are held against bestSet above.
        if (
          twin.legs.length > 3 ||
          twin.loose.length > 0 ||
          !['moneyline', 'total', 'spread', 'team_total', 'advance'].includes(twin.family)
        )
          continue;
        const name = `${twin.event_ticker} ${twin.line ?? ''} at ${world.t}`;
        expect(open.has(twin.legs[0]?.token_id), name).toBe(paysNow(world, twin.legs));
        looked++;
        if (open.has(twin.legs[0]?.token_id)) families.add(twin.family);
      }
    }
    expect(looked).toBeGreaterThan(4_000);
    expect(families.size).toBeGreaterThan(2);
  });

  it('end when one of their books is crossed, one-sided or empty, and begin again when it is mended', () => {
    const world = new World(universeOf(3, BASE, 270), BASE);
    for (const kind of ['crossed', 'empty'] as const) {
      for (let step = 0; step < 240; step++) world.advance(world.t + 250);
      const [window] = world.arbitrage
        .since(Number.POSITIVE_INFINITY)
        .filter(({ twin }) => twin.family === 'moneyline');
      const book = world.catalog.marketA(window?.twin.legs[0]?.ticker ?? '')?.instrument;
      if (!window || !book) throw new Error('no window is open');
      const open = () => world.arbitrage.since(Number.POSITIVE_INFINITY).some(({ twin }) => twin === window.twin);
      world.hold(book, { kind, until: world.t + 1_000 });
      expect(open(), kind).toBe(false);
      world.advance(world.t + 1_001);
      expect(open(), kind).toBe(true);
    }
  });

  it('are open four moments of five and more, mostly half a percent to three, in many leagues and families', () => {
    const world = new World(universeOf(1, BASE, 270), BASE);
    for (let step = 0; step < 600; step++) world.advance(world.t + 500);
    const from = world.t;
    let [some, several, moments] = [0, 0, 0];
    for (let t = from; t < from + 60 * MINUTE; t += 500) {
      world.advance(t);
      if (t % 5_000 !== 0) continue;
      const open = world.arbitrage.since(Number.POSITIVE_INFINITY).length;
      moments++;
      if (open > 0) some++;
      if (open > 1) several++;
    }
    const seen = world.arbitrage.since(from);
    expect(some / moments).toBeGreaterThan(0.8);
    expect(several / moments).toBeGreaterThan(0.5);
    const usual = seen.filter(({ edge }) => edge >= 5_000 && edge <= 30_000);
    expect(usual.length / seen.length).toBeGreaterThan(0.6);
    expect(Math.max(...seen.map(({ edge }) => edge))).toBeLessThan(60_000);
    expect(new Set(seen.map(({ twin }) => twin.event_ticker.split('-')[0])).size).toBeGreaterThan(15);
    expect(new Set(seen.map(({ twin }) => twin.family)).size).toBeGreaterThan(3);
    const others = seen.filter(({ twin }) => twin.family !== 'moneyline');
    expect(others.length / seen.length).toBeGreaterThan(0.25);
  }, 60_000);

  it('are planned alike after a restart', () => {
    const universe = universeOf(6, BASE, 120);
    const first = new World(universe, BASE);
    for (let step = 0; step < 400; step++) first.advance(first.t + 1_000);
    const planned = (world: World) =>
      world.windows
        .filter(({ plan }) => plan.opens <= first.t && plan.closes > first.t)
        .map(({ plan }) => [plan.id, plan.twin.event_ticker, plan.market.slug, plan.shift, plan.opens, plan.closes]);
    expect(planned(first).length).toBeGreaterThan(0);
    expect(planned(new World(universe, first.t))).toEqual(planned(first));
  });
});

describe('GET /_sim/windows', () => {
  let venues: Running;
  beforeAll(async () => {
    venues = await running('--seed', '3', '--clock', fastClock(40));
  });
  afterAll(() => venues?.end());

  type Told = {
    opened_at: number;
    closed_at: number | null;
    edge: number;
    size: number;
    caused_by: string;
    contracts: { ticker: string; token_id: string }[];
  };

  it('tells those that are open and those that have closed since', async () => {
    const get = async (since: string) => {
      const answer = await fetch(`${venues.sim}/windows?since=${since}`);
      return { status: answer.status, told: (await answer.json()) as { now: number; windows: Told[] } };
    };
    const end = Date.now() + 20_000;
    let { told } = await get('0');
    while (!told.windows.some(({ closed_at }) => closed_at !== null) && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      told = (await get('0')).told;
    }
    const closed = told.windows.find(({ closed_at }) => closed_at !== null);
    expect(closed?.closed_at).toBeGreaterThan(closed?.opened_at ?? Number.POSITIVE_INFINITY);
    for (const { edge, size, caused_by, contracts } of told.windows) {
      expect(edge).toBeGreaterThan(0);
      expect(size).toBeGreaterThanOrEqual(5);
      expect(['planned', 'own']).toContain(caused_by);
      expect(contracts.length).toBeGreaterThan(1);
    }
    const later = await get(String((closed?.closed_at ?? 0) + 1));
    expect(
      later.told.windows.some(({ closed_at }) => closed_at !== null && closed_at <= (closed?.closed_at ?? 0)),
    ).toBe(false);
    expect((await get('soon')).status).toBe(400);
  }, 30_000);
});
