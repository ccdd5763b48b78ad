import { useEffect } from 'preact/hooks';
import { type Reading, useReading } from '../components/reading.ts';
import { useAsking } from '../session/asking.ts';
import { useMember, useSession } from '../session/session.tsx';
import type { Usage } from './types.ts';

/** Gently: a page that is seen asks every five seconds, one that is not asks not at all. */
const everyMs = 5000;

/** Where the organization stands. Somebody who was removed from it finds nothing, and is led to where they belong. */
export function useUsage(): Reading<Usage | null> {
  const { organization } = useMember();
  const { refresh } = useSession();
  const { rows } = useAsking();
  const { org_id, tier, status } = organization;
  const reading = useReading(
    async () => (await rows<Usage>('my_usage', { org: org_id }))[0] ?? null,
    [org_id],
    everyMs,
  );
  const { value } = reading;
  const elsewhere = value === null || (value && (value.tier !== tier || value.status !== status));
  useEffect(() => {
    if (elsewhere) void refresh();
    // Once for each thing noticed: what is read anew here must not set off the next reading.
  }, [elsewhere, org_id, refresh]);
  return reading;
}
