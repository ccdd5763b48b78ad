import { API_URL } from '../api_url.ts';
import type { Client } from './client.ts';
import { RpcError, toRpcError } from './rpc_error.ts';

/** The body of an API error. */
type ApiErrorBody = {
  error?: string;
  code?: string;
  detail?: { loc: (string | number)[]; msg: string; type: string }[];
};

/**
 * Sends a JSON body to the REST API as the signed-in user. Throws RpcError, for a validation error
 * with its first issue.
 */
export async function sendToApi<T>(client: Client, method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T> {
  const { data } = await client.auth.getSession();
  if (!data.session) throw toRpcError({}, 401);
  const response = await fetch(`${API_URL}${path}`, {
    method,
    headers: { Authorization: `Bearer ${data.session.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw toRpcError({}, 0);
  });
  if (response.ok) return (await response.json()) as T;
  const { error = '', code = '', detail = [] }: ApiErrorBody = await response.json().catch(() => ({}));
  const [issue] = detail;
  if (issue) throw new RpcError(issue.type, `${issue.msg}.`, String(issue.loc[1] ?? ''));
  throw toRpcError({ code, message: error }, response.status);
}
