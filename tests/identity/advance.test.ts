import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceA } from '../../functions/ingest/identity/advance/advance_a.ts';
import { advanceB } from '../../functions/ingest/identity/advance/advance_b.ts';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import { eventB } from './lines_fixtures.ts';

/**
 * Guarantee: a series is never a game, and a tie is never another question. The question which team
 * advances has the same key and sides on both venues.
 */

const context = { now: '2026-05-14T12:00:00Z' };
const a = (event: unknown) => advanceA(event as never, context);
const b = (event: unknown) => advanceB(event as never, context);

const twoA = (ticker: string, title: string | null, sides: [code: string, label: string | null][]) => ({
  event_ticker: ticker,
  series_ticker: ticker.split('-')[0],
  title,
  markets: sides.map(([code, label]) => ({ ticker: `${ticker}-${code}`, yes_sub_title: label })),
});

const seriesB = (question: string, outcomes: string[], more: object = {}) => ({
  ...eventB('nhl-playoffs-who-will-win-series-ducks-vs-golden-knights-441234', question, [
    { id: 'x', question, outcomes },
  ]),
  ...more,
});
const DUCKS = 'NHL Playoffs: Who Will Win Series? - Ducks vs. Golden Knights';
const duckSeries = twoA('KXNHLSERIES-26VGKANAR2', 'Series Winner: Vegas Golden Knights vs Anaheim Ducks', [
  ['VGK', 'Vegas Golden Knights'],
  ['ANA', 'Anaheim Ducks'],
]);

describe('questions about a playoff series', () => {
  it('gives a series the same key on both venues, from its two teams and its year', () => {
    const [first] = a(duckSeries);
    const [second] = b(seriesB(DUCKS, ['Ducks', 'Golden Knights']));
    expect(first).toMatchObject({
      family: 'advance',
      key: 'advance|hockey|nhl|season|series|nhl/anaheim-ducks,nhl/vegas-golden-knights|2026',
      on_date: null,
      game_key: null,
      excluded: null,
      identity: { round: 'second round', occasion: '26VGKANAR2', year_by: 'ticker' },
    });
    expect(second).toMatchObject({ key: first?.key, excluded: null, identity: { year_by: 'end_date' } });
    expect(second?.legs.map((leg) => [leg.outcome_key, leg.contract_id])).toEqual([
      ['anaheim-ducks', 'x:0'],
      ['vegas-golden-knights', 'x:1'],
    ]);
    expect(first?.legs.map((leg) => [leg.outcome_key, leg.contract_id])).toEqual([
      ['anaheim-ducks', 'KXNHLSERIES-26VGKANAR2-ANA'],
      ['vegas-golden-knights', 'KXNHLSERIES-26VGKANAR2-VGK'],
    ]);
  });

  it('parses a series from titles with seeds, from a title of its last game, and without a title', () => {
    for (const [title, one, other] of [
      ['1st round series: (5) toronto vs (4) cleveland', '(5) toronto', '(4) cleveland'],
      ['series winner: toronto (5) vs cleveland (4)', 'toronto (5)', 'cleveland (4)'],
      ['game 7: toronto (5) vs cleveland (4)', 'toronto', 'cleveland (4)'],
      [null, 'toronto', 'cleveland'],
    ] as const) {
      const [parsed] = a(
        twoA('KXNBASERIES-26TORCLER1', title, [
          ['TOR', one],
          ['CLE', other],
        ]),
      );
      expect(parsed).toMatchObject({
        key: 'advance|basketball|nba|season|series|nba/cleveland-cavaliers,nba/toronto-raptors|2026',
        excluded: null,
      });
    }
  });

  it('parses every wording in which venue_b asks for the series winner', () => {
    const [first] = a(duckSeries);
    for (const wording of [
      'NHL: Ducks vs. Golden Knights: Series Winner',
      'Series Winner: Ducks vs. Golden Knights',
      'NHL Playoffs: Ducks vs. Golden Knights - Who will win the series?',
    ])
      expect(b(seriesB(wording, ['Golden Knights', 'Ducks']))[0]?.key, wording).toBe(first?.key);
  });

  it('takes the year of a series from the text, else from the end date, else from the market time', () => {
    const year = (more: object, question = DUCKS) =>
      b(seriesB(question, ['Ducks', 'Golden Knights'], more))[0]?.identity;
    expect(year({}, `2027 ${DUCKS}`)).toMatchObject({ year: 2027, year_by: 'text' });
    expect(year({})).toMatchObject({ year: 2026, year_by: 'end_date' });
    const [open] = seriesB(DUCKS, ['Ducks', 'Golden Knights']).markets;
    expect(year({ endDate: '2025-05-20T00:00:00Z', markets: [{ ...open, endDate: null }] })).toMatchObject({
      year: 2025,
    });
    expect(year({ markets: [{ ...open, endDate: null }] })).toMatchObject({ year: 2026, year_by: 'inferred' });
  });

  it('gives a series of the regular season another key than a playoff series', () => {
    const [short] = a(
      twoA('KXMLBSERIES-26APR21NYYBOS', 'Yankees vs Red Sox: Series Winner', [
        ['NYY', null],
        ['BOS', null],
      ]),
    );
    expect(short).toMatchObject({ on_date: '2026-04-21', excluded: null });
    expect(short?.key).toContain('|short-series|');
  });

  it('excludes a series with other teams or an unknown label', () => {
    expect(b(seriesB(DUCKS, ['Ducks', 'Oilers']))[0]?.excluded).toBe('contradictory');
    expect(b(seriesB('NHL Playoffs: Who Will Win Series? - Ducks vs. Sharknados', ['Ducks', 'Sharknados']))).toEqual(
      [],
    );
    expect(
      a(
        twoA('KXNHLSERIES-26VGKANAR2', null, [
          ['VGK', 'Vegas Golden Knights'],
          ['XXX', 'Sharknados'],
        ]),
      )[0]?.excluded,
    ).toBe('unknown_alias');
    expect(a(twoA('KXNHLSERIES-VGKANA', null, [['VGK', null]]))[0]?.excluded).toBe('unreadable_date');
  });

  it('adds the leg of the second team when venue_a lists only one market of a series', () => {
    const [parsed] = a(twoA('KXNHLSERIES-26VGKANAR2', 'Series Winner: Vegas vs Anaheim', [['VGK', 'Vegas']]));
    expect(parsed?.legs.map((leg) => [leg.outcome_key, leg.side])).toEqual([
      ['anaheim-ducks', 'no'],
      ['vegas-golden-knights', 'yes'],
    ]);
    expect(parsed?.identity.mirrored).toBe(true);
  });

  it('ignores spreads and totals of the games of a series', () => {
    for (const series of ['KXNBASERIESSPREAD', 'KXNBASERIESGAMES'])
      expect(a(twoA(`${series}-26SASOKCWCF`, 'Series: San Antonio vs Oklahoma City', [['SAS2', null]]))).toEqual([]);
  });
});

