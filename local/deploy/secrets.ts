import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkResult, type Finding, unknown } from './finding.ts';
import type { Upload } from './upload.ts';

/** docs:guides/functions/limits.mdx (platform.md 2.1): names of this prefix are the platform's, and there may be a hundred secrets. */
const reserved = /^SUPABASE_/;
const MAX_SECRETS = 100;

/** Names of variables that code asks its environment for. */
export function variablesIn(code: string): string[] {
  const calls = code.matchAll(/(?:\benv|\benvironment|\btext|\bDeno\.env\.get)\(\s*'([A-Z][A-Z0-9_]*)'/g);
  const numbers = code.matchAll(/\bpositiveOf\(\s*\w+,\s*'([A-Z][A-Z0-9_]*)'/g);
  return [...new Set([...calls, ...numbers].map((match) => match[1] ?? ''))].sort();
}

/** Deno.env but for a name, given or in so many letters; process.env at all. */
function dynamicReads(code: string): boolean {
  return (
    /\bprocess\.env\b/.test(code) ||
    /\bDeno\.env\b/.test(code.replace(/\bDeno\.env\.get\((?:name|'[A-Z0-9_]+')\)/g, ''))
  );
}

/** The table of secrets in docs/deploy.md: variable, the functions that read it. */
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

/** Holds what the uploaded code reads against the table in docs/deploy.md, both ways. */
export function secretFindings(folder: string, uploaded: Upload[]): Finding[] {
  const file = join(folder, 'docs', 'deploy.md');
  const told = documentedSecrets(existsSync(file) ? readFileSync(file, 'utf8') : '');
  const readers = new Map<string, Set<string>>();
  const faults: string[] = [];
  for (const { name, files } of uploaded) {
    for (const [path, content] of files) {
      if (!path.endsWith('.ts')) continue;
      const code = content.toString();
      if (dynamicReads(code)) faults.push(`${path} reads its environment in a way that this look does not see`);
      for (const variable of variablesIn(code)) readers.set(variable, (readers.get(variable) ?? new Set()).add(name));
    }
  }
  for (const [variable, names] of [...readers].sort()) {
    const listed = told.get(variable)?.join(', ');
    const actual = [...names].sort().join(', ');
    if (listed === undefined) faults.push(`${variable} (read by ${actual}) is not in the table of docs/deploy.md`);
    else if (listed !== actual) faults.push(`${variable} is read by ${actual}; docs/deploy.md says ${listed}`);
  }
  for (const variable of told.keys())
    if (!readers.has(variable)) faults.push(`${variable} is in docs/deploy.md and nothing reads it`);
  const own = [...readers.keys()].filter((name) => !reserved.test(name));
  if (own.length > MAX_SECRETS) faults.push(`${own.length} secrets are more than ${MAX_SECRETS}`);
  return [
    checkResult(
      'secrets that the functions read',
      faults,
      `${own.length} of our own, ${readers.size - own.length} of the platform: as in docs/deploy.md`,
    ),
    unknown(
      'secrets that are set',
      `npx supabase secrets list shows names: ${neededSecrets(told, folder).join(', ')} must be among them`,
    ),
  ];
}

/** Those that docs/deploy.md marks as needed. */
function neededSecrets(told: Map<string, string[]>, folder: string): string[] {
  const page = existsSync(join(folder, 'docs', 'deploy.md'))
    ? readFileSync(join(folder, 'docs', 'deploy.md'), 'utf8')
    : '';
  return [...told.keys()].filter((name) => new RegExp(`^\\| \`${name}\` \\|[^|]*\\| needed`, 'm').test(page));
}
