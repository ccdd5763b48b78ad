import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { Live } from './live.ts';
import type { MarketQueries } from './market_queries.ts';
import { type MarketTerms, termsById } from './market_terms.ts';

/** The RPC takes at most this many ids. */
const MAX_IDS = 1000;
const LOOK_EVERY_MS = 5000;
/** Fees and settlement times change seldom. */
const REFRESH_EVERY_MS = 10 * 60_000;

export type TermsState = {
  terms: ReadonlyMap<string, MarketTerms>;
  /** Why the last read failed; undefined after a success. */
  error: Error | undefined;
};

/**
 * The terms of all markets of the live channel. Asks for those that are not known yet, and for all
 * every ten minutes. The map is a new object after each read.
 */
export function useMarketTerms(live: Live, ask: MarketQueries): TermsState {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const state = useRef<TermsState>({ terms: new Map(), error: undefined });
  useEffect(() => {
    let ended = false;
    let isReading = false;
    let asked = new Set<string>();
    let askedAt = performance.now();
    const read = async () => {
      if (isReading || !navigator.onLine || document.visibilityState !== 'visible') return;
      if (performance.now() - askedAt > REFRESH_EVERY_MS) {
        asked = new Set();
        askedAt = performance.now();
      }
      const ids = [...live.store.markets.keys()].filter((id) => !asked.has(id));
      if (ids.length === 0) return;
      isReading = true;
      try {
        const terms = new Map(state.current.terms);
        for (let at = 0; at < ids.length; at += MAX_IDS)
          for (const [id, found] of termsById(await ask.terms(ids.slice(at, at + MAX_IDS)))) terms.set(id, found);
        for (const id of ids) asked.add(id);
        state.current = { terms, error: undefined };
      } catch (error) {
        state.current = { ...state.current, error: error as Error };
      }
      isReading = false;
      if (!ended) draw(undefined);
    };
    void read();
    const timer = setInterval(() => void read(), LOOK_EVERY_MS);
    const stop = live.onChange(() => {
      // The first channel state arrives after the page.
      if (asked.size === 0 && state.current.error === undefined) void read();
    });
    return () => {
      ended = true;
      clearInterval(timer);
      stop();
    };
  }, [live, ask]);
  return state.current;
}
