import { useEffect } from 'preact/hooks';
import { type QueryState, useQuery } from '../components/use_query.ts';
import { useMember, useSession } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import type { Usage } from './types.ts';

/** A visible page polls every five seconds; a hidden page does not poll. */
const POLL_INTERVAL_MS = 5000;

/**
 * Usage of the organization. Refreshes the session when the plan changed, or when the row is
 * missing because the user was removed from the organization.
 */
export function useUsage(): QueryState<Usage | null> {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { rows } = useRpc();
  const { org_id, tier, status } = organization;
  const reading = useQuery(
    async () => (await rows<Usage>('my_usage', { org: org_id }))[0] ?? null,
    [org_id],
    POLL_INTERVAL_MS,
  );
  const { value } = reading;
  const isOutdated = value === null || (value && (value.tier !== tier || value.status !== status));
  useEffect(() => {
    if (isOutdated) void refresh();
    // Depends on the flag, not on `value`: a refresh must not start the next one.
  }, [isOutdated, org_id, refresh]);
  return reading;
}
