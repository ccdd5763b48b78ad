import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { repository, supabaseCommand } from '../../local/platform/postgres/binaries.ts';
import { buildFromMigrations, migrationsFolder, quietTools, sqlFiles } from '../../local/platform/postgres/build.ts';
import { dropMigrationHistory, schemaDiff } from '../../local/platform/postgres/schema_diff.ts';
import { connectAdmin, TEMPLATE_NAME } from '../../local/platform/postgres/template.ts';
import { createDatabase } from '../support/database.ts';

const migrations = sqlFiles(migrationsFolder);
if (migrations.length === 0) console.warn('skipped: supabase/migrations is empty (npm run migration -- --squash)');

test.skipIf(migrations.length === 0)(
  'supabase db push builds the same database as sql/, with every index valid',
  async () => {
    const wanted = await createDatabase();
    const built = await createDatabase({ from: TEMPLATE_NAME });
    try {
      expect(await buildFromMigrations(built.url())).toEqual(migrations);
      expect(await buildFromMigrations(built.url()), 'a second push has nothing to do').toEqual([]);
      await dropMigrationHistory(built.url());
      expect(await schemaDiff(built.url(), wanted.url())).toEqual({ scripts: [], broken: [] });
    } finally {
      await wanted.close();
      await built.close();
    }
  },
  120_000,
);

// Without Docker, `supabase db diff` does not run. This reset, with --experimental, is the command
// of the CLI that reads the same list: it empties the database and loads the files of schema_paths.
test('the Supabase CLI loads the files of schema_paths, which are all of sql/, and builds the same database', async () => {
  const wanted = await createDatabase();
  const built = await createDatabase({ from: TEMPLATE_NAME });
  try {
    await built.sql`create schema left_over`;
    // The reset leaves an extension alone and drops the policies of a stand-in. Both databases lose
    // whichever they have: Debian's server has the extension pg_cron, npm's has the stand-in.
    for (const db of [wanted, built]) {
      const admin = connectAdmin(inject('postgres').cluster, db.name);
      await admin.unsafe('drop extension if exists pg_cron cascade; drop schema if exists cron, net cascade').simple();
      await admin.end();
    }
    const [program, ...first] = supabaseCommand();
    const options = ['--experimental', '--yes', '--agent', 'no', '--workdir', repository];
    const { status, stderr } = spawnSync(
      program,
      [...first, 'db', 'reset', ...options, '--db-url', `${built.url()}?sslmode=disable`],
      { env: { ...process.env, ...quietTools, NO_COLOR: '1' }, encoding: 'utf8' },
    );
    expect({ status, failed: status !== 0 && stderr }).toEqual({ status: 0, failed: false });
    expect(await schemaDiff(built.url(), wanted.url())).toEqual({ scripts: [], broken: [] });
  } finally {
    await wanted.close();
    await built.close();
  }
}, 120_000);

test('the schema comparison finds a column, an index of a partitioned table and a revoked right', async () => {
  const [one, two] = [await createDatabase({ from: TEMPLATE_NAME }), await createDatabase({ from: TEMPLATE_NAME })];
  try {
    for (const db of [one, two])
      await db.sql`create table public.frames (at timestamptz, id int) partition by range (at)`;
    await two.sql`create table public.frames_1 partition of public.frames default`;
    await one.sql`create table public.frames_1 partition of public.frames default`;
    await two.sql`alter table public.frames add column ask numeric`;
    await two.sql`create index frames_at_idx on public.frames (at)`;
    await one.sql`grant select on public.frames to anon`;
    const found = await schemaDiff(one.url(), two.url());
    expect(found.scripts.length).toBeGreaterThan(0);
    for (const script of found.scripts) await one.sql.unsafe(script).simple();
    expect(await schemaDiff(one.url(), two.url())).toEqual({ scripts: [], broken: [] });
    const [right] = await one.sql`select has_table_privilege('anon', 'public.frames', 'select') as anon`;
    expect(right).toEqual({ anon: false });
  } finally {
    await one.close();
    await two.close();
  }
});

test('no statement of a migration is longer than 20 kB, because db push splits one of 300 kB in 18 s', () => {
  const long = migrations.flatMap((name) =>
    readFileSync(join(migrationsFolder, name), 'utf8')
      .split(/;\n(?=\n|[a-z-])/)
      .filter((statement) => statement.length > 20_000)
      .map((statement) => `${name}: ${statement.trim().slice(0, 80)}`),
  );
  expect(long).toEqual([]);
});
