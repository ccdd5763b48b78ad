import { describe, expect, it } from 'vitest';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';

/** A first delivery with nothing but `npm start`, a key and three requests. */
export const inboxSuite = (at: () => RunningStack) =>
  describe('the inbox of npm start', () => {
    it('receives a test of an endpoint with its address, and verifies both signatures', async () => {
      const { baseUrl, port, key } = at();
      const headers = { Authorization: `Bearer ${await key('basic', 'an inbox')}`, 'Content-Type': 'application/json' };
      const post = (path: string, body: object = {}) =>
        fetch(`${baseUrl}/v1/webhooks${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const inbox = `http://127.0.0.1:${port}/inbox`;
      const registered = await post('', { url: `${inbox}/suite`, events: ['opportunity.opened'], min_edge_pct: 100 });
      expect(registered.status, await registered.clone().text()).toBe(201);
      const { id, secret } = (await registered.json()) as { id: string; secret: string };
      const tested = await post(`/${id}/test`);
      expect(tested.status).toBe(202);
      const { delivery_id } = (await tested.json()) as { delivery_id: string };
      const read = async (path: string) => (await fetch(path, { headers })).json();
      type Received = { headers: Record<string, string>; body: string; verified: object };
      const [received] = await waitUntil(
        async () => {
          const { requests } = (await read(`${inbox}/suite?secret=${encodeURIComponent(secret)}`)) as {
            requests: Received[];
          };
          return requests.length > 0 && requests;
        },
        { what: 'a delivery in the inbox' },
      );
      expect(JSON.parse(received?.body ?? '{}')).toMatchObject({ event: 'ping', endpoint_id: id });
      expect(received?.headers).toMatchObject({ 'x-svc-event': 'ping', 'x-svc-delivery': delivery_id });
      expect(received?.verified).toEqual({ x_svc_signature: true, webhook_signature: true });
      await waitUntil(
        async () => {
          const { deliveries } = await read(`${baseUrl}/v1/webhooks/${id}/deliveries`);
          return deliveries[0].state === 'delivered' && deliveries[0].last_status === 204;
        },
        { what: 'the result of the delivery' },
      );
    });

    it('is the only address without TLS that can be registered', async () => {
      const { baseUrl, port, key } = at();
      const headers = { Authorization: `Bearer ${await key('basic', 'an inbox')}`, 'Content-Type': 'application/json' };
      for (const url of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/inbox/a`, 'http://8.8.8.8/inbox/a']) {
        const body = JSON.stringify({ url, events: ['pair.created'] });
        const answer = await fetch(`${baseUrl}/v1/webhooks`, { method: 'POST', headers, body });
        expect([url, answer.status]).toEqual([url, 422]);
      }
    });
  });
