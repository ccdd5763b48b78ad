import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  admissionErrorOf,
  auditRows,
  expectRpcError,
  joinOrganization,
  mint,
  organization,
  type Person,
  rpc,
} from './support/people.ts';

let db: TestDatabase;
let api: postgres.Sql;
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 2, prepare: false, fetch_types: false, onnotice: () => {} });
});
afterAll(async () => {
  await api.end({ timeout: 1 });
  await db.close();
});

const remove = (who: Person, email = who.email) => rpc(db.sql, who, `delete_account('${email}')`);
const exists = async (who: Person) => (await db.sql`select from auth.users where id = ${who.id}`).length === 1;
const outcomes = async (who: Person) => {
  const { organizations } = await rpc<{ organizations: { name: string; outcome: string }[] }>(
    db.sql,
    who,
    'read_account()',
  );
  return Object.fromEntries(organizations.map((one) => [one.name, one.outcome]));
};

describe('the deletion of an account', () => {
  test('is refused to a session that is older than 10 minutes', async () => {
    const { owner } = await organization(db.sql);
    await db.sql`
      update auth.sessions set created_at = clock_timestamp() - interval '11 minutes' where id = ${owner.session}`;
    await expectRpcError(remove(owner), 403, 'session.not_recent');
    expect(await exists(owner)).toBe(true);
  });

  test.each(['', 'another@example.com', '%'])('is refused with %j instead of the e-mail address', async (typed) => {
    const { owner } = await organization(db.sql);
    await expectRpcError(remove(owner, typed), 400, 'account.email');
    await expectRpcError(rpc(db.sql, owner, 'delete_account(null)'), 400, 'account.email');
    expect(await exists(owner)).toBe(true);
  });

  test('is refused to the last owner of organizations with other members, with their names', async () => {
    const { owner, org } = await organization(db.sql);
    await rpc(db.sql, owner, `rename_organization('${org}', 'Shared')`);
    const member = await addMember(db.sql, owner, org, 'member');
    expect(await outcomes(owner)).toEqual({ Shared: 'blocks' });
    const error: Error = await remove(owner).then(
      () => new Error('it was deleted'),
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ status: 409, code: 'account.last_owner' });
    expect(error.message).toContain('the last owner of Shared. Make another member an owner');
    expect(await exists(owner)).toBe(true);
    await rpc(db.sql, owner, `set_member_role('${org}', '${member.id}', 'owner')`);
    expect(await outcomes(owner)).toEqual({ Shared: 'leaves' });
    await remove(owner);
    expect(await exists(owner)).toBe(false);
    expect(await outcomes(member)).toEqual({ Shared: 'deletes' });
  });

  test('ends every session at once, deletes what the person has alone, and leaves what others share', async () => {
    const { owner, org } = await organization(db.sql);
    const { key } = await mint(db.sql, owner, org);
    const shared = await organization(db.sql);
    await joinOrganization(db.sql, owner, { ...shared, role: 'member' });
    const { key: other } = await mint(db.sql, shared.owner, shared.org);
    await remove(owner, ` ${owner.email.toUpperCase()} `);
    expect(await exists(owner)).toBe(false);
    expect(await db.sql`select from auth.sessions where user_id = ${owner.id}`).toHaveLength(0);
    expect(await db.sql`select from account.organizations where org_id = ${org}`).toHaveLength(0);
    expect([await admissionErrorOf(api, key), await admissionErrorOf(api, other)]).toEqual(['auth.revoked_key', null]);
    await expectRpcError(rpc(db.sql, owner, `start_session('again')`), 401, 'session.none');
    expect((await auditRows(db.sql, org)).at(-1)).toEqual([owner.email, 'organization.deleted', expect.any(String)]);
    expect((await auditRows(db.sql, shared.org)).at(-1)).toEqual([owner.email, 'member.left', owner.email]);
  });

  test('is refused to one of two owners who delete their accounts at once', async () => {
    const { owner, org } = await organization(db.sql);
    const second = await addMember(db.sql, owner, org, 'owner');
    await addMember(db.sql, owner, org, 'member');
    const answers = await Promise.allSettled([remove(owner), remove(second)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find((answer) => answer.status === 'rejected')).toMatchObject({
      reason: { code: 'account.last_owner' },
    });
    const left = await db.sql`select from account.members where org_id = ${org} and role = 'owner'`;
    expect(left).toHaveLength(1);
  });
});
