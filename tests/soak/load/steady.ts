import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import { fire } from './fire.ts';
import type { Sample, SteadyCommand, SteadyMessage } from './steady_process.ts';
import type { WebhookReceivers } from './webhooks.ts';

/** Deliveries a second to the measured endpoints, together. */
const DELIVERIES_PER_SECOND = 4;

/**
 * The paying load that is measured, in its own process: REST, MCP, a stream client, and deliveries
 * to a paying organization's endpoints.
 */
export class SteadyLoad {
  readonly samples: Sample[] = [];
  readonly #arrivals = new Map<number, number>();
  readonly #child: ChildProcess;
  readonly #command: SteadyCommand;
  readonly #sql: Sql;
  readonly #timer: NodeJS.Timeout;

  /** `endpoints` are the ids of the measured endpoints. */
  constructor(command: SteadyCommand, sql: Sql, endpoints: readonly string[]) {
    this.#command = command;
    this.#sql = sql;
    this.#child = fork(fileURLToPath(new URL('./steady_process.ts', import.meta.url)), { execArgv: tsxArguments });
    this.#child.on('message', ({ samples, frames }: SteadyMessage) => {
      this.samples.push(...samples);
      for (const [offset, at] of frames) if (!this.#arrivals.has(offset)) this.#arrivals.set(offset, at);
    });
    this.#child.send(command);
    let n = 0;
    // While Postgres is away there is no event either.
    const send = () => void fire(sql, endpoints[n++ % endpoints.length] ?? '').catch(() => {});
    this.#timer = setInterval(send, 1_000 / DELIVERIES_PER_SECOND);
  }

  /** From the publication of each frame to its arrival. Frames of a catch-up are among them. */
  async frameSamples(): Promise<Sample[]> {
    const rows = await this.#sql<{ upto: number; frames: number; at: number }[]>`
      select last_offset::float8 as upto, cardinality(frames) as frames, extract(epoch from at)::float8 * 1000 as at
      from stream.publications
      where channel = ${this.#command.channel}`;
    return rows.flatMap(({ upto, frames, at }) =>
      Array.from({ length: frames }, (_, n) => upto - n).flatMap((offset) => {
        const arrivedAt = this.#arrivals.get(offset);
        return arrivedAt === undefined
          ? []
          : [{ figure: 'stream frame', at, ms: Math.max(0, arrivedAt - at), status: 200 }];
      }),
    );
  }

  /** From the event of each delivery to the measured endpoints to its arrival. */
  async deliverySamples(receivers: WebhookReceivers, endpoints: readonly string[]): Promise<Sample[]> {
    const rows = await this.#sql<{ id: string; at: number }[]>`
      select delivery_id as id, extract(epoch from created_at)::float8 * 1000 as at
      from webhook.deliveries
      where endpoint_id = any(${[...endpoints]}::uuid[])`;
    const firstAt = receivers.firstArrivals();
    return rows.flatMap(({ id, at }) => {
      const arrivedAt = firstAt.get(id);
      return arrivedAt === undefined
        ? []
        : [{ figure: 'webhook delivery', at, ms: Math.max(0, arrivedAt - at), status: 200 }];
    });
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#child.connected) this.#child.disconnect();
  }
}
