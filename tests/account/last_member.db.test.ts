import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import type { TestDatabase } from '../support/database.ts';
import { untilWaitingForLock } from '../support/lock_wait.ts';
import {
  addMember,
  admissionErrorOf,
  mint,
  organization,
  type Person,
  person,
  registerEndpoint,
  rpc,
  start,
} from './support/people.ts';

let world: ApiFixture;
let db: TestDatabase;
let api: Sql;
/** Two connections with the role with which Auth and the dashboard of Supabase delete a user. */
let auth: [Sql, Sql];
beforeAll(async () => {
  world = await createApiFixture();
  ({ db } = world);
  api = postgres(db.url('parallax_api'), { max: 2, prepare: false, fetch_types: false, onnotice: () => {} });
  const { cluster } = inject('postgres');
  auth = [connectAdmin(cluster, db.name), connectAdmin(cluster, db.name)];
  for (const sql of auth) await sql`set role supabase_auth_admin`;
});
afterAll(async () => {
  await Promise.all([api, ...auth].map((sql) => sql.end({ timeout: 1 })));
  await world.close();
});

const deleteUsers = (sql: Sql, ...people: Person[]) =>
  sql`delete from auth.users where id in ${sql(people.map(({ id }) => id))}`;
const exists = async (org: string) =>
  (await db.sql`select from account.organizations where org_id = ${org}`).length === 1;
const deletionOf = async (org: string) =>
  (
    await db.sql`
      select actor, detail ->> 'reason' as reason from account.audit
      where org_id = ${org} and action = 'organization.deleted'`
  ).map((row) => ({ ...row }));

/** An organization with a key, a webhook with its secret, a waiting delivery, and a connection. */
async function busyOrganization() {
  const { owner, org } = await organization(db.sql);
  await db.sql`select account.set_plan(${org}, 'pro', 'active')`;
  const { key, key_id } = await mint(db.sql, owner, org);
  const { id } = await registerEndpoint(db.sql, owner, org);
  await db.sql`insert into webhook.deliveries (endpoint_id, event, body) values (${id}, 'ping', '{}')`;
  await db.sql`
    insert into stream.connections (connection_id, org_id, key_id, server_id)
    values (gen_random_uuid(), ${org}, ${key_id}, gen_random_uuid())`;
  const remains = async () => {
    const [row] = await db.sql`
      select (select count(*)::int from account.keys where org_id = ${org}) as keys,
             (select count(*)::int from webhook.endpoints where org_id = ${org}) as endpoints,
             (select count(*)::int from webhook.deliveries where endpoint_id = ${id}) as deliveries,
             (select count(*)::int from vault.secrets where name = ${`webhook:${id}`}) as secrets,
             (select count(*)::int from stream.connections where org_id = ${org}) as connections`;
    return { ...row };
  };
  return { owner, org, key, remains };
}
const all = { keys: 1, endpoints: 1, deliveries: 1, secrets: 1, connections: 1 };
const none = { keys: 0, endpoints: 0, deliveries: 0, secrets: 0, connections: 0 };

