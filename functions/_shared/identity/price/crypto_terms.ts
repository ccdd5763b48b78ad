import type { Json } from '../../listing.ts';
import { agreed, rulesStates } from '../terms/terms.ts';
import { dateInText, easternInstant } from '../text/eastern.ts';
import { assetNamed } from './crypto_assets.ts';

/** What a price contract's own text says of its settlement; a term that it does not speak of is null. */

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

/** Does a text take the level itself in? null where it does not say. */
export function takesLevelIn(said: string): boolean | null {
  if (
    /equal to or (?:greater|higher|lower|less)|(?:greater|less) than or equal|at or (?:above|below)|\bat least\b/i.test(
      said,
    )
  )
    return true;
  return /\b(?:higher|greater|lower|less) than\b/i.test(said) ? false : null;
}

function first(said: string, known: readonly [RegExp, string][]): string | null {
  return known.find(([pattern]) => pattern.test(said))?.[1] ?? null;
}

/** The source that a text names first: a later one is mostly named to be ruled out. */
function indexOf(said: string): { id: string; name: string } | null {
  const found = INDICES.map(([pattern, id, name]) => ({ id, name, at: said.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return found ?? null;
}

/** "before 5 PM EDT", "12:00 in the ET timezone", "at 2:30 PM ET": hour and minute on New York's clock. */
export function clockIn(said: string): { hour: number; minute: number } | null {
  const named = /\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b/i.exec(said);
  if (named) {
    const hour = (Number(named[1]) % 12) + (named[3]?.toLowerCase() === 'pm' ? 12 : 0);
    return { hour, minute: Number(named[2] ?? 0) };
  }
  const noon = /\b(\d{1,2}):(\d{2}) in the ET/i.exec(said);
  return noon ? { hour: Number(noon[1]), minute: Number(noon[2]) } : null;
}

export type Settles = {
  asset: string;
  on_date: string | null;
  settles_at: string | null;
  direction: 'above' | 'below';
  comparison: string | null;
};

/** "CF Benchmarks' Bitcoin Real-Time Index", "for BTC/USDT", "a barrel of West Texas Intermediate": what the price is of. */
const ASSET_SAID = [/CF Benchmarks['’]? (\w+(?: \w+)?) Real-Time Index/i, /\b([A-Z]{2,6})\/?USDT?\b/];

/** Does the text speak of the asset, the day, the hour and the direction that the fields name? null where it says nothing of them. */
function fieldsAgree(rules: string, settles: Settles, instantAt: (hour: number) => string | null): boolean | null {
  const checks: boolean[] = [];
  const { on_date, settles_at } = settles;
  if (on_date !== null) {
    const day = dateInText(rules, null);
    if (day !== null) checks.push(day === on_date);
    const clock = clockIn(rules);
    if (clock !== null && settles_at !== null)
      checks.push(instantAt(clock.hour)?.slice(0, 13) === settles_at.slice(0, 13));
  }
  for (const pattern of ASSET_SAID) {
    const named = assetNamed(pattern.exec(rules)?.[1] ?? '');
    if (named !== null) checks.push(named.id === settles.asset);
  }
  const candle = /final "?(high|low)"? price/i.exec(rules)?.[1]?.toLowerCase();
  if (candle !== undefined) checks.push((candle === 'high') === (settles.direction === 'above'));
  return checks.length === 0 ? null : checks.every(Boolean);
}

/** The listing's own words: a contract's text and those of all, what it is called, and the names of its sources. */
export type Said = { rules: string | null; texts: readonly string[]; titles: string; sources: readonly string[] };

export function cryptoTerms({ rules, texts, titles, sources }: Said, settles: Settles): { [key: string]: Json } {
  const said = `${rules ?? ''}\n${titles}`;
  const instants = new Map<number, string | null>();
  // Hundreds of rungs name one hour, and New York's clock is slow to ask.
  const instantAt = (hour: number): string | null => {
    const known = instants.get(hour);
    if (known !== undefined) return known;
    const at = settles.on_date === null ? null : easternInstant(settles.on_date, hour, 0);
    instants.set(hour, at);
    return at;
  };
  const index = indexOf(rules ?? '') ?? indexOf(sources.join('\n'));
  return {
    rules: rulesStates(texts),
    index: index?.id ?? null,
    sources: index === null ? [] : [index.name],
    averaging: first(said, AVERAGES),
    comparison: settles.comparison,
    contract: /using the ([A-Z]{2,6}[FGHJKMNQUVXZ]\d{1,2}) contract/.exec(rules ?? '')?.[1] ?? null,
    settles_at: settles.settles_at,
    early_close: /immediately resolve|(?:close|expire)[^.]*\bearly\b[^.]*\b(?:if|once|when) the event/i.test(said)
      ? 'event'
      : null,
    fields_agree: agreed(texts.map((text) => fieldsAgree(text, settles, instantAt))),
  };
}
