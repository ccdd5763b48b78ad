import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import {
  bandKey,
  parseBand,
  parseBandInQuestion,
  parseBandInRules,
  parseBandInSlug,
  parseStrikeBand,
} from '../../functions/ingest/identity/weather/band.ts';
import { weatherA } from '../../functions/ingest/identity/weather/weather_a.ts';
import { weatherB } from '../../functions/ingest/identity/weather/weather_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { corruptedMarket, corruptedValue } from './corrupted_market.ts';

/**
 * Guarantee: a band has one key for every spelling of both venues. A station is set only when a
 * text or the registry names one.
 */

const context = { now: '2026-06-08T12:00:00Z' };

type Strike = { strike_type?: string; floor_strike?: number; cap_strike?: number };

const marketA = (suffix: string, label: string | undefined, more: RawObject = {}, strike: Strike = {}): RawObject => ({
  ticker: `KXHIGHNY-26JUN08-${suffix}`,
  yes_sub_title: label as string,
  status: 'active',
  ...strike,
  ...more,
});
const listedA = (markets: RawObject[], more: RawObject = {}): RawObject => ({
  event_ticker: 'KXHIGHNY-26JUN08',
  series_ticker: 'KXHIGHNY',
  title: 'Highest temperature in NYC on Jun 8, 2026?',
  markets,
  ...more,
});
const marketB = (slug: string, label: string | undefined, more: RawObject = {}): RawObject => ({
  slug,
  conditionId: `0x${slug}`,
  groupItemTitle: label as string,
  outcomes: '["Yes","No"]',
  clobTokenIds: `["${slug}:0","${slug}:1"]`,
  ...more,
});
const NYC = 'highest-temperature-in-nyc-on-june-8-2026';
const onDay = (slug: string, endDate: string): RawObject => ({
  slug,
  endDate,
  markets: [marketB('s', '70-71°F', { endDate })],
});
const listedB = (markets: RawObject[], more: RawObject = {}): RawObject => ({
  slug: NYC,
  markets,
  endDate: '2026-06-08T12:00:00Z',
  ...more,
});
const a = (event: RawObject): Question | undefined => weatherA(event, context)[0];
const b = (event: RawObject): Question | undefined => weatherB(event, context)[0];

describe('a band of degrees', () => {
  const degrees = fc.integer({ min: -60, max: 130 });

  it('has one key in every spelling of both venues', () => {
    fc.assert(
      fc.property(degrees, fc.integer({ min: 0, max: 4 }), (low, width) => {
        const high = low + width;
        const key = bandKey({ low, high, unit: 'F' });
        const bands = [
          parseBand(`${low}° to ${high}°`, 'F'),
          parseBand(`${low}-${high}°F`, 'C'),
          parseBand(` ${low}–${high}ºF `, 'C'),
          parseBandInQuestion(`Will the **high temp in NYC** be ${low}-${high}° on Jun 8, 2026?`, 'F'),
          parseBandInQuestion(
            `Will the highest temperature in New York City be between ${low}-${high}°F on June 8?`,
            'C',
          ),
          parseBandInRules(
            `If the highest temperature recorded there for Jun 8, 2026, is between ${low}-${high}° fahrenheit according`,
          ),
          parseStrikeBand({ strike_type: 'between', floor_strike: low, cap_strike: high }),
        ];
        expect(bands.map((band) => band && bandKey(band))).toEqual(bands.map(() => key));
      }),
    );
  });

  it('has one key for a tail that is strict on one venue and inclusive on the other', () => {
    fc.assert(
      fc.property(degrees, (edge) => {
        const up = bandKey({ low: edge, high: null, unit: 'F' });
        const down = bandKey({ low: null, high: edge, unit: 'F' });
        const ups = [
          parseBand(`${edge}° or above`, 'F'),
          parseBand(`${edge}°F or higher`, 'C'),
          parseBandInQuestion(`Will the high temp in NYC be >${edge - 1}° on Jun 8, 2026?`, 'F'),
          parseBandInRules(`the temperature is greater than ${edge - 1}° according`),
          parseStrikeBand({ strike_type: 'greater', floor_strike: edge - 1 }),
        ];
        const downs = [
          parseBand(`${edge}° or below`, 'F'),
          parseBandInQuestion(`Will the high temp in NYC be <${edge + 1}° on Jun 8, 2026?`, 'F'),
          parseBandInRules(`the temperature is less than ${edge + 1}° according`),
          parseStrikeBand({ strike_type: 'less', cap_strike: edge + 1 }),
        ];
        expect(ups.map((band) => band && bandKey(band))).toEqual(ups.map(() => up));
        expect(downs.map((band) => band && bandKey(band))).toEqual(downs.map(() => down));
      }),
    );
  });

  it.each([
    ['84-85f', '84_85_f'],
    ['68-69-f', '68_69_f'],
    ['17c', '17_17_c'],
    ['81forbelow', 'below_81_f'],
    ['30corhigher', '30_above_c'],
    ['55-f-or-below', 'below_55_f'],
    ['neg-3c', '-3_-3_c'],
  ])('is parsed from the end of a slug: %s', (end, key) => {
    const band = parseBandInSlug(end);
    expect(band && bandKey(band)).toBe(key);
  });

  it.each(['', 'warm', '85-84°F', '70° to 71° or 75°', 'between', '2026', 'May 14', '84.5°', '1000°'])(
    'is not parsed from %j',
    (label) => {
      expect(parseBand(label, 'F')).toBeNull();
    },
  );
});

