import { API_URL } from '../api_url.ts';
import type { Endpoint } from './document.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The endpoint as a curl command: its example request, or its path with placeholders for required
 * parameters.
 */
export function curlOf({ method, path, operation }: Endpoint): string {
  const example = operation['x-example-request'];
  const needed = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = needed.map((parameter) => `${parameter.name}=…`).join('&');
  const lines = [`curl -s ${quoted(API_URL + (example?.path ?? path + (query ? `?${query}` : '')))}`];
  if (method !== 'GET') lines[0] += ` -X ${method}`;
  if (!operation.security) lines.push(`-H 'Authorization: Bearer YOUR_KEY'`);
  if (example?.body) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(example.body))}`);
  }
  return lines.join(' \\\n  ');
}
