import { instant } from '../components/format.ts';
import type { KeyRow } from './types.ts';

export type KeyState = 'live' | 'ending' | 'expired' | 'revoked';

/** As admission sees it: revoked before expired; `ending` still works and has an end, after a rotation. */
export function keyState(key: Pick<KeyRow, 'revoked_at' | 'expires_at'>, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (!key.expires_at) return 'live';
  return instant(key.expires_at) <= now ? 'expired' : 'ending';
}

export const isUsable = (state: KeyState): boolean => state === 'live' || state === 'ending';

export const keyStateLabels: Record<KeyState, { word: string; look: string }> = {
  live: { word: 'Live', look: 'is-up' },
  ending: { word: 'Ending', look: 'is-stale' },
  expired: { word: 'Expired', look: 'is-waiting' },
  revoked: { word: 'Revoked', look: 'is-down' },
};

/** Keys in the order to read them: those that work first, newest first; narrowed to a name or prefix. */
export function filterKeys(keys: readonly KeyRow[], sought: string, usableOnly: boolean, now: number): KeyRow[] {
  const term = sought.trim().toLowerCase();
  const usable = (key: KeyRow) => isUsable(keyState(key, now));
  return keys
    .filter((key) => !usableOnly || usable(key))
    .filter((key) => term === '' || key.name.toLowerCase().includes(term) || key.prefix.toLowerCase().includes(term))
    .sort(
      (one, other) =>
        Number(usable(other)) - Number(usable(one)) || instant(other.created_at) - instant(one.created_at),
    );
}
