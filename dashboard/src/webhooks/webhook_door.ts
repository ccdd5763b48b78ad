import { useMemo } from 'preact/hooks';
import { rowsOf } from '../session/call.ts';
import { useCall, useMember } from '../session/session.tsx';
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
  const { client, organization } = useMember();
  const call = useCall();
  const { org_id, role, tier } = organization;
  return useMemo(
    () => ({
      owner: role === 'owner',
      tier,
      list: () => rowsOf<Webhook>(client, 'my_webhooks', org_id, 'created_at'),
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
    [client, call, org_id, role, tier],
  );
}
