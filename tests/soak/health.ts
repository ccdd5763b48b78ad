import type { RunningStack } from '../support/stack.ts';
import { holdsWithin } from '../support/wait_until.ts';
import type { StreamFleet } from './load/stream_fleet.ts';

/**
 * Time limit for the recovery from a fault, ms. A busy machine needs most of it to start a process.
 */
export const DEADLINE_MS = 90_000;

/** Whether the stack works: health, REST, new prices, and connected clients. */
export class StackHealth {
  readonly #stack: RunningStack;
  readonly #fleet: () => StreamFleet | undefined;
  readonly #key: string;

  /** `key` may read markets. */
  constructor(stack: RunningStack, fleet: () => StreamFleet | undefined, key: string) {
    this.#stack = stack;
    this.#fleet = fleet;
    this.#key = key;
  }

  /**
   * Waits until the stack works, with prices newer than `since`. Returns the time that it took, and
   * after DEADLINE_MS null and what does not work.
   */
  async recovered(since: number): Promise<{ afterMs: number | null; problem: string }> {
    const hasRecovered = await holdsWithin(async () => (await this.problem(since)) === '', DEADLINE_MS);
    return hasRecovered
      ? { afterMs: Date.now() - since, problem: '' }
      : { afterMs: null, problem: await this.problem(since) };
  }

  /** Describes the first thing that does not work. Returns '' when all works. */
  async problem(since: number): Promise<string> {
    try {
      const signal = AbortSignal.timeout(5_000);
      const health = (await (await fetch(`${this.#stack.baseUrl}/health`, { signal })).json()) as { status: string };
      if (health.status !== 'ok') return `health is ${JSON.stringify(health)}`;
      await this.#stack.get('/v2/markets?limit=5', this.#key);
      const [row] = await this.#stack.sql<{ fresh: boolean; priced: number; all: number }[]>`
        select max(priced_at) > clock.to_market_time(${new Date(since)}) as fresh,
               count(*) filter (where void_reason is null)::integer as priced, count(*)::integer as all
        from price.latest_updates`;
      if (!row?.fresh) return 'no new price update';
      if (row.priced < 0.8 * row.all) return `${row.priced} of ${row.all} pairs priced`;
      const { connected = 0, clients = 0 } = this.#fleet() ?? {};
      return connected < 0.95 * clients ? `${connected} of ${clients} stream clients connected` : '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
