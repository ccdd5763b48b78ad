import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlMistake } from './sql_mistakes.ts';

export type SqlText = { name: string; text: string };

const folder = join(import.meta.dirname, '../../sql');

/** The files of sql/ as they are. */
export const readSql = (): SqlText[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** The files with the mistake in the one place that it fits; throws where there is none or more. */
export function planted(mistake: SqlMistake, sql: readonly SqlText[]): SqlText[] {
  // As written, or in another layout: the formatter decides line breaks.
  const pattern = sql.some(({ text }) => text.includes(mistake.from)) ? mistake.from : patternOf(mistake.from);
  const places = sql.flatMap(({ name, text }) => Array.from({ length: text.split(pattern).length - 1 }, () => name));
  if (places.length !== 1) {
    throw new Error(`"${mistake.name}" fits ${places.length} places of sql/ instead of one: ${places.join(', ')}`);
  }
  return sql.map(({ name, text }) => ({ name, text: text.replace(pattern, () => mistake.to) }));
}

/** The text with any white space where it has some, and around parentheses. */
function patternOf(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/\(/g, '\\(\\s*').replace(/\)/g, '\\s*\\)').replace(/\s+/g, '\\s+'));
}
