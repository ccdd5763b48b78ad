import { beginsClause, groupsOf, isPlain, next, previous, queryWords } from './clauses.ts';
import { type Line, layOut } from './layout.ts';
import type { Statement } from './statements.ts';
import type { Token } from './tokens.ts';
import { CODE_WIDTH, joinStrings, PROSE_WIDTH, wrapComment, wrapProse, wrapString } from './wrap.ts';

/**
 * Decides the line breaks of a statement: one clause a line, and no line too wide where it can be
 * broken.
 */
export function decideBreaks(statement: Statement): void {
  const { tokens } = statement;
  joinStrings(tokens);
  wrapComment(tokens);
  breakClauses(tokens);
  const unbreakable = new Set<Token>();
  for (;;) {
    const line = layOut(statement).find((one) => tooWide(one, tokens) && !unbreakable.has(tokens[one.from] as Token));
    if (!line) return;
    const first = tokens[line.from] as Token;
    const broken =
      first.kind === 'comment'
        ? wrapProse(tokens, line)
        : new LineBreaker(tokens, line).break() || wrapString(tokens, line);
    if (!broken) unbreakable.add(first);
  }
}

function tooWide(line: Line, tokens: readonly Token[]): boolean {
  // The lines of a body are decided already.
  if (tokens.slice(line.from, line.to).some((token) => token.body)) return false;
  const width = tokens[line.from]?.kind === 'comment' ? PROSE_WIDTH : CODE_WIDTH;
  return line.text.split('\n').some((row) => row.length > width);
}

/** Where one clause of a query begins a line, every clause of it does. */
function breakClauses(tokens: readonly Token[]): void {
  const { opener } = groupsOf(tokens);
  const clauses = new Map<number, number[]>();
  tokens.forEach((_, index) => {
    const group = opener[index] ?? -1;
    const first = group < 0 ? undefined : next(tokens, group);
    const query = group < 0 ? !isPlain(tokens) && tokens[0]?.text !== 'create' : queryWords.has(first?.text ?? '');
    if (query && tokens[index] !== first && previous(tokens, index) && beginsClause(tokens, index)) {
      clauses.set(group, [...(clauses.get(group) ?? []), index]);
    }
  });
  for (const indices of clauses.values()) {
    if (indices.some((index) => beginsLine(tokens, index))) for (const index of indices) breakBefore(tokens, index);
  }
}

function beginsLine(tokens: readonly Token[], index: number): boolean {
  return (tokens[index]?.breaks ?? 0) > 0;
}

function breakBefore(tokens: readonly Token[], index: number): void {
  const token = tokens[index];
  if (token && token.breaks === 0) token.breaks = 1;
}

/** Before these words a line may be broken. */
const parts = new Set([
  'check',
  'default',
  'references',
  'using',
  'on',
  'to',
  'from',
  'where',
  'with',
  'order',
  'generated',
]);
const rightsParts = new Set(['to', 'from']);
/** What a full line may give to the next one, without being taken for a line of its own. */
const MAX_SHORT_ELEMENT_CHARS = 60;
const operators = new Set(['||', '+', '-', '*', '/']);
const comparisons = new Set(['=', '<>', '<', '>', '<=', '>=', 'is']);

/** Breaks one line that is too wide, at its outermost parts. */
class LineBreaker {
  readonly #tokens: readonly Token[];
  readonly #line: Line;
  readonly #opener: number[];
  readonly #closer: Map<number, number>;

  constructor(tokens: readonly Token[], line: Line) {
    this.#tokens = tokens;
    this.#line = line;
    const { opener, closer } = groupsOf(tokens);
    this.#opener = opener;
    this.#closer = closer;
  }

