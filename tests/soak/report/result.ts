import type { Invariant } from '../findings.ts';
import type { FaultMark, Moment } from '../timeline.ts';

/** What soak.json holds. Times are epoch milliseconds. */
export type Result = {
  seed: number;
  minutes: number;
  clients: number;
  began: number;
  ended: number;
  passed: boolean;
  invariants: Invariant[];
  faults: FaultMark[];
  moments: Moment[];
  /** Answers by status, and those that never came. */
  statuses: Record<string, number>;
  connections: number;
  frames: number;
  deliveries: number;
};
