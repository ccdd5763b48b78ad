import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { expect } from 'vitest';
import { hashKey } from '../../../functions/_shared/http/hash_key.ts';
import { ApiError, isApiErrorCode } from '../../../functions/api/http/errors.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';

/** A person who has signed up, with one session. */
export type Person = { id: string; email: string; session: string };
export type Row = Record<string, unknown>;

let people = 0;
/** A person who has signed up. */
export async function person(sql: Sql): Promise<Person> {
  const made = { id: randomUUID(), email: `person${++people}@example.com`, session: randomUUID() };
  await sql`insert into auth.users (id, email) values (${made.id}, ${made.email})`;
  await sql`insert into auth.sessions (id, user_id) values (${made.session}, ${made.id})`;
  return made;
}

/** The claims of an access token of this person. */
export const claimsOf = (who: Person): Row => ({ sub: who.id, session_id: who.session });

/** An API error of an RPC, as the dashboard receives it. */
export class RpcError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Runs one statement as PostgREST does for a caller with these claims. Throws API errors as
 * RpcError.
 */
export async function asRole(sql: Sql, role: string, claims: Row, text: string): Promise<Row[]> {
  try {
    return await sql.begin(async (inner) => {
      await inner.unsafe(`set local role ${role}`);
      await inner`select set_config('request.jwt.claims', ${JSON.stringify({ role, ...claims })}, true)`;
      return await inner.unsafe<Row[]>(text);
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== 'PGRST') throw error;
    const { code, message } = JSON.parse(error.message);
    throw new RpcError(JSON.parse(error.detail ?? '{}').status, code, message);
  }
}

/** Runs a statement as a signed-in person. */
export const as = (sql: Sql, who: Person, text: string) => asRole(sql, 'authenticated', claimsOf(who), text);

/** Calls a function of schema api, such as `mint_key('…', 'a name')`, and returns its value. */
export async function rpc<T = Row>(sql: Sql, who: Person, call: string): Promise<T> {
  const [row] = await as(sql, who, `select api.${call} as value`);
  return row?.value as T;
}

export type Session = { org_id: string; name: string; role: string; tier: string; status: string };
export const start = (sql: Sql, who: Person) => rpc<Session>(sql, who, 'start_session()');

/** Creates an organization with its first owner. */
export async function organization(sql: Sql): Promise<{ owner: Person; org: string }> {
  const owner = await person(sql);
  return { owner, org: (await start(sql, owner)).org_id };
}

/** Creates a person who joins the organization with an invitation of this owner. */
export async function addMember(sql: Sql, owner: Person, org: string, role: 'owner' | 'member'): Promise<Person> {
  const who = await person(sql);
  await joinOrganization(sql, who, { owner, org, role });
  return who;
}

/** An owner invites a person to the organization, who accepts. */
export async function joinOrganization(
  sql: Sql,
  who: Person,
  { owner, org, role }: { owner: Person; org: string; role: 'owner' | 'member' },
): Promise<void> {
  const { code } = await rpc<{ code: string }>(sql, owner, `invite_member('${org}', '${role}')`);
  await rpc(sql, who, `accept_invitation('${code}')`);
}

export type Minted = {
  key_id: string;
  prefix: string;
  key: string;
  name: string;
  scope: string;
  expires_at: string | null;
  old_expires_at?: string;
};
export const mint = (sql: Sql, who: Person, org: string, name = 'a key') =>
  rpc<Minted>(sql, who, `mint_key('${org}', '${name}')`);

export type Endpoint = { id: string; secret: string; url: string; events: string[]; min_spread_pts: number | null };

/**
 * Registers an endpoint as POST /v1/webhooks does for a session that functions/api has verified.
 */
export async function registerEndpoint(
  sql: Sql,
  who: Person,
  org: string,
  registration: { url?: string; events?: readonly string[]; min_spread_pts?: number } = {},
): Promise<Endpoint> {
  const params = { url: 'https://hooks.example.com/in', events: ['pair.created'], ...registration };
  const [row] = await sql<{ status: number; code: string | null; body: string }[]>`
    select status, code, body from api.act_as_owner(
      ${who.id}, ${org}, 'post_endpoint', ${JSON.stringify(params)}::text::jsonb, false,
      ${JSON.stringify({ session_id: who.session })}::text::jsonb)`;
  if (!row) throw new Error('api.act_as_owner returned no row');
  const { status, code, body } = row;
  if (code === null) return JSON.parse(body);
  throw new RpcError(status, code, isApiErrorCode(code) ? new ApiError(code).message : '');
}

/** The error code of admission for a key, null when the key is admitted. */
export async function admissionErrorOf(api: Sql, key: string): Promise<string | null> {
  const [row] = await api<{ code: string | null }[]>`
    select code from account.admit(decode(${hashKey(key)}, 'hex'), true, 1, 1)`;
  return row?.code ?? null;
}

/** The audit rows of an organization, oldest first, without the times. */
export async function auditRows(sql: Sql, org: string): Promise<[string, string, string | null][]> {
  const rows = await sql<{ actor: string; action: string; subject: string | null }[]>`
    select actor, action, subject from account.audit where org_id = ${org} order by audit_id`;
  return rows.map((row) => [row.actor, row.action, row.subject]);
}

/** Expects an RpcError with this status, this code and a sentence as its message. */
export async function expectRpcError(call: Promise<unknown>, status: number, code: string): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({ status, code, message: expect.stringMatching(/^[A-Z].*\.$/) });
}
