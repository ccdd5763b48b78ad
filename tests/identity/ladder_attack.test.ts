import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/runs.ts';
import {
  countEqualPayoffs,
  type Fields,
  pairedLegs,
  pick,
  range,
  readA,
  readB,
  type Spelled,
} from './ladder_attack_fixtures.ts';

/**
 * Guarantee: for any spelling of the rungs of a ladder, two contracts with one outcome key pay for
 * the same values. The test computes what each contract pays from the figures behind its spelling,
 * never from the parsed result.
 */

describe('temperature ladders in generated spellings', () => {
  const degree = fc.integer({ min: -8, max: 6 });
  const warmA: fc.Arbitrary<Spelled> = fc
    .record({ low: degree, kind: pick('between', 'greater', 'less'), bare: fc.boolean() })
    .map(({ low, kind, bare }) => {
      const label =
        kind === 'between'
          ? `${low}° to ${low + 1}°`
          : kind === 'greater'
            ? `${low + 1}° or above`
            : `${low - 1}° or below`;
      const fields = {
        strike_type: kind,
        ...(kind !== 'less' ? { floor_strike: low } : {}),
        ...(kind === 'less' ? { cap_strike: low } : kind === 'between' ? { cap_strike: low + 1 } : {}),
        ...(bare ? {} : { yes_sub_title: label }),
      };
      return {
        fields,
        pays: (v) => (kind === 'between' ? v === low || v === low + 1 : kind === 'greater' ? v > low : v < low),
      };
    });
  const warmB: fc.Arbitrary<Spelled> = fc
    .record({
      low: degree,
      kind: pick('pair', 'one', 'up', 'down'),
      dash: pick('-', '–', ' to ', '−'),
      word: pick('or', 'and'),
      up: pick('higher', 'above', 'more'),
      down: pick('below', 'lower', 'less'),
      gap: pick('', ' '),
    })
    .map(({ low, kind, dash, word, up, down, gap }) => {
      const unit = `${gap}°F`;
      const label =
        kind === 'pair'
          ? `${low}${dash}${low + 1}${unit}`
          : kind === 'one'
            ? `${low}${unit}`
            : `${low}${unit} ${word} ${kind === 'up' ? up : down}`;
      return {
        fields: { groupItemTitle: label },
        pays: (v) =>
          kind === 'pair'
            ? v === low || v === low + 1
            : kind === 'one'
              ? v === low
              : kind === 'up'
                ? v >= low
                : v <= low,
      };
    });

  it('pair only bands with the same degrees, also below zero', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(warmA, { maxLength: 12 }), fc.array(warmB, { maxLength: 12 }), (a, b) => {
        found += countEqualPayoffs(
          readA('KXLOWTMIN-27JAN01', 'Lowest temperature on Jan 1, 2027?', a),
          a,
          readB(
            'lowest-temperature-in-minneapolis-on-january-1-2027',
            'Lowest temperature in Minneapolis on January 1?',
            b,
          ),
          b,
          range(-60, 60),
        );
      }),
      { numRuns: runs(100) },
    );
    expect(found).toBeGreaterThan(runs(5));
  });

  it('in Celsius never pair with ladders in Fahrenheit', () => {
    const a = readA('KXHIGHMIA-26OCT03', 'x', [
      { fields: { strike_type: 'between', floor_strike: 28, cap_strike: 29 }, pays: () => true },
    ]);
    const b = readB('highest-temperature-in-miami-on-october-3-2026', 'Highest temperature in Miami on October 3?', [
      { fields: { groupItemTitle: '28-29°C' }, pays: () => true },
    ]);
    expect(pairedLegs(a, b)).toEqual([]);
  });
});

