import { loadModule, scanSync } from 'libpg-query';

await loadModule();

export type TokenKind = 'word' | 'name' | 'string' | 'number' | 'symbol' | 'comment' | 'body';

/** A token of PostgreSQL's own scanner, with the white space before it. */
export type Token = {
  kind: TokenKind;
  /** As written; a keyword or an unquoted name in lower case. */
  text: string;
  /** Line breaks before it, at most 2: then an empty line is above it. */
  breaks: number;
  /** Whether white space of any kind is before it. */
  spaced: boolean;
  /** Where it is written: the column, from 0, and the line, from 1. */
  column: number;
  line: number;
  /** A reserved word, or one that cannot name a function: what follows is no list of arguments. */
  keyword: boolean;
  /** The tokens between the dollar signs of a function's body. */
  body?: Token[];
};

const DOLLAR_QUOTE = /^\$\w*\$/;

/**
 * The tokens of `text`. A dollar-quoted string after `as` or `do` is a body, and has its own
 * tokens.
 */
export function tokensOf(text: string, firstLine = 1): Token[] {
  const bytes = Buffer.from(text);
  const tokens: Token[] = [];
  let line = firstLine;
  let lineStart = 0;
  let end = 0;
  for (const { start, end: tokenEnd, tokenName, keywordName } of scanSync(text).tokens) {
    const gap = bytes.toString('utf8', end, start);
    const breaks = gap.split('\n').length - 1;
    if (breaks > 0) lineStart = end + Buffer.byteLength(gap.slice(0, gap.lastIndexOf('\n') + 1));
    line += breaks;
    const written = bytes.toString('utf8', start, tokenEnd);
    const kind = kindOf(written, tokenName, keywordName);
    const token: Token = {
      kind,
      text: kind === 'word' || kind === 'name' ? lowered(written) : written,
      breaks: Math.min(breaks, 2),
      spaced: gap !== '',
      column: bytes.toString('utf8', lineStart, start).length,
      line,
      keyword: keywordName === 'RESERVED_KEYWORD',
    };
    const quote = DOLLAR_QUOTE.exec(written)?.[0];
    const before = tokens.at(-1)?.text;
    if (quote && (before === 'as' || before === 'do')) {
      token.kind = 'body';
      token.text = quote;
      token.body = tokensOf(written.slice(quote.length, -quote.length), line);
    }
    tokens.push(token);
    const last = written.lastIndexOf('\n');
    if (last >= 0) lineStart = start + Buffer.byteLength(written.slice(0, last + 1));
    line += written.split('\n').length - 1;
    end = tokenEnd;
  }
  return tokens;
}

function kindOf(written: string, tokenName: string, keywordName: string): TokenKind {
  if (written.startsWith('--') || written.startsWith('/*')) return 'comment';
  if (/^(?:[bex]|u&)?'|^\$\w*\$/i.test(written)) return 'string';
  if (/^\.?\d/.test(written)) return 'number';
  if (keywordName !== 'NO_KEYWORD') return 'word';
  return tokenName === 'IDENT' ? 'name' : 'symbol';
}

/** PostgreSQL folds what has no quotes to lower case: written so, it means the same. */
const lowered = (written: string) => (written.startsWith('"') ? written : written.toLowerCase());
