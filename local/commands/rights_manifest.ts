// npm run manifest: writes sql/rights.txt, the rights of every role in the database that sql/
// builds.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import postgres from 'postgres';
import { repository } from '../platform/postgres/binaries.ts';
import { buildFromSql, sqlFolder } from '../platform/postgres/build.ts';
import { renderRights } from '../platform/postgres/rights.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';

export async function main(): Promise<void> {
  const file = join(sqlFolder, 'rights.txt');
  const scratch = await startTemporaryPostgres();
  try {
    const url = await scratch.create('manifest');
    await buildFromSql(url);
    const sql = postgres(url, { max: 1 });
    writeFileSync(file, await sql.begin(renderRights));
    await sql.end();
    console.log(relative(repository, file));
  } finally {
    await scratch.stop();
  }
}
