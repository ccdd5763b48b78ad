import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  as,
  auditRows,
  expectRpcError,
  organization,
  type Person,
  person,
  rpc,
  start,
} from './support/people.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

const call = (who: Person, text: string) => rpc<Record<string, string>>(db.sql, who, text);
const members = (who: Person, org: string) => as(db.sql, who, `select * from api.list_members('${org}')`);

describe('the first sign-in', () => {
  test('creates an organization of the Free tier that the person owns, named after their e-mail', async () => {
    const who = await person(db.sql);
    const session = await start(db.sql, who);
    expect(session).toEqual({
      org_id: expect.any(String),
      name: who.email.split('@')[0],
      role: 'owner',
      tier: 'free',
      status: 'active',
    });
    expect(await auditRows(db.sql, session.org_id)).toEqual([[who.email, 'organization.created', session.name]]);
  });

  test('uses a given name, and rejects an invalid one without creating anything', async () => {
    const who = await person(db.sql);
    await expectRpcError(call(who, `start_session('${'x'.repeat(201)}')`), 400, 'organization.name');
    expect(await as(db.sql, who, 'select * from api.my_organizations')).toEqual([]);
    expect(await call(who, `start_session('  My Desk ')`)).toMatchObject({ name: 'My Desk' });
    expect(await call(who, `start_session('Another')`)).toMatchObject({ name: 'My Desk' });
  });

  test('creates one organization for ten tabs at once', async () => {
    const who = await person(db.sql);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => start(db.sql, who)));
    expect(new Set(sessions.map((session) => session.org_id)).size).toBe(1);
    expect(await db.sql`select count(*)::int as n from account.members where user_id = ${who.id}`).toEqual([{ n: 1 }]);
  });

  test('fails for the session of a deleted person', async () => {
    const who = await person(db.sql);
    await db.sql`delete from auth.users where id = ${who.id}`;
    await expectRpcError(start(db.sql, who), 401, 'session.none');
  });
});

describe('an invitation', () => {
  test('admits one person once, with its role; a member who tries it does not use it up', async () => {
    const { owner, org } = await organization(db.sql);
    const { code = '', expires_at = '' } = await call(owner, `invite_member('${org}', 'member')`);
    expect(code).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    await expectRpcError(call(owner, `accept_invitation('${code}')`), 409, 'member.already');
    const [guest, late] = [await person(db.sql), await person(db.sql)];
    // A pasted code has spaces around it.
    expect(await call(guest, `accept_invitation(E' ${code}\\n')`)).toMatchObject({ org_id: org, role: 'member' });
    await expectRpcError(call(late, `accept_invitation('${code}')`), 404, 'invitation.not_found');
    expect((await members(guest, org)).map(({ email, role }) => [email, role])).toEqual([
      [owner.email, 'owner'],
      [guest.email, 'member'],
    ]);
    expect(await auditRows(db.sql, org)).toEqual([
      [owner.email, 'organization.created', expect.any(String)],
      [owner.email, 'member.invited', null],
      [guest.email, 'member.joined', guest.email],
    ]);
  });

  test('admits one of ten persons who use it at once', async () => {
    const { owner, org } = await organization(db.sql);
    const { code } = await call(owner, `invite_member('${org}', 'member')`);
    const guests = await Promise.all(Array.from({ length: 10 }, () => person(db.sql)));
    const answers = await Promise.allSettled(guests.map((guest) => call(guest, `accept_invitation('${code}')`)));
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await members(owner, org)).toHaveLength(2);
  });

  test('is stored as its hash, and ends after 7 days or when it is withdrawn', async () => {
    const { owner, org } = await organization(db.sql);
    const old = await call(owner, `invite_member('${org}')`);
    const withdrawn = await call(owner, `invite_member('${org}')`);
    const [kept] =
      await db.sql`select i::text as kept from account.invitations i where invitation_id = ${old.invitation_id ?? ''}`;
    expect(kept?.kept).not.toContain(old.code);
    await db.sql`update account.invitations set expires_at = clock_timestamp() where invitation_id = ${old.invitation_id ?? ''}`;
    await call(owner, `withdraw_invitation('${withdrawn.invitation_id}')`);
    const guest = await person(db.sql);
    for (const code of [old.code, withdrawn.code, 'nonsense', '']) {
      await expectRpcError(call(guest, `accept_invitation('${code}')`), 404, 'invitation.not_found');
    }
    await expectRpcError(call(guest, 'accept_invitation(null)'), 404, 'invitation.not_found');
    await expectRpcError(call(owner, `withdraw_invitation('${withdrawn.invitation_id}')`), 404, 'invitation.not_found');
    expect(await as(db.sql, owner, 'select * from api.my_invitations')).toEqual([]);
  });

  test('has a known role, and at most 100 are open', async () => {
    const { owner, org } = await organization(db.sql);
    for (const role of [`'admin'`, `''`, 'null'])
      await expectRpcError(call(owner, `invite_member('${org}', ${role})`), 400, 'role.unknown');
    await as(db.sql, owner, `select api.invite_member('${org}') from generate_series(1, 100)`);
    await expectRpcError(call(owner, `invite_member('${org}')`), 409, 'invitation.limit');
  });
});

