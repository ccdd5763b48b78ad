import { quantile } from '../../stack/compare_opportunities.ts';
import type { Sample } from '../load/steady_process.ts';
import { type AttackKind, hasLatency, type WindowMark, windowAt } from '../windows.ts';

/** Percentiles in ms over all windows of one kind. */
export type Percentiles = { n: number; p50: number; p99: number };
export type LatencyFigure = {
  name: string;
  /** False: it has too few answers for a bound. */
  isJudged: boolean;
  quiet: Percentiles;
  /** Over the windows of all attacks, and of each kind. */
  attacked: Percentiles;
  byAttack: Partial<Record<AttackKind, Percentiles>>;
};

/**
 * The bounds of latency under attack. The p99 may be `ratio` times the quiet one, or `floorMs` if
 * that is more. A figure needs `minSamples` in both, or it proves nothing.
 */
export type LatencyBounds = { ratio: number; floorMs: number; minSamples: number };
/** The bounds of a run of `STRICT_MINUTES` and more (issue 24, item 7). */
export const STRICT_BOUNDS: LatencyBounds = { ratio: 2, floorMs: 0, minSamples: 1_000 };
/** Those of a shorter run: its windows hold some hundred answers, so one slow answer is the p99. */
export const LOOSE_BOUNDS: LatencyBounds = { ratio: 10, floorMs: 3_000, minSamples: 20 };

const NOT_JUDGED = new Set(['MCP watch_markets']);
export const ALL_REST = 'REST, all routes';
/** Figures that a run must have. Without an answer they are in the table with n = 0. */
const REQUIRED = [ALL_REST, 'MCP tools', 'stream frame', 'webhook delivery'];

type Group = { quiet: number[]; attacked: number[]; byAttack: Map<AttackKind, number[]> };

/** The figures of `samples` in the windows of the run. */
export function latencyFigures(samples: readonly Sample[], windows: readonly WindowMark[]): LatencyFigure[] {
  const byName = new Map<string, Group>();
  const groupOf = (name: string): Group => {
    const known: Group = byName.get(name) ?? { quiet: [], attacked: [], byAttack: new Map() };
    byName.set(name, known);
    return known;
  };
  for (const name of REQUIRED) groupOf(name);
  for (const { figure, at, ms } of samples) {
    const window = windowAt(windows, at);
    if (!window || !hasLatency(window.kind)) continue;
    for (const name of figure.startsWith('REST ') ? [ALL_REST, figure] : [figure]) {
      const group = groupOf(name);
      if (window.kind === 'quiet') group.quiet.push(ms);
      else {
        group.attacked.push(ms);
        const kind = window.attack ?? 'all';
        const own = group.byAttack.get(kind) ?? [];
        own.push(ms);
        group.byAttack.set(kind, own);
      }
    }
  }
  return [...byName]
    .map(([name, { quiet, attacked, byAttack }]) => ({
      name,
      isJudged: !NOT_JUDGED.has(name),
      quiet: percentilesOf(quiet),
      attacked: percentilesOf(attacked),
      byAttack: Object.fromEntries([...byAttack].map(([kind, all]) => [kind, percentilesOf(all)])),
    }))
    .sort((one, other) => order(one.name) - order(other.name) || one.name.localeCompare(other.name));
}

const order = (name: string): number =>
  [ALL_REST, 'REST', 'MCP', 'stream', 'webhook'].findIndex((one) => name.startsWith(one));

const percentilesOf = (values: readonly number[]): Percentiles => ({
  n: values.length,
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
});

/** Compares p99 under all attacks, and under each with enough answers, with the quiet p99. */
export function latencyErrors(
  { name, isJudged, quiet, attacked, byAttack }: LatencyFigure,
  bounds: LatencyBounds,
): string[] {
  if (!isJudged) return [];
  const { ratio, floorMs, minSamples } = bounds;
  const errors: string[] = [];
  for (const [when, { n }] of [
    ['quiet', quiet],
    ['under attack', attacked],
  ] as const)
    if (n < minSamples) errors.push(`${name}: only ${n} answers ${when}, ${minSamples} are needed`);
  if (errors.length > 0) return errors;
  const limit = Math.max(floorMs, ratio * quiet.p99);
  for (const [kind, { n, p99 }] of [['all attacks', attacked] as const, ...Object.entries(byAttack)]) {
    if (n >= minSamples && p99 > limit)
      errors.push(`${name}: p99 ${p99.toFixed(0)} ms under ${kind}, ${quiet.p99.toFixed(0)} ms in quiet`);
  }
  return errors;
}

/** Whether a paying client was denied: 503, another 5xx, or no answer. */
export const isDenied = (status: number): boolean => status === 0 || status >= 500;
