import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkResult, type Finding, unknown } from './finding.ts';
import type { Upload } from './upload.ts';

/**
 * From docs:guides/functions/limits.mdx: names with this prefix belong to the platform, and a
 * project has at most a hundred secrets.
 */
export const RESERVED_NAMES = /^SUPABASE_/;
const MAX_SECRETS = 100;

/** Names of the environment variables that code reads. */
export function variablesIn(code: string): string[] {
  const calls = code.matchAll(/(?:\benv|\benvironment|\btext|\bDeno\.env\.get)\(\s*'([A-Z][A-Z0-9_]*)'/g);
  const parsed = code.matchAll(/\b(?:positiveOf|countOf|ownKeyOf|headerNameOf)\(\s*\w+,\s*'([A-Z][A-Z0-9_]*)'/g);
  return [...new Set([...calls, ...parsed].map((match) => match[1] ?? ''))].sort();
}

/** Whether code reads its environment in another way than Deno.env.get with a name or a literal. */
function dynamicReads(code: string): boolean {
  return (
    /\bprocess\.env\b/.test(code) ||
    /\bDeno\.env\b/.test(code.replace(/\bDeno\.env\.get\((?:name|'[A-Z0-9_]+')\)/g, ''))
  );
}

/** The table of secrets in docs/deploy.md: variable, and the functions that read it. */
export function documentedSecrets(page: string): Map<string, string[]> {
  const rows = page.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| ([a-z, ]+) \|/gm);
  return new Map(
    [...rows].map((row) => [
      row[1] ?? '',
      (row[2] ?? '')
        .split(',')
        .map((name) => name.trim())
        .sort(),
    ]),
  );
}

/**
 * Compares the variables that the uploaded code reads with the table in docs/deploy.md, in both
 * directions.
 */
export function secretFindings(folder: string, uploaded: Upload[]): Finding[] {
  const file = join(folder, 'docs', 'deploy.md');
  const documented = documentedSecrets(existsSync(file) ? readFileSync(file, 'utf8') : '');
  const readers = new Map<string, Set<string>>();
  const errors: string[] = [];
  for (const { name, files } of uploaded) {
    for (const [path, content] of files) {
      if (!path.endsWith('.ts')) continue;
      const code = content.toString();
      if (dynamicReads(code)) errors.push(`${path} reads its environment in a way that this check cannot follow`);
      for (const variable of variablesIn(code)) readers.set(variable, (readers.get(variable) ?? new Set()).add(name));
    }
  }
  for (const [variable, names] of [...readers].sort()) {
    const listed = documented.get(variable)?.join(', ');
    const actual = [...names].sort().join(', ');
    if (listed === undefined) errors.push(`${variable} (read by ${actual}) is not in the table of docs/deploy.md`);
    else if (listed !== actual) errors.push(`${variable} is read by ${actual}; docs/deploy.md names ${listed}`);
  }
  for (const variable of documented.keys())
    if (!readers.has(variable)) errors.push(`${variable} is in docs/deploy.md, but no function reads it`);
  const own = [...readers.keys()].filter((name) => !RESERVED_NAMES.test(name));
  if (own.length > MAX_SECRETS) errors.push(`${own.length} secrets exceed the limit of ${MAX_SECRETS}`);
  return [
    checkResult(
      'secrets that the functions read',
      errors,
      `${own.length} own, ${readers.size - own.length} of the platform, all documented in docs/deploy.md`,
    ),
    unknown('secrets that are set', `npx supabase secrets list must contain ${knownSecrets(folder).needed.join(', ')}`),
  ];
}

/** The secrets in the table of docs/deploy.md, and those that it marks as needed. */
export function knownSecrets(folder: string): { names: string[]; needed: string[] } {
  const file = join(folder, 'docs', 'deploy.md');
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const names = [...documentedSecrets(page).keys()];
  const needed = names.filter((name) => new RegExp(`^\\| \`${name}\` \\|[^|]*\\| needed`, 'm').test(page));
  return { names, needed };
}