  break(): boolean {
    const inside = this.#range(this.#line.from + 1);
    const depths = [...new Set(inside.map((index) => this.#depth(index)))].sort((a, b) => a - b);
    return depths.some((depth) => {
      const here = inside.filter((index) => this.#depth(index) === depth && this.#tokens[index]?.kind !== 'comment');
      return (
        this.#clauses(here) ||
        this.#then(here) ||
        (this.#partsFirst && this.#part(here)) ||
        this.#conditions(here) ||
        this.#last(here, (index) => this.#text(index) === 'returns') ||
        this.#order(here) ||
        this.#list(here) ||
        (!this.#partsFirst && this.#part(here)) ||
        this.#last(here, (index) => operators.has(this.#text(index)) && this.#text(index - 1) !== '(') ||
        this.#last(
          here,
          (index) => comparisons.has(this.#text(index)) && this.#endOf(index) > this.#line.indent + 40,
        ) ||
        this.#group(here) ||
        this.#last(here, (index) => this.#text(index) === 'as')
      );
    });
  }

  #range(from: number): number[] {
    return Array.from({ length: Math.max(this.#line.to - from, 0) }, (_, at) => from + at);
  }

  #text(index: number): string {
    const token = this.#tokens[index];
    return token?.kind === 'string' || token?.kind === 'comment' ? '' : (token?.text ?? '');
  }

  #depth(index: number): number {
    let depth = 0;
    for (let group = this.#opener[index] ?? -1; group >= 0; group = this.#opener[group] ?? -1) depth++;
    return depth;
  }

  #breakAll(indices: number[]): boolean {
    for (const index of indices) breakBefore(this.#tokens, index);
    return indices.length > 0;
  }

  #clauses(here: number[]): boolean {
    return this.#breakAll(
      here.filter((index) => {
        const group = this.#opener[index] ?? -1;
        const plain =
          group < 0 ? isPlain(this.#tokens) || this.#text(0) === 'create' : !queryWords.has(this.#text(group + 1));
        return !plain && index !== group + 1 && beginsClause(this.#tokens, index);
      }),
    );
  }

  /** The result of a branch of a `case`. */
  #then(here: number[]): boolean {
    const begun = this.#opener[this.#line.from];
    return this.#breakAll(
      here.filter(
        (index) => this.#text(index) === 'then' && index + 1 < this.#line.to && this.#opener[index] === begun,
      ),
    );
  }

  #conditions(here: number[]): boolean {
    const found = here.filter((index) => {
      if (this.#text(index) === 'or') return true;
      if (this.#text(index) !== 'and') return false;
      const earlier = here.filter((at) => at < index && ['and', 'or', 'between'].includes(this.#text(at)));
      return this.#text(earlier.at(-1) ?? -1) !== 'between';
    });
    // Of `a and b or c` the parts of `or` come first.
    const ors = found.filter((index) => this.#text(index) === 'or');
    return this.#breakAll(ors.length > 0 ? ors : found);
  }

  /** Whether words part a statement better than its commas do. */
  get #partsFirst(): boolean {
    return isPlain(this.#tokens) || this.#firstWord === 'raise';
  }

  get #firstWord(): string {
    return next(this.#tokens, -1)?.text ?? '';
  }

  #part(here: number[]): boolean {
    // Of `grant … on … to …` the object stays on the first line.
    const words = ['grant', 'revoke', 'comment'].includes(this.#firstWord) ? rightsParts : parts;
    return this.#last(here, (index) => words.has(this.#text(index)) && this.#text(index - 1) !== 'distinct');
  }

  /** The order of an aggregate. */
  #order(here: number[]): boolean {
    return this.#last(here, (index) => {
      const group = this.#opener[index] ?? -1;
      return this.#text(index) === 'order' && group >= 0 && !queryWords.has(this.#text(group + 1)) && index > group + 1;
    });
  }

  /**
   * Breaks after a comma. What is cut off goes before the elements on the next line, where that has
   * several.
   */
  #list(here: number[]): boolean {
    const isElement = (index: number) => this.#text(index - 1) === ',';
    const depth = this.#depth(here[0] ?? -1);
    if (!this.#last(here, isElement)) return false;
    const below = this.#line.to;
    let end = below + 1;
    while (end < this.#tokens.length && !beginsLine(this.#tokens, end)) end++;
    const elements = Array.from({ length: end - below }, (_, at) => below + at).filter(
      (index) => this.#depth(index) === depth && isElement(index) && this.#opener[index] === this.#opener[here[0] ?? 0],
    );
    const first = this.#tokens[below];
    const lastBreak = this.#range(this.#line.from + 1).findLast((at) => beginsLine(this.#tokens, at)) ?? 0;
    const cut = this.#endOf(below - 1) - this.#endOf(lastBreak - 1);
    if (first?.breaks === 1 && elements[0] === below && elements.length > 1 && cut < MAX_SHORT_ELEMENT_CHARS)
      first.breaks = 0;
    return true;
  }

  /** Breaks before the last token that is wanted and before which the line is not too wide. */
  #last(here: number[], wanted: (index: number) => boolean): boolean {
    const fits = here.filter((index) => wanted(index) && this.#endOf(index - 1) <= CODE_WIDTH);
    const index = fits.at(-1);
    return index !== undefined && this.#breakAll([index]);
  }

  #endOf(index: number): number {
    return this.#line.ends[index - this.#line.from] ?? 0;
  }

  /** What is in parentheses, or in a `case`, on lines of its own. */
  #group(here: number[]): boolean {
    const groups = here
      .concat(this.#line.from)
      .filter((index) => (this.#closer.get(index) ?? -1) < this.#line.to && (this.#closer.get(index) ?? -1) > index + 1)
      .sort((a, b) => this.#widthOf(b) - this.#widthOf(a));
    const open = groups[0];
    if (open === undefined) return false;
    const close = this.#closer.get(open) as number;
    if (this.#text(open) !== 'case') return this.#breakAll([open + 1, close]);
    const branches = this.#range(open).filter(
      (index) => this.#opener[index] === open && ['when', 'else'].includes(this.#text(index)),
    );
    return this.#breakAll([...branches, close]);
  }

  #widthOf(open: number): number {
    return this.#endOf(this.#closer.get(open) ?? open) - this.#endOf(open);
  }
}
