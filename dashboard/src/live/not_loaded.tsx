import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import type { Live } from './live.ts';
import { useOnline } from './use_live.ts';

/** After this long without rows the page says so. */
const LOADING_TIMEOUT_MS = 10_000;

type LoadFailure = 'offline' | 'unanswered';

/** Why nothing has been loaded; null while loading can still be a matter of seconds. */
export function useLoadFailure(live: Live): LoadFailure | null {
  const online = useOnline();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LOADING_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (live.isLoaded) return null;
  if (!online) return 'offline';
  return live.status === 'lost' || live.error !== null || late ? 'unanswered' : null;
}

/** In the place of rows that could not be loaded: what happened, and what comes next. */
export function NotLoaded({ what, why }: { what: string; why: LoadFailure }) {
  return (
    <EmptyState icon={why === 'offline' ? 'offline' : 'warning'} title={`No ${what} could be loaded`}>
      They appear here by themselves as soon as {why === 'offline' ? 'the network is back' : 'the service answers'}.
    </EmptyState>
  );
}
