import { describe, expect, it } from 'vitest';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import { context, eventB, ladderA } from './lines_fixtures.ts';

/**
 * Guarantee: equal keys mean the same line of the same game, with each leg on its own side. An
 * uncertain listing is excluded with a reason.
 */

const a = (event: unknown) => linesA(event as never, context);
const b = (event: unknown) => linesB(event as never, context);

const totalA = (...strikes: Parameters<typeof ladderA>[2]) =>
  a(ladderA('KXNFLTOTAL-26SEP20CARATL', 'Carolina at Atlanta: Total Points', strikes));
const spreadA = (...strikes: Parameters<typeof ladderA>[2]) =>
  a(ladderA('KXNFLSPREAD-26SEP20CARATL', 'Carolina at Atlanta: Spread', strikes, 'Spread'));
const gameB = (...markets: Parameters<typeof eventB>[2]) =>
  b(eventB('nfl-car-atl-2026-09-20', 'Panthers vs. Falcons', markets));

describe('a total', () => {
  it('is one question per line, with YES as over and NO as under', () => {
    const [low, high, ...more] = totalA(
      { suffix: '45', floor: 44.5, label: 'Over 44.5 points scored' },
      { suffix: '66', floor: '65.5', label: 'Over 65.5 points scored' },
    );
    expect(more).toEqual([]);
    expect(low).toMatchObject({
      question_id: 'venue_a:KXNFLTOTAL-26SEP20CARATL-45',
      family: 'total',
      key: 'total|football|nfl|season|game|nfl/atlanta-falcons,nfl/carolina-panthers|points|44.5',
      game_key: 'moneyline|football|nfl|season|game|nfl/atlanta-falcons,nfl/carolina-panthers',
      line: 44.5,
      basis: 'points, full game',
      on_date: '2026-09-20',
      excluded: null,
      home: 'Atlanta Falcons',
      identity: { occasion: '26SEP20', scope: 'game', line_by: 'strike+text' },
    });
    expect(low?.legs.map((leg) => [leg.outcome_key, leg.outcome_name, leg.side])).toEqual([
      ['over', 'Over 44.5', 'yes'],
      ['under', 'Under 44.5', 'no'],
    ]);
    expect(high?.line).toBe(65.5);
  });

  it('has the same key on venue_b, with over on the token named Over at any position', () => {
    const [listed] = gameB({
      id: 'x',
      question: 'Panthers vs. Falcons: O/U 44.5',
      type: 'totals',
      group: 'O/U 44.5',
      line: 44.5,
      outcomes: ['Under', 'Over'],
    });
    expect(listed?.key).toBe(totalA({ suffix: '45', floor: 44.5 })[0]?.key);
    expect(listed?.legs.map((leg) => [leg.outcome_key, leg.contract_id])).toEqual([
      ['over', 'x:1'],
      ['under', 'x:0'],
    ]);
  });

  it('takes the line from the strike and never from the ticker, with any equivalent comparison', () => {
    const line = (one: Parameters<typeof totalA>[0]) => totalA(one)[0]?.line;
    expect(line({ suffix: '99', floor: 44.5 })).toBe(44.5);
    expect(line({ suffix: '45', floor: 45, kind: 'greater_or_equal' })).toBe(44.5);
    expect(line({ suffix: '44', floor: 44, kind: 'greater' })).toBe(44.5);
    expect(line({ suffix: '44', title: 'Full Game: over 44.5 points scored?' })).toBe(44.5);
    expect(line({ suffix: '44', rules: 'If the teams collectively score more 2.5 runs, it resolves to Yes.' })).toBe(
      2.5,
    );
    expect(totalA({ suffix: '45' })[0]?.excluded).toBe('incomplete');
    expect(totalA({ suffix: '45', floor: 44.5, kind: 'less' })[0]?.excluded).toBe('incomplete');
    expect(totalA({ suffix: '45', floor: 44.5, kind: 'between' })[0]?.excluded).toBe('incomplete');
  });

  it('is excluded when strike and texts, or fields and question, differ', () => {
    expect(totalA({ suffix: '45', floor: 44.5, label: 'Over 45.5 points scored' })[0]?.excluded).toBe('contradictory');
    expect(totalA({ suffix: '45', floor: 44.5, label: 'Under 44.5 points scored' })[0]?.excluded).toBe('contradictory');
    const listed = { id: 'x', question: 'Panthers vs. Falcons: O/U 44.5', type: 'totals' };
    expect(gameB({ ...listed, line: 45.5 })[0]?.excluded).toBe('contradictory');
    expect(gameB({ ...listed, group: 'O/U 45.5' })[0]?.excluded).toBe('contradictory');
    expect(gameB({ ...listed, outcomes: ['Over 45.5', 'Under 45.5'] })[0]?.excluded).toBe('contradictory');
    expect(gameB({ ...listed, outcomes: ['Yes', 'No'] })[0]?.excluded).toBe('incomplete');
    expect(gameB({ ...listed, type: 'spreads' })[0]?.excluded).toBe('contradictory');
  });

  it('on a whole number is another question than the halves next to it', () => {
    const text = 'If the combined score is exactly 44, this market will resolve 50-50.';
    const [whole] = gameB({ id: 'x', question: 'Panthers vs. Falcons: O/U 44', type: 'totals', text });
    expect(whole).toMatchObject({ line: 44, excluded: null, terms: { push: 'split' } });
    expect(totalA({ suffix: '44', floor: 44 }, { suffix: '45', floor: 44.5 }).map((one) => one.key)).not.toContain(
      whole?.key,
    );
  });

  it('has only the terms that its own text states', () => {
    const silent = 'If Carolina and Atlanta collectively score more than 44.5 points, then the market resolves to Yes.';
    const wnba = a(
      ladderA('KXWNBATOTAL-26AUG08LVMIN', 'Las Vegas vs Minnesota: Total', [
        {
          suffix: '174',
          floor: 173.5,
          rules:
            'If the teams collectively score more than 173.5 points, then the market resolves to Yes. Note: This market includes overtime. If this game is postponed or delayed, the market will remain open and close after the rescheduled game has finished (within 2 days).',
        },
      ]),
    )[0];
    expect(wnba?.terms).toMatchObject({ rules: 'read', overtime: 'included', postponement_hours: 48, push: null });
    expect(totalA({ suffix: '45', floor: 44.5, rules: silent })[0]?.terms).toMatchObject({
      overtime: null,
      postponement_hours: null,
      waits: null,
      cancelled: null,
    });
    expect(totalA({ suffix: '45', floor: 44.5 })[0]?.terms.rules).toBe('none');
  });
});

