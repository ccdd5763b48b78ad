import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { context, futureA, futureB, gameA, gameB, milestoneOf, yesNo } from '../catalog/fixtures.ts';

/**
 * Guarantee: a listing that cannot be parsed with certainty is excluded with a code, never guessed.
 * No payload makes a parser throw.
 */

const a = (event: unknown, given: Parameters<typeof questionsOfVenueA>[1] = context): Question | undefined =>
  questionsOfVenueA(event, given).questions[0];
const b = (event: unknown): Question | undefined => questionsOfVenueB(event, context).questions[0];
const HOU = { code: 'HOU', label: 'Houston' };
const SD = { code: 'SD', label: 'San Diego' };

describe('the question of a game', () => {
  it('has the same key on both venues for all their names and codes', () => {
    const jets = a(
      gameA('KXNFLGAME-26SEP13NYJJAC', 'New York J vs Jacksonville', [
        { code: 'NYJ', label: 'New York J' },
        { code: 'JAC', label: 'Jacksonville' },
      ]),
    );
    const same = b(gameB('nfl-nyj-jax-2026-09-13', ['Jaguars', 'Jets']));
    expect(jets).toMatchObject({
      excluded: null,
      key: same?.key,
      home: 'Jacksonville Jaguars',
      away: 'New York Jets',
      on_date: '2026-09-13',
    });
    expect(jets?.key).toBe('moneyline|football|nfl|season|game|nfl/jacksonville-jaguars,nfl/new-york-jets');
  });

  it('takes the home team from "A at B", and otherwise from the order of the league', () => {
    const nba = a(
      gameA('KXNBAGAME-26NOV11HOUSAC', 'Houston at Sacramento', [HOU, { code: 'SAC', label: 'Sacramento' }]),
    );
    expect(nba).toMatchObject({ home: 'Sacramento Kings', away: 'Houston Rockets' });
    const epl = a(
      gameA('KXEPLGAME-26AUG22MCIARS', 'Manchester City vs Arsenal', [
        { code: 'MCI', label: 'Manchester City' },
        { code: 'ARS', label: 'Arsenal' },
      ]),
    );
    expect(epl).toMatchObject({ home: 'Manchester City', away: 'Arsenal' });
  });

  it('takes its start from a milestone, else from the New York time of the ticker, else has none', () => {
    const ticker = 'KXMLBGAME-26AUG092020HOUSD';
    expect(
      a(gameA(ticker, 'Houston vs San Diego', [HOU, SD]), milestoneOf(ticker, '2026-08-10T00:21:00Z')),
    ).toMatchObject({ start_at: '2026-08-10T00:21:00.000Z', identity: { start_source: 'milestone' } });
    expect(a(gameA(ticker, 'Houston vs San Diego', [HOU, SD]))).toMatchObject({
      start_at: '2026-08-10T00:20:00.000Z',
      identity: { start_source: 'ticker_time' },
    });
    expect(
      a({ ...gameA('KXNFLGAME-26SEP13NYJJAC', 'x', []), occurrence_datetime: '2026-09-13T20:00:00Z' })?.start_at,
    ).toBeNull();
  });

  it.each([
    ['a team of another league', [{ code: 'HOU', label: 'Houston Rockets' }, SD], 'contradictory'],
    ['a label that differs from its code', [{ code: 'HOU', label: 'Seattle' }, SD], 'contradictory'],
    ['an unknown name', [{ code: 'HOU', label: 'Springfield' }, SD], 'unknown_alias'],
    ['a name that two teams share, without a code', [{ code: 'XXX', label: 'New York' }, SD], 'ambiguous_alias'],
    ['no markets', [], 'incomplete'],
  ])('is excluded when it has %s', (_name, sides, excluded) => {
    expect(a(gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', sides))).toMatchObject({ excluded, legs: [] });
  });

  it('uses the code to choose between two teams with one name', () => {
    const question = a(
      gameA('KXMLBGAME-26AUG092020NYMSD', 'New York vs San Diego', [{ code: 'NYM', label: 'New York' }, SD]),
    );
    expect(question).toMatchObject({ excluded: null, away: 'New York Mets' });
  });

  it('is excluded when the title names another team', () => {
    expect(a(gameA('KXMLBGAME-26AUG092020HOUSD', 'Boston vs San Diego', [HOU, SD]))).toMatchObject({
      excluded: 'contradictory',
    });
  });

  it('ignores filler characters', () => {
    expect(
      a(
        gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [
          { code: 'HOU', label: 'Houston\u3164' },
          { code: 'SD', label: '\u3164' },
        ]),
      ),
    ).toMatchObject({ excluded: null, home: 'San Diego Padres' });
  });

  it('is asked for the whole game only, not for a half, a map or a line', () => {
    const event = gameB('nba-hou-sac-2026-11-11', ['Rockets', 'Kings']);
    const half = {
      ...event.markets[0],
      slug: 'nba-hou-sac-2026-11-11-1h-moneyline',
      conditionId: '0xhalf',
      sportsMarketType: 'first_half_moneyline',
    };
    const total = {
      ...event.markets[0],
      slug: 'nba-hou-sac-2026-11-11-total-220pt5',
      conditionId: '0xtotal',
      outcomes: '["Over","Under"]',
      sportsMarketType: 'totals',
    };
    const question = b({ ...event, markets: [half, total, event.markets[0]] });
    expect(question?.legs.map((leg) => leg.market_id)).toEqual([
      '0xnba-hou-sac-2026-11-11',
      '0xnba-hou-sac-2026-11-11',
    ]);
    expect(b({ ...event, markets: [half, total] })).toMatchObject({ excluded: 'part_of_game', legs: [] });
    expect(
      a({ ...gameA('KXNBA1HWINNER-26NOV11HOUSAC', 'Houston at Sacramento', [HOU]), series_ticker: 'KXNBA1HWINNER' }),
    ).toMatchObject({ excluded: 'part_of_game', legs: [] });
  });

  it('does not depend on the order of the markets, and uses rules that only one market has', () => {
    const event = gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [HOU, SD]);
    const [first, second] = event.markets;
    const bareSecond = { ...second, rules_primary: undefined, rules_secondary: undefined };
    const one = a({ ...event, markets: [first, bareSecond] });
    expect(one?.terms).toMatchObject({ rules: 'read' });
    expect(a({ ...event, markets: [bareSecond, first] })).toEqual(one);
  });

  it('has terms of postponement, cancellation, tie and overtime from the text', () => {
    expect(a(gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [HOU, SD]))?.terms).toMatchObject({
      rules: 'read',
      postponement_hours: 48,
      waits: false,
      cancelled: 'fair_price',
      tie: 'split',
    });
    expect(b(gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']))?.terms).toMatchObject({
      rules: 'read',
      waits: true,
      cancelled: 'split',
      tie: 'split',
    });
    const regulation = gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], {
      text: 'This market refers only to the outcome within the first 90 minutes of regular play plus stoppage time.',
    });
    expect(b(regulation)?.terms).toMatchObject({ overtime: 'regulation', cancelled: null });
    expect(b({ ...gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']), description: undefined })?.terms).toMatchObject(
      { rules: 'none' },
    );
  });
});

