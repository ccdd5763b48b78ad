import { useMemo } from 'preact/hooks';
import { useAsking } from '../session/asking.ts';
import { useMember } from '../session/session.tsx';
import type { Registered, Webhook, WebhookEvent } from './webhook.ts';

/** What the page asks of the database. Roles and tiers are its business; here they only say what to offer. */
export type WebhookDoor = {
  owner: boolean;
  tier: string;
  list(): Promise<Webhook[]>;
  register(url: string, events: readonly WebhookEvent[], threshold: number | null): Promise<Registered>;
  remove(id: string): Promise<void>;
};

export function useWebhookDoor(): WebhookDoor {
  const { organization } = useMember();
  const { call, rows } = useAsking();
  const { org_id, role, tier } = organization;
  return useMemo(
    () => ({
      owner: role === 'owner',
      tier,
      list: () => rows<Webhook>('my_webhooks', { org: org_id, newestBy: ['created_at', 'id'] }),
      register: (url, events, threshold) =>
        call<Registered>('register_webhook', {
          p_org: org_id,
          p_url: url,
          p_events: events,
          p_min_spread_pts: threshold,
        }),
      remove: async (id) => {
        await call('delete_webhook', { p_id: id });
      },
    }),
    [call, rows, org_id, role, tier],
  );
}