describe('a spread', () => {
  it('is stated from the side of the favourite, regardless of the team that the listing names first', () => {
    const [gives] = spreadA({ suffix: 'ATL4', floor: 3.5, label: 'Atlanta wins by over 3.5 points' });
    expect(gives).toMatchObject({ line: -3.5, excluded: null });
    expect(gives?.legs.map((leg) => [leg.outcome_key, leg.outcome_name, leg.side])).toEqual([
      ['atlanta-falcons-cover', 'Atlanta Falcons -3.5', 'yes'],
      ['carolina-panthers-cover', 'Carolina Panthers +3.5', 'no'],
    ]);
    const listed = [
      gameB({
        id: 'x',
        question: 'Spread: Falcons (-3.5)',
        type: 'spreads',
        outcomes: ['Falcons', 'Panthers'],
        line: 3.5,
      }),
      gameB({ id: 'x', question: 'Spread: Panthers (+3.5)', type: 'spreads', outcomes: ['Falcons', 'Panthers'] }),
    ];
    for (const [question] of listed) {
      expect(question).toMatchObject({ key: gives?.key, line: -3.5, excluded: null });
      expect(question?.legs.map((leg) => [leg.outcome_key, leg.contract_id])).toEqual([
        ['atlanta-falcons-cover', 'x:0'],
        ['carolina-panthers-cover', 'x:1'],
      ]);
    }
  });

  it('on a page without a title takes the home team from the slug', () => {
    const [away] = b(
      eventB('epl-tot-bri-2026-04-18', null, [
        {
          id: 'x',
          question: 'Spread: Brighton & Hove Albion FC (-1.5)',
          outcomes: ['Brighton & Hove Albion FC', 'Tottenham Hotspur FC'],
        },
      ]),
    );
    expect(away).toMatchObject({ excluded: null, line: -1.5, home: 'Tottenham Hotspur' });
    expect(away?.legs[0]?.outcome_name).toContain('Brighton');
  });

  it('has another key than the same number for the other team and than the next line', () => {
    const keys = spreadA(
      { suffix: 'ATL4', floor: 3.5, label: 'Atlanta wins by over 3.5 points' },
      { suffix: 'CAR4', floor: 3.5, label: 'Carolina wins by over 3.5 points' },
      { suffix: 'ATL7', floor: 6.5, label: 'Atlanta wins by over 6.5 points' },
    ).map((one) => one.key);
    expect(new Set(keys).size).toBe(3);
  });

  it('is excluded when label and code, or question and group title, name different teams', () => {
    expect(spreadA({ suffix: 'CAR4', floor: 3.5, label: 'Atlanta wins by over 3.5 points' })[0]?.excluded).toBe(
      'contradictory',
    );
    expect(spreadA({ suffix: 'ATL4', floor: 3.5, label: 'Boston wins by over 3.5 points' })[0]?.excluded).toBe(
      'unknown_alias',
    );
    const listed = { id: 'x', question: 'Spread: Falcons (-3.5)', type: 'spreads', outcomes: ['Falcons', 'Panthers'] };
    expect(gameB({ ...listed, group: 'Panthers (-3.5)' })[0]?.excluded).toBe('contradictory');
    expect(gameB({ ...listed, group: 'Spread +3.5' })[0]?.excluded).toBe('contradictory');
    expect(gameB({ ...listed, group: 'Spread -3.5' })[0]?.excluded).toBe(null);
    expect(gameB({ ...listed, outcomes: ['Falcons', 'Bears'] })[0]?.excluded).toBe('unknown_alias');
  });

  it('resolves a team by its full name, with "The" and with a single V', () => {
    const [strongest] = a(
      ladderA('KXBOLPDIVSPREAD-26MAY10STRBOL', 'The Strongest vs Bolívar: Spread', [
        { suffix: 'STR2', floor: 1.5, label: 'The Strongest wins by over 1.5 goals' },
      ]),
    );
    expect(strongest).toMatchObject({ line: -1.5, excluded: null, identity: { team: 'bolivia/the-strongest' } });
    const [verdy] = a(
      ladderA('KXJLEAGUESPREAD-26MAY10VERNAG', 'Tokyo V vs Nagoya: Spread', [
        { suffix: 'VER2', floor: 1.5, label: 'Tokyo V wins by over 1.5 goals' },
      ]),
    );
    expect(verdy).toMatchObject({ line: -1.5, excluded: null, identity: { team: 'japan/tokyo-verdy' } });
  });

  it('counts games or sets of a tennis match and states which', () => {
    const [games] = a(
      ladderA('KXATPGSPREAD-26MAY19UGOTIA', 'Camilo Ugo Carabelli vs Frances Tiafoe: Game Spread', [
        {
          suffix: 'TIA5',
          floor: 4.5,
          label: 'Frances Tiafoe -4.5 games',
          title: 'Will Frances Tiafoe win at least 4.5 more games than Camilo Ugo Carabelli?',
        },
      ]),
    );
    expect(games).toMatchObject({ line: -4.5, basis: 'games, full game', excluded: null });
    const matchB = (question: string, type?: string) =>
      b(
        eventB('atp-ugocar-tiafoe-2026-05-19', 'Camilo Ugo Carabelli vs. Frances Tiafoe', [
          { id: 'x', question, type, outcomes: ['Frances Tiafoe', 'Camilo Ugo Carabelli'] },
        ]),
      )[0];
    expect(matchB('Game Handicap: Tiafoe (-4.5) vs Ugo Carabelli (+4.5)')?.key).toBe(games?.key);
    expect(matchB('Set Handicap: Tiafoe (-1.5) vs Ugo Carabelli (+1.5)', 'tennis_set_handicap')).toMatchObject({
      basis: 'sets, full game',
      line: -1.5,
    });
    expect(matchB('Spread: Frances Tiafoe (-4.5)', 'spreads')?.excluded).toBe('incomplete');
  });
});

