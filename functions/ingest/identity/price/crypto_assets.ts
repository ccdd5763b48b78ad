import file from '../registry/assets.json' with { type: 'json' };
import { normalize } from '../text/text.ts';

/** Coins and commodities, as data; a name that is not in it is unknown. */
export type Asset = {
  id: string;
  name: string;
  category: string;
  /** What follows KX in venue_a's series. */
  venue_a: string[];
  names: string[];
  /** Tickers as venue_b puts them in brackets: "Gold (XAUUSD)". They decide where a name could mean several prices. */
  symbols: string[];
};

const ASSETS: readonly Asset[] = file.assets;
const byName = new Map(ASSETS.flatMap((asset) => asset.names.map((name) => [normalize(name), asset] as const)));
const bySymbol = new Map(ASSETS.flatMap((asset) => asset.symbols.map((symbol) => [symbol, asset] as const)));
const byCode = new Map(ASSETS.flatMap((asset) => asset.venue_a.map((code) => [code, asset] as const)));

/** "Bitcoin", "Gold (XAUUSD)", "WTI Crude Oil (WTI)". A symbol that is not known leaves nothing known. */
export function assetNamed(name: string): Asset | null {
  const match = /^(?:the price of )?(.+?)(?: ?\((\w+)\))?$/i.exec(name.trim());
  if (match?.[2] !== undefined) return bySymbol.get(match[2].toLowerCase()) ?? null;
  return byName.get(normalize(match?.[1] ?? '')) ?? null;
}

export type Cadence = 'at' | 'high' | 'low';

const SERIES = /^KX([A-Z]+?)(?:(MAX|MIN)(MON|M|Y|W|D)?|(D\d{2}|D|H|W|MON|MONTHLY|DIR[YMWD]))?$/;

/** "KXBTCD" asks for a price at an hour, "KXBTCMAXMON" for a month's high; ranges and quarter hours are other questions. */
export function priceSeries(series: string): { asset: Asset; kind: Cadence; span: string | null } | null {
  const match = SERIES.exec(series);
  const asset = byCode.get(match?.[1] ?? '');
  if (!match || asset === undefined) return null;
  if (match[2] === undefined) return { asset, kind: 'at', span: match[4] ?? null };
  return { asset, kind: match[2] === 'MAX' ? 'high' : 'low', span: match[3] ?? null };
}
