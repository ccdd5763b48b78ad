import type { Admission } from './admission.ts';
import type { ConnectionLeases } from './connection_leases.ts';

const stepMs = 50;
/** Clients have so long to take the close frame before the process may end. */
const closeMs = 1_000;

/** Ends all connections of this isolate, so that their clients connect to another one. */
export class Drain {
  readonly #admission: Admission;
  readonly #leases: ConnectionLeases;
  #hurried = false;

  constructor(admission: Admission, leases: ConnectionLeases) {
    this.#admission = admission;
    this.#leases = leases;
  }

  /**
   * Ends all connections with the advice to reconnect. The ends are spread over `spreadMs`, so that clients do not all connect elsewhere at
   * once. The slots are released first: a client that reconnects at once must not be refused because of the connection that it has just lost.
   */
  async run(spreadMs: number): Promise<void> {
    const admission = this.#admission;
    const steps = Math.max(1, Math.min(admission.size, Math.round(spreadMs / stepMs)));
    const perStep = Math.ceil(admission.size / steps);
    while (admission.size > 0) {
      const all = admission.all();
      const some = this.#hurried ? all : all.slice(0, perStep);
      await this.#leases.releaseSlots(
        some.filter((connection) => connection.orgId !== null).map((connection) => connection.id),
      );
      for (const connection of some) connection.end('handover');
      if (admission.size > 0 && steps > 1) await pause(stepMs);
    }
    // A process that ended now would lose the close frames that clients have not taken yet.
    for (const until = Date.now() + closeMs; admission.closing > 0 && Date.now() < until; ) await pause(10);
  }

  /** A drain that is running ends all connections now. */
  hurry(): void {
    this.#hurried = true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
