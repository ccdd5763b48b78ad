import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchListings } from '../../local/match/match.ts';
import { gameA, gameB } from '../catalog/fixtures.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';

/**
 * Guarantee: for any corrupted values in a page of listings, the other listings of the page are
 * parsed, matched and stored. No value stops a page, a match pass or another listing.
 */

const JUNK: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\u3164',
  '💥\u0000x',
  '\ud800',
  [],
  {},
  [null],
  'x'.repeat(5_000),
  "'; drop table catalog.pairs; --",
  '{{team}}',
  '2026-13-45',
  '99999-12-31',
  '2026-05-01T25:61:00Z',
  '1e999',
];

/** Returns a copy in which about `share` of all values, and a third as many names, are replaced. */
function corrupt(value: unknown, share: number, random: () => number): unknown {
  if (random() < share) return JUNK[Math.floor(random() * JUNK.length)];
  if (Array.isArray(value)) return value.map((one) => corrupt(one, share, random));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [random() < share / 3 ? `${key}_` : key, corrupt(one, share, random)]),
  );
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const valid = {
  a: [
    gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [
      { code: 'HOU', label: 'Houston' },
      { code: 'SD', label: 'San Diego' },
    ]),
  ],
  b: [gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], { id: 'sound' })],
};

describe('corrupted listings', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let a: unknown[];
  let b: unknown[];
  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '30'), createDatabase()]);
    const page = async (url: string, key: string) =>
      ((await (await fetch(url)).json()) as { [key: string]: unknown[] })[key] ?? [];
    a = await page(`${venues.listening.venue_a.rest}/events?limit=200&with_nested_markets=true`, 'events');
    b = await page(`${venues.listening.venue_b.gamma}/events/keyset?limit=200&closed=false`, 'events');
  });
  afterAll(async () => {
    venues?.end();
    await database?.close();
  });

  it('never stop the parsing and pairing of the valid listings next to them', async () => {
    expect(a.length + b.length).toBeGreaterThan(200);
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom(0.003, 0.02, 0.1, 0.4), async (seed, share) => {
        const random = randomOf(seed);
        const corruptAll = (events: unknown[]) => events.map((event) => corrupt(event, share, random));
        const { rows, rejected } = await matchListings(
          database.sql,
          [...corruptAll(a), ...valid.a],
          [...corruptAll(b), ...valid.b],
          '2026-08-01T12:00:00Z',
        );
        const pair = rows.find(
          (row) => row.refused !== true && JSON.stringify(row).includes('KXMLBGAME-26AUG092020HOUSD-HOU'),
        );
        expect(pair).toMatchObject({ band: 'HIGH', venue_b: { event_slug: 'mlb-hou-sd-2026-08-09' } });
        // A parser that throws is a defect, even though it stops no other listing.
        expect(rejected.filter((one) => one.code.endsWith('_failed'))).toEqual([]);
      }),
      { numRuns: 12, seed: 20_261_120 },
    );
  });
});
