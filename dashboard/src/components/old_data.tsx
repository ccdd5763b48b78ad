import { Ago } from './ago.tsx';
import { Icon } from './icon.tsx';
import type { QueryState } from './use_query.ts';

/** States that the data below is old, because the last query failed. Nothing before a result. */
export function OldData({ reading: { value, error, readAt } }: { reading: QueryState<unknown> }) {
  if (!error || value === undefined || readAt === undefined) return null;
  return (
    <p class="old-data" role="status">
      <Icon name={navigator.onLine ? 'warning' : 'offline'} />
      <span>
        {navigator.onLine ? error.message : 'You are offline.'} What follows is old: it was read{' '}
        <Ago at={new Date(readAt).toISOString()} />.
      </span>
    </p>
  );
}
