import type { Json } from '../../listing.ts';
import { allAgree, worstRulesState } from '../terms/terms.ts';
import { instantOfClock, parseClock } from '../text/clock.ts';
import { daysBetween, parseDate } from '../text/eastern.ts';
import { assetNamed } from './crypto_assets.ts';

/**
 * Settlement terms in the text of a price contract. A term that the text does not mention is null.
 */

const INDICES: readonly [RegExp, string, string][] = [
  [/cf benchmarks|\b[A-Z]{2,5}RTI\b|\bBRTI\b|\bERTI\b/i, 'cf_benchmarks', 'CF Benchmarks'],
  [/binance/i, 'binance', 'Binance'],
  [/chainlink/i, 'chainlink', 'Chainlink'],
  [/\bpyth\b/i, 'pyth', 'Pyth'],
  [/coinbase/i, 'coinbase', 'Coinbase'],
  [/\bCME\b|nymex|comex/i, 'cme', 'CME'],
  [/\bICE\b(?! cream)/, 'ice', 'ICE'],
];

const AVERAGES: readonly [RegExp, string][] = [
  [/trimmed mean/i, 'trimmed_mean'],
  [/sixty seconds|60[- ]second/i, '60_seconds'],
  [/1[- ]minute candle(?:stick)?[^.]*\bfinal "?close"?|close price of the 1[- ]minute candle/i, '1_minute_close'],
  [/1[- ]minute candle[^.]*\bfinal "?(?:high|low)"?/i, '1_minute_extreme'],
  [/1[- ]minute candle/i, '1_minute_close'],
  [/settle(?:ment)? price|\bsettles? (?:over|above|below)|official settlement/i, 'daily_settlement'],
];

/** Whether a text includes the level itself. Null when it does not state it. */
export function includesLevel(text: string): boolean | null {
  if (
    /equal to or (?:greater|higher|lower|less)|(?:greater|less) than or equal|at or (?:above|below)|\bat least\b/i.test(
      text,
    )
  )
    return true;
  return /\b(?:higher|greater|lower|less) than\b/i.test(text) ? false : null;
}

function firstMatch(text: string, known: readonly [RegExp, string][]): string | null {
  return known.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Returns the source that a text names first. Later ones are mostly named to exclude them. */
function parseIndex(text: string): { id: string; name: string } | null {
  const found = INDICES.map(([pattern, id, name]) => ({ id, name, at: text.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return found ?? null;
}

export type ExpectedSettlement = {
  asset: string;
  on_date: string | null;
  settles_at: string | null;
  direction: 'above' | 'below';
  comparison: string | null;
};

/** "CF Benchmarks' Bitcoin Real-Time Index", "for BTC/USDT": the asset of the price. */
const ASSET_PATTERNS = [/CF Benchmarks['’]? (\w+(?: \w+)?) Real-Time Index/i, /\b([A-Z]{2,6})\/?USDT?\b/];

/**
 * Whether the clock in a text is the hour of the fields. The day may be the one before or after,
 * because the clock may have another zone.
 */
function namesHour(rules: string, { on_date, settles_at }: ExpectedSettlement): boolean | null {
  const clock = parseClock(rules);
  if (clock === null || on_date === null || settles_at === null) return null;
  // An hour without a zone is not compared with an hour in New York.
  if (clock.zone.kind === 'none') return null;
  const days = [0, -1, 1].map((shift) => new Date(Date.parse(on_date) + shift * 86_400_000).toISOString().slice(0, 10));
  return days.some((day) => instantOfClock(day, clock, null)?.slice(0, 13) === settles_at.slice(0, 13));
}

/**
 * Whether the text agrees with asset, day, hour and direction of the fields. Null when it mentions
 * none of them.
 */
function fieldsAgree(rules: string, settles: ExpectedSettlement): boolean | null {
  const checks: boolean[] = [];
  const { on_date } = settles;
  if (on_date !== null) {
    const day = parseDate(rules, null);
    if (day !== null)
      checks.push(day === on_date || (Math.abs(daysBetween(day, on_date)) === 1 && namesHour(rules, settles) === true));
    const hour = namesHour(rules, settles);
    if (hour !== null) checks.push(hour);
  }
  for (const pattern of ASSET_PATTERNS) {
    const named = assetNamed(pattern.exec(rules)?.[1] ?? '');
    if (named !== null) checks.push(named.id === settles.asset);
  }
  const candle = /final "?(high|low)"? price/i.exec(rules)?.[1]?.toLowerCase();
  if (candle !== undefined) checks.push((candle === 'high') === (settles.direction === 'above'));
  return checks.length === 0 ? null : checks.every(Boolean);
}

/**
 * The words of a listing: the rules, the texts of all contracts, the titles, and the names of its
 * sources.
 */
export type ListingTexts = {
  rules: string | null;
  texts: readonly string[];
  titles: string;
  sources: readonly string[];
};

export function cryptoTerms(
  { rules, texts, titles, sources }: ListingTexts,
  settles: ExpectedSettlement,
): { [key: string]: Json } {
  const words = `${rules ?? ''}\n${titles}`;
  const index = parseIndex(rules ?? '') ?? parseIndex(sources.join('\n'));
  return {
    rules: worstRulesState(texts),
    index: index?.id ?? null,
    sources: index === null ? [] : [index.name],
    averaging: firstMatch(words, AVERAGES),
    comparison: settles.comparison,
    contract: /using the ([A-Z]{2,6}[FGHJKMNQUVXZ]\d{1,2}) contract/.exec(rules ?? '')?.[1] ?? null,
    settles_at: settles.settles_at,
    early_close: /immediately resolve|(?:close|expire)[^.]*\bearly\b[^.]*\b(?:if|once|when) the event/i.test(words)
      ? 'event'
      : null,
    fields_agree: allAgree(texts.map((text) => fieldsAgree(text, settles))),
  };
}
