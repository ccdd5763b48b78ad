import { Pool } from '../_shared/pool/pool.ts';
import type { ClockSegment } from './clock.ts';
import type { PriceUpdate } from './engine/price_update.ts';
import type { Quote } from './engine/quotes.ts';
import type { WatchedPair } from './engine/watch_list.ts';
import type { ListingBatch, RejectedRow, VenueCode } from './listing.ts';
import type { ListedSeries } from './venue_a/series.ts';

/** As long as a lease, and a little. */
const QUERY_TIMEOUT_MS = 15_000;
/** Listings and what is made of them: the server ends a statement of this role before (sql/00_base_roles.sql). */
const LONG_QUERY_TIMEOUT_MS = 130_000;

/** Two connections as a rule: one for prices and leases, which must never wait, and one for listings and the match pass, which may be long. */
export function connect(url: string, log: (line: string) => void, maxConnections = 2, requestId?: string): Pool {
  return new Pool({ url, name: 'parallax ingest', maxConnections, limitMs: QUERY_TIMEOUT_MS, log, requestId });
}

const CLOCK_COLUMNS = `
  select (extract(epoch from s.real_from) * 1000)::float8 as real_from,
         (extract(epoch from s.market_from) * 1000)::float8 as market_from,
         s.rate::float8 as rate`;

export type Lease = { name: string; token: string; warm: boolean };
export type FeedHeartbeat = {
  venue: VenueCode;
  last_message_ms: number | null;
  last_alive_ms: number | null;
  detail: string;
};

