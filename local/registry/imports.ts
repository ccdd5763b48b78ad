import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../platform/postgres/binaries.ts';

const folder = join(repository, 'functions/ingest/identity/registry');
export const importsFile = join(repository, 'functions/ingest/identity/names/registry_pools.ts');

/** Whether a file of the registry contains one pool of teams, several pools, or something else. */
function kindOf(file: string): 'pool' | 'pools' | undefined {
  const content = JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;
  if ('pool' in content) return 'pool';
  return 'pools' in content ? 'pools' : undefined;
}

/** The module that imports every file of the registry with pools of teams. */
export function importsText(): string {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, name: variableOf(file), kind: kindOf(file) }));
  const listOf = (kind: 'pool' | 'pools') =>
    files
      .filter((file) => file.kind === kind)
      .map(({ name }) => `  ${name},\n`)
      .join('');
  const imports = files
    .filter(({ kind }) => kind !== undefined)
    .map(({ file, name }) => `import ${name} from '../registry/${file}' with { type: 'json' };\n`);
  return `// Written by \`npm run registry\` from the files of ../registry; do not edit.
${imports.join('')}
/** Files with one pool. */
// biome-ignore format: one name a line.
export const TEAM_POOLS = [
${listOf('pool')}];

/** Files with several small pools, such as men and women of one sport. */
// biome-ignore format: one name a line.
export const POOL_SETS = [
${listOf('pools')}];
`;
}

/** `hockey_czechia.json` is imported as hockeyCzechia. */
const variableOf = (file: string): string =>
  file.replace('.json', '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
