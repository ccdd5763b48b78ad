import type { Invariant } from '../findings.ts';
import type { FaultMark, Moment } from '../timeline.ts';

/** The content of soak.json. Times are epoch milliseconds. */
export type Result = {
  seed: number;
  minutes: number;
  clients: number;
  startedAt: number;
  endedAt: number;
  passed: boolean;
  invariants: Invariant[];
  faults: FaultMark[];
  moments: Moment[];
  /** The number of requests by status, or 'no answer'. */
  statuses: Record<string, number>;
  connections: number;
  frames: number;
  deliveries: number;
};
