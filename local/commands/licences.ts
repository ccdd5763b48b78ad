// npm run licences: writes docs/licences.md from package-lock.json. `npm run check` checks that it
// is up to date.
import { writeFileSync } from 'node:fs';
import { licencesFile, licencesPage, readProjectPackages } from '../licences/page.ts';

export async function main(): Promise<void> {
  const { text, refused } = licencesPage(readProjectPackages());
  writeFileSync(licencesFile, text);
  for (const line of refused) console.error(line);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
