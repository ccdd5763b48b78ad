import { withRequestId } from '../_shared/http/request_id.ts';
import { ConnectionFailed } from '../_shared/pool/failure.ts';
import { Pool } from '../_shared/pool/pool.ts';
import type { SqlValue } from '../_shared/pool/values.ts';
import type { CountedConnection } from './carrier/nodes.ts';
import { ConcurrencyLimit } from './http/concurrency_limit.ts';
import { unavailable } from './http/errors.ts';
import { FairQueue } from './http/fair_queue.ts';
import type { RateState } from './http/rate.ts';
import type { SessionClaims } from './http/session.ts';
import { isUnavailable } from './is_unavailable.ts';
import { KeyOrgs } from './key_orgs.ts';
import type { LeaseRow, ReturnedLease } from './leases/lease_row.ts';
import type { Rendered, ReplicaReader } from './replica.ts';

const CALL_TIMEOUT_MS = 7_000;
/** Of queries without a key, which must not keep a connection from customers. */
const PUBLIC_TIMEOUT_MS = 1_500;
/** With the 7 s of the call that follows, below the 10 s in which a container ends. */
const LOOKUP_TIMEOUT_MS = 2_500;
const MAX_CONCURRENT = 200;
/**
 * Questions of the nodes of Centrifugo that wait at once, and how long: a node gives up after 5 s.
 * When its clients all come back, a question that is refused costs its client another ticket.
 */
const MAX_CARRIER_QUESTIONS = 4_000;
export const CARRIER_TIMEOUT_MS = 4_000;
/**
 * The party of the nodes of Centrifugo. It is preferred: with one turn among many organizations,
 * their tickets would be issued faster than used, and expire.
 */
const CARRIER = 'Centrifugo';
/** What a request has at least left for the primary after a replica. */
const MIN_FALLBACK_MS = 1_000;
/** The status of api.call_data_route where a replica may render the body. */
const DEFERRED = 100;

export function connect(
  url: string,
  log: (line: string) => void,
  maxConnections = 4,
  name: 'parallax api' | 'parallax api read' = 'parallax api',
): Pool {
  return new Pool({ url, name, maxConnections, limitMs: CALL_TIMEOUT_MS, log });
}

/**
 * A row of api.call_response (sql/83_api.sql). The counts are null where the key is unknown.
 * version, as_of and max_age_ms are null for an action route.
 */
export type ResponseRow = { [Field in keyof RateState]: RateState[Field] | null } & {
  /** The largest request lease of the organization, 0 for none. */
  lease_limit: number | null;
  status: number;
  code: string | null;
  version: string | null;
  body: string | null;
  as_of: string | null;
  max_age_ms: number | null;
};

/**
 * The caller: the holder of a key (SHA-256, lower-case hex), or a signed-in person for one of their
 * organizations.
 */
export type Caller = { keyHash: string } | { userId: string; session: SessionClaims; orgId: string };

type RouteCall = {
  /** Goes into the comment before the statement. */
  requestId: string;
  route: string;
  params: unknown;
  /** The parameters were rejected: the database runs admission only. */
  isInvalid: boolean;
};

export type ActionCall = RouteCall & { caller: Caller };

type WatchCall = { requestId: string; keyHash: string; pairs: readonly string[] };

export type DataCall = RouteCall & {
  keyHash: string;
  /** Version of the body in the cache of this isolate. */
  cachedVersion: string | undefined;
  /** Versions in the client's If-None-Match; `*` matches any. */
  clientVersions: readonly string[];
  /** The request is a HEAD. */
  isHead: boolean;
};

/** A result of api.get_sample. `left_ms`: until the next step. */
export type SampleRow = { version: string; as_of: string; left_ms: number; body: string };

/** A result of api.get_track_record. `rows`: JSON text, null where the caller has this version. */
export type TrackRecordRow = {
  version: string;
  source: string | null;
  updated_at: string | null;
  since: string | null;
  rows: string | null;
};

/**
 * A result of stream.open_carried_connection. `expires_at`: epoch seconds. `others`: connections of
 * the organization that may have ended.
 */
export type CarriedConnection =
  | { refused?: undefined; org_id: string; expires_at: number; channels: string[] }
  | { refused: 'ticket' | 'key' | 'plan' }
  | { refused: 'cap'; org_id: string; others: CountedConnection[] };

type CarrierCall = { requestId: string; connection: string; node: string };

