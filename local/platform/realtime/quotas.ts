import { z } from 'zod';

/** The platform's limits for a project. Missing ones are not limited. */
export const quotaSchema = z.strictObject({
  connections: z.int().positive().optional(),
  joins_per_second: z.int().positive().optional(),
  channels_per_connection: z.int().positive().optional(),
  messages_per_second: z.int().positive().optional(),
  /** Payload of one broadcast, in thousands of bytes. */
  payload_kb: z.int().positive().optional(),
});
export type Quotas = z.infer<typeof quotaSchema>;

const TIMER_MS = 5_000;
const WINDOW_TIMERS = 12;

/**
 * Counts events. Reports whether their average over the last minute exceeds a limit, as of the last
 * interval of 5 s.
 */
export class Rate {
  readonly #perSecond: number | undefined;
  readonly #counts: number[] = [0];
  #wasExceeded = false;

  constructor(perSecond: number | undefined) {
    this.#perSecond = perSecond;
  }

  get isExceeded(): boolean {
    return this.#wasExceeded;
  }

  add(events = 1): void {
    this.#counts[this.#counts.length - 1] = (this.#counts.at(-1) ?? 0) + events;
  }

  /** Must be called every 5 s. */
  onTimer(): void {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    const average = total / ((this.#counts.length * TIMER_MS) / 1000);
    this.#wasExceeded = this.#perSecond !== undefined && average > this.#perSecond;
    this.#counts.push(0);
    if (this.#counts.length > WINDOW_TIMERS) this.#counts.shift();
  }
}

/** One project's limits and its current use of them. */
export class Allowance {
  readonly quotas: Quotas;
  readonly joins: Rate;
  /** A message counts once when it is sent, and once for each client that receives it. */
  readonly messages: Rate;
  readonly #timer: NodeJS.Timeout;

  constructor(quotas: Quotas) {
    this.quotas = quotas;
    this.joins = new Rate(quotas.joins_per_second);
    this.messages = new Rate(quotas.messages_per_second);
    this.#timer = setInterval(() => {
      this.joins.onTimer();
      this.messages.onTimer();
    }, TIMER_MS);
    this.#timer.unref();
  }

  /** The platform allows 500 bytes more than the limit. */
  fits(payloadBytes: number): boolean {
    const { payload_kb } = this.quotas;
    return payload_kb === undefined || payloadBytes <= payload_kb * 1000 + 500;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
