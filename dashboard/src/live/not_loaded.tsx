import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import type { Live } from './live.ts';
import { useOnline } from './use_live.ts';

/** After this time without rows the page shows that loading failed. */
const LOADING_TIMEOUT_MS = 10_000;

type LoadFailure = 'offline' | 'no_response';

/** Why no rows have loaded; null while they may still arrive. */
export function useLoadFailure(live: Live): LoadFailure | null {
  const online = useOnline();
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), LOADING_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (live.isLoaded) return null;
  if (!online) return 'offline';
  return live.status === 'lost' || live.error !== null || isLate ? 'no_response' : null;
}

/** Shown instead of rows that could not be loaded. */
export function NotLoaded({ what, failure }: { what: string; failure: LoadFailure }) {
  return (
    <EmptyState icon={failure === 'offline' ? 'offline' : 'warning'} title={`The ${what} could not be loaded`}>
      They appear here when {failure === 'offline' ? 'the network is back' : 'the service responds'}.
    </EmptyState>
  );
}
