import { Pool } from '../_shared/pool/pool.ts';
import type { SqlValue } from '../_shared/pool/values.ts';
import type { BacktestSource } from './backtest/source.ts';
import type { ClockSegment } from './clock.ts';
import type { LevelSample } from './engine/level_sampler.ts';
import type { PriceUpdate } from './engine/price_update.ts';
import type { Quote } from './engine/quotes.ts';
import type { WatchedPair } from './engine/watch_list.ts';
import type { UnknownRow } from './feeds/unknown.ts';
import type { ConfirmedLeague } from './identity/names/registry_overlay.ts';
import { LimitedQueue } from './limited_queue.ts';
import type { ListingBatch, RejectedRow, VenueCode } from './listing.ts';
import type { ListedSeries } from './venue_a/series.ts';

/** A lease lasts 10 s, so a longer wait is useless. */
const QUERY_TIMEOUT_MS = 15_000;
/** Leaves time for a second renewal, on another connection, while the lease lives. */
const RENEWAL_TIMEOUT_MS = 4_000;
/**
 * For listings and matching. The server ends a statement of this role earlier
 * (sql/00_base_roles.sql).
 */
const LONG_QUERY_TIMEOUT_MS = 130_000;

/**
 * Three connections by default. One is for prices and leases, which must never wait. Two are for
 * the listings with the match pass and for the backtest, whose statements may take long. A
 * connection is opened when it is needed.
 */
export function connect(
  url: string,
  log: (line: string) => void,
  maxConnections = 3,
  requestId?: string,
  onQuery?: () => void,
): Pool {
  return new Pool({ url, name: 'parallax ingest', maxConnections, limitMs: QUERY_TIMEOUT_MS, log, requestId, onQuery });
}

const CLOCK_COLUMNS = `
  select (extract(epoch from s.real_from) * 1000)::float8 as real_from,
         (extract(epoch from s.market_from) * 1000)::float8 as market_from,
         s.rate::float8 as rate`;

/** What the holder of the backtest's lease does next (catalog.next_backtest_step). */
export type BacktestStep =
  | ({ step: 'read' } & BacktestSource)
  | { step: 'match'; scope: string }
  /** `wait`: the other venue of the scope is not read yet. */
  | { step: 'wait' }
  | { step: 'none'; scopes: number }
  | { step: 'lost' };

/** An alias that was confirmed or withdrawn (catalog.alias_changes). */
export type AliasChange = {
  version: number;
  alias_id: string;
  league: string;
  name: string;
  normalized: string;
  participant: string;
  state: 'confirmed' | 'withdrawn';
};

/** A league that was confirmed, or is confirmed no longer (catalog.league_changes). */
export type LeagueChange = {
  version: number;
  subject: string;
  state: 'confirmed' | 'refused' | 'postponed' | 'withdrawn';
  definition: ConfirmedLeague;
};

/**
 * The sweep of a venue and the cursor of its next page. attempts: how often this page was started.
 */
export type ResumedSweep = { sweep: string; cursor: string | null; attempts: number };
/**
 * `warm`: the caller reads the shard next to its holder. `ends`: because that holder ends, and not
 * because it has too many.
 */
export type Lease = { name: string; token: string; warm: boolean; ends: boolean };
export type FeedHeartbeat = {
  venue: VenueCode;
  last_message_ms: number | null;
  last_alive_ms: number | null;
  detail: string;
};

/**
 * All SQL of ingest, one method per function. JSON is sent as text, because the driver would encode
 * a string twice.
 */