describe('the text of a venue_b line', () => {
  const spread = { id: 'x', question: 'Spread: Falcons (-3.5)', type: 'spreads', outcomes: ['Falcons', 'Panthers'] };
  const total = { id: 'x', question: 'Panthers vs. Falcons: O/U 44.5', type: 'totals' };
  const schedule = 'In the upcoming NFL game, scheduled for September 20 at 1:00PM ET:\n';
  const excluded = (one: Parameters<typeof gameB>[0], text: string) =>
    gameB({ ...one, text: schedule + text })[0]?.excluded;

  it('agrees when it states the same line', () => {
    for (const text of [
      'This market will resolve to "Falcons" if the Falcons win the game by 4 or more points.\nOtherwise, this market will resolve to "Panthers".',
      'This market will resolve to "Falcons" if the Falcons win by more than 3.5 points.',
    ])
      expect(excluded(spread, text)).toBe(null);
    for (const text of [
      'This market will resolve to "Over" if the Panthers and Falcons combine to score 45 or more points in this game. If the combined total is less than 45, this market will resolve to "Under".',
      'This market will resolve to "Over" if the teams combine to score more than 44.5 points, overtime included.',
    ])
      expect(excluded(total, text)).toBe(null);
    // The Aces are a team, not the aces of a tennis player.
    expect(excluded(total, 'This market will resolve to "Over" if the Aces and Wings score 45 or more points.')).toBe(
      null,
    );
  });

  it('excludes the market when it states another line, another team or another count', () => {
    for (const text of [
      'This market will resolve to "Falcons" if the Falcons win the game by 7 or more points.',
      'This market will resolve to "Panthers" if the Panthers win the game by 4 or more points.',
    ])
      expect(excluded(spread, text)).toBe('contradictory');
    for (const text of [
      'This market will resolve to "Over" if the Panthers and Falcons combine to score 46 or more points in this game.',
      'This market will resolve to "Over" if the teams combine to score 45 or more points in the first half.',
      'This market will resolve to "Over" if the teams combine for 45 or more corners.',
    ])
      expect(excluded(total, text)).toBe('contradictory');
  });
});

