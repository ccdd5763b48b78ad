import { freePort } from '../../local/platform/postgres/postgres.ts';
import { RunningContainer } from '../containers/running_container.ts';
import { environmentFor } from '../ingest/fixture.ts';
import { startFunction } from '../support/function_process.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { type Authority, createAuthority } from '../webhook/support/certificate.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import { allowHosts, createEndpoint, enqueue, organizationWithPlan } from '../webhook/support/sender.ts';
import { recordWriters } from './audit.ts';
import { type Central, startCentral } from './central.ts';
import type { Machine } from './network.ts';

/** Webhook deliveries that are made next to those of prices. */
const FLOW_EVERY_MS = 200;

/**
 * The database, both venues and a receiver of webhooks at one address, and the containers that run
 * on other machines.
 */
export class Site {
  readonly central: Central;
  readonly receiver: Receiver;
  /** The deliveries that `startFlow` has made. */
  readonly enqueued: string[] = [];
  readonly #venues: RunningVenues;
  readonly #ca: Authority;
  readonly #steady: string;
  readonly #running: RunningContainer[] = [];
  #flow: ReturnType<typeof setInterval> | undefined;

  private constructor(parts: {
    central: Central;
    receiver: Receiver;
    venues: RunningVenues;
    ca: Authority;
    steady: string;
  }) {
    this.central = parts.central;
    this.receiver = parts.receiver;
    this.#venues = parts.venues;
    this.#ca = parts.ca;
    this.#steady = parts.steady;
  }

  static async open(address: string): Promise<Site> {
    const central = await startCentral(address);
    const venues = await startVenues('--games', '30', '--host', address);
    const ca = createAuthority();
    const receiver = await Receiver.listen(ca, 0, [address], address);
    await recordWriters(central.sql);
    await allowHosts(central.sql, `${address}:${receiver.port}`);
    const at = (path: string): string => `https://${address}:${receiver.port}${path}`;
    const org = await organizationWithPlan(central.sql);
    await createEndpoint(central.sql, org, at('/created'));
    await createEndpoint(central.sql, org, at('/spread'), { threshold: 1 });
    const steady = await createEndpoint(central.sql, org, at('/steady'));
    // Every second answer is slow, so that attempts are in progress at each cut.
    receiver.behaviours.set('/steady', (nth) => (nth % 2 === 0 ? { slow: 1_500 } : { status: 200 }));
    return new Site({ central, receiver, venues, ca, steady: steady.id });
  }

  /** Starts a container on a machine and waits until it is ready. */
  async start(name: 'ingest' | 'deliver', machine: Machine): Promise<RunningContainer> {
    const port = await freePort();
    const env: Record<string, string> =
      name === 'ingest'
        ? environmentFor(this.#venues, this.central.url('parallax_ingest'))
        : { DB_URL_DELIVER: this.central.url('parallax_deliver'), WEBHOOK_CA: this.#ca.certificate };
    const child = startFunction(name, { ...env, HEALTH_PORT: String(port) }, [], machine.within);
    const container = new RunningContainer(child, port, machine.address);
    this.#running.push(container);
    await container.untilReady();
    return container;
  }

  /** Makes five deliveries a second until `endFlow`. */
  startFlow(): void {
    this.#flow = setInterval(() => {
      enqueue(this.central.sql, this.#steady).then(
        (ids) => this.enqueued.push(...ids),
        (error) => console.warn(`no delivery was enqueued: ${error}`),
      );
    }, FLOW_EVERY_MS);
  }

  endFlow(): void {
    clearInterval(this.#flow);
  }

  /** The ends of the logs of all containers, for the error of a wait. */
  get logs(): string {
    return this.#running.map(({ base, output }) => `== ${base}\n${output.slice(-2_000)}`).join('\n');
  }

  async close(): Promise<void> {
    this.endFlow();
    for (const container of this.#running) await container.kill();
    this.#venues.end();
    await this.receiver.close();
    await this.central.close();
  }
}