describe('the close of a temperature ladder on venue_b', () => {
  // The endDate is noon UTC of the day in every city.
  it.each([
    ['highest-temperature-in-nyc-on-june-8-2026', '2026-06-09T04:00:00.000Z'],
    ['highest-temperature-in-chicago-on-june-8-2026', '2026-06-09T05:00:00.000Z'],
    ['highest-temperature-in-phoenix-on-june-8-2026', '2026-06-09T07:00:00.000Z'],
    ['lowest-temperature-in-los-angeles-on-november-23-2026', '2026-11-24T08:00:00.000Z'],
    // The clocks of Denver go back at 2 am on the first of these days, and forward at 2 am on the
    // second.
    ['highest-temperature-in-denver-on-november-1-2026', '2026-11-02T07:00:00.000Z'],
    ['highest-temperature-in-denver-on-march-8-2026', '2026-03-09T06:00:00.000Z'],
    ['highest-temperature-in-delhi-on-june-8-2026', '2026-06-08T18:30:00.000Z'],
    // In Wellington the day is over before noon UTC, so the endDate of the venue is later.
    ['highest-temperature-in-wellington-on-november-23-2026', '2026-11-23T12:00:00.000Z'],
  ])('is for %s the end of the day in the city, and never earlier', (slug, close) => {
    const day = /-on-([a-z]+)-(\d+)-(\d+)$/.exec(slug)?.slice(1).join(' ') ?? '';
    const noon = `${new Date(`${day} UTC`).toISOString().slice(0, 10)}T12:00:00Z`;
    expect(b(onDay(slug, noon))?.close_at).toBe(close);
  });
});

