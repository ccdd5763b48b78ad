import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IssuedCertificate } from '../../webhook/support/certificate.ts';
import { sendToParent } from '../load/send_to_parent.ts';

// Receivers of other organizations that accept a delivery and never answer, or drip one byte at a
// time. They run for the whole run; their endpoints exist only in an attack.

export type ReceiversMessage = { port: number } | { arrivals: [delivery: string, at: number][] };

const DRIP_MS = 200;

process.on('message', (issued: IssuedCertificate) => {
  const arrivals: [string, number][] = [];
  const server = createServer({ cert: issued.certificate, key: issued.key }, (request, response) => {
    response.on('error', () => {});
    request.on('error', () => {}).resume();
    arrivals.push([String(request.headers['x-svc-delivery']), Date.now()]);
    if (!request.url?.startsWith('/drip')) return;
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('x'), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1', () => sendToParent({ port: (server.address() as AddressInfo).port }));
  setInterval(() => sendToParent({ arrivals: arrivals.splice(0) }), 1_000);
});
process.on('disconnect', () => process.exit(0));
