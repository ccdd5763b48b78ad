import { useMemo } from 'preact/hooks';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import type { Delivery } from './delivery.ts';
import type { Registered, Webhook, WebhookEvent } from './webhook.ts';

/**
 * The calls of the Webhooks page. The service enforces roles and tiers; the page uses them to hide
 * actions.
 */
export type WebhookClient = {
  owner: boolean;
  tier: string;
  list(): Promise<Webhook[]>;
  register(url: string, events: readonly WebhookEvent[], threshold: number | null): Promise<Registered>;
  remove(id: string): Promise<void>;
  /** Sends a ping. */
  test(id: string): Promise<void>;
  /**
   * Deliveries to an endpoint, newest first, PAGE_ROWS at once. `state` null: all; `before` null:
   * the newest.
   */
  deliveries(id: string, state: Delivery['state'] | null, before: string | null): Promise<Delivery[]>;
  /** Sends a failed or dropped delivery again. */
  replay(id: string): Promise<void>;
};

export function useWebhooks(): WebhookClient {
  const { organization } = useMember();
  const { call, rows, post } = useRpc();
  const { org_id, role, tier } = organization;
  return useMemo(
    () => ({
      owner: role === 'owner',
      tier,
      list: () => rows<Webhook>('my_webhooks', { org: org_id, newestBy: ['created_at', 'id'] }),
      register: (url, events, threshold) =>
        post<Registered>(`/v1/webhooks?org_id=${org_id}`, { url, events, min_spread_pts: threshold }),
      remove: async (id) => {
        await call('delete_webhook', { p_id: id });
      },
      test: async (id) => {
        await call('test_webhook', { p_id: id });
      },
      deliveries: (id, state, before) =>
        call<Delivery[]>('list_webhook_deliveries', { p_id: id, p_state: state, p_before: before }),
      replay: async (id) => {
        await call('replay_delivery', { p_id: id });
      },
    }),
    [call, rows, post, org_id, role, tier],
  );
}