export type Health = { now: string; venues: Record<string, unknown> | null };

/**
 * One method for each SQL function that the routes call. Throws ApiError 503 where the database
 * does not answer in time.
 */
export class ApiQueries {
  readonly #pool: Pool;
  readonly #replica: ReplicaReader | undefined;
  readonly #limit = new ConcurrencyLimit(MAX_CONCURRENT);
  readonly #carrierLimit = new ConcurrencyLimit(MAX_CARRIER_QUESTIONS);
  readonly #queue: FairQueue;
  readonly #keyOrgs = new KeyOrgs((keyHashes) => this.#findKeyOrgs(keyHashes));

  constructor(pool: Pool, replica?: ReplicaReader) {
    this.#pool = pool;
    this.#replica = replica;
    this.#queue = new FairQueue(pool.maxConnections, CARRIER);
  }

  /**
   * Runs one request of a data route: admission, then the body. The body is null where a version
   * that the isolate or the client has is current.
   */
  async callDataRoute(call: DataCall): Promise<ResponseRow> {
    return await this.#runForKey(call.keyHash, (orgId) => this.#readDataRoute(orgId, call));
  }

  /**
   * With a replica, the primary names the version of the body, and the replica renders it at this
   * version. Then the primary admits the request as if this isolate had cached that body: where a
   * step came in between, or the replica gave nothing, the primary renders.
   */
  async #readDataRoute(orgId: string, call: DataCall): Promise<ResponseRow> {
    const startedAt = performance.now();
    const replica = this.#replica;
    const mayDefer = replica?.isInUse === true;
    const row = await this.#queryInTurn(orgId, call.requestId, dataCallStatement(call, mayDefer));
    if (replica === undefined || row.version === null) return row;
    const versioned = { ...call, version: row.version };
    if (row.status !== DEFERRED) {
      if (row.status === 200 && call.route !== PRIMARY_ROUTE) replica.probe(versioned);
      return row;
    }
    const rendered = await replica.render(orgId, versioned);
    const held = { ...call, cachedVersion: rendered?.version ?? call.cachedVersion };
    const leftMs = Math.max(MIN_FALLBACK_MS, CALL_TIMEOUT_MS - (performance.now() - startedAt));
    return withBody(await this.#queryInTurn(orgId, call.requestId, dataCallStatement(held), leftMs), rendered);
  }

  /** Runs one request of an action route: admission, then the action. */
  async callActionRoute(call: ActionCall): Promise<ResponseRow> {
    const { caller, requestId } = call;
    const statement = actionCallStatement(call);
    if ('keyHash' in caller) return await this.#callWithKey(requestId, caller.keyHash, statement);
    return await this.#queryOne(`person ${caller.userId}`, requestId, statement);
  }

