import { spawn } from 'node:child_process';
import { collectOutput } from '../../child_output.ts';
import type { Sql } from '../../postgres/template.ts';
import { UserError } from '../../user_error.ts';
import type { AuthBinary } from './binary.ts';
import { type AuthSettings, authEnvironment } from './settings.ts';

/**
 * Creates schema `auth` as the migrations of Auth expect it. As on the platform, its owner lets
 * `postgres` use the tables; the migrations restrict that for some of them.
 */
export async function createAuthSchema(admin: Sql): Promise<void> {
  await admin.unsafe(`
    create schema auth;
    grant all on schema auth to supabase_auth_admin;
    grant usage on schema auth to postgres, anon, authenticated, service_role;
    alter default privileges for role supabase_auth_admin in schema auth
      grant all on tables to postgres;
    alter default privileges for role supabase_auth_admin in schema auth
      grant all on sequences to postgres;
  `);
}

/** Lets Auth log in to `database` and migrate it. A clone of a template lacks the second right. */
export async function admitAuthRole(admin: Sql, database: string, password: string): Promise<void> {
  await admin.unsafe(`
    alter role supabase_auth_admin password '${password.replaceAll("'", "''")}';
    alter role supabase_auth_admin set search_path = auth;
    grant create on database "${database}" to supabase_auth_admin;
  `);
}

/** Applies the migrations that the program carries. */
export async function migrateAuth(binary: AuthBinary, settings: AuthSettings): Promise<void> {
  const child = spawn(binary.path, ['migrate'], {
    // Auth reads a file `.env` of its folder.
    cwd: '/',
    env: authEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { status, output } = await collectOutput(child);
  if (status === 0) return;
  const plain = output.replaceAll(settings.databaseUrl, 'the database').trim().split('\n').slice(-5).join('\n');
  throw new UserError(`Supabase Auth ${binary.version} could not migrate its tables:\n${plain}`);
}
