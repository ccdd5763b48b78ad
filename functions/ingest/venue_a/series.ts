import { cleanJson, cleanLabel, withoutKeys } from '../feeds/clean.ts';
import { isObject, parseRecord, rejectedRow } from '../feeds/parse.ts';
import type { Json, RejectedRow } from '../listing.ts';
import { feeOf } from './listing.ts';
import { type RawSeries, rawSeries } from './schemas.ts';

/** A row of venue.upsert_series. */
export type ListedSeries = {
  series_id: string;
  title: string | null;
  category: string | null;
  fee: Json;
  sources: Json;
  payload: Json;
};

export type SeriesList = { byTicker: Map<string, RawSeries>; rows: ListedSeries[]; rejected: RejectedRow[] };

/** Parses GET /series: the fees and settlement sources that events inherit. */
export function parseSeries(raw: readonly unknown[]): SeriesList {
  const list: SeriesList = { byTicker: new Map(), rows: [], rejected: [] };
  for (const one of raw) {
    const series = parseRecord(rawSeries, one, 'series');
    if (!series.ok) {
      list.rejected.push(
        rejectedRow('series', isObject(one) ? one.ticker : undefined, series.code, series.detail, one),
      );
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
