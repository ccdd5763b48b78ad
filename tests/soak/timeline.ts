import { quantile } from '../stack/compare_opportunities.ts';
import type { RequestRecord } from './load/response_log.ts';

/** About one second of the run. Times in ms, memory in MB. */
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
  /** CPU seconds of each kind of process since the start of the run. */
  cpu: Record<string, number>;
  /** Open sockets of the processes that strangers reach. */
  sockets: Record<string, number>;
};
export type FaultMark = { name: string; at: number; recoveredAfterMs: number | null; missed?: string };

const rounded = (value: number): number | null => (Number.isFinite(value) ? Math.round(value) : null);

export function momentOf(
  seconds: number,
  requests: readonly RequestRecord[],
  lags: readonly number[],
  rest: Pick<Moment, 'at' | 'connected' | 'memory' | 'cpu' | 'sockets'> & { frames: number; deliveries: number },
): Moment {
  const durations = requests.filter(({ status }) => status !== 0).map(({ ms }) => ms);
  return {
    at: rest.at,
    requests: requests.length / seconds,
    p50: rounded(quantile(durations, 0.5)),
    p99: rounded(quantile(durations, 0.99)),
    unanswered: requests.filter(({ status }) => status === 0 || status >= 500).length / seconds,
    connected: rest.connected,
    frames: rest.frames / seconds,
    lag: rounded(quantile(lags, 0.5)),
    deliveries: rest.deliveries / seconds,
    memory: rest.memory,
    cpu: rest.cpu,
    sockets: rest.sockets,
  };
}
