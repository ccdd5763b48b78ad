import { RpcError } from '../../../dashboard/src/session/rpc_error.ts';
import { type Delivery, PAGE_ROWS } from '../../../dashboard/src/webhooks/delivery.ts';
import type { WebhookClient } from '../../../dashboard/src/webhooks/use_webhooks.ts';
import type { Webhook } from '../../../dashboard/src/webhooks/webhook.ts';

const endpoint: Webhook = {
  org_id: 'o',
  id: '9a7d0a52-53c2-4c14-8e1f-0d6e5f0a1b11',
  url: 'https://hooks.example.com/parallax/pairs',
  events: ['pair.created', 'spread.threshold'],
  min_spread_pts: 3,
  min_edge_pct: null,
  min_profit_usd: null,
  previous_secret_until: null,
  secret_preview: 'whsec_Qk3v',
  status: 'enabled',
  disabled_reason: null,
  failure_count: 0,
  pending: 3,
  last_success_at: new Date(Date.now() - 45_000).toISOString(),
  last_failure_at: null,
  created_at: '2026-11-18T09:00:00.000Z',
};

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** A delivery that arrived `number` minutes ago, with changes. */
const delivery = (number: number, changes: Partial<Delivery> = {}): Delivery => ({
  delivery_id: `7f2d4f0e-3c1b-4d6e-9a2f-${String(number).padStart(12, '0')}`,
  event: number % 3 ? 'spread.threshold' : 'pair.created',
  pair_id: 'mkt_c660e377-f679-57b5-bb8b-8c258bc9c5c3',
  body: `{"event":"spread.threshold","endpoint_id":"${endpoint.id}","pair_id":"mkt_c660e377-f679-57b5-bb8b-8c258bc9c5c3","slug":"nfl-chi-ari-2026-11-25","title":"Chicago Bears vs Arizona Cardinals","spread_pts":3.5,"threshold_pts":3,"observed_at":"2026-11-20T08:13:35.699Z"}`,
  state: 'delivered',
  attempts: 1,
  last_status: 200,
  last_error: null,
  last_answer: 'ok',
  last_took_ms: 43,
  created_at: minutesAgo(number),
  next_attempt_at: null,
  finished_at: minutesAgo(number),
  ...changes,
});

/** A delivery history with every possible result, and many deliveries that arrived. */
const someDeliveries = (): Delivery[] => [
  delivery(1, {
    state: 'waiting',
    attempts: 3,
    last_status: 503,
    last_error: 'status.503',
    last_answer:
      '<html><head><title>503 Service Temporarily Unavailable</title></head><body><center><h1>503 Service Temporarily Unavailable</h1></center><hr><center>nginx</center></body></html>',
    next_attempt_at: new Date(Date.now() + 21_000).toISOString(),
    finished_at: null,
  }),
  delivery(2, {
    state: 'waiting',
    attempts: 0,
    last_status: null,
    last_answer: null,
    last_took_ms: null,
    finished_at: null,
  }),
  delivery(3, {
    state: 'failed',
    attempts: 4,
    last_status: 500,
    last_error: 'status.500',
    last_answer: '{"error":"no such table: pairs"}',
  }),
  delivery(4, {
    event: 'ping',
    last_status: 204,
    last_answer: null,
    body: `{"event":"ping","endpoint_id":"${endpoint.id}","created_at":"2026-11-20T08:13:35.699Z"}`,
  }),
  delivery(5, {
    state: 'failed',
    attempts: 4,
    last_status: null,
    last_error: 'timeout',
    last_answer: null,
    last_took_ms: 5003,
  }),
  delivery(6, { state: 'dropped', attempts: 1, last_status: 500, last_error: 'endpoint.disabled', last_answer: null }),
  ...Array.from({ length: 130 }, (_, n) => delivery(10 + n)),
];

/** The webhook calls, served from memory. `state`: live, empty, missing, failing, free, logless. */
export function webhookStub(state: string): WebhookClient {
  const failing: Webhook = {
    ...endpoint,
    id: 'b5f8a9de-5f86-4b39-8a85-1f9f7a3c2d22',
    url: 'https://an-endpoint-with-a-rather-long-name.internal-tools.example.org/receivers/parallax/v1/deliveries?team=quant',
    events: ['spread.threshold'],
    status: 'disabled',
    disabled_reason: 'delivery_failures',
    failure_count: 20,
    pending: 0,
    last_failure_at: new Date(Date.now() - 3_600_000).toISOString(),
  };
  let log = someDeliveries();
  let list = state === 'empty' || state === 'free' ? [] : [endpoint, failing];
  return {
    owner: true,
    tier: state === 'free' ? 'free' : 'pro',
    list: async () => {
      if (state === 'missing') throw new RpcError('PGRST205', 'Could not find the table');
      if (state === 'failing') throw new RpcError('internal', 'The service failed. Try again in a moment.');
      return list;
    },
    register: async (fields) => {
      const made = { ...endpoint, ...fields, id: crypto.randomUUID(), events: [...fields.events] };
      list = [...list, made];
      return { ...made, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKY4=' };
    },
    change: async (id, fields) => {
      list = list.map((one) =>
        one.id === id ? { ...one, ...fields, events: [...(fields.events ?? one.events)] } : one,
      );
    },
    enable: async (id) => {
      list = list.map((one) => (one.id === id ? { ...one, status: 'enabled', failure_count: 0 } : one));
    },
    roll: async (id) => {
      const previous_secret_until = new Date(Date.now() + 86_400_000).toISOString();
      list = list.map((one) => (one.id === id ? { ...one, previous_secret_until } : one));
      return { id, secret: 'whsec_7LdpQCwUS4Ipj3pVn2pJ8dHhzv3pRrTwjUPD8ILPZI8=', previous_secret_until };
    },
    remove: async (id) => {
      list = list.filter((one) => one.id !== id);
    },
    test: async (id) => {
      if (log.some((one) => one.event === 'ping' && one.state === 'waiting'))
        throw new RpcError('webhook.busy', 'The last test of this endpoint is still under way.');
      const ping = delivery(0, { event: 'ping', state: 'waiting', attempts: 0, last_status: null, last_answer: null });
      log = [{ ...ping, delivery_id: crypto.randomUUID(), body: `{"event":"ping","endpoint_id":"${id}"}` }, ...log];
    },
    deliveries: async (id, only, before) => {
      if (state === 'logless') throw new RpcError('internal', 'The service failed. Try again in a moment.');
      const all = (id === endpoint.id ? log : []).filter((one) => only === null || one.state === only);
      const from = before === null ? 0 : all.findIndex((one) => one.delivery_id === before) + 1;
      return all.slice(from, from + PAGE_ROWS);
    },
    replay: async (id) => {
      log = log.map((one) =>
        one.delivery_id === id ? { ...one, state: 'waiting', attempts: 0, finished_at: null } : one,
      );
    },
  };
}
