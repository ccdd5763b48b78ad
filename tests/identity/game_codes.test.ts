import { describe, expect, it } from 'vitest';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import { leagueOfPrefix } from '../../functions/ingest/identity/names/registry.ts';
import { a, b, expectUnpaired, listedA, listedB, NOW, pairs } from './game_fixtures.ts';

/**
 * Codes that a venue reuses and prefixes that several competitions share: what the words next to
 * them decide, and what they do not.
 */

/** A soccer game of venue_a with its tie market. */
const soccer = (ticker: string, title: string, sides: [code: string, label: string][]) =>
  listedA(ticker, title, [...sides, ['TIE', 'Tie']]);

describe('a code that is usually another club', () => {
  const title = 'Independiente vs Independiente Rivadavia';
  const sides: [string, string][] = [
    ['IND', 'Independiente'],
    ['RIV', 'Independiente Rivadavia'],
  ];

  it('resolves to the label that begins with it', () => {
    const game = a(soccer('KXARGPREMDIVGAME-26OCT25INDRIV', title, sides));
    expect(game).toMatchObject({ excluded: null, home: 'Independiente', away: 'Independiente Rivadavia' });
    expect(game?.legs.map((leg) => [leg.outcome_key, leg.contract_id.split('-').at(-1)])).toEqual([
      ['independiente', 'IND'],
      ['independiente-rivadavia', 'RIV'],
      ['draw', 'TIE'],
    ]);
  });

  it('resolves to the title in a ladder whose markets name no team', () => {
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

  it('contradicts a label that does not begin with it', () => {
    const reversed = a(
      soccer('KXARGPREMDIVGAME-26OCT25INDRIV', title, [
        ['RIV', 'Independiente'],
        ['IND', 'Independiente Rivadavia'],
      ]),
    );
    expect(reversed?.excluded).toBe('contradictory');
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

  it('resolves to the fighter of the title whose initial and name the code abbreviates', () => {
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

  it('resolves to no fighter when the code fits neither name or is at the other position', () => {
    expect(
      fight([
        ['AJOS', null],
        ['TWIL', null],
      ])?.excluded,
    ).toBe('unknown_alias');
    const reversed = listedA('KXBOXING-26APR11AMAKTFUR', 'fury vs makhmudov', [
      ['AMAK', null],
      ['TFUR', null],
    ]);
    expect(a(reversed)?.excluded).toBe('unknown_alias');
  });
});

describe('a person with two family names', () => {
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

  it('is listed under the family name that the title prints', () => {
    expect(pairs(fight('Rodriguez vs Coria', 'Imanol Rodriguez Pillado'), b(bout))).toMatchObject({
      rodriguz: ['KXUFCFIGHT-26OCT03RODCOR-ROD', 'ufc-imarod-aldcor-2026-10-03:Imanol Rodriguez'],
    });
  });

  it("is excluded when the title prints another person's name", () => {
    expect(fight('Rodrigues vs Coria', 'Imanol Rodriguez Pillado')?.excluded).toBe('contradictory');
    expect(fight('Rodriguez vs Pillado', 'Imanol Sosa')?.excluded).not.toBeNull();
  });
});

it('parses the title of a page without one from its question about the draw', () => {
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

describe('the slug prefix "itf", which women and men share', () => {
  const women = listedB('itf-pavlov1-llorca1-2026-09-23', 'W50 Yecla: Kira Pavlova vs Lucia Cortez Llorca', [
    'Kira Pavlova',
    'Lucia Cortez Llorca',
  ]);
  const ticker = (series: string) => `${series}-26SEP23PAVLLO`;
  const sides: [string, string][] = [
    ['PAV', 'Kira Pavlova'],
    ['LLO', 'Lucia Cortez Llorca'],
  ];

  it('is resolved by the grade of the tournament', () => {
    expect(b(women)).toMatchObject({ excluded: null, competition: 'ITF Women' });
    expect(pairs(a(listedA(ticker('KXITFWMATCH'), 'Pavlova vs Cortez Llorca', sides)), b(women))).toMatchObject({
      pavlova: [`${ticker('KXITFWMATCH')}-PAV`, 'itf-pavlov1-llorca1-2026-09-23:Kira Pavlova'],
    });
    expectUnpaired(a(listedA(ticker('KXITFMATCH'), 'Pavlova vs Cortez Llorca', sides)), b(women));
  });

  it('is not resolved when the words name neither or both', () => {
    expect(leagueOfPrefix('itf', 'Getafe: Marco Rossi vs Paul Legrand')).toBeNull();
    expect(leagueOfPrefix('itf', "M15 Getafe, Women's and Men's")).toBeNull();
    expect(leagueOfPrefix('itf', 'M15 Getafe: Marco Rossi vs Paul Legrand')?.id).toBe('itf-men');
    expect(
      b(
        listedB('itf-rossi-legrand-2026-09-23', 'Getafe: Marco Rossi vs Paul Legrand', ['Marco Rossi', 'Paul Legrand']),
      ),
    ).toMatchObject({ excluded: 'unconfirmed_league', competition: null });
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
])('maps the slug prefix %s to the competition %s', (prefix, id) => {
  expect(leagueOfPrefix(prefix)?.id).toBe(id);
});

describe('a handicap with a name that both teams share', () => {
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

  it('belongs to the team of its code', () => {
    expect(of('LAC4', 'Los Angeles wins by over 3.5 points')).toMatchObject({
      excluded: null,
      identity: { team: 'nfl/los-angeles-chargers' },
    });
  });

  it('is excluded without a code, with a name of neither team, or when name and code differ', () => {
    expect(of('X4', 'Los Angeles wins by over 3.5 points')?.excluded).toBe('unknown_alias');
    expect(of('LAC4', 'Denver wins by over 3.5 points')?.excluded).toBe('unknown_alias');
    expect(of('LAC4', 'Los Angeles R wins by over 3.5 points')?.excluded).toBe('contradictory');
  });
});

it('finds the German basketball league although the Big Bash League has the same letters', () => {
  const ticker = 'KXBBLTOTAL-26NOV14BAYALB';
  const over = { ticker: `${ticker}-165`, yes_sub_title: 'Over 164.5 points scored', floor_strike: 164.5 };
  const event = { event_ticker: ticker, title: 'Bayern Munich vs ALBA Berlin: Total Points', markets: [over] };
  expect(linesA(event, NOW)[0]).toMatchObject({ excluded: null, sport: 'basketball', line: 164.5 });
  expect(leagueOfPrefix('cricbbl')?.sport).toBe('cricket');
});

it('counts games over a match for every wording of the total', () => {
  const page = {
    slug: 'atp-zverev-shelton-2026-10-14',
    title: 'Alexander Zverev vs Ben Shelton',
    markets: ['Match O/U 21.5', 'Match Games O/U 22.5', 'Total Games O/U 23.5'].map((wording, at) => ({
      conditionId: `0x${at}`,
      question: `Alexander Zverev vs. Ben Shelton: ${wording}`,
      outcomes: '["Over", "Under"]',
      clobTokenIds: JSON.stringify([`${at}:over`, `${at}:under`]),
      sportsMarketType: 'tennis_match_totals',
    })),
  };
  expect(linesB(page, NOW).map((one) => [one.family, one.line, one.basis, one.excluded])).toEqual(
    [21.5, 22.5, 23.5].map((line) => ['total', line, 'games, full game', null]),
  );
});