describe('questions about a tie', () => {
  const tieA = twoA('KXUCLADVANCE-26APR14ATMBAR', 'Atletico vs Barcelona: To Advance', [
    ['ATM', 'Atletico'],
    ['BAR', 'Barcelona'],
  ]);
  const tieB = (outcomes: string[], type?: string) =>
    eventB('ucl-atm1-bar-2026-04-14-more-markets', 'Club Atlético de Madrid vs. FC Barcelona - More Markets', [
      { id: 'x', question: 'Club Atlético de Madrid vs. FC Barcelona: Team to Advance', outcomes, type },
    ]);

  it('gives a tie the same key on both venues, with the date of its game', () => {
    const [first] = a(tieA);
    for (const type of ['soccer_team_to_advance', undefined]) {
      const [second] = b(tieB(['FC Barcelona', 'Club Atlético de Madrid'], type));
      expect(second).toMatchObject({ key: first?.key, on_date: '2026-04-14', excluded: null });
      expect(second?.legs.map((leg) => leg.outcome_key)).toEqual(first?.legs.map((leg) => leg.outcome_key));
      const barcelona = second?.legs.find((leg) => /barcelona/.test(leg.outcome_key));
      expect(barcelona?.contract_id).toBe('x:0');
    }
    expect(first).toMatchObject({
      excluded: null,
      on_date: '2026-04-14',
      identity: { occasion: '26APR14', scope: 'tie' },
    });
    expect(first?.game_key).toMatch(/^moneyline\|soccer\|/);
  });

  it('gives a tie another key than the winner of its game after ninety minutes', () => {
    expect(a(tieA)[0]?.key).not.toBe(a(tieA)[0]?.game_key);
    expect(b(eventB('ucl-atm1-bar-2026-04-14', 'Club Atlético de Madrid vs. FC Barcelona', []))).toEqual([]);
  });
});

describe('parsers of lines and ties with arbitrary fields', () => {
  it('never throw for arbitrary field values of lines and ties', () => {
    const anything = fc.anything({ maxDepth: 3 });
    const market = fc.record({
      ticker: anything,
      conditionId: anything,
      question: fc.oneof(anything, fc.constantFrom('Spread: Falcons (-3.5)', 'A vs. B: O/U 2.5', DUCKS)),
      outcomes: fc.oneof(anything, fc.constant('["Over","Under"]')),
      clobTokenIds: fc.oneof(anything, fc.constant('["1","2"]')),
      yes_sub_title: anything,
      floor_strike: anything,
      strike_type: anything,
      sportsMarketType: anything,
      line: anything,
      groupItemTitle: anything,
    });
    const event = fc.record({
      event_ticker: fc.oneof(
        anything,
        fc.constantFrom('KXNFLSPREAD-26SEP20CARATL', 'KXNHLSERIES-26VGKANAR2', 'KXNFLTOTAL'),
      ),
      series_ticker: anything,
      slug: fc.oneof(anything, fc.constant('nfl-car-atl-2026-09-20')),
      title: fc.oneof(anything, fc.constant('Panthers vs. Falcons')),
      product_metadata: anything,
      markets: fc.oneof(anything, fc.array(market, { maxLength: 3 })),
    });
    fc.assert(
      fc.property(event, (sent) => {
        for (const parsed of [linesA, advanceA, linesB, advanceB])
          expect(Array.isArray(parsed(sent as never, context))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
