import { instant } from '../components/format.ts';
import type { KeyRow } from './types.ts';

export type KeyState = 'live' | 'ending' | 'expired' | 'revoked';

const WEEK_MS = 7 * 86_400_000;

/**
 * The state as admission sees it. `revoked` wins over `expired`. `ending` still works, for less
 * than a week.
 */
export function keyState(key: Pick<KeyRow, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (!key.expires_at) return 'live';
  const left = instant(key.expires_at) - now;
  return left <= 0 ? 'expired' : left < WEEK_MS ? 'ending' : 'live';
}

export const isUsable = (state: KeyState): boolean => state === 'live' || state === 'ending';

export const keyStateLabels: Record<KeyState, { word: string; look: string }> = {
  live: { word: 'Active', look: 'is-up' },
  ending: { word: 'Expiring', look: 'is-stale' },
  expired: { word: 'Expired', look: 'is-waiting' },
  revoked: { word: 'Revoked', look: 'is-down' },
};

/** Keys whose name or prefix contains `search`: usable keys first, then newest first. */
export function filterKeys(keys: readonly KeyRow[], search: string, usableOnly: boolean, now: number): KeyRow[] {
  const term = search.trim().toLowerCase();
  const usable = (key: KeyRow) => isUsable(keyState(key, now));
  return keys
    .filter((key) => !usableOnly || usable(key))
    .filter((key) => term === '' || key.name.toLowerCase().includes(term) || key.prefix.toLowerCase().includes(term))
    .sort(
      (one, other) =>
        Number(usable(other)) - Number(usable(one)) || instant(other.created_at) - instant(one.created_at),
    );
}
