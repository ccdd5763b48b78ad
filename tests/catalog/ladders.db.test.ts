import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listAndMatch } from './list_and_match.ts';

/**
 * Guarantee: the pair of a ladder follows the axis that the specification names. A leg is EXACT
 * only when both venues list the same range or threshold. Any other leg states its relation, and no
 * leg has a price without a contract.
 */

const NOW = '2026-05-20T12:00:00Z';
let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

type Market = { [key: string]: unknown };

const eventA = (ticker: string, title: string, rules: string, markets: Market[]) => ({
  event_ticker: ticker,
  series_ticker: ticker.split('-')[0],
  title,
  markets: markets.map((market) => ({ close_time: '2026-05-22T05:00:00Z', rules_primary: rules, ...market })),
});
const eventB = (slug: string, title: string, text: string, labels: [label: string, question: string][]) => ({
  slug,
  title,
  description: text,
  endDate: '2026-05-21T12:00:00Z',
  markets: labels.map(([label, question], at) => ({
    slug: `${slug}-${at}`,
    conditionId: `0x${slug}-${at}`,
    question,
    groupItemTitle: label,
    outcomes: '["Yes", "No"]',
    clobTokenIds: JSON.stringify([`${slug}-${at}:yes`, `${slug}-${at}:no`]),
    endDate: '2026-05-21T12:00:00Z',
  })),
});

const matchAll = (a: unknown[], b: unknown[]): Promise<void> => listAndMatch(database.sql, NOW, a, b);
type Leg = {
  name: string;
  a: string | null;
  side: string | null;
  b: string | null;
  relation: string | null;
  span: string[] | null;
};
const legs = () =>
  database.sql<Leg[]>`
    select name, contract_a as a, side_a as side, contract_b as b, relation, span
    from catalog.outcomes order by pair_id, ordinal`;
const rows = () =>
  database.sql<
    { stage: string; band: string; factors: unknown; basis: string | null; closes_a: Date; closes_b: Date }[]
  >`
    select stage, band, omitted_outcomes as factors, basis, closes_a, closes_b from catalog.pairs where withdrawn_at is null`;
const risks = async () =>
  (await database.sql<{ event: string; severity: string }[]>`select event, severity from catalog.pair_risks`).map(
    (risk) => `${risk.event} ${risk.severity}`,
  );
const codes = async () =>
  (await database.sql<{ code: string }[]>`select distinct code from catalog.rejections order by code`).map(
    (row) => row.code,
  );
const strikes = () =>
  database.sql<{ label: string; contract_a: string }[]>`select label, contract_a from catalog.strikes order by ordinal`;

const weatherA = (ticker: string, city: string, place: string, from: number) =>
  eventA(
    ticker,
    `Highest temperature in ${city} on May 21, 2026?`,
    `If the highest temperature recorded at ${place} for May 21, 2026, as reported by the National Weather Service's Climatological Report (Daily), is in the range, then the market resolves to Yes.`,
    [
      {
        ticker: `${ticker}-T${from}`,
        yes_sub_title: `${from - 1}° or below`,
        strike_type: 'less',
        cap_strike: from,
      },
      {
        ticker: `${ticker}-B${from + 0.5}`,
        yes_sub_title: `${from}° to ${from + 1}°`,
        strike_type: 'between',
        floor_strike: from,
        cap_strike: from + 1,
      },
      {
        ticker: `${ticker}-T${from + 1}`,
        yes_sub_title: `${from + 2}° or above`,
        strike_type: 'greater',
        floor_strike: from + 1,
      },
    ],
  );
const weatherB = (city: string, place: string, from: number) =>
  eventB(
    `highest-temperature-in-${city}-on-may-21-2026`,
    `Highest temperature in ${city} on May 21?`,
    `This market will resolve to the temperature range that contains the highest temperature recorded at the ${place} Station in degrees Fahrenheit on 21 May '26. The resolution source is Wunderground.`,
    [
      [`${from - 1}°F or below`, `Will it be ${from - 1}°F or below?`],
      [`${from}-${from + 1}°F`, `Will it be between ${from}-${from + 1}°F?`],
      [`${from + 2}°F or higher`, `Will it be ${from + 2}°F or higher?`],
    ],
  );

