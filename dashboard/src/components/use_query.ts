import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type QueryState<T> = {
  /** The last successful result. A later failure keeps it. */
  value: T | undefined;
  error: Error | undefined;
  /** When the last successful result came, in epoch ms. */
  readAt: number | undefined;
  /** Queries now. Resolves when the state has its result. */
  refetch(): Promise<void>;
};

/**
 * Queries on mount, when `on` changes, every `everyMs` while the page is visible, when the browser
 * is online again and when the page becomes visible. Drops a result that a later query has
 * overtaken.
 */
export function useQuery<T>(read: () => Promise<T>, on: readonly unknown[], everyMs?: number): QueryState<T> {
  const [state, setState] = useState<{ on: readonly unknown[]; value?: T; error?: Error; readAt?: number }>({ on });
  const lastRun = useRef(0);
  const current = useRef({ read, on });
  current.current = { read, on };

  const refetch = useCallback(async () => {
    const run = ++lastRun.current;
    const { read, on } = current.current;
    try {
      const value = await read();
      if (run === lastRun.current) setState({ on, value, readAt: Date.now() });
    } catch (error) {
      const failed = { on, error: error as Error };
      if (run === lastRun.current) setState((last) => (isSame(last.on, on) ? { ...last, ...failed } : failed));
    }
  }, []);

  // `on` is the caller's dependency list.
  useEffect(() => {
    void refetch();
    return () => void lastRun.current++;
  }, on);

  useEffect(() => {
    const refetchIfVisible = () => {
      if (document.visibilityState === 'visible') void refetch();
    };
    const timer = everyMs ? setInterval(refetchIfVisible, everyMs) : undefined;
    addEventListener('online', refetchIfVisible);
    document.addEventListener('visibilitychange', refetchIfVisible);
    return () => {
      clearInterval(timer);
      removeEventListener('online', refetchIfVisible);
      document.removeEventListener('visibilitychange', refetchIfVisible);
    };
  }, [refetch, everyMs]);

  // Hides the result of an earlier `on`, also in the frame before the effect above runs.
  const { value, error, readAt } = isSame(state.on, on) ? state : {};
  return { value, error, readAt, refetch };
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, index) => Object.is(value, other[index]));
