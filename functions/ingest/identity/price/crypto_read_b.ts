import { type Clock, instantOfClock, NEW_YORK, parseClock, parseClocks } from '../text/clock.ts';
import { easternDate, isoDate, parseDate, parseInstant, parseMonth } from '../text/eastern.ts';
import { type Asset, assetNamed, type Cadence } from './crypto_assets.ts';
import { type Hints, type Period, parsePeriod } from './crypto_period.ts';
import { type Price, parsePriceLabel, parsePriceSlug } from './threshold.ts';

/**
 * A question about a price as one text of venue_b states it. `level` is null when the text leaves
 * it to the label of the market.
 */
export type ParsedQuestion = {
  asset: Asset;
  kind: Cadence;
  level: Price | null;
  /** `at`: day and hour. `high`, `low`: the period. */
  when: Instant | Period;
};

export type Instant = { on_date: string; settles_at: string | null; hour_by: 'title' | 'rules' | 'end_date' | 'usual' };

/** Words of the listing in addition to the parsed text. */
export type QuestionContext = Hints & { rules: string | null };

const AMOUNT = '(\\$?[\\d.,]*\\d[kmb]?|_+)';
const ABOVE = new RegExp(`^(?:will )?(.+?) (?:be )?above ${AMOUNT} on (.+?)\\??$`, 'i');
const SETTLE = new RegExp(
  `^(?:will )?(.+?) (?:settle|close) (?:over|above) ${AMOUNT} on the (?:final|last) trading day of (\\w+)(?: (20\\d{2}))?\\??$`,
  'i',
);
const TOUCH = new RegExp(
  `^(?:will )?(.+?) (?:(reach|dip to|fall to|drop to)|hit(?: \\((high|low)\\))?) ${AMOUNT},? (.+?)\\??$`,
  'i',
);
const TOUCH_EVENT = /^(?:what (?:price )?will |will )?(.+?) hit ?_* ?(.+?)\??$/i;

const parseLevel = (text: string): Price | null | undefined =>
  /^_+$/.test(text) ? null : (parsePriceLabel(text) ?? undefined);

/** "↑ 150,000" is a high, "↓ 70,000" a low. */
export function parseArrow(label: string): Cadence | null {
  if (/^\s*[↑⬆▲]/.test(label)) return 'high';
  return /^\s*[↓⬇▼]/.test(label) ? 'low' : null;
}

const DAY = /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:,? (20\d{2}))?\b/i;

/**
 * Returns the day that a text names. Its year comes from the words of the listing, else from the
 * end date, else from the current time.
 */
function parseDay(text: string, context: QuestionContext): string | null {
  const match = DAY.exec(text);
  const month = parseMonth(match?.[1] ?? '');
  if (!match || month === null) return null;
  const year = match[3] !== undefined ? Number(match[3]) : context.years.length === 1 ? context.years[0] : undefined;
  if (year !== undefined) return isoDate(year, month, Number(match[2]));
  const near = parseInstant(context.end) ?? parseInstant(context.now);
  return parseDate(match[0], near === null ? null : easternDate(near));
}

const NOON: Clock = { hour: 12, minute: 0, zone: { kind: 'known', zone: NEW_YORK, abbreviation: null } };

/**
 * Returns the instant of a clock. A clock without a zone takes the zone of the same hour in the
 * rules, or New York when the end date of the venue is that hour there. Otherwise its instant is
 * unknown.
 */
function settlementAt(on_date: string, clock: Clock, context: QuestionContext): string | null {
  if (clock.zone.kind !== 'none') return instantOfClock(on_date, clock, null);
  const inRules = parseClocks(context.rules ?? '').find(
    (one) => one.hour === clock.hour && one.minute === clock.minute,
  );
  if (inRules !== undefined && inRules.zone.kind !== 'none') return instantOfClock(on_date, inRules, null);
  const eastern = instantOfClock(on_date, clock, NEW_YORK);
  return eastern !== null && eastern === parseInstant(context.end) ? eastern : null;
}

/**
 * Parses day and hour of a settlement. The daily ladders of venue_b mean noon when they state no
 * hour. Their rules and end dates confirm it.
 */
function parseInstantOn(text: string, asset: Asset, context: QuestionContext, slug = false): Instant | null {
  const end = parseInstant(context.end);
  const on_date = parseDay(text, context);
  if (on_date === null) return null;
  const at = (clock: Clock, hour_by: Instant['hour_by']): Instant => {
    const settles_at = settlementAt(on_date, clock, context);
    // The day is that of New York, regardless of the zone of the clock.
    return { on_date: (settles_at === null ? null : easternDate(settles_at)) ?? on_date, settles_at, hour_by };
  };
  const inTitle = parseClock(text, slug);
  if (inTitle !== null) return at(inTitle, 'title');
  const inRules = context.rules === null ? null : parseClock(context.rules.replace(/\b11:59 ?pm\b/gi, ''));
  if (inRules !== null) return at(inRules, 'rules');
  if (end !== null && easternDate(end) === on_date && !/T(?:00:00|03:59|04:59)/.test(end))
    return { on_date, settles_at: end, hour_by: 'end_date' };
  return asset.category === 'crypto' ? at(NOON, 'usual') : { on_date, settles_at: null, hour_by: 'usual' };
}