describe('temperature pairs', () => {
  it('with equal ranges at one station match in full, with a high risk for a different report', async () => {
    await matchAll(
      [weatherA('KXHIGHMIA-26MAY21', 'Miami', 'Miami International Airport', 88)],
      [weatherB('miami', 'Miami International Airport', 88)],
    );
    expect((await legs()).map((leg) => [leg.a, leg.b, leg.relation])).toEqual([
      ['KXHIGHMIA-26MAY21-T88', 'highest-temperature-in-miami-on-may-21-2026-0:yes', 'EXACT'],
      ['KXHIGHMIA-26MAY21-B88.5', 'highest-temperature-in-miami-on-may-21-2026-1:yes', 'EXACT'],
      ['KXHIGHMIA-26MAY21-T89', 'highest-temperature-in-miami-on-may-21-2026-2:yes', 'EXACT'],
    ]);
    expect(await rows()).toMatchObject([{ stage: 'catalog', band: 'HIGH' }]);
    expect(await risks()).toContain('settlement_source high');
    expect((await strikes()).map((strike) => strike.label)).toEqual(['87° or below', '88° to 89°', '90° or above']);
  });

  it('with shifted ranges have legs that name the overlapped ranges and no contract of venue_a', async () => {
    await matchAll(
      [weatherA('KXHIGHMIA-26MAY21', 'Miami', 'Miami International Airport', 88)],
      [weatherB('miami', 'Miami International Airport', 87)],
    );
    expect((await legs()).map((leg) => [leg.name, leg.a, leg.relation, leg.span])).toEqual([
      ['86°F or below', null, 'OVERLAPS', ['87° or below']],
      ['87-88°F', null, 'OVERLAPS', ['87° or below', '88° to 89°']],
      ['89°F or higher', null, 'OVERLAPS', ['88° to 89°', '90° or above']],
    ]);
    expect(await strikes()).toHaveLength(3);
  });

  it('are candidates with a critical risk and no contract of venue_a when the stations differ', async () => {
    await matchAll(
      [weatherA('KXHIGHNY-26MAY21', 'NYC', 'Central Park, New York', 70)],
      [weatherB('nyc', 'LaGuardia Airport', 70)],
    );
    expect((await legs()).map((leg) => [leg.a, leg.relation])).toEqual([
      [null, 'OVERLAPS'],
      [null, 'OVERLAPS'],
      [null, 'OVERLAPS'],
    ]);
    expect(await rows()).toMatchObject([
      { stage: 'candidate', band: 'REVIEW', basis: expect.stringContaining('KNYC') },
    ]);
    expect(await risks()).toContain('station_mismatch critical');
  });

  it('close at the close time of venue_a, and on venue_b at the end of the measured day', async () => {
    await matchAll(
      [weatherA('KXHIGHMIA-26MAY21', 'Miami', 'Miami International Airport', 88)],
      [weatherB('miami', 'Miami International Airport', 88)],
    );
    expect(await rows()).toMatchObject([
      { closes_a: new Date('2026-05-22T05:00:00Z'), closes_b: new Date('2026-05-22T04:00:00Z') },
    ]);
  });
});

describe('price level pairs', () => {
  const coinA = (hour: string) =>
    eventA(
      `KXBTCD-26MAY21${hour}`,
      'Bitcoin price on May 21, 2026',
      `If the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before ${hour}:00 EDT on May 21, 2026 is above the level, then the market resolves to Yes.`,
      [64, 65, 66].map((thousands) => ({
        ticker: `KXBTCD-26MAY21${hour}-T${thousands * 1000 - 0.01}`,
        yes_sub_title: `$${thousands},000 or above`,
        strike_type: 'greater',
        floor_strike: thousands * 1000 - 0.01,
      })),
    );
  const coinB = eventB(
    'bitcoin-above-on-may-21-2026',
    'Bitcoin above ___ on May 21?',
    'This market will resolve to "Yes" if the Binance 1 minute candle for BTC/USDT 12:00 in the ET timezone (noon) on May 21, 2026 has a final "Close" price higher than the price in the title. Otherwise, it resolves to "No".',
    [
      ['64,000', 'Will the price of Bitcoin be above $64,000 on May 21?'],
      ['66,000', 'Will the price of Bitcoin be above $66,000 on May 21?'],
      ['68,000', 'Will the price of Bitcoin be above $68,000 on May 21?'],
    ],
  );

  it('at the same hour list only the common strikes, stay in REVIEW and name the differences', async () => {
    await matchAll([coinA('12'), coinA('17')], [coinB]);
    expect((await legs()).map((leg) => [leg.name, leg.a, leg.relation])).toEqual([
      ['$64,000 or above', 'KXBTCD-26MAY2112-T63999.99', 'EXACT'],
      ['$66,000 or above', 'KXBTCD-26MAY2112-T65999.99', 'EXACT'],
    ]);
    expect(await rows()).toMatchObject([{ stage: 'catalog', band: 'REVIEW' }]);
    const found = await risks();
    for (const event of ['settlement_source', 'threshold_comparison']) {
      expect(found.map((risk) => risk.split(' ')[0])).toContain(event);
    }
    expect(await strikes()).toHaveLength(3);
  });

  it('at different hours are rejected', async () => {
    await matchAll([coinA('17')], [coinB]);
    expect(await rows()).toEqual([]);
    expect(await codes()).toEqual(['other_hour']);
  });
});

