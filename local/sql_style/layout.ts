import { beginsClause, groupsOf, isPlain, next, previous, queryWords } from './clauses.ts';
import { hasSpaceBefore } from './spacing.ts';
import type { Statement } from './statements.ts';
import type { Token } from './tokens.ts';

/**
 * A line of a statement: the tokens from `from` to `to` (exclusive), the column where each of them
 * ends, its own column, its text.
 */
export type Line = { from: number; to: number; ends: number[]; indent: number; text: string };

/** Columns of the lines in a group of tokens: a statement, parentheses, a `case`. */
type Frame = {
  kind: 'statement' | 'paren' | 'case';
  /** The first token, where it decides a column; else -1. */
  first: number;
  /** The column of clauses and of elements. */
  base: number;
  /** The column of the token that ends the group. */
  close: number;
  /** The column of the current element. Its further lines are 2 to the right. */
  item: number;
  /** The token that begins the current element; -1: the group begins it. */
  itemFrom: number;
  /** The column of the next element. */
  hang: number;
  /** The word that begins the current clause. */
  clause: string;
  query: boolean;
  /** The group holds no query: `select` in `grant select` begins no clause. */
  plain: boolean;
  /** Whether the group has had a comma. */
  list: boolean;
};

/** Clauses whose elements are aligned below the first one. */
const alignedClauses = new Set(['select', 'perform', 'set', 'values', 'returning', 'from', 'into']);
/** Words of `create …` that begin a line at its column. */
const headWords = new Set([
  'returns',
  'language',
  'immutable',
  'stable',
  'volatile',
  'security',
  'parallel',
  'strict',
  'with',
  'return',
  'set',
  'on',
]);

/** The lines of a statement whose line breaks are decided. */
export function layOut({ tokens, indent }: Statement): Line[] {
  return new Layout(tokens, indent).lines();
}

class Layout {
  readonly #tokens: readonly Token[];
  readonly #closer: Map<number, number>;
  readonly #openers: Map<number, number>;
  readonly #frames: Frame[];
  readonly #lines: Line[] = [];
  readonly #header: boolean;
  readonly #loops: boolean;
  #line: Line;
  #column = 0;

  constructor(tokens: readonly Token[], indent: number) {
    this.#tokens = tokens;
    this.#closer = groupsOf(tokens).closer;
    const first = tokens.findIndex((token) => token.kind !== 'comment');
    const word = tokens[first]?.text ?? '';
    this.#header = word === 'create';
    this.#frames = [
      { ...this.#frame('statement', indent, indent, first), query: queryWords.has(word), plain: isPlain(tokens) },
    ];
    this.#loops = word === 'for';
    this.#openers = new Map([...this.#closer].map(([open, close]) => [close, open]));
    this.#line = { from: 0, to: 0, indent, text: '', ends: [] };
  }

  #frame(kind: Frame['kind'], base: number, close: number, first: number): Frame {
    const hang = kind === 'statement' ? base + 2 : base;
    return {
      kind,
      base,
      close,
      item: base,
      itemFrom: -1,
      hang,
      clause: '',
      query: false,
      plain: false,
      list: false,
      first,
    };
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  lines(): Line[] {
    this.#tokens.forEach((token, index) => {
      if (index === 0 || token.breaks > 0) this.#beginLine(index);
      else if (hasSpaceBefore(this.#tokens, index)) this.#put(' ');
      this.#enter(token, index);
      this.#put(token.text);
      this.#line.to = index + 1;
      this.#line.ends.push(this.#column);
    });
    return this.#lines;
  }

