import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

describe('the role postgres', () => {
  test('the role postgres is not a superuser and bypasses row security, as on the platform', async () => {
    const [role] = await db.sql`
      select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = current_user`;
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: true,
      rolcreaterole: true,
      rolcreatedb: true,
      rolreplication: true,
    });
  });

  test('the role postgres may create the extensions of a hosted project', async () => {
    await db.sql`create extension if not exists pg_trgm with schema extensions`;
    await db.sql`create extension if not exists unaccent with schema extensions`;
    const rows = await db.sql<{ extname: string }[]>`
      select extname from pg_extension where extnamespace = 'extensions'::regnamespace order by 1`;
    expect(rows.map((row) => row.extname)).toEqual(['pg_trgm', 'pgcrypto', 'unaccent', 'uuid-ossp']);
  });

  test('the role postgres may reference auth.users and add a trigger to it, but owns nothing in schema auth', async () => {
    await db.sql.begin(async (sql) => {
      await sql`create table public.probe (id uuid references auth.users)`;
      await sql`create function public.probe() returns trigger language plpgsql as $$ begin return new; end $$`;
      await sql`create trigger probe after insert on auth.users for each row execute function public.probe()`;
    });
    await expect(db.sql`drop table auth.users cascade`).rejects.toThrow(/must be owner/);
  });

  test('the role postgres cannot read files of the server', async () => {
    await expect(db.sql`select pg_read_file('vault.key')`).rejects.toThrow(/permission denied/);
  });
});

describe('the claims of the caller', () => {
  test('auth.uid(), auth.role() and auth.jwt() read the claims of one JSON setting, and are null without it', async () => {
    const sub = '6f1f5f6e-4c58-4b6f-8d0a-3d1f0e8f0b11';
    const claims = JSON.stringify({ sub, role: 'authenticated', email: 'a@b.c' });
    const seen = await db.sql.begin(async (sql) => {
      await sql`set local role authenticated`;
      const [before] = await sql`select auth.uid(), auth.role(), auth.jwt()`;
      await sql`select set_config('request.jwt.claims', ${claims}, true)`;
      const [after] = await sql`select auth.uid(), auth.role(), auth.jwt() ->> 'email' as email`;
      return { before, after };
    });
    expect(seen.before).toEqual({ uid: null, role: null, jwt: null });
    expect(seen.after).toEqual({ uid: sub, role: 'authenticated', email: 'a@b.c' });
  });
});

describe('test databases', () => {
  test('two test databases share no rows', async () => {
    const other = await createDatabase();
    try {
      await db.sql`create table public.only_here (id int)`;
      const [found] = await other.sql`select to_regclass('public.only_here') as found`;
      expect(found?.found).toBeNull();
    } finally {
      await other.close();
    }
  });

  test('a wrong password is rejected on loopback too', async () => {
    const wrong = db.url().replace(/:[^:@]+@/, ':wrong@');
    const { default: postgres } = await import('postgres');
    const sql = postgres(wrong, { max: 1 });
    await expect(sql`select 1`).rejects.toThrow(/password authentication failed/);
    await sql.end();
  });
});
