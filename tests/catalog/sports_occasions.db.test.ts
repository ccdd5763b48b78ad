import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventB, type ListingA, type ListingB, ladderA, pairListings, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: each of several games of the same two teams pairs with its own listing or with none,
 * and every leg is on the right side.
 */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const dodgers = (occasion: string, day = '2026-08-08', more = {}) =>
  winnerA('KXMLBGAME', day, occasion, 'Los Angeles D vs San Diego', ['LAD Los Angeles D', 'SD San Diego'], more);
/** Lists the outcomes in another order than venue_a, as venue_b often does. */
const dodgersB = (slug: string, start?: string) =>
  winnerB(`mlb-lad-sd-${slug}`, ['San Diego Padres', 'Los Angeles Dodgers'], { start });
const FIRST = '2026-08-08 17:05:00+00';
const SECOND = '2026-08-08 23:05:00+00';
const both = [dodgers('1305LADSDG1'), dodgers('1905LADSDG2')];

const games: [what: string, ListingA[], ListingB[], pairs: [string, string][]][] = [
  [
    'two games of a day with a slug each',
    both,
    [dodgersB('2026-08-08', FIRST), dodgersB('2026-08-08-game-2', SECOND)],
    [
      ['26AUG081305LADSDG1', '2026-08-08'],
      ['26AUG081905LADSDG2', '2026-08-08-game-2'],
    ],
  ],
  [
    'two games of a day that only their slugs number',
    [dodgers('LADSDG1'), dodgers('LADSDG2')],
    [dodgersB('2026-08-08-dh1'), dodgersB('2026-08-08-dh2')],
    [
      ['26AUG08LADSDG1', '2026-08-08-dh1'],
      ['26AUG08LADSDG2', '2026-08-08-dh2'],
    ],
  ],
  [
    'two games of a day when venue_b lists only the second',
    both,
    [dodgersB('2026-08-08', SECOND)],
    [['26AUG081905LADSDG2', '2026-08-08']],
  ],
  ['two games of a day and a listing that fits either', both, [dodgersB('2026-08-08')], []],
  [
    'a game moved to the next day, when the same teams play again',
    [
      dodgers('1910LADSD', '2026-08-08', { start: '2026-08-09T17:10:00Z' }),
      dodgers('1910LADSD', '2026-08-09', { start: '2026-08-09T23:10:00Z' }),
    ],
    [dodgersB('2026-08-08', '2026-08-09 17:10:00+00'), dodgersB('2026-08-09', '2026-08-09 23:10:00+00')],
    [
      ['26AUG081910LADSD', '2026-08-08'],
      ['26AUG091910LADSD', '2026-08-09'],
    ],
  ],
  [
    'a game that only venue_a moved to the next day',
    [
      dodgers('1910LADSD', '2026-08-08', { start: '2026-08-09T17:10:00Z' }),
      dodgers('1910LADSD', '2026-08-09', { start: '2026-08-09T23:10:00Z' }),
    ],
    [dodgersB('2026-08-08', '2026-08-08 23:10:00+00'), dodgersB('2026-08-09', '2026-08-09 23:10:00+00')],
    [['26AUG091910LADSD', '2026-08-09']],
  ],
];

describe('several games of the same teams', () => {
  it.each(games)('pair with their own listings or none: %s', async (_what, a, b, expected) => {
    const found = await pairListings(database, NOW, a, b);
    expect(found.map((one) => [one.a, one.b])).toEqual(
      expected.map(([ticker, slug]) => [`KXMLBGAME-${ticker}`, `mlb-lad-sd-${slug}`]),
    );
    for (const { legs } of found) {
      expect(legs).toEqual([
        'los-angeles-dodgers: LAD yes = Los Angeles Dodgers',
        'san-diego-padres: SD yes = San Diego Padres',
      ]);
    }
  });
});

const celtics = (label: string, q: string, outcomes: [string, string], line: number) =>
  [
    ladderA('KXNBASPREAD', '2026-11-24', 'NYKBOS', 'New York at Boston: Spread', [['BOS4', 3.5, label]]),
    eventB('nba-nyk-bos-2026-11-24', 'Knicks vs. Celtics', [{ q, o: outcomes, type: 'spreads', line }]),
  ] as const;

describe('a handicap', () => {
  it.each([
    ['the favourite first', 'Spread: Celtics (-3.5)', ['Celtics', 'Knicks'], -3.5],
    ['the favourite second', 'Spread: Celtics (-3.5)', ['Knicks', 'Celtics'], -3.5],
    ['the wrong sign in its line field', 'Spread: Celtics (-3.5)', ['Celtics', 'Knicks'], 3.5],
    ['the underdog in its question', 'Spread: Knicks (+3.5)', ['Knicks', 'Celtics'], 3.5],
    ['numbers in its outcomes', 'Spread: Knicks (+3.5)', ['Celtics (-3.5)', 'Knicks (+3.5)'], -3.5],
  ] as [string, string, [string, string], number][])(
    'has each leg on the team that the outcome names, with %s',
    async (_what, q, o, line) => {
      const [a, b] = celtics('Boston wins by over 3.5 points', q, o, line);
      const [pair] = await pairListings(database, NOW, [a], [b]);
      const named = (team: string) => o.find((one) => one.startsWith(team));
      expect(pair?.legs).toEqual([
        `boston-celtics-cover: BOS4 yes = ${named('Celtics')}`,
        `new-york-knicks-cover: BOS4 no = ${named('Knicks')}`,
      ]);
    },
  );

  it.each([
    ['a handicap of the other team', 'Spread: Knicks (-3.5)', ['Knicks', 'Celtics']],
    ['a positive handicap of the favourite', 'Spread: Celtics (+3.5)', ['Celtics', 'Knicks']],
    ['a handicap that its outcomes contradict', 'Spread: Celtics (-3.5)', ['Celtics (+3.5)', 'Knicks (-3.5)']],
    ['a handicap that lists one team twice', 'Spread: Celtics (-3.5)', ['Celtics', 'Celtics']],
  ] as [string, string, [string, string]][])('does not pair with %s', async (_what, q, o) => {
    const [a, b] = celtics('Boston wins by over 3.5 points', q, o, -3.5);
    expect(await pairListings(database, NOW, [a], [b])).toEqual([]);
  });
});

it('a line of the main event pairs once, although "More Markets" repeats it', async () => {
  const total = { q: 'Knicks vs. Celtics: O/U 220.5', type: 'totals', line: 220.5 };
  const a = ladderA(
    'KXNBATOTAL',
    '2026-11-24',
    'NYKBOS',
    'New York at Boston: Total Points',
    [['221', 220.5, 'Over 220.5 points scored']],
    { scope: 'Point Total' },
  );
  const main = eventB('nba-nyk-bos-2026-11-24', 'Knicks vs. Celtics', [total]);
  const more = eventB('nba-nyk-bos-2026-11-24-more-markets', 'Knicks vs. Celtics - More Markets', [total]);
  expect(await pairListings(database, NOW, [a], [more, main])).toEqual([
    { a: a.event.event_ticker, b: main.slug, legs: ['over: 221 yes = Over', 'under: 221 no = Under'] },
  ]);
});
