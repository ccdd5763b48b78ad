import { quantile } from '../stack/proof.ts';
import type { Asked } from './load/response_log.ts';

/** A second of the run, or a little more. Times in ms, memory in MB. */
export type Moment = {
  at: number;
  requests: number;
  p50: number | null;
  p99: number | null;
  unanswered: number;
  connected: number;
  frames: number;
  lag: number | null;
  deliveries: number;
  memory: Record<string, number>;
};
export type FaultMark = { name: string; at: number; wellAfterMs: number | null; missed?: string };

const found = (value: number): number | null => (Number.isFinite(value) ? Math.round(value) : null);

export function momentOf(
  seconds: number,
  asked: readonly Asked[],
  lags: readonly number[],
  rest: Pick<Moment, 'at' | 'connected' | 'memory'> & { frames: number; deliveries: number },
): Moment {
  const took = asked.filter(({ status }) => status !== 0).map(({ ms }) => ms);
  return {
    at: rest.at,
    requests: asked.length / seconds,
    p50: found(quantile(took, 0.5)),
    p99: found(quantile(took, 0.99)),
    unanswered: asked.filter(({ status }) => status === 0 || status >= 500).length / seconds,
    connected: rest.connected,
    frames: rest.frames / seconds,
    lag: found(quantile(lags, 0.5)),
    deliveries: rest.deliveries / seconds,
    memory: rest.memory,
  };
}
