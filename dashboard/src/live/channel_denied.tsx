import { EmptyState } from '../components/empty_state.tsx';

/** Shown instead of the rows when the plan does not include the channel. */
export function ChannelDenied() {
  return (
    <EmptyState
      icon="warning"
      title="Your plan does not include this channel"
      action={
        <a class="button" href="/usage">
          Plan and usage
        </a>
      }
    >
      The plan is inactive, or its tier includes other channels. Reload this page after the plan has changed.
    </EmptyState>
  );
}
