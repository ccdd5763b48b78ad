import file from '../registry/assets.json' with { type: 'json' };
import { normalize } from '../text/text.ts';

/** Coins and commodities, as data. A name that is not in it is unknown. */
export type Asset = {
  id: string;
  name: string;
  category: string;
  /** The code after KX in series of venue_a. */
  venue_a: string[];
  names: string[];
  /**
   * Symbols that venue_b writes in brackets: "Gold (XAUUSD)". They decide where a name could mean
   * several prices.
   */
  symbols: string[];
};

const ASSETS: readonly Asset[] = file.assets;
const byName = new Map(ASSETS.flatMap((asset) => asset.names.map((name) => [normalize(name), asset] as const)));
const bySymbol = new Map(ASSETS.flatMap((asset) => asset.symbols.map((symbol) => [symbol, asset] as const)));
const byCode = new Map(ASSETS.flatMap((asset) => asset.venue_a.map((code) => [code, asset] as const)));

/**
 * Parses "Bitcoin", "Gold (XAUUSD)" or "WTI Crude Oil (WTI)". An unknown symbol gives null, even
 * with a known name.
 */
export function assetNamed(name: string): Asset | null {
  const match = /^(?:the price of )?(.+?)(?: ?\((\w+)\))?$/i.exec(name.trim());
  if (match?.[2] !== undefined) return bySymbol.get(match[2].toLowerCase()) ?? null;
  return byName.get(normalize(match?.[1] ?? '')) ?? null;
}

export type Cadence = 'at' | 'high' | 'low';

const SERIES = /^KX([A-Z]+?)(?:(MAX|MIN)(MON|M|Y|W|D)?|(D\d{2}|D|H|W|MON|MONTHLY|DIR[YMWD]))?$/;

/**
 * "KXBTCD" asks for a price at an hour, "KXBTCMAXMON" for the high of a month. Ranges and quarter
 * hours are other questions.
 */
export function priceSeries(series: string): { asset: Asset; kind: Cadence; span: string | null } | null {
  const match = SERIES.exec(series);
  const asset = byCode.get(match?.[1] ?? '');
  if (!match || asset === undefined) return null;
  if (match[2] === undefined) return { asset, kind: 'at', span: match[4] ?? null };
  return { asset, kind: match[2] === 'MAX' ? 'high' : 'low', span: match[3] ?? null };
}
