/** arb.opportunities with the times of its states, ms; `until` is Infinity while it is open. */
export type WindowRow = {
  id: string;
  pair: string;
  from: number;
  until: number;
  retracted: boolean;
  states: number[];
};

/** Windows whose states do not cover them from the first moment on, in order, and windows of one pair that overlap. */
export function wrongInWindows(rows: readonly WindowRow[]): string[] {
  const wrong: string[] = [];
  const ends = new Map<string, WindowRow>();
  for (const row of [...rows].sort((one, other) => one.from - other.from)) {
    if (row.retracted) continue;
    const [first] = row.states;
    if (first === undefined) wrong.push(`${row.id} has no state`);
    else if (first !== row.from) wrong.push(`${row.id} opened at ${row.from}, its first state is of ${first}`);
    for (const [place, at] of row.states.entries()) {
      const before = row.states[place - 1];
      if (before !== undefined && at < before) wrong.push(`${row.id}: a state of ${at} after one of ${before}`);
      if (at > row.until) wrong.push(`${row.id}: a state of ${at}, after its end at ${row.until}`);
    }
    const former = ends.get(row.pair);
    if (former && former.until > row.from) wrong.push(`${former.id} and ${row.id} of ${row.pair} overlap`);
    if (!former || row.until > former.until) ends.set(row.pair, row);
  }
  return wrong;
}
