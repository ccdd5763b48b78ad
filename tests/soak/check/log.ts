/** A row of stream.publications: the frames that end at `upto`. */
export type LogRow = { channel: string; upto: number; frames: number };

/** Holes and overlaps of the log of publications, and channels whose top is not the log's end. Rows in order of channel and upto. */
export function wrongInLog(rows: readonly LogRow[], tops: ReadonlyMap<string, number>): string[] {
  const wrong: string[] = [];
  const ends = new Map<string, number>();
  for (const { channel, upto, frames } of rows) {
    const before = ends.get(channel);
    const first = upto - frames + 1;
    if (before !== undefined && first !== before + 1) wrong.push(`${channel}: ${first} follows ${before}`);
    ends.set(channel, upto);
  }
  for (const [channel, end] of ends) {
    const top = tops.get(channel);
    if (top !== end) wrong.push(`${channel}: the log ends at ${end}, the channel at ${top}`);
  }
  return wrong;
}
