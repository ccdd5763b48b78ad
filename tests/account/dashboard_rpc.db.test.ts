import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWellFormedKey } from '../../functions/api/http/keys.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  admissionErrorOf,
  as,
  auditRows,
  expectRpcError,
  type Minted,
  mint,
  organization,
  type Person,
  rpc,
} from './support/people.ts';

let db: TestDatabase;
let api: postgres.Sql;
beforeAll(async () => {
  db = await createDatabase();
  api = postgres(db.url('parallax_api'), { max: 4, prepare: false, fetch_types: false, onnotice: () => {} });
});
afterAll(async () => {
  await api.end({ timeout: 1 });
  await db.close();
});

const call = (who: Person, text: string) => rpc<Minted>(db.sql, who, text);
const listed = async (who: Person) => await as(db.sql, who, 'select * from api.my_keys order by created_at');

describe('a key', () => {
  test('is returned once, works at once, and is a prefix in the list of owners and members', async () => {
    const { owner, org } = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    const minted = await mint(db.sql, owner, org, ' first ');
    expect(isWellFormedKey(minted.key)).toBe(true);
    expect(minted).toMatchObject({ name: 'first', prefix: minted.key.slice(0, 16) });
    expect(await admissionErrorOf(api, minted.key)).toBeNull();
    for (const who of [owner, guest]) {
      const list = await listed(who);
      expect(list).toMatchObject([
        { key_id: minted.key_id, prefix: minted.prefix, name: 'first', expires_at: null, revoked_at: null },
      ]);
      expect(list[0]?.last_used_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/);
      expect(JSON.stringify(list)).not.toContain(minted.key.slice(17));
    }
  });

  test('may be minted, renamed, rotated and revoked by owners, not by members', async () => {
    const { owner, org } = await organization(db.sql);
    const guest = await addMember(db.sql, owner, org, 'member');
    const { key_id, key } = await mint(db.sql, owner, org);
    for (const attempt of [
      `mint_key('${org}', 'mine')`,
      `rename_key('${key_id}', 'mine')`,
      `rotate_key('${key_id}', 0)`,
      `revoke_key('${key_id}')`,
    ]) {
      await expectRpcError(call(guest, attempt), 403, 'role.owner_needed');
    }
    expect(await admissionErrorOf(api, key)).toBeNull();
  });

  test('has a name of 1 to 100 characters, on one line', async () => {
    const { owner, org } = await organization(db.sql);
    const { key_id } = await mint(db.sql, owner, org);
    for (const name of [`''`, `'   '`, 'null', `E'a\\tb'`, `'${'x'.repeat(101)}'`]) {
      await expectRpcError(call(owner, `mint_key('${org}', ${name})`), 400, 'key.name');
      await expectRpcError(call(owner, `rename_key('${key_id}', ${name})`), 400, 'key.name');
    }
    await call(owner, `rename_key('${key_id}', '${'é'.repeat(100)}')`);
    await call(owner, `rename_key('${key_id}', '<b>it''s</b>')`);
    expect(await listed(owner)).toMatchObject([{ name: `<b>it's</b>` }]);
  });

  test('gets 401 with the next request after it is revoked; revoking it again changes nothing', async () => {
    const { owner, org } = await organization(db.sql);
    const { key, key_id } = await mint(db.sql, owner, org);
    expect(await admissionErrorOf(api, key)).toBeNull();
    await call(owner, `revoke_key('${key_id}')`);
    expect(await admissionErrorOf(api, key)).toBe('auth.revoked_key');
    const before = [await listed(owner), await auditRows(db.sql, org)];
    await call(owner, `revoke_key('${key_id}')`);
    expect([await listed(owner), await auditRows(db.sql, org)]).toEqual(before);
    await expectRpcError(call(owner, `rotate_key('${key_id}', 1)`), 409, 'key.over');
  });

  test('gets 401 with the next request after its organization is deleted', async () => {
    const { owner, org } = await organization(db.sql);
    const { key } = await mint(db.sql, owner, org);
    expect(await admissionErrorOf(api, key)).toBeNull();
    await call(owner, `delete_organization('${org}')`);
    expect(await admissionErrorOf(api, key)).toBe('auth.revoked_key');
  });
});