  /** Returns an ended request lease and grants the next one. */
  async leaseRequests(keyHash: string, wanted: number, returned: ReturnedLease | undefined): Promise<LeaseRow> {
    const ended = returned ? [returned.leaseId, returned.unusedWindow, returned.unusedMonth] : [null, 0, 0];
    const orgId = await this.orgOf(keyHash);
    // A party of its own, so that it does not wait behind the requests that wait for it.
    return await this.#queryOne<LeaseRow>(`leases of ${orgId}`, undefined, {
      text: 'select * from api.lease_requests($1, $2, $3, $4, $5)',
      values: [byteaOf(keyHash), wanted, ...ended],
      limitMs: LOOKUP_TIMEOUT_MS,
    });
  }

  /** Ends a request lease. */
  async returnRequests({ leaseId, unusedWindow, unusedMonth }: ReturnedLease): Promise<void> {
    const values = [leaseId, unusedWindow, unusedMonth];
    await this.#query('select account.return_requests($1, $2, $3)', values, PUBLIC_TIMEOUT_MS);
  }

  /** Starts to watch markets. This is the one counted request of a watch_markets call. */
  async startWatch({ requestId, keyHash, pairs, isInvalid }: WatchCall & { isInvalid: boolean }): Promise<ResponseRow> {
    return await this.#callWithKey(requestId, keyHash, {
      text: 'select * from api.start_market_watch($1, $2, $3)',
      values: [byteaOf(keyHash), pairs, isInvalid],
    });
  }

  /**
   * The frames since the last read of a running watch_markets, as JSON text. `places`: the channel
   * positions that the last read returned.
   */
  async continueWatch({ requestId, keyHash, pairs, places }: WatchCall & { places: unknown }): Promise<string> {
    const orgId = await this.orgOf(keyHash);
    if (orgId === undefined) return JSON.stringify({ ended: UNKNOWN_KEY.code });
    const { body } = await this.#queryOne<{ body: string }>(orgId, requestId, {
      text: 'select api.continue_market_watch($1, $2, $3)::text as body',
      values: [byteaOf(keyHash), pairs, JSON.stringify(places ?? {})],
    });
    return body;
  }

  /**
   * The tallies of the track record. Not counted in the limit of concurrent requests, because it
   * needs no key: the caller sends one at a time.
   */
  async trackRecord(requestId: string, heldVersion: string | null): Promise<TrackRecordRow> {
    const text = withRequestId('select * from api.get_track_record($1)', requestId);
    const [row] = await this.#query<TrackRecordRow>(text, [heldVersion], PUBLIC_TIMEOUT_MS);
    if (!row) throw new Error('the database returned no row');
    return row;
  }

  /** Uses a ticket at a node of Centrifugo. `absent`: see stream.open_carried_connection. */
  async openCarriedConnection(
    call: CarrierCall & { ticketHash: string; absent: readonly string[] | null },
    limitMs?: number,
  ): Promise<CarriedConnection> {
    const values = [byteaOf(call.ticketHash), call.connection, call.node, call.absent];
    const text = 'stream.open_carried_connection($1, $2, $3, $4)';
    return await this.#askForCarrier(call.requestId, text, values, limitMs);
  }

  /** Renews the lease of a connection of Centrifugo. */
  async renewCarriedConnection({
    requestId,
    connection,
    node,
  }: CarrierCall): Promise<{ refused?: undefined; expires_at: number } | { refused: string }> {
    return await this.#askForCarrier(requestId, 'stream.renew_carried_connection($1, $2)', [connection, node]);
  }

  async #askForCarrier<T>(
    requestId: string,
    call: string,
    values: readonly SqlValue[],
    limitMs = CARRIER_TIMEOUT_MS,
  ): Promise<T> {
    const statement = { text: `select ${call}::text as answer`, values };
    const ask = () => this.#queryInTurn<{ answer: string }>(CARRIER, requestId, statement, limitMs);
    const { answer } = await asAvailable(this.#carrierLimit.run(CARRIER, ask));
    return JSON.parse(answer) as T;
  }

  /** The markets of the sample. Like the track record, it needs no key: one at a time. */
  async sample(requestId: string): Promise<SampleRow> {
    const text = withRequestId('select * from api.get_sample()', requestId);
    const [row] = await this.#query<SampleRow>(text, [], PUBLIC_TIMEOUT_MS);
    if (!row) throw new Error('the database returned no row');
    return row;
  }

  /** Rejects where the snapshot cannot be read within 1.5 s. It may be empty. */
  async checkSnapshot(): Promise<void> {
    await this.#pool.query('select from price.snapshot_rows limit 1', [], PUBLIC_TIMEOUT_MS);
  }

  /** All metrics of the service as OpenMetrics text. */
  async metrics(requestId: string): Promise<string> {
    const statement = { text: 'select ops.render_openmetrics() as body', values: [] };
    return (await this.#queryOne<{ body: string }>('operator', requestId, statement)).body;
  }

  /**
   * The organization of a key, which decides the share of a request; undefined where the key is
   * unknown or revoked. It does not admit.
   */
  async orgOf(keyHash: string): Promise<string | undefined> {
    return await this.#keyOrgs.orgOf(keyHash);
  }

  async #findKeyOrgs(keyHashes: readonly string[]): Promise<Map<string, string>> {
    const text = 'select hash, org_id from account.find_key_orgs($1)';
    const rows = await this.#query<{ hash: string; org_id: string }>(text, [keyHashes], LOOKUP_TIMEOUT_MS);
    return new Map(rows.map(({ hash, org_id }) => [hash, org_id]));
  }

  async #callWithKey(requestId: string, keyHash: string, statement: Statement): Promise<ResponseRow> {
    return await this.#runForKey(keyHash, (orgId) => this.#queryInTurn(orgId, requestId, statement));
  }

  /** Runs `work` in a place of the key's organization. The work reports a key that was revoked. */
  async #runForKey(keyHash: string, work: (orgId: string) => Promise<ResponseRow>): Promise<ResponseRow> {
    const orgId = await this.orgOf(keyHash);
    if (orgId === undefined) return UNKNOWN_KEY;
    const row = await asAvailable(this.#limit.run(orgId, () => work(orgId)));
    if (row.code === UNKNOWN_KEY.code) this.#keyOrgs.setUnknown(keyHash);
    return row;
  }

  async #queryOne<Row extends object = ResponseRow>(
    party: string,
    requestId: string | undefined,
    statement: Statement,
  ): Promise<Row> {
    return await asAvailable(this.#limit.run(party, () => this.#queryInTurn<Row>(party, requestId, statement)));
  }

  async #queryInTurn<Row extends object = ResponseRow>(
    party: string,
    requestId: string | undefined,
    { text, values, limitMs: ownLimitMs }: Statement,
    limitMs = ownLimitMs ?? CALL_TIMEOUT_MS,
  ): Promise<Row> {
    const send = (leftMs: number) => this.#send<Row>(withRequestId(text, requestId), values, leftMs);
    const [row] = await this.#queue.run(party, limitMs, send);
    if (!row) throw new Error('the database returned no row');
    return row;
  }

  async #send<Row>(text: string, values: readonly SqlValue[], limitMs: number): Promise<Row[]> {
    try {
      return await this.#pool.query<Row>(text, values, limitMs);
    } catch (error) {
      if (error instanceof ConnectionFailed && !error.sent) this.#queue.releaseAll();
      throw error;
    }
  }

  async #query<Row>(text: string, values: readonly SqlValue[], limitMs?: number): Promise<Row[]> {
    return await asAvailable(this.#pool.query<Row>(text, values, limitMs));
  }

  /**
   * Market time and the state of the feeds; undefined where the database does not answer within 1.5
   * s.
   */
  async health(): Promise<Health | undefined> {
    try {
      const [row] = await this.#pool.query<Health>('select * from api.get_health()', [], PUBLIC_TIMEOUT_MS);
      return row;
    } catch {
      return undefined;
    }
  }
}

