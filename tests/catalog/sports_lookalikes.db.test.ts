import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  eventB,
  type ListingA,
  type ListingB,
  ladderA,
  pairListings,
  soccerB,
  winnerA,
  winnerB,
} from './sports_listings.ts';

/**
 * Guarantee: next to a look-alike only the true partner pairs, in any band. Without the partner
 * there is no pair. The partner shows that the listings of each case are parsed.
 */

const NOW = '2026-08-01T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const knicks = (day: string, more = {}) =>
  winnerA('KXNBAGAME', day, 'NYKBOS', 'New York at Boston', ['NYK New York', 'BOS Boston'], more);
const knicksB = (day: string, more = {}) => winnerB(`nba-nyk-bos-${day}`, ['Knicks', 'Celtics'], more);
const duke = winnerA('KXNCAAMBGAME', '2026-11-21', 'DUKEUNC', 'Duke at North Carolina', [
  'DUKE Duke',
  'UNC North Carolina',
]);
const dukeB = winnerB('cbb-duke-unc-2026-11-21', ['Duke Blue Devils', 'North Carolina Tar Heels']);
const arsenal = (day: string, series = 'KXEPLGAME', rules?: string) =>
  winnerA(series, day, 'ARSCFC', 'Arsenal vs Chelsea', ['ARS Arsenal', 'CFC Chelsea', 'TIE Tie'], { rules });
const arsenalB = (day: string, prefix = 'epl', more = {}) =>
  soccerB(`${prefix}-ars-che-${day}`, ['Arsenal FC', 'Chelsea FC'], more);
const spain = (rules?: string) =>
  winnerA('KXINTLFRIENDLYGAME', '2026-11-17', 'ESPJPN', 'Spain vs Japan', ['ESP Spain', 'JPN Japan', 'TIE Tie'], {
    rules,
  });
const spainB = (prefix = 'fif', more = {}) => soccerB(`${prefix}-esp-jpn-2026-11-17`, ['Spain', 'Japan'], more);
const zverev = winnerA('KXATPMATCH', '2026-10-14', 'ZVESHE', 'Zverev vs Shelton', [
  'ZVE Alexander Zverev',
  'SHE Ben Shelton',
]);
const zverevB = winnerB('atp-zverev-shelton-2026-10-14', ['Alexander Zverev', 'Ben Shelton']);
const t1 = winnerA('KXLOLGAME', '2026-10-22', '0400T1GEN', 'T1 vs. Gen.G', ['T1 T1', 'GEN Gen.G']);
const t1B = winnerB('lol-t1-gen-2026-10-22', ['T1', 'Gen.G'], { title: 'LoL: T1 vs Gen.G (BO5) - Worlds' });
const india = winnerA('KXT20MATCH', '2026-10-14', '0400INDAUS', 'India vs Australia', ['IND India', 'AUS Australia']);
const indiaB = winnerB('crint-ind-aus-2026-10-14', ['India', 'Australia']);
const total = (series: string, scope: string) =>
  ladderA(
    series,
    '2026-11-24',
    'NYKBOS',
    'New York at Boston: Total Points',
    [['111', 110.5, 'Over 110.5 points scored']],
    {
      scope,
    },
  );
const lines = (slug: string, title: string, ...markets: Parameters<typeof eventB>[2]) => eventB(slug, title, markets);
const knicksLines = (...markets: Parameters<typeof eventB>[2]) =>
  lines('nba-nyk-bos-2026-11-24', 'Knicks vs. Celtics', ...markets);
const boston = ladderA('KXNBASPREAD', '2026-11-24', 'NYKBOS', 'New York at Boston: Spread', [
  ['BOS4', 3.5, 'Boston wins by over 3.5 points'],
]);
const spread = (team: string, other: string, line: number) => ({
  q: `Spread: ${team} (${line})`,
  o: [team, other],
  type: 'spreads',
  line,
});

