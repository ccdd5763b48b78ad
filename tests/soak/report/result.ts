import type { AttackReport } from '../attack/attacker.ts';
import type { LatencyFigure } from '../check/latency.ts';
import type { Invariant } from '../findings.ts';
import type { FaultMark, Moment } from '../timeline.ts';
import type { WindowMark } from '../windows.ts';

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
  windows: WindowMark[];
  /** Whether the bounds of a long run applied to the figures. */
  isStrict: boolean;
  figures: LatencyFigure[];
  /** What the attackers did and which answers they got, by attack. */
  attackers: Record<string, AttackReport>;
  /** The number of requests by status, or 'no answer'. */
  statuses: Record<string, number>;
  connections: number;
  frames: number;
  deliveries: number;
};