describe('a season-long question', () => {
  it('has a key of competition, award and year of the decision', () => {
    const mvp = a(futureA('KXNFLMVP-27', 'MVP Winner?', [{ code: 'JALL', label: 'Josh Allen' }]));
    expect(mvp?.key).toBe('outright|football|nfl|mvp|2027');
    for (const title of ['NFL MVP 2026-27', 'Pro Football: 2026 MVP Winner'])
      expect(b(futureB('nfl-mvp', title, ['Josh Allen']))?.key).toBe(mvp?.key);
  });

  it.each([
    ['Pro Football: 2027 AFC Champion', 'afc-champion'],
    ['AFC West Winner 2027', 'afc-west-winner'],
    ['Super Bowl Champion 2027', 'champion'],
  ])('parses the title "%s" as %s', (title, award) => {
    expect(
      b(futureB('x', title, ['Los Angeles Chargers', 'Kansas City Chiefs', 'Denver Broncos']))?.identity.award,
    ).toBe(award);
  });

  it.each([
    'NBA Playoffs: Team to advance to NBA Finals',
    'NFL Draft: MVP of 2027?',
    "Women's Copa Libertadores Winner",
  ])('is not asked for the title "%s"', (title) => {
    expect(b(futureB('x', title, ['Los Angeles Lakers', 'Arsenal']))).toBeUndefined();
  });

  it('is excluded when its names belong to another sport', () => {
    expect(b(futureB('serie-a-winner', 'Serie A: Winner', ['Napoli Basket', 'Virtus Bologna']))?.excluded).toBe(
      'unknown_alias',
    );
  });
});

