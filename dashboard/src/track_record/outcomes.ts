import type { Month } from './track_record.ts';

/** What became of an opportunity, in the order of the chart from the bottom. */
export const outcomes = [
  { key: 'asPromised', label: 'Paid as promised' },
  { key: 'less', label: 'Paid less, no loss' },
  { key: 'lost', label: 'Lost' },
  { key: 'notSettled', label: 'Not settled' },
] as const satisfies readonly { key: keyof Month; label: string }[];

const name = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' });

/** 2026-11 → Nov */
export const monthName = (month: string): string => name.format(Date.parse(`${month}-01T00:00:00Z`));

/** One sentence for a bar, with every part of it. */
export function monthText(month: Month): string {
  const parts = outcomes.map(({ key, label }) => `${label.toLowerCase()} ${month[key]}`);
  return `${monthName(month.month)} ${month.month.slice(0, 4)}: ${month.shown} shown, ${parts.join(', ')}`;
}