describe('a temperature ladder of one day', () => {
  const RULES =
    "If the highest temperature recorded at Central Park, New York for Jun 8, 2026, is less than 72° according to the National Weather Service's Climatological Report (Daily), then the market resolves to Yes.";
  const marketsA = [
    marketA('T71', '72° or above'),
    marketA('B70.5', '70° to 71°'),
    marketA('T70', '69° or below', { rules_primary: RULES.replace('less than 72°', 'less than 70°') }),
  ];
  const marketsB = [marketB(`${NYC}-70-71f`, '70-71°F'), marketB(`${NYC}-72forhigher`, '72°F or higher')];

  it('is the same question on both venues, with bands sorted from the coldest', () => {
    const [one, other] = [a(listedA(marketsA)), b(listedB(marketsB))];
    expect(one).toMatchObject({
      family: 'weather_high',
      key: 'weather_high|nyc',
      on_date: '2026-06-08',
      excluded: null,
      exclusive: true,
    });
    expect(other).toMatchObject({ family: 'weather_high', key: one?.key, on_date: one?.on_date, excluded: null });
    expect(one?.legs.map((leg) => [leg.outcome_key, leg.outcome_name, leg.side])).toEqual([
      ['below_69_f', '69° or below', 'yes'],
      ['70_71_f', '70° to 71°', 'yes'],
      ['72_above_f', '72° or above', 'yes'],
    ]);
    expect(other?.legs.map((leg) => leg.contract_id)).toEqual([`${NYC}-70-71f:0`, `${NYC}-72forhigher:0`]);
    expect(other?.legs[0]?.detail).toEqual({ low: 70, high: 71, comparison: 'within', unit: 'F' });
  });

  it('has another key for highest than for lowest, and ignores hourly temperatures', () => {
    expect(a({ event_ticker: 'KXLOWTNYC-26JUN08', markets: [{ ticker: 'x', yes_sub_title: '50° to 51°' }] })?.key).toBe(
      'weather_low|nyc',
    );
    expect(b({ slug: 'lowest-temperature-in-nyc-on-june-8-2026', markets: marketsB })?.key).toBe('weather_low|nyc');
    expect(a({ event_ticker: 'KXTEMPNYCH-26JUN0812', markets: marketsA })).toBeUndefined();
    expect(a({ event_ticker: 'KXHIGHINFLATION-26DEC', markets: marketsA })).toBeUndefined();
    expect(b({ slug: 'highest-temperature-in-atlantis-on-june-8-2026', markets: marketsB })).toBeUndefined();
  });

  it.each([
    ['KXHIGHTOKC', 'weather_high|oklahoma-city'],
    ['KXHIGHTTTN', 'weather_high|trenton'],
    ['KXLOWTCHI', 'weather_low|chicago'],
    ['HIGHNY', 'weather_high|nyc'],
  ])('finds the city of %s', (series, key) => {
    expect(a({ event_ticker: `${series}-26JUN08`, markets: [{ ticker: 'x', yes_sub_title: '50° to 51°' }] })?.key).toBe(
      key,
    );
  });

  it('takes a missing year from the end of the market, else from the current time', () => {
    const slug = 'highest-temperature-in-nyc-on-january-1';
    expect(b({ slug, markets: marketsB, endDate: '2027-01-01T12:00:00Z' })?.on_date).toBe('2027-01-01');
    expect(b({ slug: 'highest-temperature-in-nyc-on-june-9', markets: marketsB })?.on_date).toBe('2026-06-09');
  });

  it.each<[string, Question | undefined]>([
    [
      'a label that differs from its strikes',
      a(listedA([marketA('B70.5', '70° to 71°', {}, { strike_type: 'between', floor_strike: 72, cap_strike: 73 })])),
    ],
    [
      'a text of another band',
      a(listedA([marketA('B70.5', '70° to 71°', { rules_primary: 'the high is between 80-81° that day' })])),
    ],
    ['a title of another day', a(listedA(marketsA, { title: 'Highest temperature in NYC on Jun 9, 2026?' }))],
    ['a slug of another band', b(listedB([marketB(`${NYC}-80-81f`, '70-71°F')]))],
    ['a title of another city', b(listedB(marketsB, { title: 'Highest temperature in Chicago on June 8?' }))],
    ['a title of the other extreme', b(listedB(marketsB, { title: 'Lowest temperature in NYC on June 8?' }))],
    ['Celsius next to Fahrenheit', b(listedB([marketB('x', '70-71°F'), marketB('y', '22°C')]))],
  ])('is excluded with %s', (_name, question) => {
    expect(question).toMatchObject({ excluded: 'contradictory', legs: [] });
  });

  it('never mixes Celsius with Fahrenheit', () => {
    expect(a(listedA(marketsA))?.identity.unit).toBe('F');
    expect(b(listedB([marketB('y', '22°C')]))).toMatchObject({
      identity: { unit: 'C' },
      legs: [{ outcome_key: '22_22_c' }],
    });
  });

  it('drops a rung with two trading contracts, and keeps the contract that still trades', () => {
    const repeated = b(listedB([...marketsB, marketB('again', '70-71°F')]));
    expect(repeated?.legs.map((leg) => leg.outcome_key)).toEqual(['72_above_f']);
    expect(repeated?.identity.doubled).toEqual(['70_71_f']);
    const relisted = b(listedB([...marketsB, marketB('settled', '70-71°F', { closed: true })]));
    expect(relisted?.legs.map((leg) => leg.contract_id)).toContain(`${NYC}-70-71f:0`);
  });

  it('is whole only when its bands cover every degree', () => {
    expect(a(listedA(marketsA))?.identity).not.toHaveProperty('doubled');
    expect(a(listedA(marketsA))?.identity.whole).toBe(true);
    expect(a(listedA(marketsA.slice(0, 2)))?.identity.whole).toBe(false);
    expect(a(listedA(marketsA.filter((_, i) => i !== 1)))?.identity.whole).toBe(false);
    expect(b(listedB(marketsB))?.identity.whole).toBe(false);
  });

  it('is not whole when it leaves out, or holds twice, a single degree', () => {
    const whole = (labels: string[]) => b(listedB(labels.map((label, at) => marketB(`m${at}`, label))))?.identity.whole;
    expect(whole(['19°C or below', '20°C', '21°C', '22°C', '23°C or higher'])).toBe(true);
    expect(whole(['19°C or below', '20°C', '22°C', '23°C or higher'])).toBe(false);
    expect(whole(['69°F or below', '70-71°F', '72-73°F', '74°F or higher'])).toBe(true);
    expect(whole(['69°F or below', '70-71°F', '71-72°F', '73°F or higher'])).toBe(false);
    expect(whole(['69°F or below', '70-71°F', '73-74°F', '75°F or higher'])).toBe(false);
    expect(whole(['70-71°F', '72-73°F', '74°F or higher'])).toBe(false);
    expect(whole(['69°F or below', '70-71°F', '72-73°F'])).toBe(false);
  });

  it('is excluded as incomplete without markets, and as unreadable_date without a valid day', () => {
    expect(a(listedA([]))).toMatchObject({ excluded: 'incomplete', legs: [] });
    expect(a(listedA(marketsA, { event_ticker: 'KXHIGHNY-26JUN99' }))).toMatchObject({ excluded: 'unreadable_date' });
  });

  it('does not depend on the order of the markets', () => {
    expect(a(listedA([...marketsA].reverse()))).toEqual(a(listedA(marketsA)));
    expect(b(listedB([...marketsB].reverse()))).toEqual(b(listedB(marketsB)));
  });
});