/** What `work` gives. Throws ApiError 503 where the database does not answer in time. */
async function asAvailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isUnavailable(error) ? unavailable('database.unavailable', 1, error) : error;
  }
}

/** The answer of the database to a key that is unknown or revoked. */
const UNKNOWN_KEY = {
  status: 401,
  code: 'auth.revoked_key',
  version: null,
  body: null,
  as_of: null,
  max_age_ms: null,
  tier: null,
  window_quota: null,
  window_used: null,
  window_left_s: null,
  month_quota: null,
  month_used: null,
  month_left_s: null,
  month_ends_at: null,
  lease_limit: null,
} satisfies ResponseRow;

/** The row of the primary, with the body of the replica where the primary accepted its version. */
function withBody(row: ResponseRow, rendered: Rendered | undefined): ResponseRow {
  const isAccepted = row.status === 200 && row.body === null && row.version === rendered?.version;
  return isAccepted && rendered !== undefined ? { ...row, body: rendered.body } : row;
}

/** Its rendering writes, so a replica cannot run it. */
const PRIMARY_ROUTE = 'get_arbitrage';

/** `If-None-Match: *`: any version matches. */
export const ANY_VERSION = '*';
export const VERSION_PATTERN = /^[0-9]{1,20}\.[0-9]{1,20}$/;

type Statement = { text: string; values: readonly SqlValue[]; limitMs?: number };

/** `mayDefer`: the database answers 100 instead of a body that a replica can render. */
export function dataCallStatement(call: DataCall, mayDefer = false): Statement {
  return {
    text: 'select * from api.call_data_route($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [
      byteaOf(call.keyHash),
      ...requestValues(call),
      call.cachedVersion ?? null,
      call.clientVersions,
      call.isHead,
      mayDefer,
    ],
  };
}

function actionCallStatement({ caller, ...request }: ActionCall): Statement {
  const values = requestValues(request);
  if ('keyHash' in caller) {
    return {
      text: 'select * from api.call_action_route($1, $2, $3, $4)',
      values: [byteaOf(caller.keyHash), ...values],
    };
  }
  return {
    text: 'select * from api.act_as_owner($1, $2, $3, $4, $5, $6)',
    values: [caller.userId, caller.orgId, ...values, JSON.stringify(caller.session)],
  };
}

const requestValues = ({ route, params, isInvalid }: RouteCall): SqlValue[] => [
  route,
  JSON.stringify(params ?? {}),
  isInvalid,
];

const byteaOf = (hex: string): string => `\\x${hex}`;
