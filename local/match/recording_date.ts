import { parseTickerDate } from '../../functions/ingest/identity/text/eastern.ts';

/**
 * The date on which two listing files were recorded, when none is given. The files name the dates
 * of their games, and a venue lists today's and coming games, seldom older ones. The result is the
 * date after one twentieth of all named dates. Null when no date is named, or none that is not
 * after `today`.
 */
export function recordingDateOf(a: readonly unknown[], b: readonly unknown[], today: string): string | null {
  const days = [...a, ...b]
    .flatMap((event) => {
      const { event_ticker, slug } = (event ?? {}) as { event_ticker?: unknown; slug?: unknown };
      const ticker = /-(\d{2}[A-Z]{3}\d{2})/.exec(String(event_ticker ?? ''))?.[1];
      const iso = /-(20\d{2}-\d{2}-\d{2})(?:-|$)/.exec(String(slug ?? ''))?.[1];
      return [ticker ? parseTickerDate(ticker) : null, iso ?? null];
    })
    .filter((day): day is string => day !== null && !Number.isNaN(Date.parse(day)))
    .sort();
  const day = days[Math.floor(days.length / 20)];
  return day === undefined || day > today ? null : day;
}
