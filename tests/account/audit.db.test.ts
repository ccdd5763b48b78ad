import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addMember, as, auditRows, mint, organization, rpc } from './support/people.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

describe('the audit log', () => {
  test('is visible to every member of its organization and to no other caller', async () => {
    const { owner, org } = await organization(db.sql);
    const other = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    for (const who of [owner, guest]) {
      const rows = await as(db.sql, who, 'select * from api.my_audit order by audit_id');
      expect(rows.map((row) => row.action)).toEqual(['organization.created', 'member.invited', 'member.joined']);
      expect(rows[0]).toMatchObject({ org_id: org, actor: owner.email, at: expect.stringMatching(/Z$/) });
    }
    expect(await as(db.sql, other.owner, `select * from api.my_audit where org_id = '${org}'`)).toEqual([]);
  });

  test('is written in the transaction of its change, and rolled back with it', async () => {
    const { owner, org } = await organization(db.sql);
    const before = await auditRows(db.sql, org);
    await expect(as(db.sql, owner, `select api.mint_key('${org}', 'x'), 1 / (random() * 0)::int`)).rejects.toThrow(
      /zero/,
    );
    expect(await auditRows(db.sql, org)).toEqual(before);
  });

  test('cannot be updated, deleted or truncated, not even by the owner of the table', async () => {
    const { owner, org } = await organization(db.sql);
    const appendOnly = /append-only: rows do not change/;
    await expect(db.sql`update account.audit set actor = 'another' where org_id = ${org}`).rejects.toThrow(appendOnly);
    await expect(db.sql`delete from account.audit where org_id = ${org}`).rejects.toThrow(appendOnly);
    await expect(db.sql`truncate account.audit`).rejects.toThrow(appendOnly);
    for (const attempt of [
      `insert into account.audit (org_id, actor, action) values ('${org}', 'me', 'key.minted')`,
      `update account.audit set actor = 'me'`,
      'delete from account.audit',
    ]) {
      await expect(as(db.sql, owner, attempt)).rejects.toThrow(/permission denied/);
    }
  });

  test('is purged after a year, with expired invitations and keys that are inactive for a year', async () => {
    const { owner, org } = await organization(db.sql);
    const [old, live] = [await mint(db.sql, owner, org, 'old'), await mint(db.sql, owner, org, 'live')];
    await rpc(db.sql, owner, `invite_member('${org}')`);
    await db.sql`insert into account.audit (org_id, at, actor, action) values
      (${org}, clock_timestamp() - interval '366 days', 'x', 'key.minted'), (${org}, clock_timestamp() - interval '364 days', 'y', 'key.minted')`;
    await db.sql`update account.keys set revoked_at = clock_timestamp() - interval '366 days' where key_id = ${old.key_id}`;
    await db.sql`update account.invitations set expires_at = clock_timestamp() where org_id = ${org}`;
    expect(await db.sql`select account.purge_expired() as gone`).toEqual([{ gone: 1 }]);
    expect((await auditRows(db.sql, org)).some(([actor]) => actor === 'x')).toBe(false);
    expect((await auditRows(db.sql, org)).some(([actor]) => actor === 'y')).toBe(true);
    expect(await db.sql`select key_id from account.keys where org_id = ${org}`).toEqual([{ key_id: live.key_id }]);
    expect(await db.sql`select 1 from account.invitations where org_id = ${org}`).toEqual([]);
  });
});

describe('a plan', () => {
  const setPlan = (org: string, tier: string, status: string, actor = 'billing:test') =>
    db.sql`select account.set_plan(${org}, ${tier}, ${status}, ${actor}) as changed`;

  test('changes with the next request and one audit row with the old and new value and the actor', async () => {
    const { owner, org } = await organization(db.sql);
    expect(await setPlan(org, 'pro', 'active')).toEqual([{ changed: true }]);
    expect(await setPlan(org, 'pro', 'active')).toEqual([{ changed: false }]);
    expect(await setPlan(org, 'pro', 'inactive')).toEqual([{ changed: true }]);
    const plans = await as(
      db.sql,
      owner,
      `select actor, detail from api.my_audit where action = 'plan.changed' order by audit_id`,
    );
    expect(plans).toEqual([
      {
        actor: 'billing:test',
        detail: { from: { tier: 'free', status: 'active' }, to: { tier: 'pro', status: 'active' } },
      },
      {
        actor: 'billing:test',
        detail: { from: { tier: 'pro', status: 'active' }, to: { tier: 'pro', status: 'inactive' } },
      },
    ]);
    expect(await as(db.sql, owner, 'select tier, status, window_quota from api.my_usage')).toEqual([
      { tier: 'pro', status: 'inactive', window_quota: 1500 },
    ]);
  });

  test('keeps the counts: an upgrade does not reset the usage', async () => {
    const { org } = await organization(db.sql);
    await db.sql`update account.usage set month_used = 9999 where org_id = ${org}`;
    await setPlan(org, 'basic', 'active');
    expect(await db.sql`select month_used from account.usage where org_id = ${org}`).toEqual([{ month_used: 9999 }]);
  });

  test('is rejected with a sentence for an unknown tier, status or organization, and without an actor', async () => {
    const { org } = await organization(db.sql);
    await expect(setPlan(org, 'gold', 'active')).rejects.toThrow(
      'There is no tier "gold". There are: free, basic, premium, pro.',
    );
    await expect(setPlan(org, 'pro', 'paid')).rejects.toThrow('A plan is "active" or "inactive", not "paid".');
    await expect(setPlan(org, 'pro', 'active', ' ')).rejects.toThrow(
      'Give the name of the actor who changes the plan.',
    );
    const nowhere = '00000000-0000-4000-8000-000000000000';
    await expect(setPlan(nowhere, 'pro', 'active')).rejects.toThrow(`There is no organization ${nowhere}.`);
  });

  test('is set by id, or by a name that only one organization has', async () => {
    const [one, two] = [await organization(db.sql), await organization(db.sql)];
    const named = (name: string) => db.sql`select account.find_organization(${name}) as org`;
    await rpc(db.sql, one.owner, `rename_organization('${one.org}', 'Twin Ltd')`);
    expect(await named(' Twin Ltd')).toEqual([{ org: one.org }]);
    expect(await named(one.org.toUpperCase())).toEqual([{ org: one.org }]);
    await rpc(db.sql, two.owner, `rename_organization('${two.org}', 'Twin Ltd')`);
    await expect(named('Twin Ltd')).rejects.toThrow('2 organizations have the name "Twin Ltd"');
    await expect(named('Missing')).rejects.toThrow('There is no organization "Missing".');
  });

  test('has an audit row also when an operator changes it by minting a key', async () => {
    await db.sql`select account.mint_key('Operated', 'free')`;
    await db.sql`select account.mint_key('Operated', 'pro')`;
    const [row] = await db.sql<{ org: string }[]>`select account.find_organization('Operated') as org`;
    expect((await auditRows(db.sql, row?.org ?? '')).map(([actor, action]) => [actor, action])).toEqual([
      ['operator', 'organization.created'],
      ['operator', 'key.minted'],
      ['operator', 'plan.changed'],
      ['operator', 'key.minted'],
    ]);
  });
});
