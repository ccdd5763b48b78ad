import type { Admission } from './admission.ts';
import type { ConnectionLeases } from './connection_leases.ts';

const STEP_MS = 50;
/** Clients have this time to receive the close frame before the process may end. */
const CLOSE_FRAME_MS = 1_000;

/** Ends all connections of this isolate, so that their clients connect to another one. */
export class Drain {
  readonly #admission: Admission;
  readonly #leases: ConnectionLeases;
  #isImmediate = false;

  constructor(admission: Admission, leases: ConnectionLeases) {
    this.#admission = admission;
    this.#leases = leases;
  }

  /**
   * Ends all connections with a code that makes clients reconnect. The ends are spread over
   * `spreadMs`, so that clients do not all reconnect at once. The slots are released first: a
   * client that reconnects at once must not be rejected because of the connection that it has just
   * lost.
   */
  async run(spreadMs: number): Promise<void> {
    const admission = this.#admission;
    const steps = Math.max(1, Math.min(admission.size, Math.round(spreadMs / STEP_MS)));
    const perStep = Math.ceil(admission.size / steps);
    while (admission.size > 0) {
      const all = admission.all();
      const batch = this.#isImmediate ? all : all.slice(0, perStep);
      await this.#leases.releaseSlots(
        batch.filter((connection) => connection.orgId !== null).map((connection) => connection.id),
      );
      for (const connection of batch) connection.end('handover');
      if (admission.size > 0 && steps > 1) await pause(STEP_MS);
    }
    // A process that ended now would lose the close frames that clients have not received yet.
    for (const until = Date.now() + CLOSE_FRAME_MS; admission.closing > 0 && Date.now() < until; ) await pause(10);
  }

  /** A running drain ends all remaining connections now. */
  endNow(): void {
    this.#isImmediate = true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
