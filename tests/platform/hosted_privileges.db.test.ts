import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildFromMigrations } from '../../local/platform/postgres/build.ts';
import { connectAdmin, TEMPLATE_NAME } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// What the role postgres of a hosted project may do with objects of the platform, and no more. On
// the platform, supautils lets it manage the policies of realtime.messages without owning it.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

class RolledBack extends Error {}

/** The error of the statements, which never remain: an SQLSTATE with its message, or `done`. */
async function outcomeOf(...statements: string[]): Promise<string> {
  let outcome = 'done';
  await db.sql
    .begin(async (sql) => {
      for (const statement of statements) await sql.unsafe(statement);
      throw new RolledBack();
    })
    .catch((error: postgres.PostgresError) => {
      if (!(error instanceof RolledBack)) outcome = `${error.code}: ${error.message}`;
    });
  return outcome;
}

const policy = 'create policy "one more" on realtime.messages for select to authenticated using (true)';

test.each([
  [policy],
  [policy, 'alter policy "one more" on realtime.messages using (false)'],
  [policy, 'drop policy "one more" on realtime.messages'],
  ['drop policy "organizations read the channels of their plan" on realtime.messages'],
  ["insert into realtime.messages (topic, extension) values ('a', 'broadcast')"],
  ['delete from realtime.messages'],
  [`select realtime.send('{}', 'an event', 'a topic')`],
])('postgres may, as on the platform: %s %s', async (...statements) => {
  expect(await outcomeOf(...statements.filter((text) => text !== undefined))).toBe('done');
});

const mustOwn = '42501: must be owner of relation messages';
const mustOwnTable = '42501: must be owner of table messages';
const mayNotCreate = '42501: permission denied for schema realtime';
test.each([
  [`comment on policy "organizations read the channels of their plan" on realtime.messages is 'words'`, mustOwn],
  [`comment on table realtime.messages is 'words'`, mustOwnTable],
  [`comment on column realtime.messages.topic is 'words'`, mustOwn],
  ['alter table realtime.messages add column more text', mustOwnTable],
  ['alter table realtime.messages disable row level security', mustOwnTable],
  ['alter table realtime.messages owner to postgres', mustOwnTable],
  ['alter table realtime.messages rename to other', mustOwnTable],
  ['create index on realtime.messages (topic)', mustOwnTable],
  ['create statistics public.more on topic, event from realtime.messages', mustOwnTable],
  ['create rule more as on insert to realtime.messages do nothing', mustOwnTable],
  ['drop table realtime.messages', mustOwnTable],
  ['drop function realtime.topic()', '42501: must be owner of function realtime.topic'],
  [`create or replace function realtime.topic() returns text language sql as 'select null'`, mayNotCreate],
  [`create function realtime.more() returns text language sql as 'select null'`, mayNotCreate],
  ['alter function realtime.topic() stable', '42501: must be owner of function realtime.topic'],
  ['create table realtime.more (id integer)', mayNotCreate],
  ['create view realtime.more as select 1 as one', mayNotCreate],
  ['create type realtime.more as enum ()', mayNotCreate],
  ['alter schema realtime rename to other', '42501: must be owner of schema realtime'],
  ['drop schema realtime cascade', '42501: must be owner of schema realtime'],
  [`create policy more on auth.users for select to authenticated using (true)`, '42501: must be owner of table users'],
  ['create table auth.more (id integer)', '42501: permission denied for schema auth'],
  [
    `create function auth.more() returns text language sql as 'select null'`,
    '42501: permission denied for schema auth',
  ],
  ['alter table auth.users add column more text', '42501: must be owner of table users'],
  ['create index on auth.users (email)', '42501: must be owner of table users'],
  [
    `insert into cron.job (schedule, command) values ('* * * * *', 'select 1')`,
    '42501: permission denied for table job',
  ],
  ['update cron.job set active = false', '42501: permission denied for table job'],
  ['delete from cron.job', '42501: permission denied for table job'],
  ['create table cron.more (id integer)', '42501: permission denied for schema cron'],
  ['create table net.more (id integer)', '42501: permission denied for schema net'],
  ['create table vault.more (id integer)', '42501: permission denied for schema vault'],
  [`insert into vault.secrets (secret) values ('x')`, '42501: permission denied for table secrets'],
  [`update vault.secrets set secret = 'x'`, '42501: permission denied for table secrets'],
  ['set role parallax_api', '42501: permission denied to set role "parallax_api"'],
  ['set role supabase_admin', '42501: permission denied to set role "supabase_admin"'],
  ['set role supabase_auth_admin', '42501: permission denied to set role "supabase_auth_admin"'],
  ['set role supabase_realtime_admin', '42501: permission denied to set role "supabase_realtime_admin"'],
  ['grant supabase_realtime_admin to postgres', '42501: permission denied to grant role "supabase_realtime_admin"'],
  ['alter role supabase_admin nologin', '42501: permission denied to alter role'],
  ['create role other superuser', '42501: permission denied to create role'],
  [`create event trigger more on ddl_command_start execute function realtime.topic()`, /^42501: permission denied/],
  [`copy (select 1) to program 'true'`, /^42501: permission denied to COPY/],
  [`alter system set jit = off`, /^(42501: permission denied|25001: )/],
])('postgres may not, as on the platform: %s', async (statement, expected) => {
  const outcome = await outcomeOf(statement);
  if (typeof expected === 'string') expect(outcome).toBe(expected);
  else expect(outcome).toMatch(expected);
});

