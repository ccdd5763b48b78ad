import { API_URL } from '../api_url.ts';
import type { Client } from './client.ts';
import { RpcError, toRpcError } from './rpc_error.ts';

/** The body of an error of the REST API. */
type ApiFault = { error?: string; code?: string; detail?: { loc: (string | number)[]; msg: string; type: string }[] };

/** Posts to the REST API as the person who is signed in. Throws Refused, with the first fault of a Validation error. */
export async function postToApi<T>(client: Client, path: string, body: unknown): Promise<T> {
  const { data } = await client.auth.getSession();
  if (!data.session) throw toRpcError({}, 401);
  const answer = await fetch(`${API_URL}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${data.session.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw toRpcError({}, 0);
  });
  if (answer.ok) return (await answer.json()) as T;
  const { error = '', code = '', detail = [] }: ApiFault = await answer.json().catch(() => ({}));
  const [fault] = detail;
  if (fault) throw new RpcError(fault.type, `${fault.msg}.`, String(fault.loc[1] ?? ''));
  throw toRpcError({ code, message: error }, answer.status);
}