describe('price ladders in generated spellings', () => {
  const level = fc.integer({ min: 1, max: 12 }).map((n) => n * 500);
  const grouped = (n: number) => n.toLocaleString('en-US');
  const abovA: fc.Arbitrary<Spelled> = fc
    .record({ level, cent: pick(-1, 0, 1), label: pick('above', 'or', 'none') })
    .map(({ level: at, cent, label }) => {
      const strike = Number((at + cent / 100).toFixed(2));
      const labels =
        label === 'none'
          ? {}
          : cent === -1
            ? { yes_sub_title: `$${grouped(at)} or above` }
            : { yes_sub_title: `Above $${grouped(strike)}` };
      return { fields: { strike_type: 'greater', floor_strike: strike, ...labels }, pays: (v) => v > strike };
    });
  const spelled = (n: number, how: string) =>
    how === 'k' && n % 1000 === 0
      ? `${n / 1000}k`
      : how === 'dollar'
        ? `$${grouped(n)}`
        : how === 'cents'
          ? `$${grouped(n)}.00`
          : grouped(n);
  const aboveB: fc.Arbitrary<Spelled> = fc
    .record({ level, how: pick('k', 'dollar', 'plain', 'cents') })
    .map(({ level: at, how }) => ({
      fields: {
        question: `Will the price of Bitcoin be above ${spelled(at, how)} on October 6?`,
        groupItemTitle: spelled(at, how === 'cents' ? 'plain' : how),
      },
      pays: (v) => v > at,
    }));

  it('pair only equal levels, which may differ in whether the level itself counts', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(abovA, { maxLength: 15 }), fc.array(aboveB, { maxLength: 15 }), (a, b) => {
        const levels = b.map(
          (one) =>
            Number(/above \$?([\d.,]+)(k?)/.exec(String(one.fields.question))?.[1]?.replace(/,/g, '')) *
            (/\dk on/.test(String(one.fields.question)) ? 1000 : 1),
        );
        found += countEqualPayoffs(
          readA('KXBTCD-26OCT0612', 'Bitcoin price on Oct 6, 2026?', a),
          a,
          readB('bitcoin-above-on-october-6-2026', 'Bitcoin above ___ on October 6?', b, {
            endDate: '2026-10-06T16:00:00Z',
          }),
          b,
          levels.flatMap((at) => [at - 250, at - 0.5, at - 0.02, at - 0.01, at + 0.01, at + 0.02, at + 0.5, at + 250]),
        );
      }),
      { numRuns: runs(100) },
    );
    expect(found).toBeGreaterThan(runs(5));
  });
});

describe('print ladders in generated spellings', () => {
  const tenth = fc.integer({ min: -3, max: 9 }).map((n) => n / 10);
  const format = (n: number) => n.toFixed(1);
  const exact: fc.Arbitrary<Spelled> = tenth.map((at) => ({
    fields: { yes_sub_title: `Exactly ${format(at)}%`, floor_strike: at },
    pays: (v) => v === at,
  }));
  const above: fc.Arbitrary<Spelled> = tenth.map((at) => ({
    fields: { yes_sub_title: `Above ${format(at)}%`, strike_type: 'greater', floor_strike: at },
    pays: (v) => v > at,
  }));
  const bucket: fc.Arbitrary<Spelled> = fc
    .record({
      at: tenth,
      how: pick('one', 'le', 'ge', 'lt', 'gt', 'orless', 'ormore', 'plus', 'most', 'least', 'under', 'over'),
      isQuestion: fc.boolean(),
    })
    .map(({ at, how, isQuestion }) => {
      const n = `${format(at)}%`;
      const label =
        {
          one: n,
          le: `≤${n}`,
          ge: `≥${n}`,
          lt: `<${n}`,
          gt: `>${n}`,
          orless: `${n} or less`,
          ormore: `${n} or more`,
          plus: `${n}+`,
          most: `at most ${n}`,
          least: `at least ${n}`,
          under: `less than ${n}`,
          over: `more than ${n}`,
        }[how] ?? n;
      const fields: Fields = isQuestion
        ? { groupItemTitle: label, question: `Will annual inflation be ${label} in September?` }
        : { groupItemTitle: label };
      const pays = (v: number) =>
        how === 'one'
          ? v === at
          : ['le', 'orless', 'most'].includes(how)
            ? v <= at
            : ['ge', 'ormore', 'plus', 'least'].includes(how)
              ? v >= at
              : ['lt', 'under'].includes(how)
                ? v < at
                : v > at;
      return { fields, pays };
    });

  it.each([
    ['exact figures', 'KXECONSTATCPIYOY-26SEP', exact, 'CPI year-over-year in Sep 2026?'],
    ['thresholds', 'KXCPIYOY-26SEP', above, 'CPI year-over-year in Sep 2026?'],
  ])('pair %s only with buckets of the same published figures', (_name, ticker, rung, title) => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(rung, { maxLength: 15 }), fc.array(bucket, { maxLength: 15 }), (a, b) => {
        found += countEqualPayoffs(
          readA(ticker, title, a),
          a,
          readB('september-inflation-us-annual', 'September Inflation US - Annual', b, {
            endDate: '2026-10-14T03:59:00Z',
          }),
          b,
          range(-2, 8, 0.1),
        );
      }),
      // In 400 runs about 40 exact figures match.
      { numRuns: runs(250) },
    );
    expect(found).toBeGreaterThan(runs(2));
  });
});