describe('an organization whose last member goes', () => {
  test('ends with the user that Auth deletes: key, webhook, secret, deliveries and connections', async () => {
    const { owner, org, key, remains } = await busyOrganization();
    const status = async () =>
      (await fetch(`${world.api.base}/v1/account`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect([await status(), await remains()]).toEqual([200, all]);
    await deleteUsers(auth[0], owner);
    expect([await status(), await remains()]).toEqual([401, none]);
    expect(await exists(org)).toBe(false);
    expect(await deletionOf(org)).toEqual([{ actor: 'operator', reason: 'last_member_left' }]);
  });

  test('ends with a member row that an operator deletes', async () => {
    const { owner, org, key, remains } = await busyOrganization();
    await db.sql`delete from account.members where user_id = ${owner.id}`;
    expect([await admissionErrorOf(api, key), await remains()]).toEqual(['auth.revoked_key', none]);
    expect(await deletionOf(org)).toEqual([{ actor: 'operator', reason: 'last_member_left' }]);
  });

  test('ends once, without that reason, where its owner deletes the account or the organization', async () => {
    const first = await busyOrganization();
    await rpc(db.sql, first.owner, `delete_account('${first.owner.email}')`);
    const second = await busyOrganization();
    await rpc(db.sql, second.owner, `delete_organization('${second.org}')`);
    for (const { org, owner, remains } of [first, second]) {
      expect(await remains()).toEqual(none);
      expect(await deletionOf(org)).toEqual([{ actor: owner.email, reason: null }]);
    }
  });

  test('remains while one of its members is left', async () => {
    const { owner, org, key, remains } = await busyOrganization();
    const member = await addMember(db.sql, owner, org, 'owner');
    await deleteUsers(auth[0], owner);
    expect([await admissionErrorOf(api, key), await remains()]).toEqual([null, all]);
    await deleteUsers(auth[0], member);
    expect(await remains()).toEqual(none);
  });

  test('ends when one statement deletes all its members, and others remain', async () => {
    const { owner, org } = await busyOrganization();
    const member = await addMember(db.sql, owner, org, 'member');
    const other = await busyOrganization();
    await deleteUsers(auth[0], member, owner);
    expect([await exists(org), await exists(other.org)]).toEqual([false, true]);
  });

  test('ends when its last two members are deleted at once', async () => {
    const { owner, org, key } = await busyOrganization();
    const second = await addMember(db.sql, owner, org, 'owner');
    let isDeleted = () => {};
    const deleted = new Promise<void>((resolve) => {
      isDeleted = resolve;
    });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // The first transaction stays open, so the second cannot see what it deleted.
    const slow = auth[0].begin(async (sql) => {
      await sql`delete from auth.users where id = ${owner.id}`;
      isDeleted();
      await ended;
    });
    await deleted;
    const waiting = deleteUsers(auth[1], second).execute();
    await untilWaitingForLock(db.sql, 'delete from auth.users').finally(end);
    await Promise.all([slow, waiting]);
    expect(await exists(org)).toBe(false);
    expect(await deletionOf(org)).toHaveLength(1);
    expect(await admissionErrorOf(api, key)).toBe('auth.revoked_key');
  });

  test('remains for the person who accepts an invitation while the last member is deleted', async () => {
    const { owner, org, key } = await busyOrganization();
    const { code } = await rpc<{ code: string }>(db.sql, owner, `invite_member('${org}', 'owner')`);
    const joiner = await person(db.sql);
    let waiting: Promise<unknown> = Promise.resolve();
    await db.sql.begin(async (sql) => {
      await sql`set local role authenticated`;
      const claims = JSON.stringify({ role: 'authenticated', sub: joiner.id, session_id: joiner.session });
      await sql`select set_config('request.jwt.claims', ${claims}, true)`;
      await sql`select api.accept_invitation(${code})`;
      waiting = deleteUsers(auth[0], owner).execute();
      await untilWaitingForLock(db.sql, 'delete from auth.users');
    });
    await waiting;
    expect([await exists(org), await admissionErrorOf(api, key)]).toEqual([true, null]);
  });

  test('deletes nothing of an organization that an operator made and that has no member', async () => {
    const [row] = await db.sql<{ key: string }[]>`select account.mint_key('Without people', 'pro') as key`;
    const { owner } = await organization(db.sql);
    await deleteUsers(auth[0], owner);
    expect(await admissionErrorOf(api, row?.key ?? '')).toBeNull();
  });

  test('does not deadlock when Auth deletes a member while an owner removes that member', async () => {
    const { owner, org } = await busyOrganization();
    const member = await addMember(db.sql, owner, org, 'owner');
    await Promise.all([
      deleteUsers(auth[0], member),
      rpc(db.sql, owner, `remove_member('${org}', '${member.id}')`).catch((error) =>
        expect(error).toMatchObject({ code: 'member.not_found' }),
      ),
    ]);
    expect(await exists(org)).toBe(true);
  });
});

describe('a key that an operator mints by the name of an organization', () => {
  test('is never a key of an organization that a person made, also when its people are gone', async () => {
    const { owner, org } = await organization(db.sql);
    await rpc(db.sql, owner, `rename_organization('${org}', 'Orphaned')`);
    const { key } = await mint(db.sql, owner, org);
    // A restore without triggers leaves an organization without its people.
    const { cluster } = inject('postgres');
    const admin = connectAdmin(cluster, db.name);
    await admin.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`delete from account.members where org_id = ${org}`;
    });
    await admin.end();
    const [minted] = await db.sql<{ key: string }[]>`select account.mint_key('Orphaned', 'pro') as key`;
    const tiers = await db.sql`
      select o.org_id = ${org} as theirs, s.tier, o.made_by_user
      from account.organizations o
      join account.subscriptions s using (org_id)
      where o.name = 'Orphaned' order by theirs`;
    expect(tiers).toEqual([
      { theirs: false, tier: 'pro', made_by_user: false },
      { theirs: true, tier: 'free', made_by_user: true },
    ]);
    expect(minted?.key).not.toBe(key);
  });

  test('belongs to a new organization after the people of the one with this name are gone', async () => {
    const { owner, org } = await organization(db.sql);
    const { name } = await start(db.sql, owner);
    const { key } = await mint(db.sql, owner, org);
    await deleteUsers(auth[0], owner);
    await db.sql`select account.mint_key(${name}, 'pro')`;
    expect(await exists(org)).toBe(false);
    expect(await admissionErrorOf(api, key)).toBe('auth.revoked_key');
  });
});