describe('the settlement terms of a temperature', () => {
  const withRules = (rules: string, event: RawObject = {}) =>
    a(listedA([marketA('B70.5', '70° to 71°', { rules_primary: rules })], event));
  const describedAs = (description: string, more: RawObject = {}) =>
    b(listedB([marketB('x', '70-71°F')], { description, ...more }));

  it.each<[string, Question | undefined, RawObject, string | null]>([
    [
      'a station by its name',
      withRules(
        "If the highest temperature recorded at Central Park, New York for June 08, 2026 as reported by the National Weather Service's Climatological Report (Daily), is between 70-71°, then the market resolves to Yes.",
      ),
      { station: 'KNYC', station_by: 'text', source: 'nws_climatological_report', fields_agree: true },
      'KNYC, NWS climatological report',
    ],
    [
      'a station by its report',
      withRules(
        'If the maximum temperature recorded at New York City (CLINYC) for Jun 8, 2026, is between 70-71° fahrenheit according to The Weather Company, then the market resolves to Yes.',
      ),
      { station: 'KNYC', station_by: 'text', source: 'weather_company', fields_agree: true },
      'KNYC, The Weather Company',
    ],
    [
      'an airport, its unit, its precision and what becomes of revisions',
      describedAs(
        "This market will resolve to the temperature range that contains the highest temperature recorded at the LaGuardia Airport Station in degrees Fahrenheit on 8 Jun '26.\n\nThe resolution source for this market will be information from Wunderground, specifically the highest temperature recorded for all times on this day, available here: https://www.wunderground.com/history/daily/us/ny/new-york-city/KLGA.\n\nThe source measures temperatures to whole degrees Fahrenheit. Any revisions to temperatures recorded after data is finalized will not be considered.",
      ),
      {
        station: 'KLGA',
        station_by: 'text',
        source: 'wunderground',
        rounding: 'whole_degrees',
        day: 'calendar',
        revisions: 'ignored',
        fields_agree: true,
      },
      'KLGA, Wunderground',
    ],
    [
      'the source that it names first, a fallback after it',
      describedAs(
        "This market will resolve to the range of the highest temperature recorded by NOAA at the LaGuardia Airport Station in degrees Fahrenheit on 8 Jun '26. https://www.weather.gov/wrh/timeseries?site=klga, or Weather Underground where that is unavailable.",
      ),
      { station: 'KLGA', source: 'noaa', fields_agree: true },
      'KLGA, NOAA',
    ],
  ])('are parsed from the text: %s', (_name, question, terms, basis) => {
    expect(question?.terms).toMatchObject({ rules: 'read', ...terms });
    expect(question?.basis).toBe(basis);
  });

  it('use the usual station only when the text names none, and report it', () => {
    expect(a(listedA([marketA('B70.5', '70° to 71°')]))?.terms).toMatchObject({
      rules: 'none',
      station: 'KNYC',
      station_by: 'registry',
      source: null,
      fields_agree: null,
    });
    expect(b(listedB([marketB('x', '70-71°F')]))?.terms).toMatchObject({
      rules: 'none',
      station: 'KLGA',
      station_by: 'registry',
    });
    const paris = b({ slug: 'highest-temperature-in-paris-on-june-8-2026', markets: [marketB('x', '22°C')] });
    expect(paris).toMatchObject({ excluded: null, basis: null, terms: { station: null, station_by: null } });
  });

  it('use the URL of a source when there is no text', () => {
    const sources = {
      settlement_sources: [
        { name: 'NWS', url: 'https://forecast.weather.gov/product.php?site=OKX&product=CLI&issuedby=NYC' },
      ],
    };
    expect(a(listedA([marketA('B70.5', '70° to 71°')], sources))?.terms).toMatchObject({
      station: 'KNYC',
      station_by: 'text',
    });
    expect(
      b(
        listedB([marketB('x', '70-71°F')], {
          resolutionSource: 'https://www.wunderground.com/history/daily/us/ny/new-york-city/KLGA',
        }),
      )?.terms,
    ).toMatchObject({
      station: 'KLGA',
      station_by: 'text',
      source: 'wunderground',
    });
  });

  it.each<[string, Question | undefined]>([
    [
      'another day',
      withRules(
        'If the highest temperature recorded at Central Park, New York for June 09, 2026, is between 70-71°, …',
      ),
    ],
    [
      'the other extreme',
      withRules(
        'If the minimum temperature recorded at Central Park, New York for June 08, 2026, is between 70-71°, …',
      ),
    ],
    [
      'another city',
      withRules('If the highest temperature recorded at Chicago Midway, IL for June 08, 2026, is between 70-71°, …'),
    ],
    [
      'another unit',
      describedAs("the highest temperature recorded at the LaGuardia Airport Station in degrees Celsius on 8 Jun '26."),
    ],
    [
      'two stations',
      withRules('If the highest temperature recorded at Central Park (CLILGA) for June 08, 2026, is between 70-71°, …'),
    ],
  ])('do not agree with a text about %s', (_name, question) => {
    expect(question).toMatchObject({ excluded: null, terms: { fields_agree: false } });
  });

  it('are unfilled for a template with open blanks', () => {
    expect(withRules('If the highest temperature recorded at {{station}} is between 70-71°, …')?.terms.rules).toBe(
      'unfilled',
    );
  });
});

describe('temperature parsers with corrupted listings', () => {
  it('never throw for corrupted temperature ladders', () => {
    const value = corruptedValue('70-71°F', '70° to 71°');
    fc.assert(
      fc.property(fc.array(corruptedMarket(value)), value, value, (markets, title, end) => {
        const shared = { title, endDate: end, markets, settlement_sources: end, description: title } as RawObject;
        weatherA({ ...shared, event_ticker: 'KXHIGHNY-26JUN08' }, context);
        weatherB({ ...shared, slug: NYC }, context);
        weatherB({ ...shared, slug: 'lowest-temperature-in-london-on-june-31' }, { now: 'never' });
      }),
    );
  });
});
