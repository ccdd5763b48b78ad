/** One life of one process: memory (MB) at times (ms). */
export type Life = { name: string; pid: number; slackMb: number; samples: { at: number; mb: number }[] };

/** A process fills its caches first. */
export const warmUpMs = 60_000;
/** So much in the life observed, in MB or of what there was, is noise of the collector and of caches that are still filling. */
export const slackMb = { process: 40, heap: 12 };
/**
 * What a stream client may have in flight: 256 KiB that wait and a page of 256 KiB. What all of them took at once, after Postgres was away
 * say, the allocator keeps for the next time: so the process steps up to its high water, and no further.
 */
export const clientMb = 0.5;
const slackShare = 0.35;

/** MB a minute, the median of the slopes between all pairs (Theil–Sen); NaN of fewer than two. */
export function slopeOf(samples: Life['samples']): number {
  const every = Math.max(1, Math.ceil(samples.length / 150));
  const few = samples.filter((_, place) => place % every === 0);
  const slopes = few.flatMap((one, place) =>
    few.slice(place + 1).map((other) => (other.mb - one.mb) / ((other.at - one.at) / 60_000)),
  );
  slopes.sort((one, other) => one - other);
  return slopes[Math.floor(slopes.length / 2)] ?? Number.NaN;
}

/** Null where it stayed flat, or lived too short to be judged. */
export function growthOf({ name, pid, slackMb, samples }: Life): string | null {
  const from = (samples[0]?.at ?? 0) + warmUpMs;
  const late = samples.filter(({ at }) => at >= from);
  const [first, last] = [late[0], late.at(-1)];
  if (!first || !last || last.at - first.at < 60_000) return null;
  const minutes = (last.at - first.at) / 60_000;
  const grown = slopeOf(late) * minutes;
  if (grown <= Math.max(slackMb, slackShare * first.mb)) return null;
  return `${name} (${pid}) grew by ${grown.toFixed(0)} MB in ${minutes.toFixed(1)} minutes, from ${first.mb.toFixed(0)} MB`;
}

/** Null where it always stayed below `limitMb`. */
export function beyondLimit({ name, pid, samples }: Life, limitMb: number): string | null {
  const most = samples.reduce((max, { mb }) => Math.max(max, mb), 0);
  return most <= limitMb ? null : `${name} (${pid}) held ${most.toFixed(0)} MB, the platform allows ${limitMb}`;
}
