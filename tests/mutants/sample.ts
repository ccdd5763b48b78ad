import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equivalents } from './equivalents.ts';
import { folderOf, type Mutant } from './mutant.ts';
import { sqlMutants } from './sql_mutants.ts';
import { typescriptMutants } from './typescript_mutants.ts';

/** Data and generated modules. A change of them is a change of the data. */
const DATA = /registry_pools\.ts$|catalog_registry_names\.sql$/;

/** All files of functions/ and sql/ that have mutants, relative to `root`. */
export function sourceFiles(root: string): string[] {
  const of = (folder: string, ending: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  return [...of('functions', '.ts'), ...of('sql', '.sql')].filter((name) => !DATA.test(name)).sort();
}

export const mutantsOf = (root: string, file: string): Mutant[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.sql') ? sqlMutants(file, text) : typescriptMutants(file, text);
};

/**
 * The mutants of all files in the order of a seed: each folder in turn, the larger ones more often.
 * A mutant has the same place in its folder wherever other mutants come and go, so that a sample of
 * two versions of the code is nearly the same.
 */
export function sampleOf(root: string, seed: string, isChosen: (file: string) => boolean = () => true): Mutant[] {
  const known = new Set(equivalents.map(({ id }) => id));
  const folders = new Map<string, Mutant[]>();
  for (const file of sourceFiles(root).filter(isChosen)) {
    const folder = folders.get(folderOf(file)) ?? [];
    folders.set(folderOf(file), folder);
    folder.push(...mutantsOf(root, file).filter(({ id }) => !known.has(id)));
  }
  const rankOf = ({ id }: Mutant) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return [...folders.values()]
    .flatMap((all) => {
      // The root of its size: a folder of a hundred times the mutants has ten times the places.
      const step = 1 / Math.sqrt(all.length);
      const ranked = all.map((mutant) => ({ mutant, rank: rankOf(mutant) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
      return ranked.map(({ mutant, rank }, n) => ({ mutant, place: (n + 0.5) * step, rank }));
    })
    .sort((one, other) => one.place - other.place || (one.rank < other.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
}
