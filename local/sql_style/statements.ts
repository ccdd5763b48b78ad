import type { Token } from './tokens.ts';

/**
 * Tokens that are laid out together: a statement, or a part of a PL/pgSQL block, such as `if …
 * then`.
 */
export type Statement = { tokens: Token[]; indent: number };

/** What is written in a body, or in a file. */
export type Language = 'sql' | 'plpgsql';

/** The statements of `tokens`, each with its column. */
export function statementsOf(tokens: Token[], language: Language, indent: number): Statement[] {
  return language === 'sql' ? sqlStatements(tokens, indent) : new BlockReader(tokens).read();
}

function sqlStatements(tokens: Token[], indent: number): Statement[] {
  const statements: Statement[] = [];
  let current: Token[] = [];
  for (const token of tokens) {
    current.push(token);
    if (token.text === ';') {
      statements.push({ tokens: current, indent });
      current = [];
    }
  }
  if (current.length > 0) statements.push({ tokens: current, indent });
  return statements;
}

type Block = { kind: 'begin' | 'if' | 'loop' | 'case'; indent: number; inner: number };

/** Splits a PL/pgSQL body: the blocks that are open give each statement its column. */
class BlockReader {
  readonly #tokens: Token[];
  readonly #statements: Statement[] = [];
  readonly #blocks: Block[] = [];
  #at = 0;
  #declares = false;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  read(): Statement[] {
    while (this.#at < this.#tokens.length) this.#statement();
    return this.#statements;
  }

  get #indent(): number {
    return (this.#blocks.at(-1)?.inner ?? 0) + (this.#declares ? 2 : 0);
  }

  #statement(): void {
    const block = this.#blocks.at(-1);
    const word = this.#firstWord();
    if (word === 'declare') {
      this.#take(this.#indent, (token) => token.text === 'declare');
      this.#declares = true;
    } else if (word === 'begin') {
      this.#declares = false;
      const indent = this.#indent;
      this.#take(indent, (token) => token.text === 'begin');
      this.#blocks.push({ kind: 'begin', indent, inner: indent + 2 });
    } else if (this.#declares) {
      this.#take(this.#indent, ends);
    } else if (word === 'if') {
      this.#open('if', 'then');
    } else if (word === 'for' || word === 'while' || word === 'foreach' || word === 'loop') {
      this.#open('loop', 'loop');
    } else if (word === 'case') {
      const indent = this.#indent;
      this.#takeUntil(indent, 'when');
      this.#blocks.push({ kind: 'case', indent, inner: indent + 4 });
    } else if (block && (word === 'elsif' || word === 'elseif')) {
      this.#take(block.indent, (token) => token.text === 'then');
    } else if (block && word === 'else') {
      this.#take(block.indent + (block.kind === 'case' ? 2 : 0), (token) => token.text === 'else');
    } else if (block && word === 'exception') {
      this.#take(block.indent, (token) => token.text === 'exception');
      block.inner = block.indent + 4;
    } else if (block && word === 'when') {
      this.#take(block.indent + 2, (token) => token.text === 'then');
    } else if (block && word === 'end') {
      this.#blocks.pop();
      this.#take(block.indent, ends);
    } else {
      this.#take(this.#indent, (token) => token.text === ';' || token.text === '>>');
    }
  }

  #open(kind: Block['kind'], last: string): void {
    const indent = this.#indent;
    this.#take(indent, (token) => token.text === last);
    this.#blocks.push({ kind, indent, inner: indent + 2 });
  }

  #firstWord(): string | undefined {
    return this.#tokens.slice(this.#at).find((token) => token.kind !== 'comment')?.text;
  }

  /**
   * Takes tokens up to the first for which `last` holds, outside parentheses and `case`
   * expressions.
   */
  #take(indent: number, last: (token: Token) => boolean): void {
    const taken: Token[] = [];
    let depth = 0;
    while (this.#at < this.#tokens.length) {
      const token = this.#tokens[this.#at++] as Token;
      taken.push(token);
      if (depth === 0 && token.kind !== 'comment' && last(token)) break;
      if (token.text === '(' || token.text === '[' || (token.text === 'case' && taken[0]?.text !== 'end')) depth++;
      else if (depth > 0 && (token.text === ')' || token.text === ']' || token.text === 'end')) depth--;
    }
    this.#statements.push({ tokens: taken, indent });
  }

  #takeUntil(indent: number, next: string): void {
    const end = this.#tokens.findIndex((token, index) => index > this.#at && token.text === next);
    this.#statements.push({ tokens: this.#tokens.slice(this.#at, end), indent });
    this.#at = end;
  }
}

const ends = (token: Token) => token.text === ';';
