import { EmptyState } from './empty_state.tsx';

/** Something could not be read: why, in words, and a way to try again. Offline is a state of its own. */
export function Problem({ error, onRetry }: { error: Error; onRetry?(): void }) {
  const offline = !navigator.onLine;
  return (
    <EmptyState
      icon={offline ? 'offline' : 'warning'}
      title={offline ? 'You are offline' : 'This could not be read'}
      action={
        onRetry && (
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        )
      }
    >
      {offline ? 'This page reads again as soon as the network is back.' : error.message}
    </EmptyState>
  );
}