/**
 * The last trading day of a future is the day on which its market ends, if that day is in the named
 * month.
 */
function lastTradingDay(month: string, year: string | undefined, context: QuestionContext): Instant | null {
  const number = parseMonth(month);
  const end = parseInstant(context.end);
  const on_date = end === null ? null : easternDate(end);
  const named = year === undefined ? context.years[0] : Number(year);
  if (number === null || end === null || on_date === null) return null;
  const fits = Number(on_date.slice(5, 7)) === number && (named === undefined || Number(on_date.slice(0, 4)) === named);
  return fits ? { on_date, settles_at: end, hour_by: 'end_date' } : null;
}

function parseTouch(match: RegExpExecArray, label: string, context: QuestionContext): ParsedQuestion | null {
  const asset = assetNamed(match[1] ?? '');
  const level = parseLevel(match[4] ?? '');
  const word = (match[2] ?? match[3] ?? '').toLowerCase();
  const kind = word === '' ? parseArrow(label) : word === 'reach' || word === 'high' ? 'high' : 'low';
  const when = parsePeriod(match[5] ?? '', context);
  return asset === null || level === undefined || kind === null || when === null ? null : { asset, kind, level, when };
}

/**
 * Parses a question: "Will Bitcoin reach $82,500 in July?", "Ethereum above 2,195 on May 13, 5PM
 * ET?".
 */
export function parseQuestion(question: string, label: string, context: QuestionContext): ParsedQuestion | null {
  const settle = SETTLE.exec(question);
  if (settle) {
    const asset = assetNamed(settle[1] ?? '');
    const level = parseLevel(settle[2] ?? '');
    const when = lastTradingDay(settle[3] ?? '', settle[4], context);
    return asset === null || level === undefined || when === null ? null : { asset, kind: 'at', level, when };
  }
  const above = ABOVE.exec(question);
  if (above) {
    const asset = assetNamed(above[1] ?? '');
    const level = parseLevel(above[2] ?? '');
    const when = asset === null ? null : parseInstantOn(above[3] ?? '', asset, context);
    return asset === null || level === undefined || when === null ? null : { asset, kind: 'at', level, when };
  }
  const touched = TOUCH.exec(question);
  return touched ? parseTouch(touched, label, context) : null;
}

/**
 * Parses the title of an event together with a label: "What price will Bitcoin hit in May?" with "↑
 * 150,000".
 */
export function parseTitle(title: string, label: string, context: QuestionContext): ParsedQuestion | null {
  const level = parsePriceLabel(label);
  if (level === null) return null;
  const above = ABOVE.exec(title);
  if (above) {
    const parsed = parseQuestion(title, label, context);
    return parsed === null || parsed.level !== null ? null : { ...parsed, level };
  }
  const match = TOUCH_EVENT.exec(title);
  const asset = match ? assetNamed(match[1] ?? '') : null;
  const kind = parseArrow(label);
  const when = match ? parsePeriod(match[2] ?? '', context) : null;
  return asset === null || kind === null || when === null ? null : { asset, kind, level, when };
}

const SLUG_ABOVE = /^([a-z]+(?:-[a-z]+)?)-above-(?:(\d+(?:pt\d+)?[kmb]?)-)?on-(.+)$/;
const SLUG_TOUCH = /^will-([a-z]+(?:-[a-z]+)?)-(reach|dip-to)-(\d+(?:pt\d+)?[kmb]?)-(.+)$/;
const SLUG_EVENT = /^what-(?:price-)?will-([a-z]+(?:-[a-z]+)?)-hit-(.+)$/;

/**
 * Parses a slug when the recording has no title: "bitcoin-above-on-april-23",
 * "will-xrp-dip-to-0pt4-in-july-2026".
 */
export function parseSlug(slug: string, label: string, context: QuestionContext): ParsedQuestion | null {
  const own = parsePriceLabel(label);
  const above = SLUG_ABOVE.exec(slug);
  if (above) {
    const asset = assetNamed((above[1] ?? '').replace(/-/g, ' '));
    const level = above[2] === undefined ? own : parsePriceSlug(above[2]);
    const when = asset === null ? null : parseInstantOn((above[3] ?? '').replace(/-/g, ' '), asset, context, true);
    return asset === null || level === null || when === null ? null : { asset, kind: 'at', level, when };
  }
  const touched = SLUG_TOUCH.exec(slug);
  const event = touched ? null : SLUG_EVENT.exec(slug);
  const asset = assetNamed((touched?.[1] ?? event?.[1] ?? '').replace(/-/g, ' '));
  const level = touched ? parsePriceSlug(touched[3] ?? '') : own;
  const kind = touched ? (touched[2] === 'reach' ? 'high' : 'low') : parseArrow(label);
  const when = parsePeriod((touched?.[4] ?? event?.[2] ?? '').replace(/-/g, ' '), context);
  return asset === null || level === null || kind === null || when === null ? null : { asset, kind, level, when };
}
