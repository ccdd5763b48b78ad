// npm run manifest: writes sql/rights.txt, the rights of every role in the database that sql/
// builds.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import postgres from 'postgres';
import type { Output } from '../command.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { buildFromSql, sqlFolder } from '../platform/postgres/build.ts';
import { renderRights } from '../platform/postgres/rights.ts';
import { startTemporaryPostgres } from '../platform/postgres/temporary_postgres.ts';

export async function main(_args: readonly string[], output: Output): Promise<number> {
  const file = join(sqlFolder, 'rights.txt');
  const scratch = await startTemporaryPostgres();
  try {
    const url = await scratch.create('manifest');
    await buildFromSql(url);
    const sql = postgres(url, { max: 1 });
    writeFileSync(file, await sql.begin(renderRights));
    await sql.end();
    output.log(relative(repository, file));
  } finally {
    await scratch.stop();
  }
  return 0;
}
