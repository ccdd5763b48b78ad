import type { Client } from './client.ts';
import { callRpc } from './rpc.ts';
import { toRpcError } from './rpc_error.ts';

export type Role = 'owner' | 'member';

export type Organization = {
  org_id: string;
  name: string;
  role: Role;
  tier: string;
  status: 'active' | 'inactive';
  created_at?: string;
  /** Whether its members review the catalog. */
  is_operator?: boolean;
};

/** Whether the user belongs to an organization of operators. The service decides again. */
export const isOperator = (found: readonly Organization[]): boolean => found.some((one) => one.is_operator === true);

/** The organizations of the signed-in user. Creates the first one on the first visit. */
export async function readOrganizations(client: Client): Promise<Organization[]> {
  const found = await list(client);
  if (found.length > 0) return found;
  await callRpc(client, 'start_session');
  return await list(client);
}

async function list(client: Client): Promise<Organization[]> {
  const { data, error, status } = await client.schema('api').from('my_organizations').select('*');
  if (error) throw toRpcError(error, status);
  return ((data ?? []) as Organization[]).sort((one, other) => one.name.localeCompare(other.name));
}

const STORAGE_KEY = 'parallax.organization';

/** The requested organization, else the last one chosen on this device, else the first. */
export function chosenOrganization(found: Organization[], wanted?: string): Organization | undefined {
  const remembered = wanted ?? localStorage.getItem(STORAGE_KEY);
  return found.find((one) => one.org_id === remembered) ?? found[0];
}

export function choose(found: Organization[], org: string): Organization | undefined {
  localStorage.setItem(STORAGE_KEY, org);
  return found.find((one) => one.org_id === org);
}
