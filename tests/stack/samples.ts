import { type ApiDocument, type Endpoint, toReference } from '../../dashboard/src/docs/document.ts';
import type { SampleLanguage } from '../../dashboard/src/docs/sample_language.ts';
import { requests } from '../../local/examples/requests.ts';
import { sampleOf } from '../dashboard/support/sample_requests.ts';
import type { RunningStack } from '../support/stack.ts';

/** Sample programs by operation id. */
export type Samples = Readonly<Record<string, string>>;

/**
 * The samples of every GET endpoint of the reference, with a key, and with ids that the stack has.
 * The endpoint with the deliveries belongs to the organization of the key.
 */
export async function samplesOfStack(stack: RunningStack, language: SampleLanguage, org: string): Promise<Samples> {
  const { baseUrl, port } = stack;
  const key = await stack.key('pro', org);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const url = `http://127.0.0.1:${port}/inbox/samples`;
  const body = JSON.stringify({ url, events: ['opportunity.opened'], min_edge_pct: 100 });
  const register = () => fetch(`${baseUrl}/v1/webhooks`, { method: 'POST', headers, body });
  // The program of a suite before this blocked the process, and the server closed its connection.
  const registered = await register().catch(register);
  if (!registered.ok) throw new Error(`${registered.status} ${await registered.text()}`);
  const document = await stack.get<ApiDocument>('/openapi.json', key);
  const endpoints = toReference(document).sections.flatMap((section) => section.endpoints);
  const samples: Record<string, string> = {};
  // No day of a new stack is exported: tests/export has the real answer.
  const asked = endpoints.filter(({ id, method }) => method === 'GET' && id !== 'get_export');
  for (const endpoint of asked) {
    const current = await withCurrentRequest(endpoint, (path) => stack.get(path, key));
    samples[endpoint.id] = sampleOf(current, language, baseUrl).replaceAll('YOUR_KEY', key);
  }
  return samples;
}

/** The endpoint with the request that `npm run examples` would record now. */
async function withCurrentRequest(endpoint: Endpoint, get: (path: string) => Promise<unknown>): Promise<Endpoint> {
  const example = await requests[endpoint.id]?.(get);
  if (!example) return endpoint;
  return { ...endpoint, operation: { ...endpoint.operation, 'x-example-request': example } };
}
