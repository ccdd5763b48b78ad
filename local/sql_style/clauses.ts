import type { Token } from './tokens.ts';

export const queryWords = new Set(['select', 'with', 'insert', 'update', 'delete', 'values', 'merge', 'perform']);
const joinWords = new Set(['left', 'right', 'full', 'inner', 'cross', 'natural', 'join']);
const lockStrengths = new Set(['update', 'share', 'no', 'key']);
/** Statements without a query. */
const plainWords = new Set(['grant', 'revoke', 'alter', 'comment']);
const plainObjects = new Set(['policy', 'table', 'trigger', 'index', 'type', 'domain']);

/**
 * Whether the token at `index` begins a clause of a query, so that it begins a line where the query
 * has several.
 */
export function beginsClause(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index];
  if (word?.kind !== 'word') return false;
  const before = previous(tokens, index);
  const after = next(tokens, index)?.text;
  switch (word.text) {
    case 'where':
      return !withinConflict(tokens, index);
    case 'select':
    case 'values':
    case 'having':
    case 'limit':
    case 'returning':
    case 'union':
    case 'intersect':
    case 'except':
      return before?.text !== 'overriding' && before?.text !== '.';
    case 'from':
      return !['distinct', 'delete', 'rows'].includes(before?.text ?? '');
    case 'group':
    case 'order':
      return after === 'by' && before?.text !== 'within';
    case 'on':
      return after === 'conflict';
    case 'set':
      return true;
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
      return before?.text === ')' || before?.text === 'query';
    case 'with': {
      const name = tokens.slice(index + 1, index + 3).map((token) => token.text);
      return name[0] === 'recursive' || (name[0] !== 'ordinality' && (name[1] === 'as' || name[1] === '('));
    }
    case 'for':
      return lockStrengths.has(after ?? '');
    case 'window':
      return tokens[index + 2]?.text === 'as';
    case 'offset':
      return before?.kind !== 'symbol';
    case 'left':
    case 'right':
    case 'full':
    case 'inner':
    case 'cross':
    case 'natural':
      return after !== '(' && after !== '.';
    case 'join':
      return !joinWords.has(before?.text ?? '') && before?.text !== 'outer';
    default:
      return false;
  }
}

/** Whether a `where` chooses the index of `on conflict (…) where … do`. */
function withinConflict(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const text = tokens[at]?.text ?? '';
    if (text === 'conflict') return true;
    if (text === 'do' || text === 'from' || text === 'select') return false;
  }
  return false;
}

/** The token before `index`, comments left out. */
export function previous(tokens: readonly Token[], index: number): Token | undefined {
  for (let at = index - 1; at >= 0; at--) if (tokens[at]?.kind !== 'comment') return tokens[at];
  return undefined;
}

/** The token after `index`, comments left out. */
export function next(tokens: readonly Token[], index: number): Token | undefined {
  for (let at = index + 1; at < tokens.length; at++) if (tokens[at]?.kind !== 'comment') return tokens[at];
  return undefined;
}

/**
 * For each token the index of the `(`, `[` or `case` around it (-1: none); for each of these the
 * index of its end.
 */
export function groupsOf(tokens: readonly Token[]): { opener: number[]; closer: Map<number, number> } {
  const opener: number[] = [];
  const closer = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach((token, index) => {
    const closes =
      token.text === ')' || token.text === ']' || (token.text === 'end' && tokens[open.at(-1) ?? -1]?.text === 'case');
    if (closes && open.length > 0) closer.set(open.pop() as number, index);
    opener.push(open.at(-1) ?? -1);
    if (token.text === '(' || token.text === '[' || (token.text === 'case' && token.kind === 'word')) open.push(index);
  });
  return { opener, closer };
}

/**
 * Whether a statement holds no query of its own: what looks like a clause, such as `grant select`,
 * is none.
 */
export function isPlain(tokens: readonly Token[]): boolean {
  const [first, ...words] = tokens.filter((token) => token.kind !== 'comment').slice(0, 5);
  const made = words.find(({ text }) => !['unique', 'temporary', 'temp', 'unlogged', 'constraint'].includes(text));
  return plainWords.has(first?.text ?? '') || (first?.text === 'create' && plainObjects.has(made?.text ?? ''));
}
