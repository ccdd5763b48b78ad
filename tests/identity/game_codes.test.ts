import { describe, expect, it } from 'vitest';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import { leagueOfPrefix } from '../../functions/ingest/identity/names/registry.ts';
import { a, apart, b, listedA, listedB, NOW, pairs } from './game_fixtures.ts';

/** Codes that a venue uses anew, and prefixes that several competitions share: what the words beside them decide, and what they do not. */

/** A soccer game of venue_a, the tie included. */
const soccer = (ticker: string, title: string, sides: [code: string, label: string][]) =>
  listedA(ticker, title, [...sides, ['TIE', 'Tie']]);

describe('a code that is another club as a rule', () => {
  const title = 'Independiente vs Independiente Rivadavia';
  const sides: [string, string][] = [
    ['IND', 'Independiente'],
    ['RIV', 'Independiente Rivadavia'],
  ];

  it('is that of the label which begins with it', () => {
    const game = a(soccer('KXARGPREMDIVGAME-26OCT25INDRIV', title, sides));
    expect(game).toMatchObject({ excluded: null, home: 'Independiente', away: 'Independiente Rivadavia' });
    expect(game?.legs.map((leg) => [leg.outcome_key, leg.contract_id.split('-').at(-1)])).toEqual([
      ['independiente', 'IND'],
      ['independiente-rivadavia', 'RIV'],
      ['draw', 'TIE'],
    ]);
  });

  it('is that of the title in a ladder, whose markets name nobody', () => {
    const ticker = 'KXARGPREMDIVTOTAL-26OCT25INDRIV';
    const over = {
      ticker: `${ticker}-2`,
      yes_sub_title: 'Over 2.5 goals scored',
      floor_strike: 2.5,
      strike_type: 'greater',
    };
    const ladder = (names: string) =>
      linesA({ event_ticker: ticker, title: `${names}: Total Goals`, markets: [over] }, NOW);
    expect(ladder(title)[0]).toMatchObject({
      excluded: null,
      identity: { participants: ['argentina/independiente', 'argentina/independiente-rivadavia'] },
    });
    expect(ladder('Independiente vs Racing Club')[0]?.excluded).not.toBeNull();
  });

  it('says the opposite of a label that does not begin with it', () => {
    const turned = a(
      soccer('KXARGPREMDIVGAME-26OCT25INDRIV', title, [
        ['RIV', 'Independiente'],
        ['IND', 'Independiente Rivadavia'],
      ]),
    );
    expect(turned?.excluded).toBe('contradictory');
    const other = a(
      soccer('KXMLSGAME-26OCT17LAFCSEA', 'Los Angeles F vs Seattle', [
        ['LAG', 'Los Angeles F'],
        ['SEA', 'Seattle'],
      ]),
    );
    expect(other?.excluded).toBe('contradictory');
  });
});

describe('a side without a label', () => {
  const fight = (sides: [string, null][]) => a(listedA('KXBOXING-26APR11TFURAMAK', 'fury vs makhmudov', sides));

  it('is the fighter of the title whose initial and name its code holds', () => {
    const bout = listedB('boxing-fury-makhmudov-2026-04-11', 'Tyson Fury vs. Arslanbek Makhmudov', [
      'Tyson Fury',
      'Arslanbek Makhmudov',
    ]);
    const listed = fight([
      ['AMAK', null],
      ['TFUR', null],
    ]);
    expect(pairs(listed, b(bout))).toEqual({
      fury: ['KXBOXING-26APR11TFURAMAK-TFUR', 'boxing-fury-makhmudov-2026-04-11:Tyson Fury'],
      makhmudov: ['KXBOXING-26APR11TFURAMAK-AMAK', 'boxing-fury-makhmudov-2026-04-11:Arslanbek Makhmudov'],
    });
  });

  it('is nobody where its code fits neither, or stands in the other place', () => {
    expect(
      fight([
        ['AJOS', null],
        ['TWIL', null],
      ])?.excluded,
    ).toBe('unknown_alias');
    const turned = listedA('KXBOXING-26APR11AMAKTFUR', 'fury vs makhmudov', [
      ['AMAK', null],
      ['TFUR', null],
    ]);
    expect(a(turned)?.excluded).toBe('unknown_alias');
  });
});

describe('a person of two family names', () => {
  const bout = listedB('ufc-imarod-aldcor-2026-10-03', 'UFC Fight Night: Imanol Rodriguez vs. Alden Coria', [
    'Imanol Rodriguez',
    'Alden Coria',
  ]);
  const fight = (title: string, name: string) =>
    a(
      listedA('KXUFCFIGHT-26OCT03RODCOR', title, [
        ['ROD', name],
        ['COR', 'Alden Coria'],
      ]),
    );

  it('goes by the one that the title prints', () => {
    expect(pairs(fight('Rodriguez vs Coria', 'Imanol Rodriguez Pillado'), b(bout))).toMatchObject({
      rodriguz: ['KXUFCFIGHT-26OCT03RODCOR-ROD', 'ufc-imarod-aldcor-2026-10-03:Imanol Rodriguez'],
    });
  });

  it('is nobody where the title prints a name that is not theirs', () => {
    expect(fight('Rodrigues vs Coria', 'Imanol Rodriguez Pillado')?.excluded).toBe('contradictory');
    expect(fight('Rodriguez vs Pillado', 'Imanol Sosa')?.excluded).not.toBeNull();
  });
});

