import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '../../support/database.ts';
import type { Client, Rest } from '../../support/rest.ts';

export type Owner = {
  client: Client;
  orgId: string;
  userId: string;
  email: string;
  /** The access token of the session. */
  token: string;
  /** Registers an endpoint as the dashboard does, at the API with this base URL. */
  register(base: string, changes?: object, more?: { orgId?: string; token?: string }): Promise<Response>;
};

/** Signs up a person with Auth, and sets the plan of their organization. */
export async function signUpOwner(db: TestDatabase, rest: Rest, tier = 'basic'): Promise<Owner> {
  const client = rest.client();
  const email = `${randomUUID()}@example.com`;
  const { data } = await client.auth.signUp({ email, password: 'long enough' });
  const token = data.session?.access_token ?? '';
  const orgId: string = (await client.rpc('start_session')).data.org_id;
  await db.sql`select account.set_plan(${orgId}, ${tier}, 'active', 'test')`;
  return {
    client,
    orgId,
    userId: data.user?.id ?? '',
    email,
    token,
    register: (base, changes = {}, more = {}) =>
      fetch(`${base}/v1/webhooks?org_id=${more.orgId ?? orgId}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${more.token ?? token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: 'https://hooks.example.com/in', events: ['pair.created'], ...changes }),
      }),
  };
}
