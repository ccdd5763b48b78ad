import { rmSync } from 'node:fs';
import { parseOptions } from '../../local/venue_simulator/args.ts';
import { type RunningSimulator, serve } from '../../local/venue_simulator/serve.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

/** Both venues in this process, on free ports. `end` stops them and deletes their data folder. */
export type RunningVenues = RunningSimulator & { data: string; sim: string; end(): void };

export async function startVenues(...args: readonly string[]): Promise<RunningVenues> {
  const data = temporaryFolder('venues');
  const simulator = await serve(parseOptions(['--data', data, '--traps', 'none', ...args]));
  return {
    ...simulator,
    data,
    sim: simulator.listening.venue_a.rest.replace('/trade-api/v2', '/_sim'),
    end() {
      simulator.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

export type TruthPair = {
  family: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  line: number | null;
  start: number | null;
  moved: { announced_at: number; from: number } | null;
  ends: number;
  outcomes: { name: string; ticker: string; side: string; token_id: string }[];
  others: { name: string; token_id: string; relation: string; span: string[] }[];
  defect: string | null;
  death_clause: string | null;
  settles: { verdict: 'agree' | 'diverge' | 'edge_case'; apart: string | null };
};
export type Truth = {
  now: number;
  pairs: TruthPair[];
  lookalikes: { venue_a: string; venue_b: string; why: string; ticker?: string; slug?: string; candidate?: true }[];
  planned_opportunities: {
    id: string;
    venue_a: { event_ticker: string };
    open: boolean;
    opens_at: number;
    closes_at: number;
  }[];
};
export type BookAtTime = {
  since: number;
  until: number | null;
  bid: number | null;
  bid_size: number;
  ask: number | null;
  ask_size: number;
};

/**
 * Pairs of games that are live or begin within two hours, and end in more than 15 minutes. Their
 * books change most.
 */
export function activePairs(truth: Truth): TruthPair[] {
  return truth.pairs
    .filter((pair) => pair.start !== null && pair.start < truth.now + 7_200_000 && pair.ends > truth.now + 900_000)
    .sort((x, y) => (x.start ?? 0) - (y.start ?? 0));
}

/**
 * A market clock that runs at `rate` times real time from now on, so that books change more often.
 */
export function fastClock(rate: number): string {
  const now = Date.now();
  return JSON.stringify([{ real_from: now, market_from: now, rate }]);
}
