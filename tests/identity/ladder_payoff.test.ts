import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';

/**
 * Guarantee: a weather, print or decision contract whose payoff sentence pays something else than
 * its fields ask is excluded. One whose text does not state what it pays is unread. One whose
 * sentence agrees is read.
 */

const context = { now: '2026-09-01T12:00:00Z' };
type Market = { [field: string]: unknown };

/** Returns the result for a listing of venue_a: its exclusion, else the state of its rules. */
function resultA(ticker: string, title: string, market: Market, rules: string): unknown {
  const [series = ''] = ticker.split('-');
  const markets = [{ ...market, ticker: `${ticker}-${market.ticker}`, rules_primary: rules }];
  const [question] = questionsOfVenueA(
    { event_ticker: ticker, series_ticker: series, title, markets },
    context,
  ).questions;
  return question === undefined ? 'no question' : (question.excluded ?? question.terms.rules);
}

function resultB(slug: string, title: string, market: Market, description: string): unknown {
  const contract = { conditionId: 'c0', outcomes: '["Yes","No"]', clobTokenIds: '["t0","t1"]', ...market };
  const event = { slug, title, description, markets: [{ ...contract, description }] };
  const [question] = questionsOfVenueB(event, context).questions;
  return question === undefined ? 'no question' : (question.excluded ?? question.terms.rules);
}

type Row = readonly [name: string, rules: string, expected: string];
const OTHER = 'payoff_contradicted';
const ODD = 'The source is an official report. Revisions after expiration will not be considered.';

describe('the payoff check of a temperature on venue_a', () => {
  const band = {
    ticker: 'B88.5',
    yes_sub_title: '88° to 89°',
    strike_type: 'between',
    floor_strike: 88,
    cap_strike: 89,
  };
  const pays = (condition: string) =>
    `If the ${condition} fahrenheit according to the National Weather Service's Climatological Report (Daily), then the market resolves to Yes.`;
  it.each<Row>([
    [
      'its own outcome',
      pays('highest temperature recorded at Miami (CLIMIA) for Sep 15, 2026, is between 88-89°'),
      'read',
    ],
    [
      'another city',
      pays('highest temperature recorded at Denver (CLIDEN) for Sep 15, 2026, is between 88-89°'),
      OTHER,
    ],
    [
      'another city by its name',
      pays('highest temperature recorded in Denver for Sep 15, 2026, is between 88-89°'),
      OTHER,
    ],
    ['another day', pays('highest temperature recorded at Miami (CLIMIA) for Sep 16, 2026, is between 88-89°'), OTHER],
    ['the low', pays('lowest temperature recorded at Miami (CLIMIA) for Sep 15, 2026, is between 88-89°'), OTHER],
    ['the mean', pays('average temperature recorded at Miami (CLIMIA) for Sep 15, 2026, is between 88-89°'), OTHER],
    [
      'its opposite',
      pays('highest temperature recorded at Miami (CLIMIA) for Sep 15, 2026, is not between 88-89°'),
      OTHER,
    ],
    [
      'another band',
      pays('highest temperature recorded at Miami (CLIMIA) for Sep 15, 2026, is between 90-91°'),
      'contradictory',
    ],
    ['an unstated outcome', ODD, 'unread'],
  ])('returns the expected result for a venue_a temperature text that pays %s', (_name, rules, expected) => {
    expect(resultA('KXHIGHMIA-26SEP15', 'Highest temperature in Miami on Sep 15, 2026?', band, rules)).toBe(expected);
  });
});

describe('the payoff check of a temperature on venue_b', () => {
  const band = {
    groupItemTitle: '88-89°F',
    question: 'Will the highest temperature in Miami be between 88-89°F on September 15?',
  };
  const pays = (extreme: string, place: string, day: string) =>
    `This market will resolve to the temperature range that contains the ${extreme} temperature recorded at the ${place} Station in degrees Fahrenheit on ${day}.`;
  it.each<Row>([
    ['its own outcome', pays('highest', 'Miami International Airport', "15 Sep '26"), 'read'],
    ['another city', pays('highest', 'Denver International Airport', "15 Sep '26"), OTHER],
    ['another day', pays('highest', 'Miami International Airport', "16 Sep '26"), OTHER],
    ['the low', pays('lowest', 'Miami International Airport', "15 Sep '26"), OTHER],
    [
      'another band',
      'This market will resolve to "Yes" if the highest temperature recorded in Miami on September 15, 2026 is between 90-91°F.',
      OTHER,
    ],
    [
      'its opposite',
      'This market will resolve to "Yes" if the highest temperature recorded in Miami on September 15, 2026 is not between 88-89°F.',
      OTHER,
    ],
    ['an unstated outcome', ODD, 'unread'],
  ])('returns the expected result for a venue_b temperature text that pays %s', (_name, rules, expected) => {
    const slug = 'highest-temperature-in-miami-on-september-15-2026';
    expect(resultB(slug, 'Highest temperature in Miami on September 15?', band, rules)).toBe(expected);
  });
});

