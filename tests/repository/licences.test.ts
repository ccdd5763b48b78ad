import { expect, test } from 'vitest';
import { licencesPage, readProjectPackages } from '../../local/licences/page.ts';

const house = readProjectPackages();
const withPackage = (place: string, licence: string | undefined, neededBy?: string) => {
  const packages = structuredClone(house.lock.packages);
  packages[place] = { version: '1.0.0', ...(licence ? { license: licence } : {}) };
  const parent = neededBy ? packages[neededBy] : undefined;
  if (parent) parent.dependencies = { ...parent.dependencies, [place.replace('node_modules/', '')]: '1.0.0' };
  return { ...house, lock: { packages } };
};

test('docs/licences.md lists every package of the lockfile, and every licence is allowed', () => {
  const { text, refused } = licencesPage(house);
  expect(refused).toEqual([]);
  for (const [place, { version }] of Object.entries(house.lock.packages)) {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (place === '') continue;
    expect(text.includes(`${name} ${version}`) || text.includes(`| ${name} | ${version} |`), `${name} ${version}`).toBe(
      true,
    );
  }
});

test.each([
  ['GPL-3.0', undefined, 'evil 1.0.0: the licence GPL-3.0 is not allowed for a tool'],
  [undefined, undefined, 'evil 1.0.0: the licence (none) is not allowed for a tool'],
  ['MIT AND GPL-3.0', undefined, 'evil 1.0.0: the licence MIT AND GPL-3.0 is not allowed for a tool'],
  ['MPL-2.0', 'node_modules/hono', 'evil 1.0.0: the licence MPL-2.0 is not allowed for code that ships in functions'],
  ['MPL-2.0', 'node_modules/preact', 'evil 1.0.0: the licence MPL-2.0 is not allowed for code that ships in dashboard'],
])('%j, needed by %s, is refused', (licence, neededBy, sentence) => {
  const { refused } = licencesPage(withPackage('node_modules/evil', licence, neededBy));
  expect(refused).toHaveLength(1);
  expect(refused[0]).toContain(sentence);
});

test.each(['MIT', '(GPL-2.0 OR MIT)', 'MPL-2.0'])('a tool may have the licence %s', (licence) => {
  expect(licencesPage(withPackage('node_modules/fine', licence)).refused).toEqual([]);
});

test('a licence that was checked by hand applies to that version only', () => {
  const packages = structuredClone(house.lock.packages);
  const entry = packages['node_modules/@modelcontextprotocol/inspector-cli'];
  if (entry) entry.version = '9.9.9';
  expect(licencesPage({ ...house, lock: { packages } }).refused).toHaveLength(1);
});