describe('economic prints', () => {
  const rulesText = (condition: string) =>
    `If the seasonally adjusted unemployment rate (U-3) for October 2026 as first published by the Bureau of Labor Statistics is ${condition}, then the market resolves to Yes.`;
  const exact = eventA('KXECONSTATU3-26OCT', 'Unemployment rate in Oct 2026?', rulesText('exactly the figure'), [
    { ticker: 'KXECONSTATU3-26OCT-T4.1', yes_sub_title: '4.1%' },
    { ticker: 'KXECONSTATU3-26OCT-T4.2', yes_sub_title: '4.2%' },
  ]);
  const above = eventA('KXU3-26OCT', 'Unemployment in Oct 2026', rulesText('above the figure'), [
    { ticker: 'KXU3-26OCT-T4.0', yes_sub_title: 'Above 4.0%', strike_type: 'greater', floor_strike: 4.0 },
    { ticker: 'KXU3-26OCT-T4.1', yes_sub_title: 'Above 4.1%', strike_type: 'greater', floor_strike: 4.1 },
    { ticker: 'KXU3-26OCT-T4.2', yes_sub_title: 'Above 4.2%', strike_type: 'greater', floor_strike: 4.2 },
  ]);
  const buckets = eventB(
    'unemployment-rate-october-2026',
    'October unemployment rate?',
    'This market will resolve according to the seasonally adjusted unemployment rate (U-3) for October 2026 in the first release of the Bureau of Labor Statistics.',
    [
      ['4.0% or lower', 'Will the October 2026 unemployment rate be 4.0% or lower?'],
      ['4.1%', 'Will the October 2026 unemployment rate be 4.1%?'],
      ['4.2%', 'Will the October 2026 unemployment rate be 4.2%?'],
      ['4.4% or higher', 'Will the October 2026 unemployment rate be 4.4% or higher?'],
    ],
  );

  it('list the outcomes of venue_b and record those without a contract on venue_a', async () => {
    await matchAll([exact, above], [buckets]);
    expect((await legs()).map((leg) => [leg.name, leg.a, leg.relation])).toEqual([
      ['4% or less', null, null],
      ['4.1%', 'KXECONSTATU3-26OCT-T4.1', 'EXACT'],
      ['4.2%', 'KXECONSTATU3-26OCT-T4.2', 'EXACT'],
      ['4.4% or more', null, null],
    ]);
    expect(await rows()).toMatchObject([
      { factors: { poly_leg_coverage: 0.5, uncovered_legs: ['4% or less', '4.4% or more'] } },
    ]);
    expect(await codes()).toEqual(['better_partner']);
  });

  it('have a rule of their own, so that one print does not confirm another', async () => {
    await matchAll([exact], [buckets]);
    const [row] = await database.sql<{ rule_id: string }[]>`select rule_id from catalog.pairs`;
    expect(row?.rule_id).toContain('us Unemployment rate');
  });

  it('have DERIVED legs without a contract of venue_a when venue_a lists only thresholds', async () => {
    await matchAll([above], [buckets]);
    expect((await legs()).map((leg) => [leg.name, leg.a, leg.relation])).toEqual([
      ['4% or less', null, 'DERIVED'],
      ['4.1%', null, 'DERIVED'],
      ['4.2%', null, 'DERIVED'],
      ['4.4% or more', null, null],
    ]);
    expect(await rows()).toMatchObject([
      { stage: 'catalog', band: 'REVIEW', factors: { poly_leg_coverage: 0.75, uncovered_legs: ['4.4% or more'] } },
    ]);
    expect((await strikes()).map((strike) => strike.label)).toEqual(['Above 4%', 'Above 4.1%', 'Above 4.2%']);
  });

  it('have a DERIVED bucket of several values only between the thresholds at both of its edges', async () => {
    // Above 4.0 % is at least 4.1 %, and above 4.3 % is at least 4.4 %: the edges of 4.1 to 4.3 %.
    const cases: [month: string, floors: number[], relation: string | null][] = [
      ['May', [4.0, 4.3], 'DERIVED'],
      ['June', [4.0, 4.2], null],
      ['July', [4.0, 4.4], null],
      ['August', [3.9, 4.3], null],
      ['September', [4.0], null],
      // As printed, where the venues count the boundary value alone differently.
      ['October', [4.1, 4.3], 'DERIVED'],
    ];
    const ticker = (month: string) => `KXU3-26${month.slice(0, 3).toUpperCase()}`;
    await matchAll(
      cases.map(([month, floors]) =>
        eventA(
          ticker(month),
          `Unemployment in ${month.slice(0, 3)} 2026`,
          rulesText('above the figure').replace('October', month),
          floors.map((floor) => ({
            ticker: `${ticker(month)}-T${floor.toFixed(1)}`,
            yes_sub_title: `Above ${floor.toFixed(1)}%`,
            strike_type: 'greater',
            floor_strike: floor,
          })),
        ),
      ),
      cases.map(([month]) =>
        eventB(
          `unemployment-rate-${month.toLowerCase()}-2026`,
          `${month} unemployment rate?`,
          buckets.description.replace('October', month),
          [
            ['4.0% or lower', `Will the ${month} 2026 unemployment rate be 4.0% or lower?`],
            ['4.1-4.3%', `Will the ${month} 2026 unemployment rate be between 4.1% and 4.3%?`],
            ['4.4% or higher', `Will the ${month} 2026 unemployment rate be 4.4% or higher?`],
          ],
        ),
      ),
    );
    const found = await database.sql<{ event: string; relation: string | null; contract: string | null }[]>`
      select p.event_a as event, o.relation, o.contract_a as contract
      from catalog.outcomes o join catalog.pairs p on p.pair_id = o.pair_id where o.ordinal = 1`;
    const byEvent = Object.fromEntries(found.map(({ event, relation, contract }) => [event, [relation, contract]]));
    expect(byEvent).toEqual(Object.fromEntries(cases.map(([month, , relation]) => [ticker(month), [relation, null]])));
  });
});

