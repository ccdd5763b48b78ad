import { ATTACK_NAMES, type AttackName } from './attack/names.ts';

/** `all` is every attack of the run at once. */
export type AttackKind = AttackName | 'all';
/**
 * What happens in a part of the run. After an attack comes `after`: the attackers keep their
 * connections and open none, and the stack has to cut them. Only `quiet` and `attack` count for
 * percentiles.
 */
export type WindowKind = 'warm-up' | 'quiet' | 'attack' | 'after' | 'faults';
export type PlannedWindow = { kind: WindowKind; attack?: AttackKind; ms: number };
/** A window of the run, in epoch ms. */
export type WindowMark = { kind: WindowKind; attack?: AttackKind; from: number; to: number };

/** The usual length of a quiet window and of an attack, ms. A short run has shorter ones. */
const WINDOW_MS = 75_000;
/** The longest time after an attack, ms: the stream may close an idle socket after 10 s. */
const AFTER_MS = 25_000;
const WARM_UP_MS = 40_000;
const FAULTS_SHARE = 1 / 3;

/** Each attack alone and then all at once, or only all at once. */
export function attackKinds(attacks: readonly AttackName[], atOnce: boolean): readonly AttackKind[] {
  if (attacks.length < 2) return attacks;
  return atOnce ? ['all'] : [...attacks, 'all'];
}

/**
 * The windows of a run: quiet and attack in turn, and the faults last. A long run repeats the
 * attacks. Without attacks all time is for the faults.
 */
export function planWindows(minutes: number, kinds: readonly AttackKind[], hasFaults: boolean): PlannedWindow[] {
  const totalMs = minutes * 60_000;
  if (kinds.length === 0) return [{ kind: 'faults', ms: totalMs }];
  const faultsMs = hasFaults ? totalMs * FAULTS_SHARE : 0;
  const warmUpMs = Math.min(WARM_UP_MS, 0.06 * totalMs);
  const attacksMs = totalMs - faultsMs - warmUpMs;
  const rounds = Math.max(1, Math.round(attacksMs / (kinds.length * (2 * WINDOW_MS + AFTER_MS))));
  const cycleMs = attacksMs / (rounds * kinds.length + 0.45);
  const afterMs = Math.min(AFTER_MS, 0.3 * cycleMs);
  const windowMs = (cycleMs - afterMs) / 2;
  const windows: PlannedWindow[] = [{ kind: 'warm-up', ms: warmUpMs }];
  for (let round = 0; round < rounds; round += 1) {
    for (const attack of kinds) {
      windows.push({ kind: 'quiet', ms: windowMs }, { kind: 'attack', attack, ms: windowMs });
      windows.push({ kind: 'after', attack, ms: afterMs });
    }
  }
  windows.push({ kind: 'quiet', ms: windowMs });
  if (hasFaults) windows.push({ kind: 'faults', ms: faultsMs });
  return windows;
}

/** The attacks that run in a window of this kind. */
export const attacksOf = (kind: AttackKind, all: readonly AttackName[] = ATTACK_NAMES): readonly AttackName[] =>
  kind === 'all' ? all : [kind];

/** Whether the latency in such a window is judged. */
export const hasLatency = (kind: WindowKind | undefined): boolean => kind === 'quiet' || kind === 'attack';

/** The window in which `at` (epoch ms) lies. */
export const windowAt = (windows: readonly WindowMark[], at: number): WindowMark | undefined =>
  windows.find(({ from, to }) => at >= from && at < to);
