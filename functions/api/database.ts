import { tagged } from '../_shared/http/request_id.ts';
import { Pool } from '../_shared/pool/pool.ts';
import type { Value } from '../_shared/pool/values.ts';
import { Gate } from './http/concurrency_limit.ts';
import { unavailable } from './http/errors.ts';
import type { Standing } from './http/rate.ts';
import { isUnavailable } from './is_unavailable.ts';

const callLimitMs = 7_000;
const healthLimitMs = 1_500;

export function connect(url: string, log: (line: string) => void, most = 4): Pool {
  return new Pool({ url, name: 'parallax api', most, limitMs: callLimitMs, log });
}

/** An api.response (sql/83_api.sql). The counts are null where the key is not known, version, as_of and max_age_ms where it is an act. */
export type ResponseRow = { [Field in keyof Standing]: Standing[Field] | null } & {
  status: number;
  code: string | null;
  version: string | null;
  body: string | null;
  as_of: string | null;
  max_age_ms: number | null;
};

/** Who asks: the holder of a key (SHA-256, lower-case hex), or a signed-in person for an organization of theirs. */
export type Caller = { keyHash: string } | { userId: string; orgId: string };

type Request = {
  /** The request that asks: it heads the statement. */
  requestId: string;
  route: string;
  params: unknown;
  /** What the caller sent was refused: only admission is to run. */
  invalid: boolean;
};

export type Act = Request & { caller: Caller };

type Watch = { requestId: string; keyHash: string; pairs: readonly string[] };

export type Call = Request & {
  keyHash: string;
  /** The version that this isolate holds the bytes of. */
  held: string | undefined;
  /** Versions that the client holds; `*` is any. */
  seen: readonly string[];
  /** Only the headers of the answer are sent. */
  head: boolean;
};

export type Health = { now: string; venues: Record<string, unknown> | null };

/** Everything that the routes ask of the database. Throws ApiError 503 where it cannot be reached in time. */
export class Database {
  readonly #pool: Pool;
  readonly #gate = new Gate(200);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** One request of a data route: admission, then the body, or word that a version held already is current. */
  async call(call: Call): Promise<ResponseRow> {
    return await this.#one(call.requestId, callStatement(call));
  }

  async act(act: Act): Promise<ResponseRow> {
    return await this.#one(act.requestId, actStatement(act));
  }

  /** Begins to listen to markets (api.watch): the one request that a call of watch_markets is. */
  async watch({ requestId, keyHash, pairs, invalid }: Watch & { invalid: boolean }): Promise<ResponseRow> {
    return await this.#one(requestId, {
      text: 'select * from api.watch($1, $2, $3)',
      values: [byteaOf(keyHash), pairs, invalid],
    });
  }

  /** The events since the last call of a running watch_markets, as JSON text. `places` comes from that call's result. */
  async watchMore({ requestId, keyHash, pairs, places }: Watch & { places: unknown }): Promise<string> {
    const { body } = await this.#one<{ body: string }>(requestId, {
      text: 'select api.watch_more($1, $2, $3)::text as body',
      values: [byteaOf(keyHash), pairs, JSON.stringify(places ?? {})],
    });
    return body;
  }

  /** All figures of the service, as OpenMetrics text (ops.openmetrics). */
  async metrics(requestId: string): Promise<string> {
    const statement = { text: 'select ops.openmetrics() as body', values: [] };
    return (await this.#one<{ body: string }>(requestId, statement)).body;
  }

  async #one<Row extends object = ResponseRow>(requestId: string, { text, values }: Statement): Promise<Row> {
    return await this.#gate.through(async () => {
      try {
        const [row] = await this.#pool.query<Row>(tagged(text, requestId), values);
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
      const [row] = await this.#pool.query<Health>('select * from api.health()', [], healthLimitMs);
      return row;
    } catch {
      return undefined;
    }
  }
}

/** `If-None-Match: *`: any version matches. */
export const anyVersion = '*';
export const versionShape = /^[0-9]{1,20}\.[0-9]{1,20}$/;

type Statement = { text: string; values: readonly Value[] };

/** The statement of one data request. */
export function callStatement(call: Call): Statement {
  return {
    text: 'select * from api.call($1, $2, $3, $4, $5, $6, $7)',
    values: [byteaOf(call.keyHash), ...requestValues(call), call.held ?? null, call.seen, call.head],
  };
}

function actStatement({ caller, ...request }: Act): Statement {
  const values = requestValues(request);
  if ('keyHash' in caller) {
    return { text: 'select * from api.act($1, $2, $3, $4)', values: [byteaOf(caller.keyHash), ...values] };
  }
  return {
    text: 'select * from api.act_as_owner($1, $2, $3, $4, $5)',
    values: [caller.userId, caller.orgId, ...values],
  };
}

const requestValues = ({ route, params, invalid }: Request): Value[] => [route, JSON.stringify(params ?? {}), invalid];

const byteaOf = (hex: string): string => `\\x${hex}`;
