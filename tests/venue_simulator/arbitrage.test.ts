import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twinsOf } from '../../local/venue_simulator/universe/question.ts';
import { universeOf } from '../../local/venue_simulator/universe/universe.ts';
import { World } from '../../local/venue_simulator/world/world.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fastClock, type RunningVenues, startVenues } from './running.ts';

const BASE = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;

/** Told apart from the world's own reckoning: floats, every combination, the books as the sockets show them. */
function hasArbitrage(world: World, legs: readonly { ticker: string; side: string; token_id: string }[]): boolean {
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
      const open = new Set(world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).map(({ twin }) => twin.legs[0]?.token_id));
      for (const twin of world.known().flatMap(twinsOf)) {
        // More legs than a few have more combinations than can be tried; they are held against bestSet above.
        if (
          twin.legs.length > 3 ||
          twin.unpairedLegs.length > 0 ||
          !['moneyline', 'total', 'spread', 'team_total', 'advance'].includes(twin.family)
        )
          continue;
        const name = `${twin.event_ticker} ${twin.line ?? ''} at ${world.t}`;
        expect(open.has(twin.legs[0]?.token_id), name).toBe(hasArbitrage(world, twin.legs));
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
        .opportunitiesSince(Number.POSITIVE_INFINITY)
        .filter(({ twin }) => twin.family === 'moneyline');
      const book = world.catalog.marketA(window?.twin.legs[0]?.ticker ?? '')?.instrument;
      if (!window || !book) throw new Error('no window is open');
      const open = () => world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).some(({ twin }) => twin === window.twin);
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
      const open = world.arbitrage.opportunitiesSince(Number.POSITIVE_INFINITY).length;
      moments++;
      if (open > 0) some++;
      if (open > 1) several++;
    }
    const seen = world.arbitrage.opportunitiesSince(from);
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
  let venues: RunningVenues;
  beforeAll(async () => {
    venues = await startVenues('--seed', '3', '--clock', fastClock(40));
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
    const { told, closed } = await waitUntil(
      async () => {
        const { told } = await get('0');
        const closed = told.windows.find(({ closed_at }) => closed_at !== null);
        return closed && { told, closed };
      },
      { what: 'one that has closed', timeoutMs: 20_000 },
    );
    expect(closed.closed_at).toBeGreaterThan(closed.opened_at);
    for (const { edge, size, caused_by, contracts } of told.windows) {
      expect(edge).toBeGreaterThan(0);
      expect(size).toBeGreaterThanOrEqual(5);
      expect(['planned', 'own']).toContain(caused_by);
      expect(contracts.length).toBeGreaterThan(1);
    }
    const later = await get(String((closed.closed_at ?? 0) + 1));
    expect(later.told.windows.some(({ closed_at }) => closed_at !== null && closed_at <= (closed.closed_at ?? 0))).toBe(
      false,
    );
    expect((await get('soon')).status).toBe(400);
  }, 30_000);
});
