import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type Reading<T> = {
  /** The last good answer; kept while a later one fails. */
  value: T | undefined;
  error: Error | undefined;
  /** Reads now. Resolves when the answer is shown. */
  again(): Promise<void>;
};

/**
 * Reads on showing, whenever `on` changes, every `everyMs` while the page is seen, and when the network or the reader comes back.
 * An answer that is overtaken by a later reading is dropped.
 */
export function useReading<T>(read: () => Promise<T>, on: readonly unknown[], everyMs?: number): Reading<T> {
  const [state, setState] = useState<{ value?: T; error?: Error }>({});
  const turn = useRef(0);
  const reader = useRef(read);
  reader.current = read;

  const again = useCallback(async () => {
    const mine = ++turn.current;
    try {
      const value = await reader.current();
      if (mine === turn.current) setState({ value });
    } catch (error) {
      if (mine === turn.current) setState((last) => ({ ...last, error: error as Error }));
    }
  }, []);

  // `on` is the caller's list of what the reading depends on.
  useEffect(() => {
    setState({});
    void again();
    return () => void turn.current++;
  }, on);

  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === 'visible') void again();
    };
    const timer = everyMs ? setInterval(seen, everyMs) : undefined;
    addEventListener('online', seen);
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      removeEventListener('online', seen);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [again, everyMs]);

  return { value: state.value, error: state.error, again };
}
