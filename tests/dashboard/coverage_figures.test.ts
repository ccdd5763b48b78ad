import { expect, test } from 'vitest';
import {
  type CategoryWeek,
  eventsIn,
  type Series,
  seriesContext,
  shareText,
  totalsOf,
  volumeSentence,
  volumeText,
} from '../../dashboard/src/coverage/coverage.ts';
import { addressOf, filterOf, NO_SERIES_FILTER, selectedSeries } from '../../dashboard/src/coverage/series_order.ts';
import { cellText, columnTitle, heatMapOf, mondayOf } from '../../dashboard/src/coverage/weeks.ts';

const series = (fields: Partial<Series>): Series => ({
  venue: 'venue_a',
  series: 'KXS',
  tag: null,
  category: 'sports',
  sport: null,
  events: 1,
  paired: 0,
  candidate: 0,
  waiting: 0,
  unpaired: {},
  unread: {},
  volume: null,
  ...fields,
});
const week = (week: string | null, fields: Partial<CategoryWeek> = {}): CategoryWeek => ({
  category: 'sports',
  week,
  paired: 1,
  candidate: 0,
  other: 1,
  ...fields,
});

test.each([
  ['2026-W01', '2025-12-29'],
  ['2026-W47', '2026-11-16'],
  ['2026-W53', '2026-12-28'],
  ['2027-W01', '2027-01-04'],
])('the ISO week %s begins on %s', (text, monday) => {
  expect(new Date(mondayOf(text) ?? 0).toISOString().slice(0, 10)).toBe(monday);
});

test.each(['earlier', 'later', '2026-47', '', null])('%s is no ISO week', (text) => {
  expect(mondayOf(text)).toBeNull();
});

test('the map has every week between the first and the last one, and the events without a week at its ends', () => {
  const weeks = ['2026-W52', '2027-W02', 'earlier', 'later', null].map((one) => week(one));
  const map = heatMapOf([...weeks, week('2026-W53', { category: null, other: 30 })], '2026-12-30T10:00:00.000Z');
  expect(map.columns.map(columnTitle)).toEqual(['Earlier', '21', '28', '4', '11', 'Later', 'No start']);
  expect(map.current).toBe(Date.UTC(2026, 11, 28));
  // The category with the most events is first.
  expect(map.rows.map(({ category, events }) => [category, events])).toEqual([
    [null, 31],
    ['sports', 10],
  ]);
  expect(map.rows[1]?.cells.map((cell) => cell?.week)).toEqual([
    'earlier',
    '2026-W52',
    undefined,
    undefined,
    '2027-W02',
    'later',
    null,
  ]);
});

test('a map without a week, or with weeks that are far apart, has a bounded number of columns', () => {
  expect(heatMapOf([week(null)], null).columns).toEqual([{ rest: 'none' }]);
  expect(heatMapOf([], null)).toEqual({ columns: [], rows: [], current: null });
  expect(heatMapOf([week('0001-W01'), week('9999-W01')], null).columns).toHaveLength(60);
});

test('a cell states its counts in one sentence', () => {
  expect(
    cellText(week('2026-W47', { paired: 1, candidate: 1, other: 1_998 }), { monday: Date.UTC(2026, 10, 16) }),
  ).toBe('Sports, week of 16 Nov 2026: 1 of 2,000 events paired (<1 %), 1 candidate, 1,998 others');
});

test.each([
  [0, 0, '–'],
  [0, 7, '0 %'],
  [1, 1_000, '<1 %'],
  [999, 1_000, '99 %'],
  [7, 7, '100 %'],
])('the share of %i of %i paired events is rounded down and never to zero: %s', (paired, events, text) => {
  expect(shareText(paired, events)).toBe(text);
});

test('volume has its unit, and states how many events it is of', () => {
  const partly = series({ events: 3, volume: { amount: 1_234_567.5, unit: 'contracts', events: 2 } });
  expect([volumeText(partly.volume), volumeSentence(partly)]).toEqual([
    '1.2M',
    '1,234,567.5 contracts of $1 traded since the listing, of 2 of 3 events.',
  ]);
  const usd = series({ venue: 'venue_b', volume: { amount: 12.5, unit: 'usd', events: 1 } });
  expect([volumeText(usd.volume), volumeSentence(usd)]).toEqual(['$12.5', '$12.50 traded since the listing.']);
  expect([volumeText(null), volumeSentence(series({}))]).toEqual(['–', 'venue_a states no volume for these events.']);
});

test('the totals sum the codes of all series, and leave the series unchanged', () => {
  const rows = [
    series({ events: 5, paired: 1, unpaired: { no_counterpart: 2 }, unread: { no_parser: 2 } }),
    series({ events: 4, candidate: 3, waiting: 2, unpaired: { no_counterpart: 1 } }),
  ];
  const total = { ...series({}), ...totalsOf(rows) };
  expect(total).toMatchObject({ events: 9, paired: 1, candidate: 3, waiting: 2, unpaired: { no_counterpart: 3 } });
  expect((['paired', 'candidate', 'unpaired', 'unread'] as const).map((state) => eventsIn(total, state))).toEqual([
    1, 3, 3, 2,
  ]);
  expect(rows[0]?.unpaired).toEqual({ no_counterpart: 2 });
});

test('a search word finds a series by its name, tag, sport and codes, and a filter by a missing category', () => {
  const rows = [
    series({ series: 'KXNHL', sport: 'hockey' }),
    series({ series: null, tag: 'politics', venue: 'venue_b', category: null, unread: { no_parser: 1 } }),
  ];
  const found = (fields: object) =>
    selectedSeries(rows, { ...NO_SERIES_FILTER, ...fields }).map((row) => row.series ?? row.tag);
  expect(found({ search: ' Hockey kx' })).toEqual(['KXNHL']);
  expect(found({ search: 'no_parser' })).toEqual(['politics']);
  expect(found({ category: 'none' })).toEqual(['politics']);
  expect(found({ state: 'unread' })).toEqual(['politics']);
  expect(found({ state: 'unknown state' })).toEqual([]);
  expect(seriesContext(rows[1] as Series)).toBe('venue_b tag · No category');
});

test('the address keeps the filter and the order, and an unknown order is the default', () => {
  const filter = { ...NO_SERIES_FILTER, search: 'a&b', state: 'waiting', sort: 'volume', reversed: true } as const;
  expect(addressOf(NO_SERIES_FILTER)).toBe('/coverage');
  expect(filterOf(new URL(addressOf(filter), 'http://here').searchParams)).toEqual(filter);
  expect(filterOf(new URLSearchParams('sort=evil'))).toEqual(NO_SERIES_FILTER);
});
