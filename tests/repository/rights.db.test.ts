import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlFolder } from '../../local/platform/postgres/build.ts';
import { renderRights } from '../../local/platform/postgres/rights.ts';
import { createDatabase } from '../support/database.ts';

test('sql/rights.txt matches the rights of the database (npm run manifest)', async () => {
  const db = await createDatabase();
  try {
    expect(await db.sql.begin(renderRights)).toBe(readFileSync(join(sqlFolder, 'rights.txt'), 'utf8'));
  } finally {
    await db.close();
  }
});

test.each([
  ['grant select on account.keys to parallax_api', 'account.keys  row security forced: parallax_api select'],
  ['grant select (hash) on account.keys to authenticated', 'hash'],
  ['grant execute on function jobs.start_ingest() to public', 'jobs.start_ingest()  public execute'],
  ['grant usage on schema jobs to anon', 'jobs  anon usage'],
  ['alter table account.keys no force row level security', 'account.keys  row security: no role'],
  ['alter view api.my_keys reset (security_invoker)', 'api.my_keys  rights of its owner: authenticated select'],
  [
    'alter function account.rotate_key(uuid, integer) reset search_path',
    'account.rotate_key(uuid,integer)  rights of its owner, NO SEARCH PATH',
  ],
  ['alter function jobs.start_ingest() security definer', 'jobs.start_ingest()  rights of its owner'],
  [
    'create policy mine on account.keys for update to anon using (true)',
    'account.keys "mine"  update to anon using true',
  ],
  [
    'alter policy "members read their keys" on account.keys using (true)',
    '"members read their keys"  select to authenticated using true',
  ],
  [
    'alter default privileges for role postgres in schema api grant execute on functions to anon',
    'in schema api  functions: anon execute',
  ],
  ['alter role parallax_api bypassrls', 'parallax_api  bypasses row security, inherits'],
])('the manifest shows the change: %s', async (change, line) => {
  const db = await createDatabase({ superuser: true });
  try {
    const before = new Set((await db.sql.begin(renderRights)).split('\n'));
    await db.sql
      .begin(async (sql) => {
        // A role belongs to the cluster, which other tests share, so the change is rolled back.
        await sql.unsafe(change);
        const after = await renderRights(sql);
        expect(
          after
            .split('\n')
            .filter((text) => !before.has(text))
            .join('\n'),
        ).toContain(line);
        throw new Rollback();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Rollback)) throw error;
      });
  } finally {
    await db.close();
  }
});

class Rollback extends Error {}