describe('a team total', () => {
  it('names its team on both venues', () => {
    const [runs] = a(
      ladderA('KXMLBTEAMTOTAL-26AUG081505ATLNYY', 'Atlanta vs New York Y: Team Total', [
        {
          suffix: 'NYY5',
          floor: 4.5,
          label: 'New York Y over 4.5 runs scored',
          rules: 'If New York Y scores 5+ runs in the Atlanta vs New York Y game, it resolves to Yes.',
        },
      ]),
    );
    const [listed] = b(
      eventB('mlb-atl-nyy-2026-08-08', 'Atlanta Braves vs. New York Yankees', [
        { id: 'x', question: 'New York Yankees Team Total: O/U 4.5', type: 'team_totals' },
      ]),
    );
    expect(runs).toMatchObject({ family: 'team_total', line: 4.5, excluded: null, key: listed?.key });
    expect(runs?.key).toContain('|mlb/new-york-yankees|4.5');
    const [goals] = b(
      eventB('epl-ars-che-2026-09-20-more-markets', 'Arsenal FC vs. Chelsea FC - More Markets', [
        {
          id: 'x',
          question: 'Arsenal FC vs. Chelsea FC: Arsenal FC O/U 1.5',
          type: 'soccer_team_totals',
          group: 'Arsenal FC O/U 1.5',
        },
      ]),
    );
    expect(goals).toMatchObject({ family: 'team_total', line: 1.5, excluded: null });
  });
});

