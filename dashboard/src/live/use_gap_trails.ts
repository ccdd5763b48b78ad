import { useEffect, useReducer } from 'preact/hooks';
import { GapTrails, SAMPLE_EVERY_MS } from './gap_trails.ts';
import type { Live } from './live.ts';

/** The trails last as long as the live connection, which the pages share. */
const kept = new WeakMap<Live, GapTrails>();

/** Samples the gaps while a page that uses them is open. */
export function useGapTrails(live: Live): GapTrails {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  let trails = kept.get(live);
  if (!trails) {
    trails = new GapTrails();
    kept.set(live, trails);
  }
  const mine = trails;
  useEffect(() => {
    const sample = () => {
      if (!live.isLoaded || document.visibilityState !== 'visible') return;
      mine.sample(live.store.markets, Date.now(), navigator.onLine && live.status === 'subscribed');
      draw(undefined);
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    return () => clearInterval(timer);
  }, [live, mine]);
  return mine;
}
