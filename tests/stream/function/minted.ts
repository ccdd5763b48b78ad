import type { Sql } from '../../../local/platform/postgres/template.ts';

export type OrganizationKey = { key: string; orgId: string };
export type Ticket = {
  ticket: string;
  expires_in: number;
  allowed: { channels: string[]; max_conns: number };
  org_id: string;
  grant_id: string | null;
};

let organizations = 0;

/** Creates an organization with a key. */
export async function createKey(sql: Sql, tier: string): Promise<OrganizationKey> {
  const [row] = await sql<
    { key: string }[]
  >`select account.mint_key(${`subscribers ${++organizations}`}, ${tier}) as key`;
  const key = row?.key ?? '';
  const [owner] = await sql<
    { org_id: string }[]
  >`select org_id from account.keys where hash = account.key_hash(${key})`;
  return { key, orgId: owner?.org_id ?? '' };
}

/** Mints a ticket in SQL, without the HTTP route. */
export async function mintTicket(sql: Sql, { key, orgId }: OrganizationKey): Promise<Ticket> {
  const [row] = await sql<{ answer: Ticket }[]>`
    select stream.mint_ticket(account.key_hash(${key})) as answer
    from (select set_config('parallax.org', ${orgId}, true)) as admitted`;
  if (!row) throw new Error('no ticket');
  return row.answer;
}
