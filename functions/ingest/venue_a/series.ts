import { cleanJson, cleanLabel, withoutKeys } from '../feeds/clean.ts';
import { isObject, read, setAside } from '../feeds/parse.ts';
import type { Json, SetAside } from '../listing.ts';
import { feeOf } from './listing.ts';
import { type WireSeries, wireSeries } from './schemas.ts';

/** A row of venue.put_series. */
export type ListedSeries = {
  series_id: string;
  title: string | null;
  category: string | null;
  fee: Json;
  sources: Json;
  payload: Json;
};

export type SeriesList = { byTicker: Map<string, WireSeries>; rows: ListedSeries[]; set_aside: SetAside[] };

/** The whole of GET /series: fees and settlement sources, which events inherit. */
export function readSeries(raw: readonly unknown[]): SeriesList {
  const list: SeriesList = { byTicker: new Map(), rows: [], set_aside: [] };
  for (const one of raw) {
    const series = read(wireSeries, one, 'series');
    if (!series.ok) {
      list.set_aside.push(setAside('series', isObject(one) ? one.ticker : undefined, series.code, series.detail, one));
      continue;
    }
    const { ticker, title, category, settlement_sources } = series.value;
    if (ticker.startsWith('KXMVE') || list.byTicker.has(ticker)) continue;
    list.byTicker.set(ticker, series.value);
    list.rows.push({
      series_id: ticker,
      title: cleanLabel(title),
      category: cleanLabel(category),
      fee: feeOf({}, series.value),
      sources: cleanJson(settlement_sources ?? null),
      payload: withoutKeys(cleanJson(one) as { [key: string]: Json }, (key) =>
        /^(volume|last_updated_ts|additional_prohibitions)/.test(key),
      ),
    });
  }
  return list;
}
