import { useState } from 'preact/hooks';
import { DEFAULT_STAKE, parseStake } from './stake.ts';

const KEY = 'parallax.stake_usd';

/** The stake of this browser in USD. Without storage it lasts as long as the page. */
export function useStake(): [stake: number, setStake: (stake: number) => void] {
  const [stake, setStake] = useState(readStake);
  const keep = (next: number) => {
    setStake(next);
    try {
      localStorage.setItem(KEY, String(next));
    } catch {
      // Storage is full or blocked.
    }
  };
  return [stake, keep];
}

function readStake(): number {
  try {
    return parseStake(localStorage.getItem(KEY)) ?? DEFAULT_STAKE;
  } catch {
    return DEFAULT_STAKE;
  }
}