test('after a policy was created, changed or dropped, realtime.messages has its owner again', async () => {
  const owner = async () =>
    (
      await db.sql`select relowner::regrole::text as owner, relacl::text from pg_class where oid = 'realtime.messages'::regclass`
    )[0];
  const before = await owner();
  expect(before?.owner).toBe('supabase_realtime_admin');
  await db.sql.unsafe(policy);
  await db.sql`alter policy "one more" on realtime.messages using (false)`;
  await db.sql`create policy "one more" on realtime.messages using (true)`.catch((error) =>
    expect(error.code).toBe('42710'),
  );
  await db.sql`drop policy "one more" on realtime.messages`;
  expect(await owner()).toEqual(before);
  // A grant by a role without the right is a warning and changes nothing.
  await db.sql`grant select on realtime.messages to parallax_api`.catch(() => {});
  expect(await owner()).toEqual(before);
});

test('postgres is a member of the roles that a hosted project grants it, and owns no schema of the platform', async () => {
  const [row] = await db.sql`
    select array(
      select m.roleid::regrole::text from pg_auth_members m
      where m.member = 'postgres'::regrole and m.roleid::regrole::text not like 'parallax%' order by 1
    ) as roles,
    array(
      select nspname::text from pg_namespace where nspowner = 'postgres'::regrole
        and nspname in ('auth', 'realtime', 'vault', 'cron', 'net', 'extensions')
    ) as schemas,
    (select array[rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication] from pg_roles where rolname = 'postgres') as attributes`;
  expect(row).toEqual({
    roles: [
      'anon',
      'authenticated',
      'pg_create_subscription',
      'pg_monitor',
      'pg_read_all_data',
      'pg_signal_backend',
      'service_role',
    ],
    schemas: [],
    attributes: [false, true, true, true, true],
  });
});

// On database images with an older supautils, or for some logins of the CLI, postgres may not even
// create the policy.
test('the migration warns how to add a policy that it may not create, and an alert remains until the policy exists', async () => {
  const platform = await createDatabase({ from: TEMPLATE_NAME });
  const { cluster } = inject('postgres');
  const admin = connectAdmin(cluster, platform.name);
  const warnings: string[] = [];
  const sql = postgres(platform.url(), {
    max: 1,
    onnotice: ({ severity, message, hint }) => {
      if (severity === 'WARNING') warnings.push(`${message} ${hint}`);
    },
  });
  const alerts = () => sql`select alert, next from ops.alerts where alert like 'stream.%'`;
  try {
    await admin`alter event trigger lend_messages_before_policy disable`;
    await buildFromMigrations(platform.url());
    await sql`select jobs.install_schedules()`;
    expect(warnings).toEqual([
      'The policy on realtime.messages cannot be created (must be owner of table messages), so private channels reject ' +
        'every join. Run "select stream.install_realtime_policy()" in the SQL editor of the project.',
    ]);
    expect(await alerts()).toEqual([
      {
        alert: 'stream.unjoinable',
        next: expect.stringContaining('select stream.install_realtime_policy()'),
      },
    ]);
    await admin`alter event trigger lend_messages_before_policy enable`;
    await sql`select stream.install_realtime_policy()`;
    expect(await alerts()).toEqual([]);
    expect(warnings).toHaveLength(1);
  } finally {
    await Promise.all([admin.end(), sql.end()]);
    await platform.close();
  }
});
