/**
 * Two accounts of the same half hour held against each other: when the books could be locked in, as the simulator knows, and when the
 * database says that an opportunity was open. Pure: all times are market time in epoch milliseconds.
 */

export type Span = { from: number; until: number };

/** What the simulator knows of a pair that the catalog has and whose gates are open. */
export type TrueWindow = Span & {
  pair: string;
  name: string;
  /** $ a contract, contracts. */
  edge: number;
  size: number;
  /** From when on the cheapest legs paid by themselves; the product looks at no others. Null: never. */
  cheapest: number | null;
};

/** What the database says; retracted ones are not handed in. */
export type FoundWindow = Span & {
  pair: string;
  id: string;
  reason: string | null /** When its row was written. */;
  noted: number;
};

/** Stretches in which a pair's books were not believed, with the doubt. */
export type Doubt = Span & { reason: string };

export type Proof = {
  looked: number;
  found: number;
  /** Too short to be seen for certain; those that were seen all the same. */
  short: { all: number; found: number };
  /** From a true opening to the time of the book that showed it, and until it stood in the database. */
  latencies: { read: number; noted: number }[];
  missed: { window: TrueWindow; why: string | null }[];
  invented: { window: FoundWindow; why: string | null }[];
};

export type Bounds = {
  /** A window that was to be seen for less may be missed: one turn of the books and one flush. */
  least: number;
  /** How late a true opening or end may be told. */
  late: number;
};

export function proofOf(
  truth: readonly TrueWindow[],
  found: readonly FoundWindow[],
  doubts: (pair: string) => readonly Doubt[],
  { least, late }: Bounds,
): Proof {
  const ours = byPair(found);
  const theirs = byPair(truth);
  const proof: Proof = { looked: 0, found: 0, short: { all: 0, found: 0 }, latencies: [], missed: [], invented: [] };
  for (const window of truth) {
    const met = (ours.get(window.pair) ?? []).filter((one) => meet(one, window, late));
    if (window.until - window.from < least) {
      proof.short.all += 1;
      if (met.length > 0) proof.short.found += 1;
      continue;
    }
    proof.looked += 1;
    const first = met.reduce<FoundWindow | null>((one, other) => (one && one.from <= other.from ? one : other), null);
    if (first === null) {
      proof.missed.push({ window, why: whyMissed(window, doubts(window.pair), least) });
      continue;
    }
    proof.found += 1;
    const began = window.cheapest ?? window.from;
    const believed = !doubts(window.pair).some((one) => one.from <= began + late && one.until > began);
    // Ours may have stood already, where the books paused for less than anybody sees.
    if (believed && first.from >= began) proof.latencies.push({ read: first.from - began, noted: first.noted - began });
  }
  for (const window of found) {
    if ((theirs.get(window.pair) ?? []).some((one) => meet(window, one, late))) continue;
    const doubt = doubts(window.pair).find((one) => meet(one, window, late));
    proof.invented.push({ window, why: doubt ? `${doubt.reason} (ended: ${window.reason})` : null });
  }
  return proof;
}

/** Null where nothing explains it: the books were believed for long enough, and the product says nothing. */
function whyMissed(window: TrueWindow, doubts: readonly Doubt[], least: number): string | null {
  if (window.cheapest === null) return 'only dearer legs paid: the cheapest were too thin';
  const own = doubts.filter((one) => one.from < window.until && one.until > window.from);
  let longest = 0;
  let at = Math.max(window.from, window.cheapest);
  for (const { from, until } of [...own].sort((one, other) => one.from - other.from)) {
    longest = Math.max(longest, from - at);
    at = Math.max(at, until);
  }
  longest = Math.max(longest, window.until - at);
  return longest < least ? [...new Set(own.map((one) => one.reason))].join(', ') || 'shorter than the bound' : null;
}

/** Whether `one` and `other` overlap when `one` may begin and end so much later than it should. */
const meet = (one: Span, other: Span, late: number): boolean =>
  one.from < other.until + late && one.until > other.from - late;

function byPair<T extends { pair: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.pair);
    if (group) group.push(row);
    else groups.set(row.pair, [row]);
  }
  return groups;
}

/** The share `part` of values lies at or below this; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