describe('the payoff check of a print on venue_a', () => {
  const exact = { ticker: 'T0.3', yes_sub_title: 'Exactly 0.3%', floor_strike: 0.3 };
  const pays = (condition: string) => `If the ${condition}, then the market resolves to Yes.`;
  it.each<Row>([
    ['its own outcome', pays('Consumer Price Index increases by exactly 0.3% month-over-month in Sep 2026'), 'read'],
    ['another indicator', pays('unemployment rate is exactly 0.3% in Sep 2026'), OTHER],
    ['another month', pays('Consumer Price Index increases by exactly 0.3% month-over-month in Oct 2026'), OTHER],
    ['another year', pays('Consumer Price Index increases by exactly 0.3% month-over-month in Sep 2025'), OTHER],
    [
      'core for headline',
      pays('core Consumer Price Index increases by exactly 0.3% month-over-month in Sep 2026'),
      OTHER,
    ],
    ['yearly for monthly', pays('Consumer Price Index increases by exactly 0.3% year-over-year in Sep 2026'), OTHER],
    [
      'its opposite',
      pays('Consumer Price Index does not increase by exactly 0.3% month-over-month in Sep 2026'),
      OTHER,
    ],
    ['an unstated outcome', ODD, 'unread'],
  ])('returns the expected result for a venue_a print text that pays %s', (_name, rules, expected) => {
    expect(resultA('KXECONSTATCPI-26SEP', 'CPI month-over-month in Sep 2026?', exact, rules)).toBe(expected);
  });

  it.each<Row>([
    [
      'its own outcome',
      pays('core Consumer Price Index increases by exactly 0.3% month-over-month in Sep 2026'),
      'read',
    ],
    [
      'headline for core',
      pays('Consumer Price Index increases by exactly 0.3% month-over-month in Sep 2026'),
      'unread',
    ],
  ])('returns the expected result for a core print text that pays %s', (_name, rules, expected) => {
    expect(resultA('KXECONSTATCPICORE-26SEP', 'Core CPI month-over-month in Sep 2026?', exact, rules)).toBe(expected);
  });
});

describe('the payoff check of a print on venue_b', () => {
  const bucket = { groupItemTitle: '3.4%', question: 'Will annual inflation be 3.4% in September?' };
  const pays = (condition: string) =>
    `This market will resolve to "Yes" if the ${condition}, according to the BLS. Otherwise, it resolves to "No".`;
  it.each<Row>([
    ['its own outcome', pays('Consumer Price Index increases by 3.4% over the 12 months to September 2026'), 'read'],
    ['another indicator', pays('unemployment rate is 3.4% in September 2026'), OTHER],
    ['another month', pays('Consumer Price Index increases by 3.4% over the 12 months to October 2026'), OTHER],
    [
      'core for headline',
      pays('core Consumer Price Index increases by 3.4% over the 12 months to September 2026'),
      OTHER,
    ],
    ['monthly for yearly', pays('Consumer Price Index increases by 3.4% month-over-month in September 2026'), OTHER],
    [
      'its opposite',
      pays('Consumer Price Index does not increase by 3.4% over the 12 months to September 2026'),
      OTHER,
    ],
    ['an unstated outcome', `${ODD} The BLS publishes it.`, 'unread'],
  ])('returns the expected result for a venue_b print text that pays %s', (_name, rules, expected) => {
    expect(resultB('annual-inflation-september-2026', 'September annual inflation?', bucket, rules)).toBe(expected);
  });
});

describe('the payoff check of a rate decision on venue_a', () => {
  const cut = { ticker: 'C25', yes_sub_title: 'Cut 25bps' };
  const pays = (condition: string, on = 'October 28, 2026') =>
    `If ${condition} on ${on}, then the market resolves to Yes.`;
  it.each<Row>([
    ['its own outcome', pays('the Federal Reserve does a Cut of 25bps'), 'read'],
    ['another meeting', pays('the Federal Reserve does a Cut of 25bps', 'December 9, 2026'), OTHER],
    [
      'the meeting of another month',
      'If the Federal Reserve does a Cut of 25bps at its December meeting, then the market resolves to Yes.',
      OTHER,
    ],
    ['a hike', pays('the Federal Reserve does a Hike of 25bps'), 'contradictory'],
    ['another size', pays('the Federal Reserve does a Cut of 50bps'), 'contradictory'],
    ['its opposite', pays('the Federal Reserve does not do a Cut of 25bps'), OTHER],
    [
      'a cut that will not come',
      'If the Federal Reserve will not cut by 25bps on October 28, 2026, then the market resolves to Yes.',
      OTHER,
    ],
    ['another bank', pays('the European Central Bank does a Cut of 25bps'), OTHER],
    ['an unstated outcome', ODD, 'unread'],
  ])('returns the expected result for a venue_a decision text that pays %s', (_name, rules, expected) => {
    expect(resultA('KXFEDDECISION-26OCT', 'Fed decision in Oct 2026?', cut, rules)).toBe(expected);
  });
});

describe('the payoff check of a rate decision on venue_b', () => {
  const cut = {
    groupItemTitle: '25 bps decrease',
    question: 'Will the Fed decrease interest rates by 25 bps after the October 2026 meeting?',
  };
  const pays = (condition: string) =>
    `This market will resolve to "Yes" if ${condition}. Otherwise, it resolves to "No".`;
  it.each<Row>([
    [
      'its own outcome',
      pays('the Federal Reserve decreases interest rates by 25 bps after its October 2026 meeting'),
      'read',
    ],
    [
      'another meeting',
      pays('the Federal Reserve decreases interest rates by 25 bps after its December 2026 meeting'),
      OTHER,
    ],
    ['a hike', pays('the Federal Reserve increases interest rates by 25 bps after its October 2026 meeting'), OTHER],
    [
      'its opposite',
      pays('the Federal Reserve will not cut interest rates by 25 bps after its October 2026 meeting'),
      OTHER,
    ],
    [
      'a cut that fails',
      pays('the Federal Reserve fails to decrease interest rates by 25 bps after its October 2026 meeting'),
      OTHER,
    ],
    [
      'another bank',
      pays('the Bank of England decreases interest rates by 25 bps after its October 2026 meeting'),
      OTHER,
    ],
    ['an unstated outcome', ODD, 'unread'],
  ])('returns the expected result for a venue_b decision text that pays %s', (_name, rules, expected) => {
    expect(resultB('fed-decision-in-october-2026', 'Fed decision in October?', cut, rules)).toBe(expected);
  });
});