describe('ladders', () => {
  it('have the five choices of a Fed meeting on both venues', () => {
    const codes = ['C26', 'C25', 'H0', 'H25', 'H26'];
    const listed = futureA(
      'KXFEDDECISION-26OCT',
      'Fed decision in Oct 2026?',
      codes.map((code) => ({ code, label: code })),
    );
    const groups = ['50+ bps decrease', '25 bps decrease', 'No change', '25 bps increase', '50+ bps increase'];
    const event = {
      ...futureB('fed-decision-in-october', 'Fed decision in October?', []),
      endDate: '2026-10-28T18:00:00Z',
      markets: groups.map((group, at) => ({ ...yesNo(`m${at}`, group), endDate: '2026-10-28T18:00:00Z' })),
    };
    expect(b(event)).toMatchObject({ key: a(listed)?.key, excluded: null });
    expect(b(event)?.legs.map((leg) => [leg.outcome_key, leg.contract_id])).toEqual([
      ['cut_more_25', 'm0:0'],
      ['cut_25', 'm1:0'],
      ['no_change', 'm2:0'],
      ['hike_25', 'm3:0'],
      ['hike_more_25', 'm4:0'],
    ]);
    expect(b({ ...event, markets: event.markets.slice(1) })).toMatchObject({
      excluded: null,
      identity: { whole: false },
    });
  });

  it('have temperature bands, with strict tails as whole degrees', () => {
    const rung = (suffix: string, label: string, strike: object) => ({
      ticker: `KXHIGHNY-26JUN08-${suffix}`,
      yes_sub_title: label,
      ...strike,
    });
    const listed = a({
      event_ticker: 'KXHIGHNY-26JUN08',
      markets: [
        rung('T79', '80° or above', { strike_type: 'greater', floor_strike: 79 }),
        rung('B77.5', '77° to 78°', { strike_type: 'between', floor_strike: 77, cap_strike: 78 }),
        rung('T72', '71° or below', { strike_type: 'less', cap_strike: 72 }),
      ],
    });
    expect(listed?.legs.map((leg) => leg.detail)).toEqual([
      { low: null, high: 71, comparison: 'within', unit: 'F' },
      { low: 77, high: 78, comparison: 'within', unit: 'F' },
      { low: 80, high: null, comparison: 'within', unit: 'F' },
    ]);
    const other = b({
      slug: 'highest-temperature-in-nyc-on-june-8-2026',
      markets: [yesNo('x', '77-78°F'), yesNo('y', '71°F or below')],
    });
    expect(other).toMatchObject({ key: listed?.key, on_date: '2026-06-08' });
    expect(other?.legs.map((leg) => leg.outcome_key)).toEqual(['below_71_f', '77_78_f']);
  });

  it('read a strict threshold one cent below a round number as at or above that number', () => {
    const listed = a({
      event_ticker: 'KXBTCD-26SEP1817',
      markets: [
        {
          ticker: 'KXBTCD-26SEP1817-T77999.99',
          strike_type: 'greater',
          floor_strike: 77999.99,
          yes_sub_title: '$78,000 or above',
        },
      ],
    });
    expect(listed).toMatchObject({
      key: 'crypto_above|btc',
      on_date: '2026-09-18',
      exclusive: false,
      identity: { settles_at: '2026-09-18T21:00:00.000Z' },
    });
    expect(listed?.legs[0]?.detail).toEqual({ low: 78000, high: null, comparison: 'at_or_above', unit: 'USD' });
    const other = b({
      slug: 'bitcoin-above-on-september-18',
      endDate: '2026-09-18T16:00:00Z',
      markets: [yesNo('k', '78,000')],
    });
    expect(other?.legs[0]).toMatchObject({ outcome_key: 'above_78000', detail: { comparison: 'above' } });
  });
});

describe('invalid listings', () => {
  it('give a rejected row for an event without an id', () => {
    expect(questionsOfVenueA({ title: 'x' }, context)).toMatchObject({
      questions: [],
      rejected: [{ code: 'identity.no_id' }],
    });
    expect(questionsOfVenueB(null, context)).toMatchObject({ questions: [], rejected: [{ code: 'identity.no_id' }] });
  });

  it('never make a parser throw or fail, for any field values', () => {
    const ids = fc.constantFrom(
      'KXMLBGAME-26AUG092020HOUSD',
      'KXNFLMVP-27',
      'KXFEDDECISION-26OCT',
      'KXHIGHNY-26JUN08',
      'KXBTCD-26SEP1817',
      'mlb-hou-sd-2026-08-09',
      'epl-mac-ars-2026-08-22',
      'fed-decision-in-october',
      'highest-temperature-in-nyc-on-june-8-2026',
      'bitcoin-above-on-september-18',
      'nba-champion',
    );
    const market = fc.record(
      {
        ticker: fc.oneof(ids, fc.jsonValue()),
        yes_sub_title: fc.jsonValue(),
        title: fc.jsonValue(),
        floor_strike: fc.jsonValue(),
        strike_type: fc.constantFrom('greater', 'between', 3),
        rules_primary: fc.jsonValue(),
        conditionId: fc.jsonValue(),
        outcomes: fc.oneof(fc.constant('["Yes","No"]'), fc.constant('[1'), fc.jsonValue()),
        clobTokenIds: fc.jsonValue(),
        question: fc.jsonValue(),
        groupItemTitle: fc.jsonValue(),
        gameStartTime: fc.jsonValue(),
        endDate: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const event = fc.record(
      {
        event_ticker: ids,
        slug: ids,
        title: fc.oneof(fc.constant('NBA Champion'), fc.jsonValue()),
        product_metadata: fc.jsonValue(),
        markets: fc.oneof(fc.array(market, { maxLength: 4 }), fc.jsonValue()),
        teams: fc.jsonValue(),
        tags: fc.jsonValue(),
        description: fc.jsonValue(),
        endDate: fc.jsonValue(),
        settlement_sources: fc.jsonValue(),
      },
      { requiredKeys: ['event_ticker', 'slug'] },
    );
    fc.assert(
      fc.property(event, fc.jsonValue(), (one, odd) => {
        expect(questionsOfVenueA(one, { now: 'never', milestones: odd, series: odd }).rejected).toEqual([]);
        expect(questionsOfVenueB(one, { now: 'never' }).rejected).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });
});
