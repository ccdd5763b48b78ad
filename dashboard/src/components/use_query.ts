import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type QueryState<T> = {
  /** The last good answer; kept while a later one fails. */
  value: T | undefined;
  error: Error | undefined;
  /** Reads now. Resolves when the answer is shown. */
  refetch(): Promise<void>;
};

/**
 * Reads on showing, whenever `on` changes, every `everyMs` while the page is seen, and when the network or the reader comes back.
 * An answer that is overtaken by a later reading is dropped.
 */
export function useQuery<T>(read: () => Promise<T>, on: readonly unknown[], everyMs?: number): QueryState<T> {
  const [state, setState] = useState<{ on: readonly unknown[]; value?: T; error?: Error }>({ on });
  const turn = useRef(0);
  const asked = useRef({ read, on });
  asked.current = { read, on };

  const refetch = useCallback(async () => {
    const mine = ++turn.current;
    const { read, on } = asked.current;
    try {
      const value = await read();
      if (mine === turn.current) setState({ on, value });
    } catch (error) {
      const failed = { on, error: error as Error };
      if (mine === turn.current) setState((last) => (isSame(last.on, on) ? { ...last, ...failed } : failed));
    }
  }, []);

  // `on` is the caller's list of what the reading depends on.
  useEffect(() => {
    void refetch();
    return () => void turn.current++;
  }, on);

  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === 'visible') void refetch();
    };
    const timer = everyMs ? setInterval(seen, everyMs) : undefined;
    addEventListener('online', seen);
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      removeEventListener('online', seen);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [refetch, everyMs]);

  // The answer to an earlier question is not shown, not even in the frame before the effect above runs.
  const { value, error } = isSame(state.on, on) ? state : {};
  return { value, error, refetch };
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
