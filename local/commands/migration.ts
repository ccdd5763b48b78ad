// npm run migration -- <name> [--squash]: writes the migration from supabase/migrations to sql/.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Output } from '../command.ts';
import { repository } from '../platform/postgres/binaries.ts';
import {
  buildFromMigrations,
  buildFromSql,
  migrationsFolder,
  sqlFiles,
  sqlFolder,
} from '../platform/postgres/build.ts';
import { dropMigrationHistory, schemaDiff } from '../platform/postgres/schema_diff.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';
import { UserError } from '../platform/user_error.ts';

export { buildFromMigrations, buildFromSql } from '../platform/postgres/build.ts';

const usage = `npm run migration -- <name> [--squash]

Writes supabase/migrations/<time>_<name>.sql: the difference between the database of the migrations and that of sql/.
  --squash   replaces all migrations by one with the files of sql/ in order; only while nothing is deployed`;

/** Schedules and names of the registry are rows, which a comparison of schemas does not include. */
const installRows = `-- Rows, not schema: put in place after every migration.
do $$
begin
  if to_regprocedure('jobs.install_schedules()') is not null then
    execute 'select jobs.install_schedules()';
  end if;
  if to_regprocedure('catalog.load_registry()') is not null then
    execute 'select catalog.load_registry()';
  end if;
end
$$;
`;

/** The first migration: the files of sql/ in load order. */
function squashedMigration(): string {
  const files = sqlFiles(sqlFolder).map(
    (name) => `-- ${name}\n\n${readFileSync(join(sqlFolder, name), 'utf8').trim()}\n`,
  );
  const head = '-- Written by `npm run migration`: sql/ in order. Change sql/, never this file.\n';
  return [head, ...files, installRows].join('\n');
}

/**
 * A later migration. Roles belong to the cluster, which both compared databases share, so the file
 * of the roles is repeated at the head.
 */
function migrationStep(script: string): string {
  const [roles] = sqlFiles(sqlFolder);
  const head =
    '-- Written by `npm run migration`: from the migrations before it to sql/. Change sql/, never this file.\n';
  return [
    head,
    roles ? `${readFileSync(join(sqlFolder, roles), 'utf8').trim()}\n` : '',
    script.trim(),
    '',
    installRows,
  ].join('\n');
}

function fileName(name: string, second: number): string {
  const time = new Date(Date.now() + second * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  return join(migrationsFolder, `${time}_${name}.sql`);
}

/** Writes the missing migration files and returns their paths; none when there is no difference. */
export async function writeMigration(name: string, squash: boolean): Promise<string[]> {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(name)) {
    throw new UserError(
      'A migration name has lower case letters, digits and _ only. Example: npm run migration -- add_windows',
    );
  }
  if (sqlFiles(sqlFolder).length === 0) throw new UserError('sql/ contains no files, so there is nothing to write.');
  mkdirSync(migrationsFolder, { recursive: true });
  const scratch = await startTemporaryPostgres();
  const written: string[] = [];
  const previous = sqlFiles(migrationsFolder).map((file) => join(migrationsFolder, file));
  const kept = squash ? new Map(previous.map((path) => [path, readFileSync(path)])) : new Map<string, Buffer>();
  try {
    const wanted = await scratch.create('wanted');
    await buildFromSql(wanted);
    if (squash || previous.length === 0) {
      for (const path of previous) rmSync(path);
      written.push(fileName(name, 0));
      writeFileSync(written[0] ?? '', squashedMigration());
    } else {
      const before = await scratch.create('before');
      await buildFromMigrations(before);
      await dropMigrationHistory(before);
      const { scripts } = await schemaDiff(before, wanted);
      for (const [index, script] of scripts.entries()) {
        const path = fileName(scripts.length > 1 ? `${name}_${index + 1}` : name, index);
        writeFileSync(path, migrationStep(script));
        written.push(path);
      }
    }
    if (written.length > 0) {
      const after = await scratch.create('after');
      await buildFromMigrations(after);
      await dropMigrationHistory(after);
      const { scripts, broken } = await schemaDiff(after, wanted);
      if (scripts.length > 0)
        throw new UserError(`The migrations still build a different database than sql/:\n${scripts.join('\n')}`);
      if (broken.length > 0) throw new UserError(`These indexes would be invalid: ${broken.join(', ')}.`);
    }
    return written;
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    for (const [path, text] of kept) writeFileSync(path, text);
    throw error;
  } finally {
    await scratch.stop();
  }
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { squash: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  const name = positionals[0] ?? (values.squash ? 'parallax' : undefined);
  if (values.help || !name || positionals.length > 1) {
    output.log(usage);
    return values.help ? 0 : 1;
  }
  const written = await writeMigration(name, values.squash);
  for (const path of written) output.log(relative(repository, path));
  if (written.length === 0) output.log('supabase/migrations already build the database of sql/.');
  return 0;
}
