import { createHash } from 'node:crypto';

/** One change of one file. Offsets are in UTF-16 units of its text. */
export type Mutant = {
  /** Of the text and its line, so that it stays when lines move. */
  id: string;
  /** Relative to the repository, with slashes. */
  file: string;
  line: number;
  /** Which rule made it: `comparison`, `condition dropped`, … */
  rule: string;
  start: number;
  end: number;
  from: string;
  to: string;
  /** The statement of sql/ that contains it. Null in TypeScript. */
  statement: Statement | null;
  /** The function of TypeScript that contains it, as V8 names it. Empty outside of named ones. */
  within: string;
};

/** A statement of sql/: what it creates, and where. */
export type Statement = { kind: string; name: string; start: number; end: number };

export type Change = Pick<Mutant, 'rule' | 'start' | 'end' | 'to'> & { within?: string };

/** The mutants of a text from its changes, each with its line and its id. */
export function toMutants(
  file: string,
  text: string,
  changes: readonly Change[],
  statementAt: (offset: number) => Statement | null,
): Mutant[] {
  const seen = new Map<string, number>();
  const lineOf = lineCounter(text);
  return [...changes]
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map((change) => {
      const { start, end, rule, to, within = '' } = change;
      const statement = statementAt(start);
      const from = text.slice(start, end);
      // The line around it separates equal changes of one file, and a number those of equal lines.
      const around = text.slice(
        text.lastIndexOf('\n', start - 1) + 1,
        (text.indexOf('\n', end) + 1 || text.length + 1) - 1,
      );
      const key = [file, statement?.name ?? '', rule, around.trim().replace(/\s+/g, ' '), from, to].join('\0');
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const id = createHash('sha256').update(`${key}\0${nth}`).digest('hex').slice(0, 10);
      return { id, file, line: lineOf(start), rule, start, end, from, to, statement, within };
    });
}

/** The line of an offset, from 1. Offsets are asked in rising order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === '\n') line += 1;
    return line;
  };
}

export const applyMutant = (text: string, { start, end, to }: Pick<Mutant, 'start' | 'end' | 'to'>): string =>
  text.slice(0, start) + to + text.slice(end);

/** `functions/api/etag.ts:12 comparison: a < b -> a <= b`, in one line. */
export function describeMutant({ file, line, rule, from, to }: Mutant): string {
  const short = (text: string) => {
    const one = text.replace(/\s+/g, ' ').trim();
    return one.length > 70 ? `${one.slice(0, 67)}…` : one || '(nothing)';
  };
  return `${file}:${line} ${rule}: ${short(from)} -> ${short(to)}`;
}

/** The folder in whose score a file counts: `functions/ingest/engine`, `sql/stream`. */
export function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts[0] === 'sql') return `sql/${/^\d+_([a-z]+)/.exec(parts[1] ?? '')?.[1] ?? ''}`;
  // The parsers of listings are ten times as many lines as any other folder.
  const depth = file.startsWith('functions/ingest/identity/') ? 4 : file.startsWith('functions/ingest/') ? 3 : 2;
  return parts.slice(0, Math.min(depth, parts.length - 1)).join('/');
}
