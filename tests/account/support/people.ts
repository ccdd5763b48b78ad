import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { expect } from 'vitest';
import { hashKey } from '../../../functions/_shared/http/hash_key.ts';
import { ApiError, isApiErrorCode } from '../../../functions/api/http/errors.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';

export type Person = { id: string; email: string };
export type Row = Record<string, unknown>;

let people = 0;
/** Somebody who has signed up. */
export async function person(sql: Sql): Promise<Person> {
  const made = { id: randomUUID(), email: `person${++people}@example.com` };
  await sql`insert into auth.users (id, email) values (${made.id}, ${made.email})`;
  return made;
}

/** What a page shows of a call that was refused. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** One statement as PostgREST runs it for a caller with these claims; a refusal of ours is thrown as Refused. */
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
    throw new Refused(JSON.parse(error.detail ?? '{}').status, code, message);
  }
}

/** A statement of a signed-in person. */
export const as = (sql: Sql, who: Person, text: string) => asRole(sql, 'authenticated', { sub: who.id }, text);

/** The single value that a function of schema api gives a person: `call` as in `mint_key('…', 'a name')`. */
export async function rpc<T = Row>(sql: Sql, who: Person, call: string): Promise<T> {
  const [row] = await as(sql, who, `select api.${call} as given`);
  return row?.given as T;
}

export type Session = { org_id: string; name: string; role: string; tier: string; status: string };
export const start = (sql: Sql, who: Person) => rpc<Session>(sql, who, 'start_session()');

/** An organization with its first owner. */
export async function organization(sql: Sql): Promise<{ owner: Person; org: string }> {
  const owner = await person(sql);
  return { owner, org: (await start(sql, owner)).org_id };
}

/** A new person who joins with an invitation of an owner's. */
export async function joined(sql: Sql, owner: Person, org: string, role: 'owner' | 'member'): Promise<Person> {
  const who = await person(sql);
  const { code } = await rpc<{ code: string }>(sql, owner, `invite_member('${org}', '${role}')`);
  await rpc(sql, who, `accept_invitation('${code}')`);
  return who;
}

export type Minted = { key_id: string; prefix: string; key: string; name: string; old_expires_at?: string };
export const mint = (sql: Sql, who: Person, org: string, name = 'a key') =>
  rpc<Minted>(sql, who, `mint_key('${org}', '${name}')`);

export type Endpoint = { id: string; secret: string; url: string; events: string[]; min_spread_pts: number | null };

/** An endpoint that a signed-in person registers over REST, once functions/api has checked their session and the endpoint. */
export async function registerEndpoint(
  sql: Sql,
  who: Person,
  org: string,
  registration: { url?: string; events?: readonly string[]; min_spread_pts?: number } = {},
): Promise<Endpoint> {
  const params = { url: 'https://hooks.example.com/in', events: ['pair.created'], ...registration };
  const [row] = await sql<{ status: number; code: string | null; body: string }[]>`
    select status, code, body from api.act_as_owner(${who.id}, ${org}, 'post_endpoint', ${JSON.stringify(params)}::text::jsonb, false)`;
  if (!row) throw new Error('api.act_as_owner returned no row');
  const { status, code, body } = row;
  if (code === null) return JSON.parse(body);
  throw new Refused(status, code, isApiErrorCode(code) ? new ApiError(code).message : '');
}

/** What admission says of a key: null where it is let in. */
export async function admitted(api: Sql, key: string): Promise<string | null> {
  const [row] = await api<{ code: string | null }[]>`
    select code from account.admit(decode(${hashKey(key)}, 'hex'), true, 1, 1)`;
  return row?.code ?? null;
}

/** What was written down of an organization, oldest first, without the times. */
export async function written(sql: Sql, org: string): Promise<[string, string, string | null][]> {
  const rows = await sql<{ actor: string; action: string; subject: string | null }[]>`
    select actor, action, subject from account.audit where org_id = ${org} order by audit_id`;
  return rows.map((row) => [row.actor, row.action, row.subject]);
}

/** Expects a call to be refused with this status and code, and with a sentence that a page can show. */
export async function expectRefusal(call: Promise<unknown>, status: number, code: string): Promise<void> {
  const refused = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(Refused);
  expect(refused).toMatchObject({ status, code, message: expect.stringMatching(/^[A-Z].*\.$/) });
}