describe('the expiry and the scope of a new key', () => {
  test.each([
    [`now() - interval '1 second'`, `'full'`, 'key.expiry'],
    [`now() + interval '10 years 1 day'`, `'full'`, 'key.expiry'],
    [`'infinity'`, `'full'`, 'key.expiry'],
    [`'-infinity'`, `'full'`, 'key.expiry'],
    ['null', `'write'`, 'key.scope'],
    ['null', 'null', 'key.scope'],
  ])('are rejected as %s and %s, and no key is made', async (expires, scope, code) => {
    const { owner, org } = await organization(db.sql);
    await expectRpcError(call(owner, `mint_key('${org}', 'x', ${expires}, ${scope})`), 400, code);
    expect(await listed(owner)).toEqual([]);
  });

  test('are in the result, in the list and in the audit', async () => {
    const { owner, org } = await organization(db.sql);
    const minted = await call(owner, `mint_key('${org}', 'x', now() + interval '90 days', 'read_only')`);
    const [row] = await listed(owner);
    expect(row).toMatchObject({ scope: 'read_only', expires_at: minted.expires_at });
    expect(Math.abs(Number(row?.lifetime_seconds) - 90 * 86_400)).toBeLessThan(5);
    expect(Math.abs(Date.parse(minted.expires_at ?? '') - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
    const [audited] = await db.sql`
      select detail from account.audit where org_id = ${org} and action = 'key.minted'`;
    expect(audited?.detail).toEqual({ name: 'x', scope: 'read_only', expires_at: minted.expires_at });
  });

  test('are full and none where the caller names neither, as of keys that exist already', async () => {
    const { owner, org } = await organization(db.sql);
    expect(await mint(db.sql, owner, org)).toMatchObject({ scope: 'full', expires_at: null });
    expect(await listed(owner)).toMatchObject([{ scope: 'full', expires_at: null, lifetime_seconds: null }]);
  });
});

describe('the rotation of a key', () => {
  test('keeps the scope and the lifetime, counted from now, also of a key that it made end earlier', async () => {
    const { owner, org } = await organization(db.sql);
    const old = await call(owner, `mint_key('${org}', 'x', now() + interval '30 days', 'read_only')`);
    const remaining = (key: Minted) => Math.round((Date.parse(key.expires_at ?? '') - Date.now()) / 86_400_000);
    const second = await call(owner, `rotate_key('${old.key_id}', 1)`);
    const third = await call(owner, `rotate_key('${old.key_id}', 1)`);
    for (const fresh of [second, third]) expect([fresh.scope, remaining(fresh)]).toEqual(['read_only', 30]);
    const lasting = await mint(db.sql, owner, org, 'lasting');
    await call(owner, `rotate_key('${lasting.key_id}', 1)`);
    expect(await call(owner, `rotate_key('${lasting.key_id}', 1)`)).toMatchObject({ scope: 'full', expires_at: null });
    const [audited] = await db.sql`
      select detail from account.audit where org_id = ${org} and action = 'key.rotated' order by audit_id limit 1`;
    expect(audited?.detail).toMatchObject({ to: second.prefix, scope: 'read_only', to_expires_at: second.expires_at });
  });

  test('returns a new key of the same name, and the old one works for the chosen hours', async () => {
    const { owner, org } = await organization(db.sql);
    const old = await mint(db.sql, owner, org, 'server');
    const fresh = await call(owner, `rotate_key('${old.key_id}', 72)`);
    expect(fresh).toMatchObject({ name: 'server', replaces: old.key_id });
    expect(Math.abs(Date.parse(fresh.old_expires_at ?? '') - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000);
    expect([await admissionErrorOf(api, old.key), await admissionErrorOf(api, fresh.key)]).toEqual([null, null]);
    // Time passes.
    await db.sql`update account.keys set expires_at = clock_timestamp() where key_id = ${old.key_id}`;
    expect([await admissionErrorOf(api, old.key), await admissionErrorOf(api, fresh.key)]).toEqual([
      'auth.expired_key',
      null,
    ]);
  });

  test('without overlap ends the old key at once, and never prolongs a key that ends sooner', async () => {
    const { owner, org } = await organization(db.sql);
    const old = await mint(db.sql, owner, org);
    const second = await call(owner, `rotate_key('${old.key_id}', 1)`);
    const third = await call(owner, `rotate_key('${old.key_id}', 72)`);
    expect(third.old_expires_at).toBe(second.old_expires_at);
    await call(owner, `rotate_key('${old.key_id}', 0)`);
    expect(await admissionErrorOf(api, old.key)).toBe('auth.expired_key');
    expect([await admissionErrorOf(api, second.key), await admissionErrorOf(api, third.key)]).toEqual([null, null]);
  });

  test.each(['-1', '73', 'null'])('with an overlap of %s hours is rejected and changes nothing', async (hours) => {
    const { owner, org } = await organization(db.sql);
    const { key_id } = await mint(db.sql, owner, org);
    const before = await listed(owner);
    await expectRpcError(call(owner, `rotate_key('${key_id}', ${hours})`), 400, 'key.overlap');
    expect(await listed(owner)).toEqual(before);
  });

  test('makes one new key for many concurrent callers without overlap', async () => {
    const { owner, org } = await organization(db.sql);
    const { key_id } = await mint(db.sql, owner, org);
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => call(owner, `rotate_key('${key_id}', 0)`)),
    );
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await listed(owner)).toHaveLength(2);
  });
});

