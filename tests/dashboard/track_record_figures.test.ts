import { expect, test } from 'vitest';
import { monthName, monthText } from '../../dashboard/src/track_record/outcomes.ts';
import {
  familyName,
  lifeTime,
  monthsOf,
  profit,
  promisedShare,
  type Tally,
} from '../../dashboard/src/track_record/track_record.ts';

const tally: Tally = {
  shown: 10,
  markets: 4,
  settled: 8,
  paid_as_promised: 5,
  paid_less: 3,
  lost: 1,
  without_result: 1,
  worst_case_usd: -3,
  median_life_s: 12,
  cost_usd: 80,
  promised_usd: 82,
  paid_usd: 78,
};
const record = (month: string, change: Partial<Tally> = {}) => ({
  month,
  family: 'moneyline',
  competition: 'NBA',
  ...tally,
  ...change,
});

test.each([
  [0, 0, '–'],
  [3, 3, '100.0 %'],
  [9_999, 10_000, '99.9 %'],
  [2, 3, '66.6 %'],
  [0, 3, '0.0 %'],
])(
  'the share of %i of %i that paid as promised is rounded down, so that only all are 100 %%',
  (paid, settled, text) => {
    expect(promisedShare({ ...tally, settled, paid_as_promised: paid })).toBe(text);
  },
);

test.each([
  [null, '–'],
  [0, '0.0 s'],
  [0.35, '0.3 s'],
  [9.96, '10.0 s'],
  [17, '17 s'],
  [600, '10 min'],
])('lifeTime writes %d seconds with a fitting unit', (seconds, text) => {
  expect(lifeTime(seconds)).toBe(text);
});

test('profit writes the sign of a gain and of a loss', () => {
  expect([profit(2.412), profit(-17.58804), profit(0), profit(null)]).toEqual(['+$2.41', '-$17.59', '$0.00', '–']);
});

test('monthsOf returns the twelve months up to the newest without a gap, over the turn of the year', () => {
  const months = monthsOf([record('2026-01'), record('2025-11'), record('2026-01', { shown: 4, settled: 0 })]);
  expect(months.map(({ month }) => month)).toEqual([
    ...['2025-02', '2025-03', '2025-04', '2025-05', '2025-06', '2025-07', '2025-08', '2025-09'],
    ...['2025-10', '2025-11', '2025-12', '2026-01'],
  ]);
  expect(months.at(-1)).toMatchObject({ shown: 14, notSettled: 6 });
  expect(months.at(-2)).toEqual({ month: '2025-12', shown: 0, asPromised: 0, less: 0, lost: 0, notSettled: 0 });
  expect(monthsOf([])).toEqual([]);
});

test('the parts of a month add up to the opportunities that were shown', () => {
  const [month] = monthsOf([record('2026-11')]).slice(-1);
  if (!month) throw new Error('no month');
  expect(month.asPromised + month.less + month.lost + month.notSettled).toBe(month.shown);
  expect(monthText(month)).toBe('Nov 2026: 10 shown, paid as promised 5, paid less, no loss 2, lost 1, not settled 2');
});

test('names of months and families are written for people', () => {
  expect([monthName('2026-09'), familyName('crypto_above'), familyName('moneyline')]).toEqual([
    'Sep',
    'Crypto above',
    'Moneyline',
  ]);
});
