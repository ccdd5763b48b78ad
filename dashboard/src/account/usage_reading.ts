import { useEffect } from 'preact/hooks';
import { type Reading, useReading } from '../parts/reading.ts';
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
  const { org_id } = organization;
  const reading = useReading(
    async () => (await rows<Usage>('my_usage', { org: org_id }))[0] ?? null,
    [org_id],
    everyMs,
  );
  const { value } = reading;
  useEffect(() => {
    const changed = value && (value.tier !== organization.tier || value.status !== organization.status);
    if (value === null || changed) void refresh();
  }, [value, organization, refresh]);
  return reading;
}
