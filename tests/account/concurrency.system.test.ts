import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaitingForLock } from '../support/lock_wait.ts';
import { runConcurrently } from './support/concurrent.ts';
import { mint, organization, type Person, rpc } from './support/people.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

async function withKey(): Promise<{ owner: Person; org: string; key: string; key_id: string; hash: string }> {
  const { owner, org } = await organization(db.sql);
  const { key, key_id } = await mint(db.sql, owner, org);
  return { owner, org, key, key_id, hash: hashKey(key) };
}

type LoadResult = { passed: number[]; rejected: number };

/**
 * Starts processes with 4 connections each, which send `times` requests each at the same moment.
 */
async function sendLoad(processes: number, times: number, hashes: readonly string[]): Promise<LoadResult[]> {
  const args = (place: number) => [db.url('parallax_api'), hashes[place % hashes.length] ?? '', String(times), '4'];
  return (await runConcurrently(processes, 'tests/account/support/load.ts', args)) as LoadResult[];
}

test('admission is exact across processes: of 1,200 requests by 4 with 333 left, 333 pass with distinct counts', async () => {
  const { org, owner, hash } = await withKey();
  const second = hashKey((await mint(db.sql, owner, org)).key);
  // The window lasts 60 seconds, and the requests take about one.
  await db.sql`
    update account.usage set window_began_at = clock_timestamp(), window_used = 267
    where org_id = ${org}`;
  const answers = await sendLoad(4, 300, [hash, second]);
  const passed = answers.flatMap((answer) => answer.passed);
  expect(passed.sort((a, b) => a - b)).toEqual(Array.from({ length: 333 }, (_, i) => 268 + i));
  expect(answers.reduce((sum, answer) => sum + answer.rejected, 0)).toBe(1200 - 333);
  expect(await db.sql`select window_used, month_used from account.usage where org_id = ${org}`).toEqual([
    { window_used: 600, month_used: 333 },
  ]);
});

test('deletions, revocations and plan changes during admission cause neither a deadlock nor an error', async () => {
  const api = postgres(db.url('parallax_api'), { max: 8, prepare: false, fetch_types: false, onnotice: () => {} });
  try {
    for (let round = 0; round < 8; round++) {
      const { org, owner, hash, key_id } = await withKey();
      // One of these requests is the first of a new month and writes account.monthly_usage.
      await db.sql`update account.usage set month = '2026-01-01', month_used = 5 where org_id = ${org}`;
      const admit = () =>
        api.unsafe<{ code: string | null }[]>(`select code from account.admit(decode('${hash}', 'hex'), true, 1, 1)`);
      const requests = Array.from({ length: 40 }, admit);
      const changes = [
        db.sql`select account.set_plan(${org}, 'pro', 'active', 'test')`.catch((error: Error) => {
          // The deletion may be first.
          if (!/no organization/.test(error.message)) throw error;
        }),
        rpc(db.sql, owner, `revoke_key('${key_id}')`).catch((error: { code: string }) => {
          expect(error.code).toMatch(/^(key|organization)\.not_found$/);
        }),
        rpc(db.sql, owner, `delete_organization('${org}')`),
      ];
      const answers = await Promise.all(requests);
      await Promise.all(changes);
      for (const [row] of answers) expect([null, 'auth.revoked_key']).toContain(row?.code);
      expect((await admit())[0]?.code).toBe('auth.revoked_key');
      expect(await db.sql`select 1 from account.usage where org_id = ${org}`).toEqual([]);
    }
  } finally {
    await api.end({ timeout: 1 });
  }
});

test('a deletion waits for a request in admission before it locks the rows that the request still needs', async () => {
  const { org, owner, key_id } = await withKey();
  let deletion: Promise<unknown> = Promise.resolve();
  await db.sql.begin(async (request) => {
    // Does what account.admit does, stopped in the middle: it has locked the usage row, and will
    // write the month and the key.
    await request`select from account.usage where org_id = ${org} for update`;
    deletion = rpc(db.sql, owner, `delete_organization('${org}')`);
    await untilWaitingForLock(db.sql, 'delete_organization');
    await request`insert into account.monthly_usage (org_id, month, used) values (${org}, '2026-01-01', 1)`;
    await request`update account.keys set last_used_at = clock_timestamp() where key_id = ${key_id}`;
  });
  await deletion;
  expect(await db.sql`select 1 from account.organizations where org_id = ${org}`).toEqual([]);
});