test('at most 1,000 keys are active, also with concurrent calls; a revoked or expired key frees one', async () => {
  const { owner, org } = await organization(db.sql);
  await db.sql`select account.insert_key(${org}, 'one of many') from generate_series(1, 997)`;
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => mint(db.sql, owner, org)));
  const minted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(minted).toHaveLength(3);
  await expectRpcError(mint(db.sql, owner, org), 409, 'key.limit');
  const [first, second] = minted.map((key) => key.key_id);
  await expectRpcError(call(owner, `rotate_key('${first}', 1)`), 409, 'key.limit');
  expect(await call(owner, `rotate_key('${first}', 0)`)).toMatchObject({ replaces: first });
  await call(owner, `revoke_key('${second}')`);
  expect(await mint(db.sql, owner, org)).toMatchObject({ name: 'a key' });
  await expectRpcError(mint(db.sql, owner, org), 409, 'key.limit');
});

test('the usage view equals the counts of admission, during and after a window', async () => {
  const { owner, org } = await organization(db.sql);
  const { key } = await mint(db.sql, owner, org);
  const usage = async () => (await as(db.sql, owner, 'select * from api.my_usage'))[0];
  expect(await usage()).toMatchObject({
    tier: 'free',
    status: 'active',
    window_quota: 600,
    window_used: 0,
    window_ends_at: null,
    month_quota: 10_000,
    month_used: 0,
  });
  const admissionCounts = async () => {
    const [row] = await db.sql`
      select a.window_quota, a.window_used, a.month_quota, a.month_used, base.format_time(a.month_ends_at) as month_ends_at
      from account.admit(account.key_hash(${key}), true, 0, 0) a`;
    return { ...row };
  };
  const setUsage = (set: string) => db.sql.unsafe(`update account.usage set ${set} where org_id = '${org}'`);
  for (const set of [
    'window_used = 0',
    'window_began_at = clock_timestamp(), window_used = 17, month_used = 9',
    `window_began_at = clock_timestamp() - interval '55 seconds', window_used = 500`,
    `window_began_at = clock_timestamp() - interval '60 seconds', window_used = 600`,
    `month = '2026-01-01', month_used = 10000`,
  ]) {
    await setUsage(set);
    expect(await usage()).toMatchObject(await admissionCounts());
  }
  await setUsage('window_began_at = clock_timestamp()');
  const ends = Date.parse(String((await usage())?.window_ends_at));
  expect(ends - Date.now()).toBeGreaterThan(50_000);
  expect(ends - Date.now()).toBeLessThan(61_000);
});

test('each change writes one audit row with its actor and object', async () => {
  const { owner, org } = await organization(db.sql);
  const made = await mint(db.sql, owner, org, 'a');
  await call(owner, `rename_key('${made.key_id}', 'b')`);
  await call(owner, `rename_key('${made.key_id}', 'b')`);
  const next = await call(owner, `rotate_key('${made.key_id}', 0)`);
  await call(owner, `revoke_key('${next.key_id}')`);
  await expectRpcError(call(owner, `mint_key('${org}', '')`), 400, 'key.name');
  expect((await auditRows(db.sql, org)).slice(1)).toEqual([
    [owner.email, 'key.minted', made.prefix],
    [owner.email, 'key.renamed', made.prefix],
    [owner.email, 'key.rotated', made.prefix],
    [owner.email, 'key.revoked', next.prefix],
  ]);
});
