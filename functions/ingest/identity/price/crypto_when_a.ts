import { instantOfClock, NEW_YORK, parseClock } from '../text/clock.ts';
import { daysBetween, easternDate, easternInstant, parseDate, parseInstant, parseTickerDate } from '../text/eastern.ts';
import { type RawObject, text } from '../text/raw_object.ts';
import { type Period, parsePeriod, through, wholeMonth, wholeYear } from './crypto_period.ts';

/** When a price ladder of venue_a is decided: at an instant, or within a period. */

/** "26SEP1817", "BTC-26JUL31", "26DEC31H1700", "27JAN01": what follows the series in an event's ticker. */
export const OCCASION = /^(?:[A-Z]+-)?(\d{2}[A-Z]{3}\d{2})(?:H(\d{2})(\d{2})|(\d{2}))?$/;

export type SettlementTime = {
  on_date: string | null;
  settles_at: string | null;
  hour_by: string | null;
  contradictory: boolean;
};

/** The instant by the ticker's hour, to the minute where the title has it; without an hour, by the title or the strike date. */
export function parseSettlementTime(event: RawObject, occasion: RegExpExecArray): SettlementTime {
  const on_date = parseTickerDate(occasion[1] ?? '');
  const title = text(event.title) ?? '';
  const titled = parseDate(title, on_date);
  const clock = parseClock(`${title} ${text(event.sub_title) ?? ''}`);
  const hour = occasion[2] ?? occasion[4];
  const strike = parseInstant(text(event.strike_date));
  const none = { on_date, settles_at: null, hour_by: null };
  if (on_date === null) return { ...none, contradictory: false };
  // A clock that names no zone is New York's where the ticker's hour or the strike date says so.
  const stated = clock === null ? null : instantOfClock(on_date, clock, NEW_YORK);
  const sharp =
    hour === undefined ? null : easternInstant(on_date, Number(hour), Number(occasion[3] ?? clock?.minute ?? 0));
  const otherHour = hour !== undefined && stated !== null && stated.slice(0, 13) !== sharp?.slice(0, 13);
  const contradictory = (titled !== null && titled !== on_date) || otherHour;
  if (clock !== null && stated === null) return { ...none, contradictory };
  if (hour !== undefined) {
    // A ticker has no minutes; a strike date within its hour has.
    const dated = clock === null && strike !== null && strike.slice(0, 13) === sharp?.slice(0, 13);
    return { on_date, settles_at: dated ? strike : sharp, hour_by: dated ? 'strike_date' : 'ticker', contradictory };
  }
  if (clock !== null && (clock.zone.kind === 'known' || stated === strike))
    return { on_date, settles_at: stated, hour_by: 'title', contradictory };
  if (strike !== null && easternDate(strike) === on_date)
    return { on_date, settles_at: strike, hour_by: 'strike_date', contradictory };
  return { ...none, contradictory };
}

/** The span of a high or low: by the series' cadence and the ticker's day, unless a title says otherwise. */
export function parseSpan(
  event: RawObject,
  markets: readonly RawObject[],
  span: string | null,
  day: string | null,
  now: string,
): Period | null | 'contradictory' {
  if (day === null) return null;
  // "27JAN01" is where a year ends that titles call 2026.
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
  // A month of a commodity ends on its last trading day: "before May 30" is May.
  const differs = own !== null && titled !== null && !titled.until.startsWith(own.key);
  if (strays || differs) return 'contradictory';
  if (own !== null) return { ...own, year_by: 'text' };
  if (span !== null) return titled;
  return titled ?? { ...through(last), year_by: 'text' };
}
