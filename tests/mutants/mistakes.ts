import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { sqlMistakes } from './sql_mistakes.ts';
import { sqlMutants } from './sql_mutants.ts';
import { typescriptMistakes } from './typescript_mistakes.ts';

/** A mistake that the named tests must notice: the regressions of tests that were missing once. */
export type Mistake = {
  /** The effect of the mistake. */
  name: string;
  /** Its file. Absent: any file of sql/. */
  file?: string;
  /** A text that occurs exactly once there, in any layout, and its replacement. */
  from: string;
  to: string;
  /** Below tests/, without `.test.ts`. */
  tests: readonly string[];
};

export const mistakes: readonly Mistake[] = [...sqlMistakes, ...typescriptMistakes];

/** The mistake as a mutant. Throws unless its text occurs exactly once. */
export function mistakeMutant(root: string, { name, file, from, to }: Mistake): Mutant {
  const files = file
    ? [file]
    : readdirSync(join(root, 'sql'))
        .filter((one) => one.endsWith('.sql'))
        .map((one) => `sql/${one}`);
  const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  // Search the exact text first, then any layout of it, because the formatter sets the line breaks.
  const pattern = texts.some(({ text }) => text.includes(from))
    ? new RegExp(escaped(from), 'g')
    : layoutPatternOf(from);
  const places = texts.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, text, match })));
  const [place] = places;
  if (places.length !== 1 || !place)
    throw new Error(`"${name}" matches ${places.length} places, not one: ${places.map(({ path }) => path).join(', ')}`);
  const { path, text, match } = place;
  const [start, end] = [match.index, match.index + match[0].length];
  const statement = path.endsWith('.sql')
    ? (sqlMutants(path, text).find(
        (mutant) => mutant.statement && mutant.statement.start <= start && end <= mutant.statement.end,
      )?.statement ?? { kind: 'other', name: '', start, end })
    : null;
  return { id: 'handwritten', file: path, line: 0, rule: name, start, end, from: match[0], to, statement, within: '' };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}|[\]\\()]/g, '\\$&');

/** A pattern of the text that accepts any white space in its place and inside of parentheses. */
const layoutPatternOf = (text: string): RegExp =>
  new RegExp(
    text
      .replace(/[.*+?^${}|[\]\\]/g, '\\$&')
      .replace(/\(/g, '\\(\\s*')
      .replace(/\)/g, '\\s*\\)')
      .replace(/\s+/g, '\\s+'),
    'g',
  );
