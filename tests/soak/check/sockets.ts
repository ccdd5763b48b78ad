import { MAX_IDLE_CONNECTIONS } from '../../../local/platform/gateway/forward.ts';
import { SUPERVISOR_NAME } from '../../../local/platform/supervisor/data_folder.ts';
import type { WindowMark } from '../windows.ts';

/** The open descriptors and sockets of one process at a time (ms). */
export type DescriptorSample = { at: number; descriptors: number; sockets: number };

/** Descriptors that come and go: keep-alive connections, and connections of Postgres. */
export const DESCRIPTOR_SLACK = 40;
/** The gateway also keeps idle connections to a function after a burst. */
const slackOf = (name: string) => DESCRIPTOR_SLACK + (name === SUPERVISOR_NAME ? MAX_IDLE_CONNECTIONS : 0);

/**
 * A shorter time after the attack proves nothing: the stream waits up to ten seconds for a first
 * command, and then for the answer to its close frame.
 */
export const MIN_AFTER_MS = 18_000;

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Checks the time after an attack, in which the attackers still hold what they opened: at its end
 * the process has as many descriptors and sockets as in the quiet window before. Null: it has, the
 * time was too short, or it was restarted and has no samples.
 */
export function descriptorError(
  name: string,
  samples: readonly DescriptorSample[],
  quiet: WindowMark,
  after: WindowMark,
): string | null {
  const before = samples.filter(({ at }) => at >= quiet.from && at < quiet.to);
  const last = samples.findLast(({ at }) => at >= after.from && at < after.to);
  if (before.length === 0 || !last || after.to - after.from < MIN_AFTER_MS) return null;
  for (const what of ['descriptors', 'sockets'] as const) {
    const level = median(before.map((one) => one[what]));
    if (last[what] > level + slackOf(name))
      return `${name} has ${last[what]} ${what} ${((after.to - after.from) / 1000).toFixed(0)} s after the attack ${after.attack}, ${level} before`;
  }
  return null;
}
