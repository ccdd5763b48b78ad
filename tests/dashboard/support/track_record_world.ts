import type { Sql } from '../../../local/platform/postgres/template.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import type { TestDatabase } from '../../support/database.ts';
import { pagesOfRun } from './page.ts';
import { serveSite } from './site.ts';

/**
 * Stores records of nine months instead of all others: mostly as promised, with divergences, voids
 * and open ones. Each opportunity has 120 contracts of each leg for $117.588.
 */
export async function storeRecords(sql: Sql, isSettled = true): Promise<void> {
  await sql`truncate arb.track_records, arb.track_record_state cascade`;
  await sql`
    insert into arb.track_records (
      opportunity_id, pair_id, family, competition, title, opened_at, closed_at, served_at, size, total_cost, paid,
      settled_at
    )
    select md5('record ' || n)::uuid, md5('pair ' || n / 3)::uuid, f.family, f.competition, 'A vs B', t.at,
           t.at + n % 90 * interval '400 ms', t.at, 12000, 117588000, p.paid, case when p.paid is not null then t.at end
    from generate_series(1, 700) n
    cross join lateral (select timestamptz '2026-11-20Z' - (n * n % 270) * interval '1 day' as at) t
    cross join lateral (
      select (array['moneyline', 'moneyline', 'spread', 'total', 'crypto_above', 'weather_high'])[n % 6 + 1] as family,
             (array['NBA', 'Premier League', 'NFL', 'NHL', null, null])[n % 6 + 1] as competition
    ) f
    cross join lateral (
      select case
        when n % 11 = 0 or not ${isSettled} then null
        when n % 170 = 0 then 0
        when n % 90 = 0 then 118800000
        when n % 75 = 0 then 240000000
        else 120000000
      end as paid
    ) p`;
  await sql`select arb.update_track_record()`;
}

/** Serves the pages with an isolate of its own, because an isolate keeps the tallies. */
export async function serveTrackRecord(
  db: TestDatabase,
): Promise<{ base: string; api: RunningApi; close(): Promise<void> }> {
  const api = await serveApi(db.url('parallax_api'));
  const site = await serveSite((await pagesOfRun('dashboard')).folder, Number(new URL(api.base).port));
  return { base: site.base, api, close: () => Promise.all([site.close(), api.close()]).then(() => {}) };
}