describe('a listing that looks like a line of a game', () => {
  it('is excluded when it is about a part of the game', () => {
    const half = a(
      ladderA(
        'KXNFL1HTOTAL-26SEP20CARATL',
        'Carolina vs Atlanta: First Half Total',
        [{ suffix: '23', floor: 22.5 }],
        '1st Half Total',
      ),
    );
    expect(half.map((one) => [one.question_id, one.excluded])).toEqual([
      ['venue_a:KXNFL1HTOTAL-26SEP20CARATL', 'part_of_game'],
    ]);
    const five = a(
      ladderA('KXMLBSPREAD-26MAY191945PITSTL', 'Pittsburgh vs St. Louis: First 5 Spread', [
        { suffix: 'STL2', floor: 1.5 },
      ]),
    );
    expect(five[0]?.excluded).toBe('part_of_game');
    const quarter = 'If the teams collectively score more than 9.5 points in the 1st quarter, it resolves to Yes.';
    expect(totalA({ suffix: '10', floor: 9.5, rules: quarter })[0]?.excluded).toBe('part_of_game');
    for (const [question, type] of [
      ['Panthers vs. Falcons: 1H O/U 22.5', 'first_half_totals'],
      ['Panthers vs. Falcons: 1H O/U 22.5', 'totals'],
      ['1H Spread: Falcons (-1.5)', 'spreads'],
      ['1Q Spread: Falcons (-0.5)', 'q1_spreads'],
      ['Falcons 1H Team Total: O/U 10.5', 'team_totals'],
    ] as const) {
      const found = gameB({
        id: 'x',
        question,
        type,
        outcomes: /spread/i.test(question) ? ['Falcons', 'Panthers'] : undefined,
      });
      expect(found.map((one) => one.excluded)).toEqual(['part_of_game']);
    }
  });

  it('is ignored when it counts something else', () => {
    for (const [question, type] of [
      ['Bijan Robinson: Rushing Yards O/U 75.5', undefined],
      ['Panthers vs. Falcons: O/U 11.5 Total Corners', undefined],
      ['Panthers vs. Falcons: O/U 44.5', 'total_corners'],
      ['NFL Playoffs: Panthers vs. Falcons Total Games O/U 5.5', undefined],
      ['Both Teams to Score', 'both_teams_to_score'],
      ['Series: Panthers Kill Handicap (-10.5) vs Falcons (+10.5)', undefined],
      ['Will there be a run scored in the first inning?: Panthers vs. Falcons', undefined],
    ] as const)
      expect(gameB({ id: 'x', question, type }), question).toEqual([]);
    expect(
      a(ladderA('KXNBASERIESSPREAD-26SASOKCWCF', 'Series Game Spread: San Antonio (2) vs Oklahoma City (1)', [])),
    ).toEqual([]);
    expect(
      a(ladderA('KXNFLTOTAL-26SEP20CARATL', 'Carolina at Atlanta', [{ suffix: '4', floor: 3.5 }], 'Spread'))[0]
        ?.excluded,
    ).toBe('contradictory');
  });

  it('is a duplicate when the same line is listed again and still trades', () => {
    const listed = { question: 'Panthers vs. Falcons: O/U 44.5', type: 'totals' };
    expect(gameB({ ...listed, id: 'old', closed: true }, { ...listed, id: 'new' }).map((one) => one.excluded)).toEqual([
      'duplicate_listing',
      null,
    ]);
  });

  it('is excluded when it belongs to a side event other than "More Markets"', () => {
    const found = b(
      eventB('epl-ars-che-2026-09-20-total-corners', 'Arsenal FC vs. Chelsea FC - Total Corners', [
        { id: 'x', question: 'Arsenal FC vs. Chelsea FC: O/U 9.5', type: 'totals' },
      ]),
    );
    expect(found.map((one) => one.excluded)).toEqual(['part_of_game']);
  });
});
