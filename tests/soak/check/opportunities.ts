/**
 * A row of arb.opportunities with the times of its states (ms). `until` of an open one is Infinity.
 */
export type OpportunityRow = {
  id: string;
  pair: string;
  from: number;
  until: number;
  retracted: boolean;
  states: number[];
};

/**
 * Finds opportunities whose states do not start at the opening, are out of order or follow the end,
 * and opportunities of one pair that overlap.
 */
export function opportunityErrors(rows: readonly OpportunityRow[]): string[] {
  const errors: string[] = [];
  const ends = new Map<string, OpportunityRow>();
  for (const row of [...rows].sort((one, other) => one.from - other.from)) {
    if (row.retracted) continue;
    const [first] = row.states;
    if (first === undefined) errors.push(`${row.id} has no state`);
    else if (first !== row.from) errors.push(`${row.id} opened at ${row.from}, its first state is of ${first}`);
    for (const [index, at] of row.states.entries()) {
      const before = row.states[index - 1];
      if (before !== undefined && at < before) errors.push(`${row.id}: a state of ${at} after one of ${before}`);
      if (at > row.until) errors.push(`${row.id}: a state of ${at}, after its end at ${row.until}`);
    }
    const previous = ends.get(row.pair);
    if (previous && previous.until > row.from) errors.push(`${previous.id} and ${row.id} of ${row.pair} overlap`);
    if (!previous || row.until > previous.until) ends.set(row.pair, row);
  }
  return errors;
}
