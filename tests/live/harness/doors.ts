import { Refused } from '../../../dashboard/src/session/refused.ts';
import type { Webhook } from '../../../dashboard/src/webhooks/webhook.ts';
import type { WebhookDoor } from '../../../dashboard/src/webhooks/webhook_door.ts';

const endpoint: Webhook = {
  org_id: 'o',
  id: '9a7d0a52-53c2-4c14-8e1f-0d6e5f0a1b11',
  url: 'https://hooks.example.com/parallax/pairs',
  events: ['pair.created', 'spread.threshold'],
  min_spread_pts: 3,
  secret_preview: 'whsec_Qk3v',
  status: 'enabled',
  disabled_reason: null,
  failure_count: 0,
  last_success_at: new Date(Date.now() - 45_000).toISOString(),
  last_failure_at: null,
  created_at: '2026-11-18T09:00:00.000Z',
};

/** Endpoints as a service in the page keeps them. `state`: live, empty, missing, failing, free. */
export function doorOf(state: string): WebhookDoor {
  const failing: Webhook = {
    ...endpoint,
    id: 'b5f8a9de-5f86-4b39-8a85-1f9f7a3c2d22',
    url: 'https://an-endpoint-with-a-rather-long-name.internal-tools.example.org/receivers/parallax/v1/deliveries?team=quant',
    events: ['spread.threshold'],
    status: 'disabled',
    disabled_reason: 'delivery_failures',
    failure_count: 20,
    last_failure_at: new Date(Date.now() - 3_600_000).toISOString(),
  };
  let list = state === 'empty' || state === 'free' ? [] : [endpoint, failing];
  return {
    owner: true,
    tier: state === 'free' ? 'free' : 'pro',
    list: async () => {
      if (state === 'missing') throw new Refused('PGRST205', 'Could not find the table');
      if (state === 'failing')
        throw new Refused('internal', 'The service could not do this now. Try again in a moment.');
      return list;
    },
    register: async (url, events, threshold) => {
      const made = { ...endpoint, id: crypto.randomUUID(), url, events: [...events], min_spread_pts: threshold };
      list = [...list, made];
      return { ...made, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKY4=' };
    },
    remove: async (id) => {
      list = list.filter((one) => one.id !== id);
    },
  };
}