describe('decision ladders in generated spellings', () => {
  type Move = { sign: number; size: number; how: 'exact' | 'more' | 'least' | 'range' };
  const move = (sizes: number[]): fc.Arbitrary<Move> =>
    fc.record({ sign: pick(-1, 1), size: pick(...sizes), how: pick('exact', 'exact', 'more', 'least', 'range') });
  const pays =
    ({ sign, size, how }: Move) =>
    (bp: number): boolean => {
      const by = bp * sign;
      if (size === 0) return how === 'exact' ? bp === 0 : by > 0;
      if (how === 'exact') return by === size;
      if (how === 'range') return by >= 1 && by <= size;
      return how === 'more' ? by > size : by >= size;
    };
  const spell = (one: Move, words: [string, string], grammar: 'a' | 'b', other: boolean): string => {
    const word = one.sign < 0 ? words[0] : words[1];
    const size = {
      exact: `${one.size}`,
      more: other ? `>${one.size}` : `more than ${one.size}`,
      least: other ? `${one.size}+` : `at least ${one.size}`,
      range: `1-${one.size}`,
    }[one.how];
    return grammar === 'a' ? `${word} ${size}bps` : `${size} bps ${word}`;
  };
  const movesA = (sizes: number[]) =>
    fc.tuple(move(sizes), fc.boolean()).map(
      ([one, other]): Spelled => ({
        fields: { yes_sub_title: spell(one, ['Cut', 'Hike'], 'a', other) },
        pays: pays(one),
      }),
    );
  const movesB = (sizes: number[]) =>
    fc.tuple(move(sizes), fc.boolean()).map(
      ([one, other]): Spelled => ({
        fields: { groupItemTitle: spell(one, ['decrease', 'increase'], 'b', other) },
        pays: pays(one),
      }),
    );

  it.each<[string, string, string, string, number[], number[]]>([
    [
      'on a grid of 25',
      'KXFEDDECISION-26OCT',
      'fed-decision-in-october',
      'Fed decision in October?',
      [0, 25, 50, 75],
      range(-100, 100, 25),
    ],
    [
      'of a bank without a grid',
      'KXCBDECISIONHUNGARY-26OCT20',
      'bank-of-hungary-decision-in-october',
      'Hungarian National Bank decision in October?',
      [0, 5, 10, 25, 50],
      range(-100, 100, 1),
    ],
  ])('%s pair only legs that pay for the same changes', (_name, ticker, slug, title, sizes, values) => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(movesA(sizes), { maxLength: 8 }), fc.array(movesB(sizes), { maxLength: 8 }), (a, b) => {
        found += countEqualPayoffs(
          readA(ticker, title, a),
          a,
          readB(slug, title, b, { endDate: '2026-10-29T03:59:00Z' }),
          b,
          values,
        );
      }),
      { numRuns: runs(100) },
    );
    expect(found).toBeGreaterThan(runs(5));
  });
});
