import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventB, type ListingA, ladderA, pairListings, winnerA } from './sports_listings.ts';

/** Guarantee: a question about a playoff series pairs with the same question, and with no game. */

const NOW = '2026-10-06T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const TICKER = 'KXMLBSERIESSPREAD-26SDMILNLDS';
/** Replaces the ticker: the ticker of a series contains no day (`26SDMILNLDS`). */
const undated = (listing: ListingA, ticker: string): ListingA => {
  const { markets } = listing.event as { markets?: { ticker: string }[] };
  const own = (one: { ticker: string }) => ({ ...one, ticker: `${ticker}-${one.ticker.split('-').at(-1)}` });
  return { ...listing, event: { ...listing.event, event_ticker: ticker, markets: markets?.map(own) } };
};
const strikes: [string, number, string][] = [
  ['MIL2', 1.5, 'Milwaukee -1.5 games'],
  ['MIL3', 2.5, 'Milwaukee -2.5 games'],
  ['SD2', 1.5, 'San Diego -1.5 games'],
];
const spreads = (title = 'Series Game Spread: San Diego (5) vs Milwaukee (2)') =>
  undated(ladderA('KXMLBSERIESSPREAD', '2026-10-06', '', title, strikes, { scope: 'Series Game Spread' }), TICKER);
const handicap = (team: string, other: string, games: number, plain = false) => ({
  q: `${team} (-${games})`,
  group: `${team} (-${games})`,
  o: plain ? [other, team] : [`${team} -${games}`, `${other} +${games}`],
  type: 'spreads',
  line: -games,
});
const SLUG = 'mlb-playoffs-series-spread-brewers-vs-padres';
const spreadsB = (
  title = 'MLB Playoffs: Brewers vs. Padres Series Spread',
  ...markets: ReturnType<typeof handicap>[]
) => eventB(SLUG, title, markets);

describe('a handicap over a series', () => {
  it('pairs with the same handicap, with each leg on its own side', async () => {
    const b = spreadsB(
      undefined,
      handicap('Brewers', 'Padres', 2.5),
      handicap('Padres', 'Brewers', 1.5, true),
      handicap('Brewers', 'Padres', 1.5),
    );
    expect(await pairListings(database, NOW, [spreads()], [b])).toEqual(
      [
        ['milwaukee-brewers-cover: MIL2 yes = Brewers -1.5', 'san-diego-padres-cover: MIL2 no = Padres +1.5'],
        ['milwaukee-brewers-cover: MIL3 yes = Brewers -2.5', 'san-diego-padres-cover: MIL3 no = Padres +2.5'],
        ['san-diego-padres-cover: SD2 yes = Padres', 'milwaukee-brewers-cover: SD2 no = Brewers'],
      ].map((legs) => ({ a: TICKER, b: SLUG, legs })),
    );
  });

  it.each([
    [
      'a handicap of another year',
      spreadsB('MLB Playoffs 2025: Brewers vs. Padres Series Spread', handicap('Brewers', 'Padres', 1.5)),
    ],
    [
      'a handicap of other teams',
      eventB('mlb-x', 'MLB Playoffs: Brewers vs. Cubs Series Spread', [handicap('Brewers', 'Cubs', 1.5)]),
    ],
    [
      'a handicap of runs in one game',
      eventB('mlb-sd-mil-2026-10-06', 'Padres vs. Brewers', [
        { ...handicap('Brewers', 'Padres', 1.5), q: 'Spread: Brewers (-1.5)' },
      ]),
    ],
    ['a handicap of a whole number of games', spreadsB(undefined, handicap('Brewers', 'Padres', 2))],
    [
      'a handicap that its outcomes contradict',
      spreadsB(undefined, { ...handicap('Brewers', 'Padres', 1.5), o: ['Brewers +1.5', 'Padres -1.5'] }),
    ],
  ])('does not pair with %s', async (_what, b) => {
    expect(await pairListings(database, NOW, [spreads()], [b])).toEqual([]);
  });

  it('does not pair with the handicap of one game on venue_a', async () => {
    const game = ladderA('KXMLBSPREAD', '2026-10-06', 'SDMIL', 'San Diego vs Milwaukee: Spread', [
      ['MIL2', 1.5, 'Milwaukee wins by over 1.5 runs'],
    ]);
    expect(
      await pairListings(database, NOW, [game], [spreadsB(undefined, handicap('Brewers', 'Padres', 1.5))]),
    ).toEqual([]);
  });
});

it('the winner of a playoff series pairs with "Who Will Win Series?", not with a season series', async () => {
  const a = undated(
    winnerA('KXMLBSERIES', '2026-10-06', '', 'Series Winner: San Diego (5) vs Milwaukee (2)', [
      'SD San Diego',
      'MIL Milwaukee',
    ]),
    'KXMLBSERIES-26SDMILNLDS',
  );
  const winnerB = (slug: string, title: string) => eventB(slug, title, [{ q: title, o: ['Brewers', 'Padres'] }]);
  const series = winnerB('mlb-series', 'MLB Playoffs: Who Will Win Series? - Brewers vs. Padres');
  expect(await pairListings(database, NOW, [a], [series])).toMatchObject([
    { a: a.event.event_ticker, b: 'mlb-series' },
  ]);
  const season = winnerB('mlb-season-series', 'MLB: Brewers vs. Padres Season Series Winner');
  expect(await pairListings(database, NOW, [a], [season])).toEqual([]);
  expect(questionsOfVenueB(season, { now: NOW }).questions.filter((one) => one.excluded === null)).toEqual([]);
});

it('reaching a championship series pairs with the same question, not with winning the series', async () => {
  const teams = ['TB Tampa Bay', 'NYY New York Y'];
  const named = (series: string, title: string) =>
    undated(winnerA(series, '2026-10-06', '', title, teams, { scope: 'Future' }), `${series}-26`);
  const reach = named('KXMLBALCSQUAL', 'Pro Baseball ALCS Qualifiers');
  const win = named('KXMLBAL', 'American League Champion');
  const runners = (slug: string, title: string, questionOf: (team: string) => string) =>
    eventB(
      slug,
      title,
      ['Tampa Bay Rays', 'New York Yankees'].map((team) => ({ q: questionOf(team), group: team, o: ['Yes', 'No'] })),
    );
  const reachB = runners(
    'alcs',
    'MLB Playoffs: Team to advance to ALCS',
    (team) => `Will the ${team} advance to the ALCS in 2026?`,
  );
  const winB = runners(
    'al',
    'MLB: 2026 American League Champion',
    (team) => `Will the ${team} win the 2026 American League Championship?`,
  );
  const found = await pairListings(database, NOW, [reach, win], [winB, reachB]);
  expect(found.map((one) => [one.a, one.b])).toEqual([
    ['KXMLBAL-26', 'al'],
    ['KXMLBALCSQUAL-26', 'alcs'],
  ]);
});
