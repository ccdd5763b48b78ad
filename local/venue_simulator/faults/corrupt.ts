/** Corruptions of a frame about books. */
export const CORRUPTIONS = ['missing', 'renamed', 'null', 'retyped', 'not_json'] as const;
export type Corruption = (typeof CORRUPTIONS)[number];

const isCorruption = (how: string | undefined): how is Corruption =>
  (CORRUPTIONS as readonly (string | undefined)[]).includes(how);

export const corruptionOf = (how: string | undefined): Corruption => (isCorruption(how) ? how : 'renamed');

type Row = Record<string, unknown>;

/**
 * The corrupted frame; null when it is not about a book, so that the fault waits for one that is.
 */
export function corrupted(text: string, how: Corruption): string | null {
  const frame = JSON.parse(text) as Row | Row[];
  const rows = Array.isArray(frame) ? frame : [frame];
  const bearers = rows.flatMap(objectsWithFields);
  if (bearers.length === 0) return null;
  if (how === 'not_json') return text.slice(0, -3);
  for (const row of rows) {
    if (how !== 'retyped') continue;
    if (typeof row.type === 'string') row.type = `${row.type}_v3`;
    else row.event_type = `${String(row.event_type)}_v3`;
  }
  for (const { row, field } of bearers) {
    const value = row[field];
    if (how === 'missing' || how === 'renamed') delete row[field];
    if (how === 'renamed') row[`new_${field}`] = value;
    if (how === 'null') row[field] = null;
  }
  return JSON.stringify(frame);
}

/**
 * The objects and fields with the prices of a frame: a change on either venue, or a whole book on
 * venue B.
 */
function objectsWithFields(row: Row): { row: Row; field: string }[] {
  if (row.type === 'orderbook_delta') return [{ row: row.msg as Row, field: 'price_dollars' }];
  if (row.event_type === 'price_change')
    return (row.price_changes as Row[]).map((change) => ({ row: change, field: 'price' }));
  return row.event_type === 'book' ? [{ row, field: 'bids' }] : [];
}
