/** The memory (MB) of one process at times (ms). A restarted process has a new series. */
export type MemorySeries = { name: string; pid: number; slackMb: number; samples: { at: number; mb: number }[] };

/** The first minute does not count: a process fills its caches. */
export const WARM_UP_MS = 60_000;
/** A shorter time cannot show whether memory grows or caches still fill. */
const MIN_OBSERVED_MS = 5 * 60_000;
/**
 * Growth (MB) that is noise of the garbage collector and of caches that still fill. The share below
 * allows more for a large process.
 */
export const slackMb = { process: 40, objects: 12, buffers: 12 };
/**
 * A stream client may have 512 KiB in flight: a queue of 256 KiB and a page of 256 KiB. The
 * allocator keeps the peak that all clients used at once, such as after a restart of Postgres.
 */
export const CLIENT_MB = 0.5;
/**
 * `ingest` may hold an answer of 16 MiB of each of the two venues, as bytes and as text, when it
 * refuses the answer. The allocator keeps that peak.
 */
export const REFUSED_ANSWERS_MB = 64;
/** The cache of responses in functions/api (cache.ts): it fills while callers ask for new pages. */
export const RESPONSE_CACHE_MB = 48;
const SLACK_SHARE = 0.35;

/**
 * Growth in MB a minute: the median of the slopes between all pairs of samples (Theil–Sen). NaN for
 * fewer than two samples.
 */
export function slopeOf(samples: MemorySeries['samples']): number {
  const every = Math.max(1, Math.ceil(samples.length / 150));
  const thinned = samples.filter((_, index) => index % every === 0);
  const slopes = thinned.flatMap((one, index) =>
    thinned.slice(index + 1).map((other) => (other.mb - one.mb) / ((other.at - one.at) / 60_000)),
  );
  slopes.sort((one, other) => one - other);
  return slopes[Math.floor(slopes.length / 2)] ?? Number.NaN;
}

/** Null when the memory stayed flat, or when the series is too short. */
export function memoryGrowthError({ name, pid, slackMb, samples }: MemorySeries): string | null {
  const from = (samples[0]?.at ?? 0) + WARM_UP_MS;
  const warm = samples.filter(({ at }) => at >= from);
  const [first, last] = [warm[0], warm.at(-1)];
  if (!first || !last || last.at - first.at < MIN_OBSERVED_MS) return null;
  const minutes = (last.at - first.at) / 60_000;
  const growthMb = slopeOf(warm) * minutes;
  if (growthMb <= Math.max(slackMb, SLACK_SHARE * first.mb)) return null;
  return `${name} (${pid}) grew by ${growthMb.toFixed(0)} MB in ${minutes.toFixed(1)} minutes, from ${first.mb.toFixed(0)} MB`;
}

/**
 * Compares the memory of a process at `until` with its level at `quietUntil`, the end of the first
 * quiet window. Null when it grew by no more than `slackMb` or the share of its level, or when it
 * was not observed at both times.
 */
export function levelError(
  { name, pid, slackMb, samples }: MemorySeries,
  quietUntil: number,
  until: number,
): string | null {
  const before = samples.findLast(({ at }) => at <= quietUntil);
  const last = samples.findLast(({ at }) => at <= until);
  if (!before || !last || last.at <= quietUntil) return null;
  if (last.mb - before.mb <= Math.max(slackMb, SLACK_SHARE * before.mb)) return null;
  return `${name} (${pid}) holds ${last.mb.toFixed(0)} MB after the attacks, ${before.mb.toFixed(0)} MB after the first quiet window`;
}

/** How much a process may hold during an attack beyond its peak in quiet, MB. */
export const ATTACK_MB = 128;

/** Null when the memory under attack stays within `ATTACK_MB` of the quiet peak. */
export function attackPeakError(name: string, quietMb: number, attackMb: number): string | null {
  if (!(attackMb > quietMb + ATTACK_MB)) return null;
  return `${name} held ${attackMb.toFixed(0)} MB under attack, at most ${quietMb.toFixed(0)} MB in quiet`;
}

/** Null when every sample is at most `limitMb`. */
export function memoryLimitError({ name, pid, samples }: MemorySeries, limitMb: number): string | null {
  const peakMb = samples.reduce((max, { mb }) => Math.max(max, mb), 0);
  return peakMb <= limitMb ? null : `${name} (${pid}) held ${peakMb.toFixed(0)} MB, the platform allows ${limitMb}`;
}
