import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  asRole,
  claimsOf,
  expectRpcError,
  mint,
  organization,
  type Person,
  person,
  type Row,
  registerEndpoint,
  rpc,
} from './support/people.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase({ superuser: true });
});
afterAll(() => db.close());

/** Signs a person in once more. Returns them with the new session. */
async function signIn(who: Person, set: { notAfter?: string } = {}): Promise<Person> {
  const session = randomUUID();
  await db.sql`
    insert into auth.sessions (id, user_id, not_after) values (${session}, ${who.id}, ${set.notAfter ?? null})`;
  return { ...who, session };
}
const listed = (who: Person) =>
  asRole(db.sql, 'authenticated', claimsOf(who), 'select * from api.list_sessions()') as Promise<Row[]>;
const sessionIds = async (who: Person) => (await listed(who)).map((row) => row.session_id);

/** Each call that changes an organization, with the session of one of its owners. */
async function changesOf(owner: Person, org: string): Promise<(() => Promise<unknown>)[]> {
  const { key_id } = await mint(db.sql, owner, org);
  const member = await addMember(db.sql, owner, org, 'member');
  await db.sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
  const call = (text: string) => () => rpc(db.sql, owner, text);
  return [
    call(`mint_key('${org}', 'x')`),
    call(`rotate_key('${key_id}', 0)`),
    call(`rename_key('${key_id}', 'x')`),
    call(`revoke_key('${key_id}')`),
    call(`invite_member('${org}', 'owner')`),
    call(`set_member_role('${org}', '${member.id}', 'owner')`),
    call(`remove_member('${org}', '${member.id}')`),
    call(`rename_organization('${org}', 'x')`),
    call(`delete_organization('${org}')`),
    call(`delete_account('${owner.email}')`),
    () => registerEndpoint(db.sql, owner, org),
  ];
}

describe('a session that was signed out', () => {
  test('has no power to change anything with its access token, although another session lives', async () => {
    const { owner, org } = await organization(db.sql);
    const other = await signIn(owner);
    const changes = await changesOf(owner, org);
    // As Auth does for signOut: the row is deleted, the access token stays valid for its hour.
    await db.sql`delete from auth.sessions where id = ${owner.session}`;
    const before = await db.sql`select audit_id from account.audit where org_id = ${org}`;
    for (const change of changes) await expectRpcError(change(), 401, 'session.ended');
    expect(await db.sql`select audit_id from account.audit where org_id = ${org}`).toEqual(before);
    expect(await mint(db.sql, other, org)).toMatchObject({ scope: 'full' });
  });

  test('cannot be revived by a session_id that is missing, malformed or of another person', async () => {
    const { owner, org } = await organization(db.sql);
    const { session } = await person(db.sql);
    for (const claims of [{}, { session_id: null }, { session_id: session }, { session_id: randomUUID() }]) {
      const call = asRole(db.sql, 'authenticated', { sub: owner.id, ...claims }, `select api.mint_key('${org}', 'x')`);
      await expectRpcError(call, 401, 'session.ended');
    }
    await expect(
      asRole(db.sql, 'authenticated', { sub: owner.id, session_id: 'x' }, `select api.mint_key('${org}', 'x')`),
    ).rejects.toMatchObject({ code: '22P02' });
  });
});

describe('the list of sessions', () => {
  test('has only the live sessions of the caller, this one first, with the times of Auth', async () => {
    const who = await person(db.sql);
    await person(db.sql);
    const older = await signIn(who);
    const newer = await signIn(who);
    await signIn(who, { notAfter: '2026-01-01T00:00:00Z' });
    await db.sql`
      update auth.sessions set created_at = '2026-11-01T10:00:00Z', refreshed_at = '2026-11-02 11:00:00',
        user_agent = 'Firefox', ip = '203.0.113.7' where id = ${older.session}`;
    const rows = await listed(who);
    expect(rows.map((row) => row.session_id)).toEqual([who.session, newer.session, older.session]);
    expect(rows.map((row) => row.is_current)).toEqual([true, false, false]);
    expect(rows[2]).toMatchObject({
      created_at: '2026-11-01T10:00:00.000Z',
      last_used_at: '2026-11-02T11:00:00.000Z',
      user_agent: 'Firefox',
      ip: '203.0.113.7',
    });
  });

  test('ends one session at once, and none of another person', async () => {
    const [who, stranger] = [await person(db.sql), await person(db.sql)];
    const lost = await signIn(who);
    await expectRpcError(rpc(db.sql, stranger, `end_session('${lost.session}')`), 404, 'session.not_found');
    expect(await sessionIds(who)).toEqual([who.session, lost.session]);
    await rpc(db.sql, who, `end_session('${lost.session}')`);
    expect(await sessionIds(who)).toEqual([who.session]);
    await expectRpcError(rpc(db.sql, lost, `list_sessions()`), 401, 'session.ended');
    await expectRpcError(rpc(db.sql, who, `end_session('${lost.session}')`), 404, 'session.not_found');
  });

  test('works on an Auth that keeps neither browser nor address nor the time of the last use', async () => {
    const old = await createDatabase({ superuser: true });
    await old.sql`
      alter table auth.sessions drop column user_agent, drop column ip, drop column refreshed_at, drop column tag`;
    const who = await person(old.sql);
    const rows = await asRole(old.sql, 'authenticated', claimsOf(who), 'select * from api.list_sessions()');
    expect(rows).toMatchObject([
      { session_id: who.session, user_agent: null, ip: null, is_current: true, last_used_at: rows[0]?.created_at },
    ]);
    await old.close();
  });
});

describe('a person with a second factor', () => {
  beforeAll(async () => {
    // The columns of Supabase Auth that matter here; @supabase/lite has no such table.
    await db.sql.unsafe(`
      create table auth.mfa_factors (id uuid primary key default gen_random_uuid(),
        user_id uuid not null references auth.users (id) on delete cascade, status text not null);
      alter table auth.mfa_factors owner to supabase_auth_admin;
      grant select on auth.mfa_factors to postgres`);
  });
  const addFactor = (who: Person, status: string) =>
    db.sql`insert into auth.mfa_factors (user_id, status) values (${who.id}, ${status})`;
  const mintAs = (who: Person, org: string, aal: string | null) =>
    asRole(db.sql, 'authenticated', { ...claimsOf(who), aal }, `select api.mint_key('${org}', 'x') as key`);

  test('changes nothing and sees no row with a session of the password alone', async () => {
    const { owner, org } = await organization(db.sql);
    const changes = await changesOf(owner, org);
    await addFactor(owner, 'verified');
    for (const change of changes) await expectRpcError(change(), 403, 'session.second_factor');
    for (const aal of ['aal1', null]) await expectRpcError(mintAs(owner, org, aal), 403, 'session.second_factor');
    expect(
      await asRole(db.sql, 'authenticated', { ...claimsOf(owner), aal: 'aal1' }, 'select * from api.my_keys'),
    ).toEqual([]);
    expect(await mintAs(owner, org, 'aal2')).toHaveLength(1);
  });

  test('needs no code before the factor is verified', async () => {
    const { owner, org } = await organization(db.sql);
    await addFactor(owner, 'unverified');
    expect(await mintAs(owner, org, 'aal1')).toHaveLength(1);
    expect(await rpc(db.sql, owner, 'read_account()')).toMatchObject({ has_factors: true });
  });
});

test('an Auth without second factors asks for no code, and read_account reports that it has none', async () => {
  const lite = await createDatabase();
  const who = await person(lite.sql);
  expect(await rpc(lite.sql, who, 'read_account()')).toMatchObject({ email: who.email, has_factors: false });
  await lite.close();
});
