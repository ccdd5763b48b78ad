import { withRequestId } from '../_shared/http/request_id.ts';
import type { Fields, Log } from '../_shared/log.ts';
import { createLogBrake } from '../_shared/log_brake.ts';
import { errorFields } from '../_shared/pool/error_fields.ts';
import type { Pool } from '../_shared/pool/pool.ts';
import { FairQueue } from './http/fair_queue.ts';

/** A data route with its parameters, and the version that the primary has of it. */
export type VersionedRoute = { requestId: string; route: string; params: unknown; version: string };

export type Rendered = { version: string; body: string };

/** A row of api.render_at_version: all null where the replica has another version. */
type RenderedRow = { status: number | null; version: string | null; body: string | null };

/** With the call of the primary that follows, below the 10 s in which a container ends. */
const QUERY_LIMIT_MS = 2_000;
/** A longer wait for a connection costs more than the primary's own rendering. */
const QUEUE_LIMIT_MS = 500;
/**
 * Pauses before the attempts where the replica is behind. A step of some thousand rows reaches a
 * standby of the same region within some 10 to 200 ms, and most requests of a step come at its
 * start.
 */
const ATTEMPT_PAUSES_MS = [0, 10, 30, 80, 160];
/** How long the replica is left out after it failed or was behind. */
const PAUSE_MS = 1_000;
const PROBES = 'probes';

/**
 * Renders data routes on a read replica of the database (DB_URL_API_READ). The primary admits each
 * request and decides whether the result is current, so a replica that is behind, hangs or is gone
 * costs a request some time and nothing else: `render` returns undefined, and the primary renders.
 */
export class ReplicaReader {
  readonly #pool: Pool;
  readonly #queue: FairQueue;
  readonly #log: Log;
  readonly #brakedLog: ReturnType<typeof createLogBrake>;
  #isPaused = false;
  #nextProbeAt = 0;

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#queue = new FairQueue(pool.maxConnections);
    this.#log = log;
    this.#brakedLog = createLogBrake(log);
  }

  /** False for at least a second after a failure. Then only `probe` asks the replica. */
  get isInUse(): boolean {
    return !this.#isPaused;
  }

  /**
   * The body at `version`, or a newer one. Undefined where the replica does not give it in time, or
   * its result is an error. Never throws. `party` shares the connections with the others.
   */
  async render(party: string, call: VersionedRoute): Promise<Rendered | undefined> {
    let isStarted = false;
    try {
      const row = await this.#atVersion(party, call, () => {
        isStarted = true;
      });
      if (row === undefined) this.#pause('behind', call.requestId);
      if (row?.status === 200 && row.version !== null && row.body !== null)
        return { version: row.version, body: row.body };
    } catch (error) {
      // A replica whose connections are all busy works.
      if (isStarted) this.#pause('failed', call.requestId, errorFields(error));
    }
    return undefined;
  }

  /** Asks a replica that is left out, once a second. No request waits for it. */
  probe(call: VersionedRoute): void {
    if (!this.#isPaused || performance.now() < this.#nextProbeAt) return;
    // While this probe runs, no other one begins.
    this.#nextProbeAt = Number.POSITIVE_INFINITY;
    this.#atVersion(PROBES, call, () => {}).then(
      (row) => {
        if (row === undefined) this.#pause('behind', call.requestId);
        else this.#resume(call.requestId);
      },
      (error: unknown) => this.#pause('failed', call.requestId, errorFields(error)),
    );
  }

  async end(graceMs: number): Promise<void> {
    await this.#pool.end(graceMs);
  }

  /** The result at the version of the call; undefined where the replica stays behind. */
  async #atVersion(party: string, call: VersionedRoute, onStart: () => void): Promise<RenderedRow | undefined> {
    const { requestId, route, params, version } = call;
    const text = withRequestId('select * from api.render_at_version($1, $2, $3)', requestId);
    const values = [route, JSON.stringify(params ?? {}), version];
    for (const pauseMs of ATTEMPT_PAUSES_MS) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const [row] = await this.#queue.run(party, QUEUE_LIMIT_MS, async () => {
        onStart();
        return await this.#pool.query<RenderedRow>(text, values, QUERY_LIMIT_MS);
      });
      if (row && row.status !== null) return row;
    }
    return undefined;
  }

  #pause(reason: 'behind' | 'failed', requestId: string, fields: Fields = {}): void {
    this.#isPaused = true;
    this.#nextProbeAt = performance.now() + PAUSE_MS;
    this.#brakedLog(reason, 'warn', 'replica.left_out', { reason, ...fields }, requestId);
  }

  #resume(requestId: string): void {
    this.#isPaused = false;
    this.#log.write('info', 'replica.in_use', {}, requestId);
  }
}
