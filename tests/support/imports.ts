import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Matches `import … from 'x'` and `export … from 'x'`, except imports of types only. */
const STATIC_IMPORT = /^\s*(?:import|export)\s+(?!type\b)(?:([^;'"=]*?)\s+from\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC_IMPORT = /(?<!typeof )\bimport\(\s*['"]([^'"]+)['"]/g;

const cache = new Map<string, string[]>();

/** Which imports count: all, or those that run when the module loads. */
type Scope = 'all' | 'static';

/** The imports of a module: paths of files of this repository, and names of packages. */
export function importsOf(file: string, scope: Scope = 'all'): string[] {
  const key = `${scope} ${file}`;
  const known = cache.get(key);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(STATIC_IMPORT)]
    .filter(([, names]) => !onlyTypes(names ?? ''))
    .map((match) => match[2]);
  if (scope === 'all') specifiers.push(...[...text.matchAll(DYNAMIC_IMPORT)].map((match) => match[1]));
  const names = specifiers.map((name = '') => (name.startsWith('.') ? join(dirname(file), name) : name));
  cache.set(key, names);
  return names;
}

function onlyTypes(names: string): boolean {
  const inside = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  const each = inside?.split(',').map((name) => name.trim());
  return each?.filter(Boolean).every((name) => name.startsWith('type ')) ?? false;
}

/** Every file that `file` loads, itself first, each with its chain of imports. */
export function reachedFrom(file: string, scope: Scope = 'all'): Map<string, string[]> {
  const paths = new Map<string, string[]>([[file, [file]]]);
  for (const [at, path] of paths) {
    for (const next of importsOf(at, scope)) {
      if (/^\/.*\.tsx?$/.test(next) && existsSync(next) && !paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return paths;
}