  #put(text: string): void {
    this.#line.text += text;
    const last = text.lastIndexOf('\n');
    this.#column = last < 0 ? this.#column + text.length : text.length - last - 1;
  }

  #beginLine(index: number): void {
    let at = index;
    while (this.#tokens[at]?.kind === 'comment' && at + 1 < this.#tokens.length) at++;
    // A comment has the column of what follows it; the last one of a group, that of the group.
    let indent = at !== index && this.#closes(at) ? this.#top.base : this.#indentOf(at);
    if (at !== index && this.#frames.length === 1 && this.#tokens[at]?.text === 'end') indent += 2;
    this.#line = { from: index, to: index + 1, indent, text: ' '.repeat(indent), ends: [] };
    this.#lines.push(this.#line);
    this.#column = indent;
  }

  #closes(index: number): boolean {
    return this.#openers.has(index);
  }

  #indentOf(index: number): number {
    const frame = this.#top;
    const token = this.#tokens[index] as Token;
    const { text } = token;
    if (index === frame.first || (frame.kind === 'statement' && frame.first < 0)) return frame.base;
    if (this.#closes(index)) return frame.close;
    if (frame.kind === 'case') return text === 'when' || text === 'else' ? frame.base : frame.item + 2;
    if (frame.kind === 'statement' && (text === 'loop' || text === 'then')) return frame.close;
    if (this.#isClause(index) || this.#beginsHead(index)) return frame.base;
    const before = previous(this.#tokens, index)?.text;
    if (before === ',' || this.#followsDistinctOn(index)) return frame.hang;
    // Conditions in parentheses of their own are aligned: `(a⏎or b)`.
    const condition = frame.kind === 'paren' && !frame.clause && !frame.list && (text === 'and' || text === 'or');
    return condition ? frame.base : frame.item + 2;
  }

  #followsDistinctOn(index: number): boolean {
    if (this.#top.clause !== 'select' || previous(this.#tokens, index)?.text !== ')') return false;
    const open = this.#openers.get(index - 1);
    return open !== undefined && this.#tokens[open - 1]?.text === 'on' && this.#tokens[open - 2]?.text === 'distinct';
  }

  #isClause(index: number): boolean {
    const afterAs = previous(this.#tokens, index)?.text === 'as' && queryWords.has(this.#tokens[index]?.text ?? '');
    return (!this.#top.plain || afterAs) && beginsClause(this.#tokens, index);
  }

  /** A part of `create …` that begins a line of its own. */
  #beginsHead(index: number): boolean {
    const token = this.#tokens[index] as Token;
    const frame = this.#top;
    if (token.text === 'using' && ['delete', 'merge'].includes(frame.clause)) return true;
    if (frame.kind === 'paren') return token.text === 'partition';
    if (token.kind === 'body' || ['from', 'to', 'into'].includes(token.text)) return true;
    if (!this.#header) return false;
    const after = next(this.#tokens, index);
    if (token.text === 'as') return after?.kind === 'body' || queryWords.has(after?.text ?? '');
    return headWords.has(token.text);
  }

  /** Keeps the columns of the group up to date before the token is written. */
  #enter(token: Token, index: number): void {
    if (this.#closes(index)) this.#frames.pop();
    else if (token.kind !== 'comment') {
      this.#element(token, index);
      if (token.text === '(' || token.text === '[') this.#openParen(index);
      else if (token.text === 'case' && token.kind === 'word') this.#openCase(index);
    }
  }

  /** Begins a clause or an element, where the token does. */
  #element(token: Token, index: number): void {
    const frame = this.#top;
    const begins = this.#onlyComments(this.#line.from, index);
    // The query of `for … in` is 2 to the right of the loop.
    if (this.#loops && token.text === 'in' && this.#frames.length === 1 && frame.base === frame.close) frame.base += 2;
    const into = token.text === 'into' && frame.clause === 'select';
    if (into || this.#isClause(index) || (frame.query && index === frame.first)) {
      frame.query = true;
      frame.plain = false;
      frame.clause = token.text;
      frame.item = begins ? this.#column : frame.base;
      frame.hang = frame.item + 2;
    } else if (this.#beginsItems(index)) {
      if (begins || this.#hasComma(index)) this.#beginItem(index);
      frame.hang = frame.item === this.#column ? frame.item : frame.hang;
    } else if (previous(this.#tokens, index)?.text === ',' && begins && (frame.kind !== 'statement' || frame.clause)) {
      this.#beginItem(index);
    }
    if (token.text === ',') frame.list = true;
    if (frame.kind === 'case' && (token.text === 'when' || token.text === 'else')) frame.item = this.#column;
  }

  #beginItem(index: number): void {
    this.#top.item = this.#column;
    this.#top.itemFrom = index;
  }

  #onlyComments(from: number, to: number): boolean {
    return this.#tokens.slice(from, to).every((token) => token.kind === 'comment');
  }

  /** Whether the token is the first element of the clause that is being written. */
  #beginsItems(index: number): boolean {
    const before = previous(this.#tokens, index)?.text ?? '';
    const { clause } = this.#top;
    if (clause === 'group' || clause === 'order') return before === 'by';
    return before === clause && alignedClauses.has(clause);
  }

  /** Whether the clause has a further element after the one that begins here. */
  #hasComma(index: number): boolean {
    let depth = 0;
    for (let at = index; at < this.#tokens.length; at++) {
      const text = this.#tokens[at]?.text;
      if (depth === 0 && (text === ';' || this.#isClause(at))) return false;
      if (text === '(' || text === '[') depth++;
      else if (text === ')' || text === ']') depth--;
      if (depth < 0) return false;
      if (depth === 0 && text === ',') return true;
    }
    return false;
  }

  #openParen(index: number): void {
    let first = index + 1;
    let ownLine = this.#breaks(first);
    while (this.#tokens[first]?.kind === 'comment') ownLine = this.#breaks(++first);
    const left = this.#left();
    const query = queryWords.has(next(this.#tokens, index)?.text ?? '');
    // A query that begins behind the parenthesis is aligned with itself.
    const base = query && !ownLine ? this.#column + 1 : left + 2;
    const frame = this.#frame('paren', base, left, ownLine || query ? first : -1);
    this.#frames.push({ ...frame, query, plain: !query && this.#top.plain });
  }

  #breaks(index: number): boolean {
    return (this.#tokens[index]?.breaks ?? 0) > 0;
  }

  /** The column of the current element where it begins on this line; else that of the line. */
  #left(): number {
    const { item, itemFrom } = this.#top;
    return itemFrom >= this.#line.from ? item : this.#line.indent;
  }

  #openCase(index: number): void {
    const left = this.#left();
    const close = this.#closer.get(index) ?? index;
    let when = index + 1;
    let depth = 0;
    for (; when < close; when++) {
      const text = this.#tokens[when]?.text;
      if (text === '(' || text === 'case') depth++;
      else if (text === ')' || text === 'end') depth--;
      else if (depth === 0 && text === 'when') break;
    }
    // Behind `case` the first `when` gives the others their column.
    const ownLine = this.#breaks(when) || this.#tokens[when - 1]?.kind === 'comment';
    this.#frames.push(this.#frame('case', ownLine ? left + 2 : this.#column + 'case '.length, left, -1));
  }
}