it('a page without a title is named by the question whether it will be a draw', () => {
  const yesNo = (end: string, question: string) => ({
    slug: `ukr1-dyn-zor-2026-04-17-${end}`,
    conditionId: `0x${end}`,
    question,
    outcomes: '["Yes", "No"]',
    clobTokenIds: JSON.stringify([`${end}:yes`, `${end}:no`]),
  });
  const page = {
    slug: 'ukr1-dyn-zor-2026-04-17',
    markets: [
      yesNo('zor', 'Will FK Zorya Luhansk win on 2026-04-17?'),
      yesNo('draw', 'Will FK Dynamo Kyiv vs. FK Zorya Luhansk end in a draw?'),
    ],
  };
  expect(b(page)).toMatchObject({ excluded: null, home: 'Dynamo Kyiv', away: 'Zorya Luhansk' });
});

describe('the prefix that women and men of the ITF share', () => {
  const women = listedB('itf-pavlov1-llorca1-2026-09-23', 'W50 Yecla: Kira Pavlova vs Lucia Cortez Llorca', [
    'Kira Pavlova',
    'Lucia Cortez Llorca',
  ]);
  const ticker = (series: string) => `${series}-26SEP23PAVLLO`;
  const sides: [string, string][] = [
    ['PAV', 'Kira Pavlova'],
    ['LLO', 'Lucia Cortez Llorca'],
  ];

  it('is read by the grade of the tournament', () => {
    expect(b(women)).toMatchObject({ excluded: null, competition: 'ITF Women' });
    expect(pairs(a(listedA(ticker('KXITFWMATCH'), 'Pavlova vs Cortez Llorca', sides)), b(women))).toMatchObject({
      pavlova: [`${ticker('KXITFWMATCH')}-PAV`, 'itf-pavlov1-llorca1-2026-09-23:Kira Pavlova'],
    });
    apart(a(listedA(ticker('KXITFMATCH'), 'Pavlova vs Cortez Llorca', sides)), b(women));
  });

  it('names nobody where the words tell neither, or both', () => {
    expect(leagueOfPrefix('itf', 'Getafe: Marco Rossi vs Paul Legrand')).toBeNull();
    expect(leagueOfPrefix('itf', "M15 Getafe, Women's and Men's")).toBeNull();
    expect(leagueOfPrefix('itf', 'M15 Getafe: Marco Rossi vs Paul Legrand')?.id).toBe('itf-men');
    expect(
      b(
        listedB('itf-rossi-legrand-2026-09-23', 'Getafe: Marco Rossi vs Paul Legrand', ['Marco Rossi', 'Paul Legrand']),
      ),
    ).toBeUndefined();
  });
});

it.each([
  ['unl', 'uefa-nations-league'],
  ['clf', 'club-friendly'],
  ['lec', 'leagues-cup'],
  ['bel1', 'belgian-pro-league'],
  ['sui', 'swiss-super-league'],
  ['gre1', 'super-league-greece'],
  ['pol', 'ekstraklasa'],
  ['ecu1', 'ecuador-liga-pro'],
  ['acle', 'afc-champions-league'],
  ['argpn', 'argentina-nacional-b'],
])('%s is a slug of %s', (prefix, id) => {
  expect(leagueOfPrefix(prefix)?.id).toBe(id);
});

describe('a handicap of a name that both teams share', () => {
  const ticker = 'KXNFLSPREAD-26OCT11LARLAC';
  const of = (suffix: string, label: string) =>
    linesA(
      {
        event_ticker: ticker,
        title: 'Los Angeles R vs Los Angeles C: Spread',
        markets: [{ ticker: `${ticker}-${suffix}`, yes_sub_title: label, floor_strike: 3.5, strike_type: 'greater' }],
      },
      NOW,
    )[0];

  it('is that of the team of its code', () => {
    expect(of('LAC4', 'Los Angeles wins by over 3.5 points')).toMatchObject({
      excluded: null,
      identity: { team: 'nfl/los-angeles-chargers' },
    });
  });

  it('is nobody’s without a code, by a name of neither, or where name and code part', () => {
    expect(of('X4', 'Los Angeles wins by over 3.5 points')?.excluded).toBe('unknown_alias');
    expect(of('LAC4', 'Denver wins by over 3.5 points')?.excluded).toBe('unknown_alias');
    expect(of('LAC4', 'Los Angeles R wins by over 3.5 points')?.excluded).toBe('contradictory');
  });
});

it('Germany’s basketball league is not hidden by the Big Bash, which goes by the same letters', () => {
  const ticker = 'KXBBLTOTAL-26NOV14BAYALB';
  const over = { ticker: `${ticker}-165`, yes_sub_title: 'Over 164.5 points scored', floor_strike: 164.5 };
  const event = { event_ticker: ticker, title: 'Bayern Munich vs ALBA Berlin: Total Points', markets: [over] };
  expect(linesA(event, NOW)[0]).toMatchObject({ excluded: null, sport: 'basketball', line: 164.5 });
  expect(leagueOfPrefix('cricbbl')?.sport).toBe('cricket');
});

it('games are counted over a match, whichever word stands before them', () => {
  const page = {
    slug: 'atp-zverev-shelton-2026-10-14',
    title: 'Alexander Zverev vs Ben Shelton',
    markets: ['Match O/U 21.5', 'Match Games O/U 22.5', 'Total Games O/U 23.5'].map((asked, at) => ({
      conditionId: `0x${at}`,
      question: `Alexander Zverev vs. Ben Shelton: ${asked}`,
      outcomes: '["Over", "Under"]',
      clobTokenIds: JSON.stringify([`${at}:over`, `${at}:under`]),
      sportsMarketType: 'tennis_match_totals',
    })),
  };
  expect(linesB(page, NOW).map((one) => [one.family, one.line, one.basis, one.excluded])).toEqual(
    [21.5, 22.5, 23.5].map((line) => ['total', line, 'games, full game', null]),
  );
});
