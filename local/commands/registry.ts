// npm run registry: writes the imports of the registry's files, and the SQL file with its names.
// tests/repository/registry_imports.test.ts compares both with the folder.
import { writeFileSync } from 'node:fs';
import { importsFile, importsText } from '../registry/imports.ts';

export async function main(): Promise<number> {
  writeFileSync(importsFile, importsText());
  // Loaded after the imports are written, because it reads the registry through them.
  const { namesFile, namesSql } = await import('../registry/names_sql.ts');
  writeFileSync(namesFile, namesSql());
  return 0;
}
