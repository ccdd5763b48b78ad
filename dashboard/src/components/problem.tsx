import { EmptyState } from './empty_state.tsx';

/** A failed query: the error message and a retry button, or the offline state. */
export function Problem({ error, onRetry }: { error: Error; onRetry?(): void }) {
  const offline = !navigator.onLine;
  return (
    <EmptyState
      icon={offline ? 'offline' : 'warning'}
      title={offline ? 'You are offline' : 'Loading failed'}
      action={
        onRetry && (
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        )
      }
    >
      {offline ? 'This page loads again when the network is back.' : error.message}
    </EmptyState>
  );
}
