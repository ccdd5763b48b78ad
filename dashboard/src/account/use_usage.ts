import { useEffect } from 'preact/hooks';
import { type QueryState, useQuery } from '../components/use_query.ts';
import { useMember, useSession } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import type { Usage } from './types.ts';

/** Gently: a page that is seen asks every five seconds, one that is not asks not at all. */
const POLL_INTERVAL_MS = 5000;

/** Where the organization stands. Somebody who was removed from it finds nothing, and is led to where they belong. */
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
  const elsewhere = value === null || (value && (value.tier !== tier || value.status !== status));
  useEffect(() => {
    if (elsewhere) void refresh();
    // Once for each thing noticed: what is read anew here must not set off the next reading.
  }, [elsewhere, org_id, refresh]);
  return reading;
}
