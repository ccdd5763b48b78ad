import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Matches `import … from 'x'` and `export … from 'x'`; a type is gone when the program runs. */
const fromAnother = /^\s*(?:import|export)\s+(?!type\b)(?:([^;'"=]*?)\s+from\s+)?['"]([^'"]+)['"]/gm;
const whenAsked = /(?<!typeof )\bimport\(\s*['"]([^'"]+)['"]/g;

const read = new Map<string, string[]>();

/** What a module loads: paths of files of this repository, and names of packages. */
export function importsOf(file: string): string[] {
  const known = read.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(fromAnother)].filter(([, names]) => !onlyTypes(names ?? '')).map((match) => match[2]);
  found.push(...[...text.matchAll(whenAsked)].map((match) => match[1]));
  const names = found.map((name = '') => (name.startsWith('.') ? join(dirname(file), name) : name));
  read.set(file, names);
  return names;
}

function onlyTypes(names: string): boolean {
  const inside = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  const each = inside?.split(',').map((name) => name.trim());
  return each?.filter(Boolean).every((name) => name.startsWith('type ')) ?? false;
}

/** Every file that `file` loads, itself first, each with the files on the way to it. */
export function reachedFrom(file: string): Map<string, string[]> {
  const ways = new Map<string, string[]>([[file, [file]]]);
  for (const [at, way] of ways) {
    for (const next of importsOf(at)) {
      if (/^\/.*\.tsx?$/.test(next) && existsSync(next) && !ways.has(next)) ways.set(next, [...way, next]);
    }
  }
  return ways;
}