describe('the last owner', () => {
  test('can neither leave, be removed nor be demoted; with a second owner all of it works', async () => {
    const { owner, org } = await organization(db.sql);
    await addMember(db.sql, owner, org, 'member');
    for (const attempt of [
      `leave_organization('${org}')`,
      `remove_member('${org}', '${owner.id}')`,
      `set_member_role('${org}', '${owner.id}', 'member')`,
    ]) {
      await expectRpcError(call(owner, attempt), 409, 'member.last_owner');
    }
    const second = await addMember(db.sql, owner, org, 'owner');
    await call(second, `set_member_role('${org}', '${owner.id}', 'member')`);
    await expectRpcError(call(second, `leave_organization('${org}')`), 409, 'member.last_owner');
    await call(owner, `leave_organization('${org}')`);
    expect((await auditRows(db.sql, org)).slice(-2)).toEqual([
      [second.email, 'member.role', owner.email],
      [owner.email, 'member.left', owner.email],
    ]);
  });

  test('remains when all owners leave, remove or demote each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, org } = await organization(db.sql);
      const owners = [owner];
      for (let i = 0; i < 3; i++) owners.push(await addMember(db.sql, owner, org, 'owner'));
      const next = (i: number) => owners[(i + 1) % owners.length]?.id ?? '';
      await Promise.allSettled([
        ...owners.map((who) => call(who, `leave_organization('${org}')`)),
        ...owners.map((who, i) => call(who, `remove_member('${org}', '${next(i)}')`)),
        ...owners.map((who, i) => call(who, `set_member_role('${org}', '${next(i)}', 'member')`)),
      ]);
      const [left] = await db.sql<{ n: number }[]>`
        select count(*)::int as n from account.members where org_id = ${org} and role = 'owner'`;
      expect(left?.n).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('a member', () => {
  test('sees and does nothing from the next call on after removal', async () => {
    const { owner, org } = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    expect(await members(guest, org)).toHaveLength(2);
    await call(owner, `remove_member('${org}', '${guest.id}')`);
    await expectRpcError(members(guest, org), 404, 'organization.not_found');
    for (const view of [
      'my_organizations',
      'my_keys',
      'my_usage',
      'my_monthly_usage',
      'my_key_days',
      'my_audit',
      'my_invitations',
    ]) {
      expect(await as(db.sql, guest, `select * from api.${view}`)).toEqual([]);
    }
    expect((await auditRows(db.sql, org)).at(-1)).toEqual([owner.email, 'member.removed', guest.email]);
    expect((await start(db.sql, guest)).org_id).not.toBe(org);
  });

  test('has the rights of an owner with the next call after promotion', async () => {
    const { owner, org } = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    await expectRpcError(call(guest, `invite_member('${org}')`), 403, 'role.owner_needed');
    await call(owner, `set_member_role('${org}', '${guest.id}', 'owner')`);
    expect(await call(guest, `invite_member('${org}')`)).toMatchObject({ role: 'member' });
    await expectRpcError(call(owner, `set_member_role('${org}', '${guest.id}', 'king')`), 400, 'role.unknown');
  });

  test('cannot be removed or promoted by owners of another organization', async () => {
    const { owner, org } = await organization(db.sql);
    const stranger = await person(db.sql);
    await expectRpcError(call(owner, `remove_member('${org}', '${stranger.id}')`), 404, 'member.not_found');
    await expectRpcError(call(owner, `remove_member('${org}', null)`), 404, 'member.not_found');
    await expectRpcError(call(owner, `set_member_role('${org}', '${stranger.id}', 'owner')`), 404, 'member.not_found');
  });
});

describe('an organization', () => {
  test('is renamed by its owners, and two may have one name', async () => {
    const [one, two] = [await organization(db.sql), await organization(db.sql)];
    await call(one.owner, `rename_organization('${one.org}', ' Same ')`);
    await call(two.owner, `rename_organization('${two.org}', 'Same')`);
    expect(await start(db.sql, one.owner)).toMatchObject({ name: 'Same' });
    expect((await auditRows(db.sql, one.org)).at(-1)).toEqual([one.owner.email, 'organization.renamed', 'Same']);
    for (const name of [`''`, `'  '`, 'null', `E'a\\nb'`, `'${'x'.repeat(201)}'`])
      await expectRpcError(call(one.owner, `rename_organization('${one.org}', ${name})`), 400, 'organization.name');
  });

  test('is deleted by an owner with all its rows; the audit records who, visible to no one else', async () => {
    const { owner, org } = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    await call(owner, `mint_key('${org}', 'gone')`);
    await expectRpcError(call(guest, `delete_organization('${org}')`), 403, 'role.owner_needed');
    await call(owner, `delete_organization('${org}')`);
    for (const table of ['organizations', 'members', 'keys', 'usage', 'subscriptions', 'invitations']) {
      expect(await db.sql.unsafe(`select 1 from account.${table} where org_id = '${org}'`)).toEqual([]);
    }
    expect((await auditRows(db.sql, org)).at(-1)?.slice(0, 2)).toEqual([owner.email, 'organization.deleted']);
    expect(await as(db.sql, owner, 'select * from api.my_audit')).toEqual([]);
    await expectRpcError(call(owner, `delete_organization('${org}')`), 404, 'organization.not_found');
  });
});
