import { useMemo } from 'preact/hooks';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import type { Delivery } from './delivery.ts';
import type { EndpointFields, NewSecret, Registered, Webhook } from './webhook.ts';

/**
 * The calls of the Webhooks page. The service enforces roles and tiers; the page uses them to hide
 * actions.
 */
export type WebhookClient = {
  owner: boolean;
  tier: string;
  list(): Promise<Webhook[]>;
  register(fields: EndpointFields): Promise<Registered>;
  /** Changes the fields that are given. An omitted URL is not checked again. */
  change(id: string, fields: Partial<EndpointFields>): Promise<void>;
  /** Enables an endpoint that was disabled after failed deliveries. */
  enable(id: string): Promise<void>;
  /** Replaces the secret. For a day deliveries are signed with the old one too. */
  roll(id: string): Promise<NewSecret>;
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
  const { call, rows, send } = useRpc();
  const { org_id, role, tier } = organization;
  return useMemo(
    () => ({
      owner: role === 'owner',
      tier,
      list: () => rows<Webhook>('my_webhooks', { org: org_id, newestBy: ['created_at', 'id'] }),
      register: (fields) => send<Registered>('POST', `/v1/webhooks?org_id=${org_id}`, fields),
      change: async (id, fields) => {
        await send('PATCH', `/v1/webhooks/${id}?org_id=${org_id}`, fields);
      },
      enable: async (id) => {
        await send('PATCH', `/v1/webhooks/${id}?org_id=${org_id}`, { status: 'enabled' });
      },
      roll: (id) => call<NewSecret>('roll_webhook', { p_id: id }),
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
    [call, rows, send, org_id, role, tier],
  );
}
