// npm run registry: writes the imports of the registry's files.
// tests/repository/registry_imports.test.ts compares them with the folder.
import { writeFileSync } from 'node:fs';
import { importsFile, importsText } from '../registry/imports.ts';

export async function main(): Promise<void> {
  writeFileSync(importsFile, importsText());
}
