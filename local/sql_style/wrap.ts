import { type Line, layOut } from './layout.ts';
import type { Token } from './tokens.ts';

/** The widest line of code, and of prose. */
export const CODE_WIDTH = 120;
export const PROSE_WIDTH = 100;

/**
 * The pieces of a string that is written in several, one to a line: PostgreSQL puts them together.
 */
export function piecesOf(text: string): string[] {
  return text.startsWith("'") ? [...text.matchAll(/'((?:[^']|'')*)'/g)].map((match) => match[1] ?? '') : [text];
}

/** Joins the pieces of strings that are parted at spaces: where to part them is decided again. */
export function joinStrings(tokens: readonly Token[]): void {
  for (const token of tokens) {
    const pieces = token.kind === 'string' ? piecesOf(token.text) : [];
    const parted = pieces.slice(1).every((piece, index) => piece.startsWith(' ') || pieces[index]?.endsWith(' '));
    if (pieces.length > 1 && parted) token.text = `'${pieces.join('')}'`;
  }
}

/** The text of `comment on …`: behind `is`, or in pieces below it. */
export function wrapComment(tokens: readonly Token[]): void {
  const is = tokens.findIndex((token) => token.text === 'is');
  if (tokens.find((token) => token.kind !== 'comment')?.text !== 'comment' || is < 0) return;
  const first = tokens[is + 1];
  if (first?.kind !== 'string' || !/^'[^\n]*$/.test(first.text)) return;
  first.breaks = 0;
  const whole = layOut({ tokens: [...tokens], indent: 0 }).at(-1)?.text ?? '';
  if (whole.length <= PROSE_WIDTH) return;
  first.breaks = 1;
  const pieces = fill(first.text.slice(1, -1), PROSE_WIDTH - 5, true);
  first.text = pieces.map((piece) => `'${piece}'`).join('\n  ');
}

/** Breaks a string that reaches beyond the last column. */
export function wrapString(tokens: readonly Token[], line: Line): boolean {
  for (let index = line.from; index < line.to; index++) {
    const token = tokens[index] as Token;
    const end = line.ends[index - line.from] ?? 0;
    const column = end - token.text.length;
    if (end <= CODE_WIDTH - 2 || token.kind !== 'string' || !/^'[^\n]*$/.test(token.text)) continue;
    const pieces = fill(token.text.slice(1, -1), CODE_WIDTH - column - 4, true);
    token.text = pieces.map((piece) => `'${piece}'`).join(`\n${' '.repeat(column)}`);
    return pieces.length > 1;
  }
  return false;
}

/** Breaks a comment line that is too wide. The rest goes before the next line of the paragraph. */
export function wrapProse(tokens: Token[], { from, indent }: Line): boolean {
  const token = tokens[from] as Token;
  if (!/^-- \S/.test(token.text)) return false;
  const [head, ...rest] = fill(token.text.slice(3), PROSE_WIDTH - indent - 3, false);
  if (head === undefined || rest.length === 0) return false;
  token.text = `-- ${head}`;
  const follower = tokens[from + 1];
  if (follower?.kind === 'comment' && follower.breaks === 1 && /^-- [\w"'(`]/.test(follower.text)) {
    follower.text = `-- ${rest.join(' ')} ${follower.text.slice(3)}`;
  } else {
    tokens.splice(from + 1, 0, { ...token, text: `-- ${rest.join(' ')}`, breaks: 1 });
  }
  return true;
}

/**
 * Lines of at most `width`, broken at spaces; with `keep` each line but the last ends with the
 * space.
 */
function fill(text: string, width: number, keep: boolean): string[] {
  const lines: string[] = [];
  let left = text;
  while (left.length > width) {
    const at = left.lastIndexOf(' ', keep ? width - 1 : width);
    if (at <= 0) break;
    lines.push(left.slice(0, keep ? at + 1 : at));
    left = left.slice(at + 1);
  }
  return [...lines, left];
}
