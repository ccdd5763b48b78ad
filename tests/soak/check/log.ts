/** A row of stream.publications. `upto` is the offset of its last frame. */
export type LogRow = { channel: string; upto: number; frames: number };

/**
 * Finds holes and overlaps in the publication log, and channels whose last offset is not the end of
 * the log. The rows are sorted by channel and upto.
 */
export function logErrors(rows: readonly LogRow[], tops: ReadonlyMap<string, number>): string[] {
  const errors: string[] = [];
  const ends = new Map<string, number>();
  for (const { channel, upto, frames } of rows) {
    const before = ends.get(channel);
    const first = upto - frames + 1;
    if (before !== undefined && first !== before + 1) errors.push(`${channel}: ${first} follows ${before}`);
    ends.set(channel, upto);
  }
  for (const [channel, end] of ends) {
    const top = tops.get(channel);
    if (top !== end) errors.push(`${channel}: the log ends at ${end}, the channel at ${top}`);
  }
  return errors;
}