describe('rate decisions', () => {
  const bankA = eventA(
    'KXCBDECISIONENGLAND-26JUN18',
    'Bank of England rate decision in June',
    'If the Bank of England makes the change at its June 18, 2026 meeting, then the market resolves to Yes.',
    [
      ['C50P', 'Cut more than 50bps'],
      ['C50', 'Cut 50bps'],
      ['C25', 'Cut 25bps'],
      ['H0', 'Hike 0bps'],
      ['H25', 'Hike 25bps'],
      ['H26', 'Hike >25bps'],
    ].map(([code, label]) => ({
      ticker: `KXCBDECISIONENGLAND-26JUN18-${code}`,
      yes_sub_title: label,
      title: `Will the Bank of England ${label} at the June Bank of England meeting?`,
    })),
  );

  it('list the choices of both venues, without a contract of a venue that does not list the choice', async () => {
    await matchAll(
      [bankA],
      [
        eventB('bank-of-england-decision-in-june', 'Bank of England decision in June?', 'Resolves by the statement.', [
          ['50+ bps decrease', 'Bank of England decreases interest rates by 50+ bps after June 2026 meeting?'],
          ['No change', 'No change in Bank of England interest rates after June 2026 meeting?'],
          ['25 bps increase', 'Bank of England increases interest rates by 25 bps after June 2026 meeting?'],
        ]),
      ],
    );
    expect((await legs()).map((leg) => [leg.name, leg.a?.split('-')[2] ?? null, leg.b !== null, leg.relation])).toEqual(
      [
        ['Cut of more than 25 bp', null, true, 'OVERLAPS'],
        ['Cut 25 bp', 'C25', false, null],
        ['No change', 'H0', true, 'EXACT'],
        ['Hike 25 bp', 'H25', true, 'EXACT'],
        ['Hike of more than 25 bp', 'H26', false, null],
      ],
    );
    const [cut] = await legs();
    expect(cut?.span).toHaveLength(2);
    expect(await rows()).toMatchObject([{ band: 'REVIEW' }]);
  });
});
