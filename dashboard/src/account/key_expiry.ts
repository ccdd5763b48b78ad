const DAY_MS = 86_400_000;

/** The choices of the dialog. `date` takes the day from a field of its own. */
export const expiryChoices = [
  ['', 'No expiry'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['date', 'A date'],
] as const;

export type ExpiryChoice = (typeof expiryChoices)[number][0];

/** When a key of this choice expires, in epoch ms: null for never, NaN without a date. */
export function expiryOf(choice: ExpiryChoice, date: string, now: number): number | null {
  if (choice === '') return null;
  // Through the end of that day, in UTC.
  if (choice === 'date') return Date.parse(`${date}T00:00:00Z`) + DAY_MS;
  return now + Number(choice) * DAY_MS;
}

/** The first and the last day that can be chosen, as the date field writes them. */
export function dateRange(now: number): { min: string; max: string } {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { min: day(now), max: day(now + 3650 * DAY_MS) };
}
