import { EmptyState } from '../components/empty_state.tsx';

/** In the place of rows that this session will not get: why, and where to go. */
export function ChannelDenied() {
  return (
    <EmptyState
      icon="warning"
      title="Your plan does not carry this feed"
      action={
        <a class="button" href="/usage">
          See the plan
        </a>
      }
    >
      It is not active, or its tier has another feed. Load this page again once that has changed.
    </EmptyState>
  );
}
