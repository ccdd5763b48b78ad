import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type RunningStack, readLogs } from '../support/stack.ts';
import type { StreamTicket } from '../support/stream_ticket.ts';
import { waitUntil } from '../support/wait_until.ts';

/**
 * Calls each service of a stack that logs at LOG_LEVEL=debug with secrets and texts of a caller.
 * `afterwards` may break something.
 */
export const logsSuite = (at: () => RunningStack, afterwards: (stack: RunningStack) => Promise<void>) =>
  describe('the logs of a stack', () => {
    it('no log of any service has a key, ticket, token, password, query or body, even at LOG_LEVEL=debug', async () => {
      const stack = at();
      const key = await stack.key('pro', 'logs');
      const secrets = JSON.parse(readFileSync(join(stack.folder, 'secrets.json'), 'utf8')) as Record<string, string>;
      /** All secrets and bodies of the calls. No log may contain them. */
      const confidential = new Set([
        ...[key, ...Object.values(secrets)],
        ...['query-of-a-caller', 'body-of-a-caller', 'pass-of-a-caller'],
      ]);
      const origin = `http://127.0.0.1:${stack.port}`;
      const authorization = `Bearer ${key}`;
      const call = async (path: string, init: RequestInit = {}) => {
        const answer = await fetch(`${origin}${path}`, { headers: { authorization }, ...init });
        return [answer.status, await answer.text()] as const;
      };
      const post = (body: unknown, headers: Record<string, string> = { authorization }) => ({
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const asCron = { 'x-cron-key': secrets.cron ?? '', authorization: `Bearer ${secrets.cron ?? ''}` };
      const statuses = [
        await call(`/functions/v1/api/v2/search?q=query-of-a-caller&apikey=${key}`),
        await call(`/functions/v1/api/nowhere/${key}?ticket=query-of-a-caller`),
        await call('/functions/v1/api/metrics?x=query-of-a-caller', { headers: asCron }),
        await call('/functions/v1/api/v2/report-bad-arb', post({ reason: 'body-of-a-caller' })),
        await call(
          '/functions/v1/api/v2/mcp/',
          post(
            { jsonrpc: '2.0', id: 1, method: 'body-of-a-caller' },
            { authorization, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
          ),
        ),
        await call('/functions/v1/ingest?x=query-of-a-caller', post({ x: 'body-of-a-caller' }, asCron)),
        await call('/functions/v1/deliver', post({ x: 'body-of-a-caller' }, { 'x-cron-key': `${secrets.cron}x` })),
        await call(`/functions/v1/stream?ticket=query-of-a-caller`),
        await call(
          '/auth/v1/token?grant_type=password',
          post({ email: 'a@example.com', password: 'pass-of-a-caller' }, { apikey: secrets.publishable ?? '' }),
        ),
        await call(
          '/rest/v1/rpc/mint_key?x=query-of-a-caller',
          post({ p_org_id: 'body-of-a-caller' }, { apikey: secrets.publishable ?? '' }),
        ),
        await call(
          '/realtime/v1/api/broadcast',
          post({ messages: 'body-of-a-caller' }, { apikey: secrets.secret ?? '' }),
        ),
      ].map(([status]) => status);
      expect(statuses).toEqual([200, 404, 200, 202, expect.any(Number), 202, 401, 426, 400, 400, 422]);
      const [, registered] = await call(
        '/functions/v1/api/v1/webhooks',
        post({ url: 'https://8.8.8.8/query-of-a-caller?x=1', events: ['pair.created'] }),
      );
      confidential.add(JSON.parse(registered).secret);
      const [, minted] = await call('/functions/v1/api/v1/stream/token', post({}));
      const { ticket, realtime } = JSON.parse(minted) as StreamTicket;
      confidential.add(ticket).add(realtime?.access_token ?? ticket);
      await connectWith(stack, ticket, secrets.secret ?? '');
      await afterwards(stack);
      await call('/functions/v1/api/v2/markets?sport=query-of-a-caller');

      const texts = readLogs(stack.folder);
      expect([...texts.keys()]).toEqual(
        expect.arrayContaining(['functions-api.log', 'functions-stream.log', 'functions-ingest.log', 'realtime.log']),
      );
      texts.set('the output of npm start', stack.lines.join('\n'));
      texts.set('server.log', readFileSync(join(stack.folder, 'postgres', 'server.log'), 'utf8'));
      expect(texts.get('functions-stream.log')).toContain('connection.opened');
      expect(texts.get('functions-api.log')).toContain('"route":"/api/v2/search"');
      const found = [...texts].flatMap(([name, text]) =>
        [...confidential].filter((one) => one !== '' && text.includes(one)).map((one) => `${name}: ${one}`),
      );
      expect(found).toEqual([]);
    });
  });

/** Opens sockets with the ticket and the secret key, until the stream has logged a connection. */
async function connectWith(stack: RunningStack, ticket: string, secretKey: string): Promise<void> {
  const hello = JSON.stringify({ id: 1, connect: { data: { t: ticket } }, x: 'body-of-a-caller' });
  const paths = [
    `/realtime/v1/websocket?apikey=${secretKey}&vsn=9`,
    '/realtime/v1/websocket?apikey=query-of-a-caller',
    // The second connection uses the ticket again.
    ...['/functions/v1/stream', '/functions/v1/stream?t=query-of-a-caller'],
  ];
  const sockets = paths.map((path) => new WebSocket(`ws://127.0.0.1:${stack.port}${path}`));
  for (const socket of sockets) socket.on('error', () => {}).on('open', () => socket.send(hello));
  await waitUntil(() => readLogs(stack.folder).get('functions-stream.log')?.includes('connection.opened'), {
    what: 'the log has the connection',
  });
  for (const socket of sockets) socket.terminate();
}
