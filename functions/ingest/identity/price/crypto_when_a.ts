import { instantOfClock, NEW_YORK, parseClock } from '../text/clock.ts';
import { daysBetween, easternDate, easternInstant, parseDate, parseInstant, parseTickerDate } from '../text/eastern.ts';
import { type RawObject, text } from '../text/raw_object.ts';
import { type Period, parsePeriod, through, wholeMonth, wholeYear } from './crypto_period.ts';

/** Settlement of a price ladder of venue_a: an instant or a period. */

/**
 * "26SEP1817", "BTC-26JUL31", "26DEC31H1700", "27JAN01": the part of an event ticker after the
 * series.
 */
export const OCCASION = /^(?:[A-Z]+-)?(\d{2}[A-Z]{3}\d{2})(?:H(\d{2})(\d{2})|(\d{2}))?$/;

export type SettlementTime = {
  on_date: string | null;
  settles_at: string | null;
  hour_by: string | null;
  contradictory: boolean;
};

/**
 * Parses the instant from the hour of the ticker, with the minute of the title. Without an hour in
 * the ticker, the title or the strike date gives it.
 */
export function parseSettlementTime(event: RawObject, occasion: RegExpExecArray): SettlementTime {
  const on_date = parseTickerDate(occasion[1] ?? '');
  const title = text(event.title) ?? '';
  const titled = parseDate(title, on_date);
  const clock = parseClock(`${title} ${text(event.sub_title) ?? ''}`);
  const hour = occasion[2] ?? occasion[4];
  const strike = parseInstant(text(event.strike_date));
  const none = { on_date, settles_at: null, hour_by: null };
  if (on_date === null) return { ...none, contradictory: false };
  // A clock without a zone is in New York time when the hour of the ticker or the strike date
  // agrees.
  const stated = clock === null ? null : instantOfClock(on_date, clock, NEW_YORK);
  const sharp =
    hour === undefined ? null : easternInstant(on_date, Number(hour), Number(occasion[3] ?? clock?.minute ?? 0));
  const otherHour = hour !== undefined && stated !== null && stated.slice(0, 13) !== sharp?.slice(0, 13);
  const contradictory = (titled !== null && titled !== on_date) || otherHour;
  if (clock !== null && stated === null) return { ...none, contradictory };
  if (hour !== undefined) {
    // A ticker has no minutes. A strike date within the same hour does.
    const dated = clock === null && strike !== null && strike.slice(0, 13) === sharp?.slice(0, 13);
    return { on_date, settles_at: dated ? strike : sharp, hour_by: dated ? 'strike_date' : 'ticker', contradictory };
  }
  if (clock !== null && (clock.zone.kind === 'known' || stated === strike))
    return { on_date, settles_at: stated, hour_by: 'title', contradictory };
  if (strike !== null && easternDate(strike) === on_date)
    return { on_date, settles_at: strike, hour_by: 'strike_date', contradictory };
  return { ...none, contradictory };
}

/**
 * Parses the period of a high or low from the cadence of the series and the day in the ticker. A
 * title with another period contradicts.
 */
export function parseSpan(
  event: RawObject,
  markets: readonly RawObject[],
  span: string | null,
  day: string | null,
  now: string,
): Period | null | 'contradictory' {
  if (day === null) return null;
  // "27JAN01" is the end of the year that titles call 2026.
  const last = day.endsWith('-01-01') ? `${Number(day.slice(0, 4)) - 1}-12-31` : day;
  const [year = 0, month = 0] = last.split('-').map(Number);
  const hints = { years: [year], end: null, now };
  const titled = parsePeriod(text(event.title) ?? '', hints) ?? parsePeriod(text(event.sub_title) ?? '', hints);
  const until = markets
    .map((market) => /\bby (?:11:59 ?PM ET on )?(.+)/i.exec(text(market.title) ?? '')?.[1] ?? '')
    .map((end) => parseDate(end, null))
    .find((one) => one !== null);
  const strays = until !== undefined && Math.abs(daysBetween(until, last)) > 1;
  const own = span === 'MON' || span === 'M' ? wholeMonth(year, month) : span === 'Y' ? wholeYear(year) : null;
  // The month of a commodity ends on its last trading day: "before May 30" is May.
  const differs = own !== null && titled !== null && !titled.until.startsWith(own.key);
  if (strays || differs) return 'contradictory';
  if (own !== null) return { ...own, year_by: 'text' };
  if (span !== null) return titled;
  return titled ?? { ...through(last), year_by: 'text' };
}
