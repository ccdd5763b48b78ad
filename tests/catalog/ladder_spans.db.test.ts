import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';
import { eventA, eventB, type Fields } from './raw_fixtures.ts';

/**
 * Guarantee: over ladders of any shape (tails only, gaps, shifted or repeated ranges, degrees below
 * zero) a leg is EXACT with the one range of venue_a that covers the same degrees. Any other leg
 * names every range of venue_a that it overlaps, no other range, and no contract of venue_a.
 */

const NOW = '2026-09-14T12:00:00Z';
const CITIES = [
  ['KXHIGHMIA', 'CLIMIA', 'miami', 'Miami Intl Airport', 'KMIA'],
  ['KXHIGHAUS', 'CLIAUS', 'austin', 'Austin-Bergstrom International Airport', 'KAUS'],
  ['KXHIGHLAX', 'CLILAX', 'los-angeles', 'Los Angeles International Airport', 'KLAX'],
  ['KXHIGHTATL', 'CLIATL', 'atlanta', 'Hartsfield-Jackson International Airport', 'KATL'],
  ['KXHIGHTSEA', 'CLISEA', 'seattle', 'Seattle-Tacoma International Airport', 'KSEA'],
  ['KXHIGHTSFO', 'CLISFO', 'san-francisco', 'San Francisco International Airport', 'KSFO'],
] as const;
const DAYS = [15, 16, 17, 18, 19, 20];

type Range = { low: number; high: number };
const labelOf = ({ low, high }: Range, above: string): string =>
  low === -Infinity
    ? `${high}° or below`
    : high === Infinity
      ? `${low}° ${above}`
      : low === high
        ? `${low}°`
        : `${low}° to ${high}°`;
const range: fc.Arbitrary<Range> = fc
  .record({
    low: fc.integer({ min: -4, max: 4 }),
    width: fc.integer({ min: 0, max: 2 }),
    open: fc.constantFrom('no', 'no', 'up', 'down'),
  })
  .map(({ low, width, open }) =>
    open === 'up'
      ? { low, high: Infinity }
      : open === 'down'
        ? { low: -Infinity, high: low }
        : { low, high: low + width },
  );
const same = (a: Range, b: Range) => a.low === b.low && a.high === b.high;
const overlap = (a: Range, b: Range) => a.low <= b.high && b.low <= a.high;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

function temperatureA([series, report]: (typeof CITIES)[number], day: number, ranges: Range[]): Fields {
  return eventA(
    `${series}-26SEP${day}`,
    `Highest temperature on Sep ${day}, 2026?`,
    ranges.map((one, at) => ({
      ticker: `X${at}`,
      yes_sub_title: labelOf(one, 'or above'),
      ...(one.low === -Infinity
        ? { strike_type: 'less', cap_strike: one.high + 1 }
        : one.high === Infinity
          ? { strike_type: 'greater', floor_strike: one.low - 1 }
          : { strike_type: 'between', floor_strike: one.low, cap_strike: one.high }),
      rules_primary: `If the maximum temperature recorded there (${report}) for Sep ${day}, 2026, is within it according to The Weather Company, then the market resolves to Yes.`,
    })),
  );
}

function temperatureB([, , city, station, icao]: (typeof CITIES)[number], day: number, ranges: Range[]): Fields {
  return eventB(
    `highest-temperature-in-${city}-on-september-${day}-2026`,
    'x',
    `This market will resolve to the highest temperature recorded at the ${station} Station (${icao}) in degrees Fahrenheit on ${day} Sep '26, by Wunderground.`,
    ranges.map((one) => [`${labelOf(one, 'or higher')}F`.replace(/°( or \w+)F/, '°F$1'), 'x']),
    `2026-09-${day}T12:00:00Z`,
  );
}

it('each leg of a random ladder names the ranges of venue_a that it overlaps, and no others', async () => {
  const shapes = fc.sample(
    fc.tuple(
      fc.array(range, { minLength: 1, maxLength: 12, size: 'max' }),
      fc.array(range, { minLength: 1, maxLength: 12, size: 'max' }),
    ),
    {
      numRuns: CITIES.length * DAYS.length,
      seed: 20260914,
    },
  );
  const cases = CITIES.flatMap((city) => DAYS.map((day) => ({ city, day }))).map((one, at) => {
    const [a = [], b = []] = shapes[at] ?? [];
    return { ...one, a, b };
  });
  await putListings(
    database.sql,
    'venue_a',
    cases.map(({ city, day, a }) => listedA(temperatureA(city, day, a), { now: NOW })),
  );
  await putListings(
    database.sql,
    'venue_b',
    cases.map(({ city, day, b }) => listedB(temperatureB(city, day, b), { now: NOW })),
  );
  await runMatchPass(database.sql);
  const legs = await database.sql<
    { event_a: string; contract_a: string | null; contract_b: string; relation: string | null; span: string[] | null }[]
  >`
    select p.event_a, o.contract_a, o.contract_b, o.relation, o.span
    from catalog.outcomes o join catalog.pairs p on p.pair_id = o.pair_id`;
  let [exact, overlaps] = [0, 0];
  for (const { city, day, a, b } of cases) {
    const once = (ranges: Range[]) => ranges.filter((one) => ranges.filter((other) => same(one, other)).length === 1);
    const event = `${city[0]}-26SEP${day}`;
    const eventLegs = legs.filter((one) => one.event_a === event);
    // A ladder without any range gives no question, so there is no pair.
    expect(eventLegs).toHaveLength(once(a).length === 0 ? 0 : once(b).length);
    for (const leg of eventLegs) {
      const own = once(b).find((one) =>
        leg.contract_b.endsWith(`:${`${labelOf(one, 'or higher')}F`.replace(/°( or \w+)F/, '°F$1')}`),
      );
      if (own === undefined) throw new Error(`a leg without a range: ${JSON.stringify(leg)}`);
      const twin = once(a).find((one) => same(one, own));
      if (twin !== undefined) {
        exact += 1;
        expect(leg).toMatchObject({ relation: 'EXACT', contract_a: `${event}-X${a.indexOf(twin)}`, span: null });
        continue;
      }
      const overlapping = once(a).filter((one) => overlap(one, own));
      overlaps += overlapping.length > 0 ? 1 : 0;
      expect(leg.contract_a).toBeNull();
      expect(leg.relation).toBe(overlapping.length > 0 ? 'OVERLAPS' : null);
      expect([...(leg.span ?? [])].sort()).toEqual(overlapping.map((one) => labelOf(one, 'or above')).sort());
    }
  }
  expect(exact).toBeGreaterThan(10);
  expect(overlaps).toBeGreaterThan(50);
});
