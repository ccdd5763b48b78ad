import { sqlStateOf } from '../pool/failure.ts';

/** A condition of readiness that does not hold. `code` is dotted and stable, for programs. */
export type FailingCondition = { code: string; message: string };

export type HealthOptions = {
  service: string;
  /** The conditions that do not hold now. */
  failing(): FailingCondition[] | Promise<FailingCondition[]>;
  isDraining(): boolean;
  /** Further fields of the answer of /readyz. They do not decide the status. */
  info?: () => Readonly<Record<string, string>>;
  now?: () => number;
};

/** Answers are reused for this time: anyone who reaches the port may ask. */
const REUSE_MS = 1_000;
/** Probes wait for a few seconds at most. */
const CHECK_TIMEOUT_MS = 2_000;

const DRAINING: FailingCondition = {
  code: 'draining',
  message: 'The process stops and takes no new work.',
};

/**
 * The endpoints of a container. `GET /healthz` answers 200 while the process handles events.
 * `GET /readyz` answers 200 when the process can work, and otherwise 503 with the conditions that
 * do not hold.
 */
export class Health {
  readonly #options: HealthOptions;
  readonly #now: () => number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #check: Promise<FailingCondition[]> = Promise.resolve([]);

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The answer to a probe. Undefined for every other path. */
  respond(request: Request): Promise<Response> | undefined {
    const { pathname } = new URL(request.url);
    if (pathname !== '/healthz' && pathname !== '/readyz') return undefined;
    return this.#answer(request, pathname);
  }

  /** For a container that serves nothing else. */
  async fetch(request: Request): Promise<Response> {
    return (await this.respond(request)) ?? new Response(null, { status: 404 });
  }

  async #answer({ method }: Request, path: '/healthz' | '/readyz'): Promise<Response> {
    if (method !== 'GET' && method !== 'HEAD') {
      const body = { error: 'This path accepts GET only.', code: 'method.not_allowed' };
      return answer(405, body, { Allow: 'GET, HEAD' });
    }
    const { service } = this.#options;
    if (path === '/healthz') return answer(200, { service, status: 'alive' });
    const failing = this.#options.isDraining() ? [DRAINING] : await this.#failing();
    const status = failing.length === 0 ? 'ready' : 'not_ready';
    return answer(status === 'ready' ? 200 : 503, { service, status, failing, ...this.#options.info?.() });
  }

  #failing(): Promise<FailingCondition[]> {
    const now = this.#now();
    if (now - this.#checkedAt >= REUSE_MS) {
      this.#checkedAt = now;
      this.#check = withTimeout(async () => await this.#options.failing());
    }
    return this.#check;
  }
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', ...headers } });
}

async function withTimeout(check: () => Promise<FailingCondition[]>): Promise<FailingCondition[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<FailingCondition[]>((resolve) => {
    const late = { code: 'check.timed_out', message: 'The conditions could not be checked in time.' };
    timer = setTimeout(() => resolve([late]), CHECK_TIMEOUT_MS);
  });
  const failed = { code: 'check.failed', message: 'The conditions could not be checked.' };
  const checked = check().catch(() => [failed]);
  const first = await Promise.race([checked, timeout]);
  clearTimeout(timer);
  return first;
}

/** The part of `Deno` that serves health on a port of its own. */
export type ServeRuntime = {
  serve(
    options: { port: number; onListen(address: { port: number }): void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
};

/** Serves the endpoints of a container that serves nothing else. Without a port it does nothing. */
export function serveHealth(
  runtime: ServeRuntime,
  port: number | null,
  health: Health,
  note: (line: string) => void,
): void {
  if (port === null) return;
  const onListen = (address: { port: number }): void => note(`Health is served on port ${address.port}.`);
  runtime.serve({ port, onListen }, (request) => health.fetch(request));
}

/** SQLSTATE of a rejected login, an unknown database, a start or stop, a lost connection. */
const NO_DATABASE = /^(28\w{3}|3D000|57P0\d|08\w{3})$/;

/**
 * Runs a query of a readiness check. No answer is `database.unreachable`; any other error of the
 * server is `failing`.
 */
export async function checkDatabase(
  query: () => Promise<unknown>,
  failing: FailingCondition = { code: 'database.refused', message: 'The database refuses a query.' },
): Promise<FailingCondition[]> {
  try {
    await query();
    return [];
  } catch (error) {
    const sqlState = sqlStateOf(error);
    if (sqlState !== undefined && !NO_DATABASE.test(sqlState)) return [failing];
    return [{ code: 'database.unreachable', message: 'The database does not answer.' }];
  }
}
