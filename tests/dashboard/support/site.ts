import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from '../../../local/platform/gateway/gateway.ts';

/**
 * Serves the pages with the gateway. The function `api` is at `port`; Auth and REST, if given, at
 * `authPort`.
 */
export async function serveSite(
  folder: string,
  port: number,
  authPort?: number,
): Promise<{ base: string; close(): Promise<void> }> {
  const at = (name: string, port: number) => ({
    name,
    address: { host: '127.0.0.1', port },
    untilUp: async () => true,
  });
  const gateway = new Gateway({
    port: 0,
    functions: new Map([['api', at('api', port)]]),
    auth: authPort === undefined ? undefined : at('auth', authPort),
    publishableKey: 'sb_publishable_of_a_test',
    dashboard: folder,
    notice: '',
  });
  return { base: `http://127.0.0.1:${await gateway.listen()}`, close: () => gateway.close() };
}

/**
 * A server that returns `document` for every request, or the one of its path; 503 where there is
 * none.
 */
export async function serveDocument(
  document: object | ((path: string) => object | undefined),
  port = 0,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const found = typeof document === 'function' ? document(request.url ?? '') : document;
    const headers = { 'content-type': 'application/json' };
    response.writeHead(found === undefined ? 503 : 200, headers).end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, close };
}