/** The doors of the database that ingest may use, one method each. JSON goes as text: the driver would write a string twice. */
export class IngestQueries {
  readonly #pool: Pool;
  /** Functions that this database does not have, so that each is named once and not every two seconds. */
  readonly #missingFunctions = new Set<string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async segments(): Promise<ClockSegment[]> {
    return await this.#pool.query<ClockSegment>(`${CLOCK_COLUMNS} from clock.segments s order by s.real_from`);
  }

  async claimLeases(holder: string, prefix: string, most: number, ttl: number, endsAt: Date | null): Promise<Lease[]> {
    return await this.#pool.sql<Lease>`
      select c.name, c.token::text as token, c.warm
      from venue.claim_leases(${holder}::uuid, ${prefix}, ${most}, ${`${ttl} seconds`}::interval, ${endsAt}::timestamptz) c`;
  }

  async takeOverLease(holder: string, name: string, ttl: number, endsAt: Date | null): Promise<string | null> {
    const [row] = await this.#pool.sql<{ token: string | null }>`
      select venue.take_over_lease(${holder}::uuid, ${name}, ${`${ttl} seconds`}::interval, ${endsAt}::timestamptz)::text as token`;
    return row?.token ?? null;
  }

  /** The names that are still held. */
  async renewLeases(holder: string, tokens: Record<string, string>, ttl: number): Promise<Set<string>> {
    const rows = await this.#pool.sql<{ name: string }>`
      select r.name
      from venue.renew_leases(${holder}::uuid, ${JSON.stringify(tokens)}::text::jsonb, ${`${ttl} seconds`}::interval) r`;
    return new Set(rows.map((row) => row.name));
  }

  async announceHandover(holder: string, tokens: Record<string, string>, endsAt: Date): Promise<void> {
    await this.#pool.sql`
      select venue.announce_handover(${holder}::uuid, ${JSON.stringify(tokens)}::text::jsonb, ${endsAt}::timestamptz)`;
  }

  async releaseLeases(holder: string, tokens: Record<string, string>): Promise<void> {
    await this.#pool.sql`select venue.release_leases(${holder}::uuid, ${JSON.stringify(tokens)}::text::jsonb)`;
  }

  /** The watch list of these slices with its fingerprint; null while the fingerprint is still `version`. */
  async watchList(names: string[], version: string): Promise<{ version: string; pairs: WatchedPair[] } | null> {
    const [row] = await this.#pool.sql<{ version: string; pairs: WatchedPair[] | null }>`
      with asked as materialized (
        select array(select jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb)) as names
      ), print as materialized (
        select a.names, price.watch_list_version(a.names) as version from asked a
      )
      select p.version,
             case when p.version <> ${version} then (
               select coalesce(jsonb_agg(to_jsonb(l) - 'place' order by l.place), '[]')
               from (select row_number() over () as place, w.* from price.watch_list(p.names) w) l
             ) end as pairs
      from print p`;
    return row?.pairs ? { version: row.version, pairs: row.pairs } : null;
  }

  async apply(
    tokens: Record<string, string>,
    frames: readonly PriceUpdate[],
    quotes: readonly Quote[],
  ): Promise<{ applied: number; held: string[] }> {
    const [row] = await this.#pool.sql<{ answer: { applied: number; held: string[] } }>`
      select pipeline.apply_books(
        ${JSON.stringify(tokens)}::text::jsonb, ${JSON.stringify(frames)}::text::jsonb, ${JSON.stringify(quotes)}::text::jsonb
      ) as answer`;
    if (!row) throw new Error('pipeline.apply_books gave no answer.');
    return row.answer;
  }

  /** Sends what was committed to those who listen. Returns false where the database does not have it. */
  broadcastPending(): Promise<boolean> {
    return this.#callIfPresent('stream.broadcast_pending', () => this.#pool.sql`select stream.broadcast_pending()`);
  }

  /** Says that the feeds live and brings the market clock back: both are due as often, and a call is what costs. */
  async heartbeat(source: string, feeds: readonly FeedHeartbeat[]): Promise<ClockSegment[]> {
    const rows = await this.#pool.query<Partial<ClockSegment>>(
      `${CLOCK_COLUMNS}
      from (select venue.heartbeat($1, $2::text::jsonb)) b
      left join clock.segments s on true
      order by s.real_from`,
      [source, JSON.stringify(feeds)],
    );
    return rows.filter((row): row is ClockSegment => row.real_from !== null);
  }

  async upsertSeries(venue: VenueCode, rows: readonly ListedSeries[]): Promise<void> {
    await this.#pool.query(
      'select venue.upsert_series($1, $2::text::jsonb)',
      [venue, JSON.stringify(rows)],
      LONG_QUERY_TIMEOUT_MS,
    );
  }

  async recordRejectedRows(venue: VenueCode, rows: readonly RejectedRow[]): Promise<void> {
    await this.#pool.sql`select venue.record_rejected_rows(${venue}, ${JSON.stringify(rows)}::text::jsonb)`;
  }

  /** `sweep` null: events read by name, outside a walk. */
  async upsertListings(venue: VenueCode, sweep: string | null, batch: ListingBatch): Promise<void> {
    const values = [venue, sweep, JSON.stringify(batch)];
    await this.#pool.query(
      'select venue.upsert_listings($1, $2::bigint, $3::text::jsonb)',
      values,
      LONG_QUERY_TIMEOUT_MS,
    );
  }

  /** Null while the last sweep ended less than `restSeconds` ago. */
  async resumeSweep(venue: VenueCode, restSeconds = 0): Promise<{ sweep: string; cursor: string | null } | null> {
    const [row] = await this.#pool.sql<{ sweep: string; cursor: string | null }>`
      select s.sweep::text as sweep, s.cursor
      from venue.resume_sweep(${venue}, ${`${restSeconds} seconds`}::interval) s`;
    return row ?? null;
  }

  async advanceSweep(venue: VenueCode, sweep: string, cursor: string | null, events: number): Promise<void> {
    await this.#pool.sql`select venue.advance_sweep(${venue}, ${sweep}::bigint, ${cursor}, ${events})`;
  }

  async finishSweep(venue: VenueCode, sweep: string): Promise<void> {
    await this.#pool.query('select venue.finish_sweep($1, $2::bigint)', [venue, sweep], LONG_QUERY_TIMEOUT_MS);
  }

  async recordSweepFailure(venue: VenueCode, why: string): Promise<void> {
    await this.#pool.sql`select venue.record_sweep_failure(${venue}, ${why})`;
  }

  async unsettledEvents(venue: VenueCode, most: number): Promise<string[]> {
    const rows = await this.#pool.sql<{
      event_id: string;
    }>`select u.event_id from venue.unsettled_events(${venue}, ${most}) u`;
    return rows.map((row) => row.event_id);
  }

  /** Returns false where the database does not have it. */
  matchListings(): Promise<boolean> {
    return this.#callIfPresent('pipeline.match_listings', () =>
      this.#pool.query('select pipeline.match_listings()', [], LONG_QUERY_TIMEOUT_MS),
    );
  }

  refreshStatuses(): Promise<boolean> {
    return this.#callIfPresent('pipeline.refresh_statuses', () =>
      this.#pool.query('select pipeline.refresh_statuses()', [], LONG_QUERY_TIMEOUT_MS),
    );
  }

  async end(): Promise<void> {
    await this.#pool.end(2_000);
  }

  async #callIfPresent(name: string, call: () => PromiseLike<unknown>): Promise<boolean> {
    if (this.#missingFunctions.has(name)) return false;
    try {
      await call();
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === '42883')) throw error;
      this.#missingFunctions.add(name);
      return false;
    }
  }
}
