import { withRequestId } from '../_shared/http/request_id.ts';
import { Pool } from '../_shared/pool/pool.ts';
import type { SqlValue } from '../_shared/pool/values.ts';
import { ConcurrencyLimit } from './http/concurrency_limit.ts';
import { unavailable } from './http/errors.ts';
import type { RateState } from './http/rate.ts';
import { isUnavailable } from './is_unavailable.ts';

const CALL_TIMEOUT_MS = 7_000;
const HEALTH_TIMEOUT_MS = 1_500;

export function connect(url: string, log: (line: string) => void, maxConnections = 4): Pool {
  return new Pool({ url, name: 'parallax api', maxConnections, limitMs: CALL_TIMEOUT_MS, log });
}

/** An api.call_response (sql/83_api.sql). The counts are null where the key is not known, version, as_of and max_age_ms where it is an act. */
export type ResponseRow = { [Field in keyof RateState]: RateState[Field] | null } & {
  status: number;
  code: string | null;
  version: string | null;
  body: string | null;
  as_of: string | null;
  max_age_ms: number | null;
};

/** Who asks: the holder of a key (SHA-256, lower-case hex), or a signed-in person for an organization of theirs. */
export type Caller = { keyHash: string } | { userId: string; orgId: string };

type RouteCall = {
  /** The request that asks: it heads the statement. */
  requestId: string;
  route: string;
  params: unknown;
  /** What the caller sent was refused: only admission is to run. */
  isInvalid: boolean;
};

export type ActionCall = RouteCall & { caller: Caller };

type WatchCall = { requestId: string; keyHash: string; pairs: readonly string[] };

export type DataCall = RouteCall & {
  keyHash: string;
  /** The version that this isolate holds the bytes of. */
  cachedVersion: string | undefined;
  /** Versions that the client holds; `*` is any. */
  clientVersions: readonly string[];
  /** Only the headers of the answer are sent. */
  isHead: boolean;
};

export type Health = { now: string; venues: Record<string, unknown> | null };

/** Everything that the routes ask of the database. Throws ApiError 503 where it cannot be reached in time. */
export class ApiQueries {
  readonly #pool: Pool;
  readonly #limit = new ConcurrencyLimit(200);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** One request of a data route: admission, then the body, or word that a version held already is current. */
  async callDataRoute(call: DataCall): Promise<ResponseRow> {
    return await this.#queryOne(call.requestId, dataCallStatement(call));
  }

  async callActionRoute(act: ActionCall): Promise<ResponseRow> {
    return await this.#queryOne(act.requestId, actionCallStatement(act));
  }

  /** Begins to listen to markets (api.start_market_watch): the one request that a call of watch_markets is. */
  async startWatch({ requestId, keyHash, pairs, invalid }: WatchCall & { invalid: boolean }): Promise<ResponseRow> {
    return await this.#queryOne(requestId, {
      text: 'select * from api.start_market_watch($1, $2, $3)',
      values: [byteaOf(keyHash), pairs, invalid],
    });
  }

  /** The events since the last call of a running watch_markets, as JSON text. `places` comes from that call's result. */
  async continueWatch({ requestId, keyHash, pairs, places }: WatchCall & { places: unknown }): Promise<string> {
    const { body } = await this.#queryOne<{ body: string }>(requestId, {
      text: 'select api.continue_market_watch($1, $2, $3)::text as body',
      values: [byteaOf(keyHash), pairs, JSON.stringify(places ?? {})],
    });
    return body;
  }

  /** All figures of the service, as OpenMetrics text (ops.render_openmetrics). */
  async metrics(requestId: string): Promise<string> {
    const statement = { text: 'select ops.render_openmetrics() as body', values: [] };
    return (await this.#queryOne<{ body: string }>(requestId, statement)).body;
  }

  async #queryOne<Row extends object = ResponseRow>(requestId: string, { text, values }: Statement): Promise<Row> {
    return await this.#limit.run(async () => {
      try {
        const [row] = await this.#pool.query<Row>(withRequestId(text, requestId), values);
        if (!row) throw new Error('a call of the database returned no row');
        return row;
      } catch (error) {
        throw isUnavailable(error) ? unavailable('database.unavailable', 1, error) : error;
      }
    });
  }

  /** Market time and what is known of the venues' feeds; undefined where the database does not answer within 1.5 s. */
  async health(): Promise<Health | undefined> {
    try {
      const [row] = await this.#pool.query<Health>('select * from api.get_health()', [], HEALTH_TIMEOUT_MS);
      return row;
    } catch {
      return undefined;
    }
  }
}

/** `If-None-Match: *`: any version matches. */
export const ANY_VERSION = '*';
export const VERSION_PATTERN = /^[0-9]{1,20}\.[0-9]{1,20}$/;

type Statement = { text: string; values: readonly SqlValue[] };

/** The statement of one data request. */
export function dataCallStatement(call: DataCall): Statement {
  return {
    text: 'select * from api.call_data_route($1, $2, $3, $4, $5, $6, $7)',
    values: [
      byteaOf(call.keyHash),
      ...requestValues(call),
      call.cachedVersion ?? null,
      call.clientVersions,
      call.isHead,
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
    text: 'select * from api.act_as_owner($1, $2, $3, $4, $5)',
    values: [caller.userId, caller.orgId, ...values],
  };
}

const requestValues = ({ route, params, isInvalid }: RouteCall): SqlValue[] => [
  route,
  JSON.stringify(params ?? {}),
  isInvalid,
];

const byteaOf = (hex: string): string => `\\x${hex}`;
