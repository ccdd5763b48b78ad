import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlMistake } from './sql_mistakes.ts';

export type SqlText = { name: string; text: string };

const SQL_FOLDER = join(import.meta.dirname, '../../sql');

/** Reads the files of sql/. */
export const readSql = (): SqlText[] =>
  readdirSync(SQL_FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ name, text: readFileSync(join(SQL_FOLDER, name), 'utf8') }));

/** Returns the files with the mistake applied. Throws unless its text occurs exactly once. */
export function applyMistake(mistake: SqlMistake, sql: readonly SqlText[]): SqlText[] {
  // Search the exact text first, then any layout of it, because the formatter sets the line breaks.
  const pattern = sql.some(({ text }) => text.includes(mistake.from)) ? mistake.from : layoutPatternOf(mistake.from);
  const places = sql.flatMap(({ name, text }) => Array.from({ length: text.split(pattern).length - 1 }, () => name));
  if (places.length !== 1) {
    throw new Error(`"${mistake.name}" matches ${places.length} places of sql/, not one: ${places.join(', ')}`);
  }
  return sql.map(({ name, text }) => ({ name, text: text.replace(pattern, () => mistake.to) }));
}

/** A pattern of the text that accepts any white space in its place and inside of parentheses. */
function layoutPatternOf(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/\(/g, '\\(\\s*').replace(/\)/g, '\\s*\\)').replace(/\s+/g, '\\s+'));
}
