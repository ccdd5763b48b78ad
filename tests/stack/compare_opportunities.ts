/**
 * Compares the arbitrage that the simulator knows from its own books with the opportunities in the
 * database. Pure. All times are market time in epoch milliseconds.
 */

export type Span = { from: number; until: number };

/** Arbitrage in the books of the simulator, for a pair of the catalog with open gates. */
export type TrueOpportunity = Span & {
  pair: string;
  name: string;
  /** USD a contract. */
  edge: number;
  /** Contracts. */
  size: number;
  /**
   * Since when the cheapest legs alone have an edge. Ingest evaluates only these. Null when they
   * never have one.
   */
  cheapestFrom: number | null;
};

/** An opportunity in the database that was not retracted. */
export type FoundOpportunity = Span & {
  pair: string;
  id: string;
  /** The close reason. */
  reason: string | null;
  /** When its row was written. */
  recordedAt: number;
};

/** A period in which the books of a pair were invalid, with the reason. */
export type InvalidPeriod = Span & { reason: string };

/**
 * An opportunity without a counterpart, and why. The explanation is null when nothing explains it.
 */
export type Unmatched<T> = { opportunity: T; explanation: string | null };

export type Comparison = {
  /** True opportunities that last long enough to be found. */
  compared: number;
  found: number;
  /** True opportunities that are too short, and how many of them were found. */
  short: { all: number; found: number };
  /** Time from the true opening to the book that ingest read, and to the row in the database. */
  latencies: { read: number; recorded: number }[];
  missed: Unmatched<TrueOpportunity>[];
  invented: Unmatched<FoundOpportunity>[];
};

export type Bounds = {
  /** A shorter opportunity may be missed: one step of the books and one flush. */
  minDuration: number;
  /** How late ingest may record a true opening or end. */
  maxDelay: number;
};

export function compareOpportunities(
  truth: readonly TrueOpportunity[],
  found: readonly FoundOpportunity[],
  invalidPeriodsOf: (pair: string) => readonly InvalidPeriod[],
  { minDuration, maxDelay }: Bounds,
): Comparison {
  const foundByPair = byPair(found);
  const truthByPair = byPair(truth);
  const result: Comparison = {
    compared: 0,
    found: 0,
    short: { all: 0, found: 0 },
    latencies: [],
    missed: [],
    invented: [],
  };
  for (const opportunity of truth) {
    const matches = (foundByPair.get(opportunity.pair) ?? []).filter((one) => overlap(one, opportunity, maxDelay));
    if (opportunity.until - opportunity.from < minDuration) {
      result.short.all += 1;
      if (matches.length > 0) result.short.found += 1;
      continue;
    }
    result.compared += 1;
    const invalidPeriods = invalidPeriodsOf(opportunity.pair);
    const first = matches.reduce<FoundOpportunity | null>(
      (one, other) => (one && one.from <= other.from ? one : other),
      null,
    );
    if (first === null) {
      result.missed.push({
        opportunity,
        explanation: explainMiss(opportunity, invalidPeriods, { minDuration, maxDelay }),
      });
      continue;
    }
    result.found += 1;
    const openedAt = opportunity.cheapestFrom ?? opportunity.from;
    const isValid = !invalidPeriods.some((one) => one.from <= openedAt + maxDelay && one.until > openedAt);
    // The found one may be older, when the true one paused for too short a time to be noticed.
    if (isValid && first.from >= openedAt) {
      result.latencies.push({ read: first.from - openedAt, recorded: first.recordedAt - openedAt });
    }
  }
  for (const opportunity of found) {
    if ((truthByPair.get(opportunity.pair) ?? []).some((one) => overlap(opportunity, one, maxDelay))) continue;
    const invalid = invalidPeriodsOf(opportunity.pair).find((one) => overlap(one, opportunity, maxDelay));
    const explanation = invalid ? `${invalid.reason} (ended: ${opportunity.reason})` : null;
    result.invented.push({ opportunity, explanation });
  }
  return result;
}

/**
 * Null when the books were valid for long enough, so that ingest should have found it. After an
 * invalid period ingest may read the valid books late by `maxDelay`.
 */
function explainMiss(
  opportunity: TrueOpportunity,
  invalidPeriods: readonly InvalidPeriod[],
  { minDuration, maxDelay }: Bounds,
): string | null {
  if (opportunity.cheapestFrom === null) return 'only more expensive legs have an edge: the cheapest are too thin';
  const overlapping = invalidPeriods.filter((one) => one.from < opportunity.until && one.until > opportunity.from);
  let longestValid = 0;
  let at = Math.max(opportunity.from, opportunity.cheapestFrom);
  for (const { from, until } of [...overlapping].sort((one, other) => one.from - other.from)) {
    longestValid = Math.max(longestValid, from - at);
    at = Math.max(at, until);
  }
  longestValid = Math.max(longestValid, opportunity.until - at);
  if (longestValid >= (overlapping.length > 0 ? maxDelay : minDuration)) return null;
  return [...new Set(overlapping.map((one) => one.reason))].join(', ') || 'shorter than the bound';
}

/**
 * Explains misses by the delay that this machine had: 99 % of the found opportunities were written
 * within `delay`. A busy machine writes later than `maxDelay`, and a shorter opportunity is over by
 * then.
 */
export function explainByDelay(
  result: Comparison,
  invalidPeriodsOf: (pair: string) => readonly InvalidPeriod[],
  { minDuration, maxDelay }: Bounds,
): void {
  const delay = quantile(
    result.latencies.map(({ recorded }) => recorded),
    0.99,
  );
  if (!(delay > maxDelay)) return;
  const bounds = { minDuration: Math.max(minDuration, delay), maxDelay: delay };
  for (const miss of result.missed) {
    if (miss.explanation !== null) continue;
    const why = explainMiss(miss.opportunity, invalidPeriodsOf(miss.opportunity.pair), bounds);
    if (why !== null) miss.explanation = `the machine wrote late, ${why}`;
  }
}

/**
 * Explains an opportunity that was shorter than `minDuration`, ended because its edge was gone, and
 * whose asks `hadAsks` confirms. Both venues moved together, and ingest read one of them first.
 */
export async function explainByReadTimes(
  result: Comparison,
  hadAsks: (opportunity: FoundOpportunity) => Promise<boolean>,
  { minDuration }: Bounds,
): Promise<void> {
  for (const invented of result.invented) {
    const { opportunity, explanation } = invented;
    if (explanation !== null || opportunity.reason !== 'edge.gone') continue;
    if (opportunity.until - opportunity.from >= minDuration || !(await hadAsks(opportunity))) continue;
    invented.explanation = 'ingest read one venue before the other; both books were real';
  }
}

/** Whether the two overlap when `one` may begin and end `maxDelay` late. */
const overlap = (one: Span, other: Span, maxDelay: number): boolean =>
  one.from < other.until + maxDelay && one.until > other.from - maxDelay;

function byPair<T extends { pair: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.pair);
    if (group) group.push(row);
    else groups.set(row.pair, [row]);
  }
  return groups;
}

/** The quantile at `share` (0 to 1) of the values. NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
