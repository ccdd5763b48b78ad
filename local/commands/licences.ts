// npm run licences: writes docs/licences.md from package-lock.json. `npm run check` checks that it
// is up to date.
import { writeFileSync } from 'node:fs';
import type { Output } from '../command.ts';
import { licencesFile, licencesPage, readProjectPackages } from '../licences/page.ts';

export async function main(_args: readonly string[], output: Output): Promise<number> {
  const { text, refused } = licencesPage(readProjectPackages());
  writeFileSync(licencesFile, text);
  for (const line of refused) output.error(line);
  return refused.length > 0 ? 1 : 0;
}