export class IngestQueries {
  readonly #pool: Pool;
  /** Functions that this database does not have. Each is tried once and not every two seconds. */
  readonly #missingFunctions = new Set<string>();
  /**
   * Leaves a connection to prices and leases. Otherwise statements of the listings and of the
   * backtest could use all of them, for minutes when they wait for a lock or after a cut of the
   * network.
   */
  readonly #longQueries: LimitedQueue;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#longQueries = new LimitedQueue(Math.max(1, pool.maxConnections - 1));
  }

  /** Rejects where the database does not answer within `limitMs`. */
  async ping(limitMs: number): Promise<void> {
    await this.#pool.query('select 1', [], limitMs);
  }

  async segments(): Promise<ClockSegment[]> {
    return await this.#pool.query<ClockSegment>(`${CLOCK_COLUMNS} from clock.segments s order by s.real_from`);
  }

  async claimLeases(holder: string, prefix: string, limit: number, ttl: number, endsAt: Date | null): Promise<Lease[]> {
    return await this.#pool.sql<Lease>`
      select c.name, c.token::text as token, c.warm, c.ends
      from venue.claim_leases(${holder}::uuid, ${prefix}, ${limit}, ${`${ttl} seconds`}::interval, ${endsAt}::timestamptz) c`;
  }

  async takeOverLease(holder: string, name: string, ttl: number, endsAt: Date | null): Promise<string | null> {
    const [row] = await this.#pool.sql<{ token: string | null }>`
      select venue.take_over_lease(${holder}::uuid, ${name}, ${`${ttl} seconds`}::interval, ${endsAt}::timestamptz)::text as token`;
    return row?.token ?? null;
  }

  /** Returns the names that are still held. */
  async renewLeases(holder: string, tokens: Record<string, string>, ttl: number): Promise<string[]> {
    const rows = await this.#pool.query<{ name: string }>(
      'select r.name from venue.renew_leases($1::uuid, $2::text::jsonb, $3::interval) r',
      [holder, JSON.stringify(tokens), `${ttl} seconds`],
      RENEWAL_TIMEOUT_MS,
    );
    return rows.map((row) => row.name);
  }

  /** Returns how many of the leases have no successor yet. */
  async announceHandover(holder: string, tokens: Record<string, string>, endsAt: Date): Promise<number> {
    const [row] = await this.#pool.sql<{ unreserved: number }>`
      select venue.announce_handover(
        ${holder}::uuid, ${JSON.stringify(tokens)}::text::jsonb, ${endsAt}::timestamptz
      ) as unreserved`;
    return row?.unreserved ?? 0;
  }

  async releaseLeases(holder: string, tokens: Record<string, string>): Promise<void> {
    await this.#pool.sql`select venue.release_leases(${holder}::uuid, ${JSON.stringify(tokens)}::text::jsonb)`;
  }

  /** The watch list of these shards with its version. Null when the version has not changed. */
  async watchList(names: string[], version: string): Promise<{ version: string; pairs: WatchedPair[] } | null> {
    const [row] = await this.#pool.sql<{ version: string; pairs: WatchedPair[] | null }>`
      with requested as materialized (
        select array(select jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb)) as names
      ), current as materialized (
        select r.names, price.watch_list_version(r.names) as version from requested r
      )
      select c.version,
             case when c.version <> ${version} then (
               select coalesce(jsonb_agg(to_jsonb(l) - 'position' order by l.position), '[]')
               from (select row_number() over () as position, w.* from price.watch_list(c.names) w) l
             ) end as pairs
      from current c`;
    return row?.pairs ? { version: row.version, pairs: row.pairs } : null;
  }

  async apply(
    tokens: Record<string, string>,
    updates: readonly PriceUpdate[],
    quotes: readonly Quote[],
  ): Promise<{ applied: number; held: string[] }> {
    const [row] = await this.#pool.sql<{ result: { applied: number; held: string[] } }>`
      select pipeline.apply_books(
        ${JSON.stringify(tokens)}::text::jsonb, ${JSON.stringify(updates)}::text::jsonb, ${JSON.stringify(quotes)}::text::jsonb
      ) as result`;
    if (!row) throw new Error('pipeline.apply_books returned no row.');
    return row.result;
  }

  async storeLevels(tokens: Record<string, string>, samples: readonly LevelSample[]): Promise<void> {
    await this.#pool.sql`
      select price.store_levels(${JSON.stringify(tokens)}::text::jsonb, ${JSON.stringify(samples)}::text::jsonb)`;
  }

  /** Broadcasts committed publications. Returns false when the database has no such function. */
  broadcastPending(): Promise<boolean> {
    return this.#callIfPresent('stream.broadcast_pending', () => this.#pool.sql`select stream.broadcast_pending()`);
  }

  /** Publishes the best quotes that changed on channel best:all. */
  async publishBest(): Promise<void> {
    await this.#pool.sql`select stream.publish_best()`;
  }

  /** Gives committed publications to Centrifugo, where it carries the stream. */
  async relayPending(): Promise<void> {
    await this.#pool.sql`select stream.relay_pending()`;
  }

  /**
   * Records that the feeds are alive, and returns the market clock. Both are needed equally often,
   * and the call is what costs.
   */
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
    await this.#long('select venue.upsert_series($1, $2::text::jsonb)', [venue, JSON.stringify(rows)]);
  }

  async recordRejectedRows(venue: VenueCode, rows: readonly RejectedRow[]): Promise<void> {
    await this.#pool.sql`select venue.record_rejected_rows(${venue}, ${JSON.stringify(rows)}::text::jsonb)`;
  }

  async recordUnknownValues(venue: VenueCode, rows: readonly UnknownRow[]): Promise<void> {
    await this.#pool.sql`select venue.record_unknown_values(${venue}, ${JSON.stringify(rows)}::text::jsonb)`;
  }

  /** `sweep` is null for events that were read by id, outside a sweep. */
  async upsertListings(venue: VenueCode, sweep: string | null, batch: ListingBatch): Promise<void> {
    const values = [venue, sweep, JSON.stringify(batch)];
    await this.#long('select venue.upsert_listings($1, $2::bigint, $3::text::jsonb)', values);
  }

  /** Null when the last sweep ended less than `restSeconds` ago. */
  async resumeSweep(venue: VenueCode, restSeconds = 0): Promise<ResumedSweep | null> {
    const [row] = await this.#pool.sql<ResumedSweep>`
      select s.sweep::text as sweep, s.cursor, s.attempts
      from venue.resume_sweep(${venue}, ${`${restSeconds} seconds`}::interval) s`;
    return row ?? null;
  }

  async advanceSweep(venue: VenueCode, sweep: string, cursor: string | null, events: number): Promise<void> {
    await this.#pool.sql`select venue.advance_sweep(${venue}, ${sweep}::bigint, ${cursor}, ${events})`;
  }

  async finishSweep(venue: VenueCode, sweep: string): Promise<void> {
    await this.#long('select venue.finish_sweep($1, $2::bigint)', [venue, sweep]);
  }

  async recordSweepFailure(venue: VenueCode, reason: string): Promise<void> {
    await this.#pool.sql`select venue.record_sweep_failure(${venue}, ${reason})`;
  }

  async unsettledEvents(venue: VenueCode, limit: number): Promise<string[]> {
    const rows = await this.#pool.sql<{
      event_id: string;
    }>`select u.event_id from venue.unsettled_events(${venue}, ${limit}) u`;
    return rows.map((row) => row.event_id);
  }

  async aliasChanges(since: number, limit: number): Promise<AliasChange[]> {
    return await this.#pool.sql<AliasChange>`
      select c.version::float8 as version, c.alias_id::text as alias_id, c.league, c.name, c.normalized, c.participant,
             c.state
      from catalog.alias_changes(${since}::bigint, ${limit}::integer) c`;
  }

  /** The version of the last decision about a name or a league. */
  async registryVersion(): Promise<number> {
    const [row] = await this.#pool.sql<{ version: number }>`select catalog.registry_version()::float8 as version`;
    return row?.version ?? 0;
  }

  async leagueChanges(since: number): Promise<LeagueChange[]> {
    return await this.#pool.sql<LeagueChange>`
      select c.version::float8 as version, c.subject, c.state, c.definition
      from catalog.league_changes(${since}::bigint) c`;
  }

  /** `codes`: why the parsers do not apply a league, by its id. */
  async recordIgnoredLeagues(version: number, codes: { [league: string]: string }): Promise<void> {
    await this.#pool.sql`
      select catalog.record_ignored_leagues(${version}::bigint, ${JSON.stringify(codes)}::text::jsonb)`;
  }

  /** Open events to read again: an alias in their listing, or their league, has changed. */
  async aliasEvents(venue: VenueCode, version: number, limit: number): Promise<string[]> {
    const rows = await this.#long<{ event_id: string }>(
      'select e.event_id from catalog.alias_events($1, $2::bigint, $3::integer) e',
      [venue, version, limit],
    );
    return rows.map((row) => row.event_id);
  }

  /** `after`: the last event that was read again. Null when all were. */
  async recordAliasRead(venue: VenueCode, version: number, after: string | null): Promise<void> {
    await this.#pool.sql`select catalog.record_alias_read(${venue}, ${version}::bigint, ${after})`;
  }

  async nextBacktestStep(token: string, venue: VenueCode): Promise<BacktestStep> {
    const rows = await this.#long<{ step: BacktestStep }>('select catalog.next_backtest_step($1::bigint, $2) as step', [
      token,
      venue,
    ]);
    return rows[0]?.step ?? { step: 'none', scopes: 0 };
  }

  /** `stale`: the source is not at this page any more. `lost`: the lease is. */
  async storeBacktestPage(
    token: string,
    source: BacktestSource,
    batch: ListingBatch,
    cursor: string | null,
  ): Promise<'stored' | 'stale' | 'lost'> {
    const values = [token, JSON.stringify(source), JSON.stringify(batch), cursor];
    const rows = await this.#long<{ stored: 'stored' | 'stale' | 'lost' }>(
      'select catalog.store_backtest_page($1::bigint, $2::text::jsonb, $3::text::jsonb, $4) as stored',
      values,
    );
    return rows[0]?.stored ?? 'lost';
  }

  /** `skipped`: the worker that lost the lease is still matching. */
  async matchBacktest(token: string, scope: string): Promise<'matched' | 'skipped' | 'lost'> {
    const rows = await this.#long<{ result: { skipped?: boolean } | null }>(
      'select pipeline.match_backtest($1::bigint, $2) as result',
      [token, scope],
    );
    const result = rows[0]?.result ?? null;
    if (result === null) return 'lost';
    return result.skipped === true ? 'skipped' : 'matched';
  }

  async recordBacktestFailure(token: string, scope: string, reason: string): Promise<void> {
    await this.#pool.sql`select catalog.record_backtest_failure(${token}::bigint, ${scope}, ${reason})`;
  }

  /** Returns false when the database has no such function. */
  matchListings(): Promise<boolean> {
    return this.#callIfPresent('pipeline.match_listings', () => this.#long('select pipeline.match_listings()', []));
  }

  refreshStatuses(): Promise<boolean> {
    return this.#callIfPresent('pipeline.refresh_statuses', () => this.#long('select pipeline.refresh_statuses()', []));
  }

  async end(): Promise<void> {
    await this.#pool.end(2_000);
  }

  async #long<Row>(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return await this.#longQueries.run(() => this.#pool.query<Row>(text, values, LONG_QUERY_TIMEOUT_MS));
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