const table: [what: string, ListingA, partner: ListingB, alike: ListingB][] = [
  ['the game of the next day', knicks('2026-11-24'), knicksB('2026-11-24'), knicksB('2026-11-25')],
  [
    'the next game of the teams, two days later',
    knicks('2026-11-24', { start: '2026-11-25T00:30:00Z' }),
    knicksB('2026-11-24', { start: '2026-11-25 00:30:00+00' }),
    knicksB('2026-11-26', { start: '2026-11-27 00:30:00+00' }),
  ],
  [
    "the women's game of the same schools",
    duke,
    dukeB,
    winnerB('cwbb-duke-unc-2026-11-21', ['Duke', 'North Carolina']),
  ],
  [
    "the women's game of the same schools, marked in its text",
    duke,
    dukeB,
    winnerB('ncaaw-duke-unc-2026-11-21', ['Duke Blue Devils', 'North Carolina Tar Heels'], {
      text: "In the upcoming women's college basketball game.",
    }),
  ],
  [
    "the women's game of the same clubs, marked by its slug",
    arsenal('2026-11-21'),
    arsenalB('2026-11-21'),
    arsenalB('2026-11-21', 'wsl'),
  ],
  [
    "the women's game of the same clubs, marked by their names",
    arsenal('2026-11-21'),
    arsenalB('2026-11-21'),
    soccerB('engw1-ars-che-2026-11-21', ['Arsenal WFC', 'Chelsea FC Women']),
  ],
  [
    "the men's game of the same clubs",
    winnerA('KXUCLWGAME', '2026-11-11', 'BARCFC', 'Barcelona vs Chelsea', ['BAR Barcelona', 'CFC Chelsea', 'TIE Tie']),
    soccerB('uwcl-bar-che-2026-11-11', ['FC Barcelona', 'Chelsea FC']),
    soccerB('ucl-bar-che-2026-11-11', ['FC Barcelona', 'Chelsea FC']),
  ],
  [
    'the under-21 game of the same nations, marked by their names',
    spain(),
    spainB(),
    soccerB('u21-esp-jpn-2026-11-17', ['Spain U21', 'Japan U21']),
  ],
  ['the under-20 game of the same nations, marked by its slug', spain(), spainB(), spainB('u20wwc')],
  [
    'the under-20 game of the same nations, marked in its text',
    spain(),
    spainB(),
    spainB('friendly', { text: 'In the upcoming FIFA U-20 World Cup game, scheduled for November 17.' }),
  ],
  [
    'the junior game of the same clubs, marked in its text',
    arsenal('2026-08-05', 'KXCLUBFGAME'),
    arsenalB('2026-08-05', 'clf'),
    arsenalB('2026-08-05', 'pl2', { text: 'In the upcoming Premier League 2 (U21) game, scheduled for August 5.' }),
  ],
  [
    'the game of the second teams of the same clubs',
    winnerA('KXLIGAPORTUGALGAME', '2026-11-17', 'BENPOR', 'Benfica vs Porto', ['BEN Benfica', 'POR Porto', 'TIE Tie']),
    soccerB('por-ben-por-2026-11-17', ['SL Benfica', 'FC Porto']),
    soccerB('por2-ben-por-2026-11-17', ['SL Benfica B', 'FC Porto B']),
  ],
  [
    'the game of the first teams of two Jong teams',
    winnerA('KXEERSTEDIVGAME', '2026-11-17', 'AJAPSV', 'Jong Ajax vs Jong PSV', [
      'AJA Jong Ajax',
      'PSV Jong PSV',
      'TIE Tie',
    ]),
    soccerB('ned2-aja-psv-2026-11-17', ['Jong Ajax', 'Jong PSV']),
    soccerB('ere-aja-psv-2026-11-17', ['AFC Ajax', 'PSV']),
  ],
  [
    'the game of the reserve teams of the same MLS clubs',
    winnerA('KXMLSGAME', '2026-10-17', 'MIACLB', 'Miami vs Columbus', ['MIA Miami', 'CLB Columbus', 'TIE Tie']),
    soccerB('mls-mia-clb-2026-10-17', ['Inter Miami CF', 'Columbus Crew']),
    soccerB('mlsnp-mia-clb-2026-10-17', ['Inter Miami CF II', 'Columbus Crew 2']),
  ],
  [
    'the academy teams of the same esports organizations',
    t1,
    t1B,
    winnerB('lol-t1a-gena-2026-10-22', ['T1 Esports Academy', 'Gen.G Global Academy'], {
      title: 'LoL: T1 Esports Academy vs Gen.G Global Academy (BO3) - LCK CL',
    }),
  ],
  [
    'one map of the match',
    t1,
    t1B,
    lines('lol-t1-gen-2026-10-22-game2', 'LoL: T1 vs Gen.G - Game 2', {
      q: 'LoL: T1 vs Gen.G - Game 2 Winner',
      o: ['T1', 'Gen.G'],
      type: 'child_moneyline',
    }),
  ],
  [
    'the same organizations in another esport',
    winnerA('KXCS2GAME', '2026-10-22', '0400TLVIT', 'Team Liquid vs. Vitality', ['TL Team Liquid', 'VIT Vitality']),
    winnerB('cs2-tl-vit-2026-10-22', ['Team Liquid', 'Vitality'], {
      title: 'Counter-Strike: Team Liquid vs Vitality (BO3)',
    }),
    winnerB('lol-tl-vit-2026-10-22', ['Team Liquid', 'Vitality'], { title: 'LoL: Team Liquid vs Vitality (BO3)' }),
  ],
  [
    'the match of a brother of the player',
    winnerA('KXATPMATCH', '2026-10-14', 'CERALC', 'Cerundolo vs Alcaraz', [
      'CER Francisco Cerundolo',
      'ALC Carlos Alcaraz',
    ]),
    winnerB('atp-cerundo-alcaraz-2026-10-14', ['Francisco Cerundolo', 'Carlos Alcaraz']),
    winnerB('atp-cerundo2-alcaraz-2026-10-14', ['Juan Manuel Cerundolo', 'Carlos Alcaraz']),
  ],
  [
    'a doubles match of the same two players',
    zverev,
    zverevB,
    winnerB('atp-doubles-zverev-shelton-2026-10-14', ['Zverev/Melo', 'Shelton/Paul']),
  ],
  [
    'the first set of the match',
    zverev,
    zverevB,
    lines('atp-zverev-shelton-2026-10-14-set-1', 'Zverev vs Shelton', {
      q: 'Set 1 Winner: Zverev vs Shelton',
      o: ['Alexander Zverev', 'Ben Shelton'],
      type: 'tennis_first_set_winner',
    }),
  ],
  [
    'the series that the game belongs to',
    knicks('2026-05-24'),
    knicksB('2026-05-24'),
    lines(
      'nba-playoffs-who-will-win-series-knicks-vs-celtics',
      'NBA Playoffs: Who Will Win Series? - Knicks vs. Celtics',
      {
        q: 'NBA Playoffs: Who Will Win Series? - Knicks vs. Celtics',
        o: ['Knicks', 'Celtics'],
      },
    ),
  ],
  [
    'the regular game of two Summer League teams',
    winnerA('KXNBASUMMERGAME', '2026-07-12', 'NYKBOS', 'New York at Boston', ['NYK New York', 'BOS Boston']),
    winnerB('nbasl-nyk-bos-2026-07-12', ['Knicks', 'Celtics']),
    knicksB('2026-07-12'),
  ],
  [
    'the preseason game of the same teams',
    winnerA('KXNFLGAME', '2026-09-10', 'DETCIN', 'Detroit vs Cincinnati', ['DET Detroit', 'CIN Cincinnati'], {
      competition: 'Pro Football',
    }),
    winnerB('nfl-det-cin-2026-09-10', ['Lions', 'Bengals']),
    winnerB('nfl-det-cin-2026-09-11', ['Lions', 'Bengals'], { text: 'In the upcoming NFL preseason game.' }),
  ],
  [
    'the cup game a day after the league game',
    arsenal('2027-02-28'),
    arsenalB('2027-02-28'),
    arsenalB('2027-03-01', 'efl'),
  ],
  [
    'the second leg of the tie',
    winnerA('KXUCLGAME', '2027-04-07', 'ARSPSG', 'Arsenal vs PSG', ['ARS Arsenal', 'PSG PSG', 'TIE Tie']),
    soccerB('ucl-ars-psg-2027-04-07', ['Arsenal FC', 'Paris Saint-Germain FC']),
    soccerB('ucl-psg-ars-2027-04-14', ['Paris Saint-Germain FC', 'Arsenal FC']),
  ],
  [
    "the women's cricket match of the same nations",
    india,
    indiaB,
    winnerB('crint-ind-aus-2026-10-14-w', ['India Women', 'Australia Women']),
  ],
  ['a Test match of the same nations', india, indiaB, soccerB('crictest-ind-aus-2026-10-14', ['India', 'Australia'])],
  [
    'the same nations in another sport',
    winnerA('KXFIBAGAME', '2026-11-14', 'GERFIN', 'Germany vs Finland', ['GER Germany', 'FIN Finland']),
    winnerB('bkfibaqeu-ger-fin-2026-11-14', ['Germany', 'Finland'], { title: 'FIBA: Germany vs. Finland' }),
    winnerB('mwoh-ger-fin-2026-11-14', ['Germany', 'Finland']),
  ],
  [
    'the total of the first half',
    total('KXNBATOTAL', 'Point Total'),
    knicksLines({ q: 'Knicks vs. Celtics: O/U 110.5', type: 'totals', line: 110.5 }),
    lines('nba-nyk-bos-2026-11-24-more-markets', 'Knicks vs. Celtics - More Markets', {
      q: 'Knicks vs. Celtics: 1H O/U 110.5',
      type: 'first_half_totals',
      line: 110.5,
    }),
  ],
  [
    "a team's total at the same number",
    total('KXNBATOTAL', 'Point Total'),
    knicksLines({ q: 'Knicks vs. Celtics: O/U 110.5', type: 'totals', line: 110.5 }),
    lines('nba-nyk-bos-2026-11-24-more-markets', 'Knicks vs. Celtics - More Markets', {
      q: 'Knicks Team Total: O/U 110.5',
      type: 'team_totals_away',
      line: 110.5,
    }),
  ],
  [
    "the other team's total",
    ladderA(
      'KXNBATEAMTOTAL',
      '2026-11-24',
      'NYKBOS',
      'New York at Boston: Team Total',
      [['BOS111', 110.5, 'Boston over 110.5 points']],
      {
        scope: 'Team Total',
      },
    ),
    knicksLines({ q: 'Celtics Team Total: O/U 110.5', type: 'team_totals_home', line: 110.5 }),
    lines('nba-nyk-bos-2026-11-24-more-markets', 'Knicks vs. Celtics - More Markets', {
      q: 'Knicks Team Total: O/U 110.5',
      type: 'team_totals_away',
      line: 110.5,
    }),
  ],
  [
    'the same handicap of the other team',
    boston,
    knicksLines(spread('Celtics', 'Knicks', -3.5)),
    lines(
      'nba-nyk-bos-2026-11-24-more-markets',
      'Knicks vs. Celtics - More Markets',
      spread('Knicks', 'Celtics', -3.5),
    ),
  ],
  [
    'other lines of the same team, and a whole line',
    boston,
    knicksLines(spread('Celtics', 'Knicks', -3.5)),
    lines(
      'nba-nyk-bos-2026-11-24-more-markets',
      'Knicks vs. Celtics - More Markets',
      spread('Celtics', 'Knicks', -4.5),
      spread('Celtics', 'Knicks', -3),
      spread('Celtics', 'Knicks', 3.5),
    ),
  ],
  [
    'a total of sets when the partner counts games',
    ladderA(
      'KXATPGTOTAL',
      '2026-10-14',
      'ZVESHE',
      'Alexander Zverev vs Ben Shelton: Total Games',
      [['22', 21.5, 'Over 21.5 games']],
      {
        scope: 'Total Games',
      },
    ),
    lines('atp-zverev-shelton-2026-10-14', 'Alexander Zverev vs Ben Shelton', {
      q: 'Alexander Zverev vs Ben Shelton: Match O/U 21.5',
      type: 'tennis_match_totals',
      line: 21.5,
    }),
    lines('atp-zverev-shelton-2026-10-14-more-markets', 'Alexander Zverev vs Ben Shelton - More Markets', {
      q: 'Alexander Zverev vs Ben Shelton: Total Sets O/U 21.5',
      type: 'tennis_set_totals',
      line: 21.5,
    }),
  ],
  [
    'a total of corners when the partner counts goals',
    ladderA(
      'KXEPLTOTAL',
      '2026-11-21',
      'ARSCFC',
      'Arsenal vs Chelsea: Total Goals',
      [['4', 4.5, 'Over 4.5 goals scored']],
      {
        scope: 'Totals',
      },
    ),
    lines('epl-ars-che-2026-11-21-more-markets', 'Arsenal FC vs. Chelsea FC - More Markets', {
      q: 'Arsenal FC vs. Chelsea FC: O/U 4.5',
      type: 'totals',
      line: 4.5,
    }),
    lines(
      'epl-ars-che-2026-11-21-total-corners',
      'Arsenal FC vs. Chelsea FC - Total Corners',
      { q: 'Arsenal FC vs. Chelsea FC: Total Corners O/U 4.5', type: 'totals', line: 4.5 },
      { q: 'Arsenal FC vs. Chelsea FC: O/U 4.5', type: 'totals', line: 4.5 },
    ),
  ],
];

describe('a match pass', () => {
  it.each(table)('pairs only the true partner next to %s', async (_what, a, partner, lookalike) => {
    const { event_ticker } = a.event;
    expect(await pairListings(database, NOW, [a], [partner, lookalike])).toMatchObject([
      { a: event_ticker, b: partner.slug },
    ]);
    expect(await pairListings(database, NOW, [a], [lookalike])).toEqual([]);
  });
});

describe('an unregistered person with two family names', () => {
  it('gives a rejection and no pair when each venue uses another of the names', async () => {
    const a = winnerA('KXATPMATCH', '2026-08-04', 'MARDRO', 'Martin Manzano vs Droguet', [
      'MAR Martin Manzano',
      'DRO Droguet',
    ]);
    const b = winnerB('atp-juamar-titdro-2026-08-04', ['Juan Martin', 'Titouan Droguet']);
    expect(await pairListings(database, NOW, [a], [b])).toEqual([]);
    const rejections =
      await database.sql`select code from catalog.rejections where question_b = 'venue_b:atp-juamar-titdro-2026-08-04'`;
    expect(rejections.map((one) => one.code)).toEqual(['other_name']);
  });
});
