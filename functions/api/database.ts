import { toHex } from '../_shared/http/keys.ts';
import { tagged } from '../_shared/http/request_id.ts';
import { isUnavailable } from '../_shared/pool/failure.ts';
import { Pool } from '../_shared/pool/pool.ts';
import { Gate } from './http/concurrency_limit.ts';
import { unavailable } from './http/errors.ts';
import type { Standing } from './http/rate.ts';

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

export type Act = {
  /** The request that asks: it heads the statement. */
  requestId: string;
  /** SHA-256 of the key, lower-case hex. */
  keyHash: string;
  route: string;
  params: unknown;
  /** What the caller sent was refused: only admission is to run. */
  invalid: boolean;
};

type Watch = { requestId: string; keyHash: string; pairs: readonly string[] };

export type Call = Act & {
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

  async call(call: Call): Promise<ResponseRow> {
    return await this.#one(call.requestId, callText(call));
  }

  async act(act: Act): Promise<ResponseRow> {
    return await this.#one(act.requestId, `select * from api.act(${actParts(act)})`);
  }

  /** Begins to listen to markets (api.watch): the one request that a call of watch_markets is. */
  async watch(watch: Watch & { invalid: boolean }): Promise<ResponseRow> {
    const pairs = pairsText(watch.pairs);
    const call = `api.watch(${hexText(watch.keyHash)}, ${pairs}, ${watch.invalid})`;
    return await this.#one(watch.requestId, `select * from ${call}`);
  }

  /** What came since, for one that listens: api.watch_more's JSON as text. `places` is what it gave the last time. */
  async watchMore(watch: Watch & { places: unknown }): Promise<string> {
    const pairs = pairsText(watch.pairs);
    const call = `api.watch_more(${hexText(watch.keyHash)}, ${pairs}, ${jsonText(watch.places)})`;
    return (await this.#one<{ body: string }>(watch.requestId, `select ${call}::text as body`)).body;
  }

  /** All figures of the service, as OpenMetrics text (ops.openmetrics). */
  async metrics(requestId: string): Promise<string> {
    return (await this.#one<{ body: string }>(requestId, 'select ops.openmetrics() as body')).body;
  }

  async #one<Row extends object = ResponseRow>(requestId: string, text: string): Promise<Row> {
    return await this.#gate.through(async () => {
      try {
        const [row] = await this.#pool.query<Row>(tagged(text, requestId));
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

const hexOnly = /^[0-9a-f]*$/;
const routeOnly = /^[a-z_]+$/;
const uuidOnly = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** `If-None-Match: *`: whatever version there is. */
export const anyVersion = '*';
export const versionShape = /^[0-9]{1,20}\.[0-9]{1,20}$/;

/**
 * The statement of one call, without bind parameters: one message, where binding with nothing prepared takes five. It cannot be broken out of: what a caller chooses stands in it as
 * hexadecimal digits alone, and the rest is checked against its closed shape here.
 */
export function callText(call: Call): string {
  const held = call.held ?? '';
  const seenShape = (version: string) => version === anyVersion || versionShape.test(version);
  if ((held !== '' && !versionShape.test(held)) || !call.seen.every(seenShape)) {
    throw new Error('a part of the call is not of its shape');
  }
  const holds = held === '' ? 'null' : `'${held}'`;
  return `select * from api.call(${actParts(call)}, ${holds}, '{${call.seen.join(',')}}', ${call.head})`;
}

/** The arguments that both calls begin with. */
function actParts(act: Act): string {
  if (!routeOnly.test(act.route)) throw new Error('a part of the call is not of its shape');
  return `${hexText(act.keyHash)}, '${act.route}', ${jsonText(act.params)}, ${act.invalid}`;
}

function hexText(hex: string): string {
  if (!hexOnly.test(hex)) throw new Error('a part of the call is not of its shape');
  return `decode('${hex}', 'hex')`;
}

/** Parameters that are asked with again are written once; nobody changes them. */
const written = new WeakMap<object, string>();

function jsonText(value: unknown): string {
  const params: object = value ?? {};
  let text = written.get(params);
  if (text === undefined) {
    text = `convert_from(${hexText(toHex(new TextEncoder().encode(JSON.stringify(params))))}, 'UTF8')::jsonb`;
    written.set(params, text);
  }
  return text;
}

function pairsText(pairs: readonly string[]): string {
  if (!pairs.every((pair) => uuidOnly.test(pair))) throw new Error('a part of the call is not of its shape');
  return `'{${pairs.join(',')}}'::uuid[]`;
}
