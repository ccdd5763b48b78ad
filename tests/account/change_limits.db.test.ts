import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  expectRpcError,
  mint,
  organization,
  type Person,
  person,
  registerEndpoint,
  rpc,
  start,
} from './support/people.ts';

// Guarantee: every row that an organization or a person can create is limited in number. A call
// that ends or deletes something is never limited.
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

const call = (who: Person, text: string) => rpc(db.sql, who, text);
/** Inserts `times` audited changes of an organization with this age. */
const insertChanges = (org: string, times: number, ago: string) => db.sql`
  insert into account.audit (org_id, at, actor, action)
  select ${org}, clock_timestamp() - ${ago}::interval, 'test', 'key.renamed' from generate_series(1, ${times})`;
const countChanges = async (org: string) =>
  (await db.sql<{ n: number }[]>`select count(*)::integer as n from account.audit where org_id = ${org}`)[0]?.n ?? 0;

describe('an organization that was changed 1,000 times within a day', () => {
  test('is at its limit after the thousandth change, not after the 999th, and for one day', async () => {
    const { owner, org } = await organization(db.sql);
    await insertChanges(org, 1_000, '1 day 1 minute');
    await insertChanges(org, 998, '23 hours 59 minutes');
    await mint(db.sql, owner, org);
    await mint(db.sql, owner, org);
    await expectRpcError(mint(db.sql, owner, org), 409, 'change.limit');
    // Older changes do not count, and another organization has its own limit.
    const other = await organization(db.sql);
    await mint(db.sql, other.owner, other.org);
  });

  test('can add nothing through any function, and can still revoke, remove and delete', async () => {
    const { owner, org } = await organization(db.sql);
    await db.sql`select account.set_plan(${org}, 'basic', 'active', 'test')`;
    const member = await addMember(db.sql, owner, org, 'member');
    const { key_id } = await mint(db.sql, owner, org);
    const { invitation_id, code } = await rpc<{ invitation_id: string; code: string }>(
      db.sql,
      owner,
      `invite_member('${org}', 'member')`,
    );
    const { id } = await registerEndpoint(db.sql, owner, org);
    await insertChanges(org, 1_000, '1 minute');
    const before = await countChanges(org);
    for (const adding of [
      `mint_key('${org}', 'new')`,
      `rotate_key('${key_id}', 1)`,
      `rename_key('${key_id}', 'new')`,
      `rename_organization('${org}', 'new')`,
      `invite_member('${org}', 'member')`,
      `set_member_role('${org}', '${member.id}', 'owner')`,
    ])
      await expectRpcError(call(owner, adding), 409, 'change.limit');
    await expectRpcError(registerEndpoint(db.sql, owner, org), 409, 'change.limit');
    expect(await countChanges(org)).toBe(before);
    // An open invitation can still be accepted.
    await call(await person(db.sql), `accept_invitation('${code}')`);
    await expectRpcError(call(owner, `withdraw_invitation('${invitation_id}')`), 404, 'invitation.not_found');
    await call(owner, `revoke_key('${key_id}')`);
    await call(owner, `delete_webhook('${id}')`);
    await call(owner, `remove_member('${org}', '${member.id}')`);
    await call(owner, `delete_organization('${org}')`);
  });
});

test('a person creates at most ten organizations within a day', async () => {
  const who = await person(db.sql);
  const again = async () => call(who, `delete_organization('${(await start(db.sql, who)).org_id}')`);
  for (let time = 1; time <= 10; time += 1) await again();
  await expectRpcError(again(), 409, 'organization.limit');
  const other = await person(db.sql);
  await start(db.sql, other);
});

test('an organization has at most 1,000 members, and an invitation works again when one has left', async () => {
  const { owner, org } = await organization(db.sql);
  await db.sql`
    with made as (insert into auth.users (id, email) select gen_random_uuid(), 'm' || n || '@example.com' from generate_series(1, 998) n returning id)
    insert into account.members (org_id, user_id) select ${org}, id from made`;
  const last = await addMember(db.sql, owner, org, 'member');
  const { code } = await rpc<{ code: string }>(db.sql, owner, `invite_member('${org}', 'member')`);
  const late = await person(db.sql);
  await expectRpcError(call(late, `accept_invitation('${code}')`), 409, 'member.limit');
  await call(owner, `remove_member('${org}', '${last.id}')`);
  await call(late, `accept_invitation('${code}')`);
});

test('the channel of an organization is deleted after the organization and its last frames', async () => {
  const { owner, org } = await organization(db.sql);
  const channel = `org:${org}`;
  await mint(db.sql, owner, org);
  const kept = async () => (await db.sql`select from stream.channels where channel = ${channel}`).length;
  const sent = (ago: string, behind = 0) => db.sql`
    insert into stream.broadcast_positions (channel, epoch, last_offset, sent_at)
    select channel, epoch, last_offset - ${behind}, clock_timestamp() - ${ago}::interval from stream.channels where channel = ${channel}
    on conflict (channel) do update set last_offset = excluded.last_offset, sent_at = excluded.sent_at`;
  const purge = () => db.sql`select stream.purge_expired()`;
  await sent('3 hours');
  await purge();
  expect(await kept(), 'its organization exists').toBe(1);
  await call(owner, `delete_organization('${org}')`);
  await sent('1 hour 59 minutes');
  await purge();
  expect(await kept(), 'the sent frames are not deleted yet').toBe(1);
  await sent('3 hours', 1);
  await purge();
  expect(await kept(), 'not all frames are sent').toBe(1);
  await sent('2 hours 1 minute');
  await purge();
  expect(await kept()).toBe(0);
});
