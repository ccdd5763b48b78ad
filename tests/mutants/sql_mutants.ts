import { loadModule, scanSync } from 'libpg-query';
import { type Change, type Mutant, type Statement, toMutants } from './mutant.ts';

await loadModule();

/** A token of PostgreSQL's scanner. A word is in lower case. `depth` counts parentheses. */
type Token = { kind: 'word' | 'string' | 'number' | 'symbol'; text: string; start: number; end: number; depth: number };

const DOLLAR_QUOTE = /^\$\w*\$/;

/** Statements whose mutants change no answer: rights are compared with sql/rights.txt. */
const SKIPPED =
  /^(comment|grant|revoke|alter|drop|do|select|set|create (schema|extension|role|index|unique index|type|domain|sequence|event))\b/;

/** The mutants of a file of sql/. */
export function sqlMutants(file: string, text: string): Mutant[] {
  const statements: Statement[] = [];
  const changes: Change[] = [];
  for (const tokens of statementsOf(tokensOf(text, 0, text))) {
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (!first || !last) continue;
    const words = tokens.slice(0, 8).map((token) => token.text);
    const [, kind = words[0] ?? ''] = /^create (?:or replace )?(?:materialized )?(\w+)/.exec(words.join(' ')) ?? [];
    if (SKIPPED.test(words.join(' '))) continue;
    const statement = { kind, name: nameOf(tokens), start: first.start, end: last.end };
    statements.push(statement);
    changes.push(...(kind === 'function' ? functionChanges(tokens, text) : changesOf(tokens)));
  }
  const statementAt = (offset: number) => statements.find(({ start, end }) => start <= offset && offset < end) ?? null;
  return toMutants(file, text, changes, statementAt);
}

/** Reads the tokens of a text without its comments. Offsets count from `base` in `whole`. */
function tokensOf(text: string, base: number, whole: string): Token[] {
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const at = (byte: number) => base + (isAscii ? byte : bytes.toString('utf8', 0, byte).length);
  let depth = 0;
  return scanSync(text).tokens.flatMap(({ start, end, keywordName, tokenName }): Token[] => {
    const [from, to] = [at(start), at(end)];
    const written = whole.slice(from, to);
    if (written.startsWith('--') || written.startsWith('/*')) return [];
    if (written === ')') depth -= 1;
    const isWord = keywordName !== 'NO_KEYWORD' || tokenName === 'IDENT';
    const kind =
      DOLLAR_QUOTE.test(written) || /^(?:[bex]|u&)?'/i.test(written) ? 'string' : isWord ? 'word' : undefined;
    const token: Token = {
      kind: kind ?? (/^\.?\d/.test(written) ? 'number' : 'symbol'),
      text: isWord ? written.toLowerCase() : written,
      ...{ start: from, end: to, depth },
    };
    if (written === '(') depth += 1;
    return [token];
  });
}

function statementsOf(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === ';' && token.depth === 0) statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements;
}

/** `schema.name` of what a statement creates or changes. */
function nameOf(tokens: readonly Token[]): string {
  const dot = tokens.findIndex((token) => token.text === '.');
  return dot < 1 ? (tokens[2]?.text ?? '') : `${tokens[dot - 1]?.text}.${tokens[dot + 1]?.text}`;
}

/** A function changes in its body, and by running with the rights of its caller. */
function functionChanges(tokens: readonly Token[], text: string): Change[] {
  const definer = tokens.findIndex(({ text: word }, n) => word === 'definer' && tokens[n - 1]?.text === 'security');
  const rights = tokens[definer];
  const changes = rights ? [{ rule: 'rights of the caller', start: rights.start, end: rights.end, to: 'invoker' }] : [];
  const returned = tokens.findIndex(({ text: word, depth }) => word === 'return' && depth === 0);
  if (returned >= 0) return [...changes, ...changesOf(tokens.slice(returned + 1))];
  const body = tokens.find(
    ({ kind, text: quoted }, n) => kind === 'string' && tokens[n - 1]?.text === 'as' && DOLLAR_QUOTE.test(quoted),
  );
  if (!body) return changes;
  const quote = DOLLAR_QUOTE.exec(body.text)?.[0] ?? '';
  const inner = text.slice(body.start + quote.length, body.end - quote.length);
  return [...changes, ...changesOf(tokensOf(inner, body.start + quote.length, text))];
}

const COMPARISONS: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '<>': '=' };
const TWINS: Record<string, string> = {
  ...{ min: 'max', max: 'min', least: 'greatest', greatest: 'least' },
  ...{ bool_or: 'bool_and', bool_and: 'bool_or', ceil: 'floor', floor: 'ceil' },
};
/** Words after which a name, a parenthesis or a number is not the left side of an operator. */
const BEFORE_VALUE =
  /^(?:select|where|and|or|on|when|then|else|case|return|returning|if|elsif|by|in|not|distinct|from|values|set|perform|loop|while|into|limit|offset|is|using|join|lateral|query|all|any|interval|timestamptz|date)$/;
/** Words that end a condition at its own depth. */
const AFTER_CONDITION =
  /^(?:and|or|group|order|limit|offset|having|returning|union|except|intersect|window|for|then|loop|left|right|full|inner|cross|join|on|where|when|else|end|do|set|from|with|as)$/;
const CLAUSES =
  /^(?:select|from|where|on|having|set|when|if|elsif|then|else|values|returning|return|using|check|while|by|with|into|declare|begin|perform|loop|in|query)$/;

/** What the position of a token means: the clause that it is in, and the `and` of a `between`. */
type Position = { clause: string; betweens: number };

function changesOf(tokens: readonly Token[]): Change[] {
  const changes: Change[] = [];
  const positions: Position[] = [{ clause: '', betweens: 0 }];
  for (let n = 0; n < tokens.length; n += 1) {
    const token = tokens[n];
    if (!token) continue;
    // The text of an error is not tested.
    if (token.text === 'raise') {
      while (tokens[n + 1] && tokens[n + 1]?.text !== ';') n += 1;
      continue;
    }
    const here = positions.at(-1) ?? { clause: '', betweens: 0 };
    changes.push(...tokenChanges(tokens, n, here));
    if (token.text === '(' || token.text === 'case') positions.push({ clause: token.text, betweens: 0 });
    else if (
      (token.text === ')' && positions.length > 1) ||
      (token.text === 'end' && here.clause !== '' && isOfCase(positions))
    )
      positions.splice(token.text === ')' ? lastIndex(positions, '(') : lastIndex(positions, 'case'));
    else if (token.text === 'between') here.betweens += 1;
    else if (token.text === 'and' && here.betweens > 0) here.betweens -= 1;
    else if (CLAUSES.test(token.text) && token.kind === 'word') here.clause = keepsOpener(here.clause, token.text);
    else if (token.text === ';') here.clause = '';
  }
  return changes;
}

// The opener of a level stays visible below its clause: `case` and `(` are popped by it.
const keepsOpener = (before: string, clause: string): string => {
  const [opener = ''] = before.split(' ');
  return opener === '(' || opener === 'case' ? `${opener} ${clause}` : clause;
};
const isOfCase = (positions: readonly Position[]): boolean => positions.at(-1)?.clause.startsWith('case') ?? false;
function lastIndex(positions: readonly Position[], opener: string): number {
  for (let at = positions.length - 1; at > 0; at -= 1) if (positions[at]?.clause.startsWith(opener)) return at;
  return Math.max(positions.length, 1);
}

function tokenChanges(tokens: readonly Token[], n: number, { clause, betweens }: Position): Change[] {
  const token = tokens[n];
  if (!token) return [];
  const { text, kind, start, end } = token;
  const before = tokens[n - 1];
  const next = tokens[n + 1];
  const replace = (rule: string, to: string, upTo = end, from = start): Change => ({
    rule,
    start: from,
    end: upTo,
    to,
  });
  const inSet = clause === 'set' || clause.endsWith(' set');
  if (kind === 'symbol') {
    const other = COMPARISONS[text];
    if (other) return [replace('comparison', other)];
    if (text === '=' && !inSet && clause !== '' && clause !== 'declare') return [replace('comparison', '<>')];
    if ((text === '+' || text === '-') && isValue(before) && next)
      return [replace('arithmetic', text === '+' ? '-' : '+')];
    if (text === '*' && isValue(before) && before?.text !== '.' && isValue(next)) return [replace('arithmetic', '/')];
    return [];
  }
  if (kind === 'number' && /^\d+$/.test(text)) {
    // The digits of a type, as in numeric(10, 2), and a parameter of a statement that is executed.
    if (/^(?:numeric|varchar|char|timestamptz|timestamp)$/.test(tokens[n - 2]?.text ?? '')) return [];
    return [replace('number', String(BigInt(text) + 1n))];
  }
  if (kind === 'string') return stringChanges(tokens, n);
  switch (text) {
    case 'and':
      if (betweens > 0) return [];
      return [replace('and, or', 'or'), ...dropped(tokens, n, 'true')];
    case 'or':
      return before?.text === 'create' ? [] : [replace('and, or', 'and'), ...dropped(tokens, n, 'false')];
    case 'where':
      return dropped(tokens, n, 'true');
    case 'true':
    case 'false':
      return [replace('truth', text === 'true' ? 'false' : 'true')];
    case 'desc':
      return [replace('order', 'asc')];
    case 'is':
      return isChanges(tokens, n);
    case 'not':
      if (before?.text === 'is' || before?.text === 'if' || next?.text === 'null' || next?.text === 'materialized')
        return [];
      return [replace('not', '')];
    case 'exists':
      return before?.text === 'not' || before?.text === 'if' || next?.text !== '('
        ? []
        : [replace('not', 'not exists')];
    case 'left':
      return next?.text === 'join' ? [replace('join', '')] : [];
    case 'join':
      if (/^(?:left|cross|full|right)$/.test(before?.text ?? '')) return [];
      return [replace('join', 'left join')];
    case 'distinct':
      return before?.text === 'is' || before?.text === 'not' || next?.text === 'on' ? [] : [replace('distinct', '')];
    case 'coalesce':
      return withoutDefault(tokens, n);
    case 'order':
      return next?.text === 'by' ? turned(tokens, n + 2) : [];
    case 'in':
      return shortened(tokens, n);
    default: {
      const twin = Object.hasOwn(TWINS, text) ? TWINS[text] : undefined;
      return twin && next?.text === '(' && before?.text !== '.' ? [replace('twin function', twin)] : [];
    }
  }
}

const isValue = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'number' ||
    token.kind === 'string' ||
    (token.kind === 'word' && !BEFORE_VALUE.test(token.text)) ||
    /^[()\]$]/.test(token.text));

/** `interval '45 seconds'` becomes twice as long. Other texts stay: they are names and messages. */
function stringChanges(tokens: readonly Token[], n: number): Change[] {
  const [token, before, next] = [tokens[n], tokens[n - 1], tokens[n + 1]];
  if (!token || !(before?.text === 'interval' || (next?.text === '::' && tokens[n + 2]?.text === 'interval')))
    return [];
  const found = /\d+/.exec(token.text);
  if (!found || Number(found[0]) === 0) return [];
  const start = token.start + found.index;
  return [{ rule: 'interval', start, end: start + found[0].length, to: String(Number(found[0]) * 2) }];
}

/** The end of the expression that begins at a token, at its own depth. */
function endOf(tokens: readonly Token[], from: number, ends: RegExp): number {
  const { depth } = tokens[from] ?? { depth: 0 };
  let cases = 0;
  let betweens = 0;
  for (let n = from; n < tokens.length; n += 1) {
    const token = tokens[n];
    if (!token || token.depth < depth) return n;
    if (token.depth > depth) continue;
    if (token.text === ')' && n > from && token.depth === depth && tokens[n - 1] && opensBefore(tokens, from, n))
      continue;
    if (token.text === 'case') cases += 1;
    else if (cases > 0) cases -= token.text === 'end' ? 1 : 0;
    else if (token.text === 'between') betweens += 1;
    else if (betweens > 0 && token.text === 'and') betweens -= 1;
    else if (token.text === 'not' || token.text === 'is') continue;
    else if (token.text === 'from' && tokens[n - 1]?.text === 'distinct') continue;
    else if (token.text === ';' || token.text === ',' || token.text === ')') return n;
    else if (n > from && token.kind === 'word' && ends.test(token.text)) return n;
  }
  return tokens.length;
}

/** Whether a closing parenthesis closes one that was opened at or after `from`. */
function opensBefore(tokens: readonly Token[], from: number, close: number): boolean {
  for (let n = close - 1; n >= from; n -= 1)
    if (tokens[n]?.text === '(' && tokens[n]?.depth === tokens[close]?.depth) return true;
  return false;
}

/** The condition after `and`, `or` or `where` becomes constant. */
function dropped(tokens: readonly Token[], n: number, constant: string): Change[] {
  const first = tokens[n + 1];
  const last = tokens[endOf(tokens, n + 1, AFTER_CONDITION) - 1];
  if (!first || !last || last.end <= first.start || first.text === constant) return [];
  return [{ rule: 'condition dropped', start: first.start, end: last.end, to: constant }];
}

function isChanges(tokens: readonly Token[], n: number): Change[] {
  const [is, next, third] = [tokens[n], tokens[n + 1], tokens[n + 2]];
  if (!is || !next || !third) return [];
  const change = (end: number, to: string): Change => ({ rule: 'is not', start: is.start, end, to });
  if (next.text === 'not') return third.text === 'null' || third.text === 'distinct' ? [change(next.end, 'is')] : [];
  return next.text === 'null' || next.text === 'distinct' ? [change(is.end, 'is not')] : [];
}

/** `coalesce(a, b)` becomes `(a)`. */
function withoutDefault(tokens: readonly Token[], n: number): Change[] {
  const [name, open] = [tokens[n], tokens[n + 1]];
  const first = tokens[n + 2];
  if (!name || open?.text !== '(' || !first) return [];
  const close = tokens.findIndex((token, at) => at > n + 1 && token.text === ')' && token.depth === open.depth);
  const comma = tokens.findIndex((token, at) => at > n + 2 && token.text === ',' && token.depth === open.depth + 1);
  const [end, until] = [tokens[close], tokens[comma - 1]];
  if (!end || !until || comma < 0 || comma > close) return [];
  return [{ rule: 'default dropped', start: tokens[comma]?.start ?? until.end, end: end.start, to: '' }];
}

/** The first key of an `order by` without a direction is turned. */
function turned(tokens: readonly Token[], from: number): Change[] {
  const end = endOf(
    tokens,
    from,
    /^(?:limit|offset|for|rows|range|asc|desc|nulls|loop|union|filter|group|using|returning)$/,
  );
  const last = tokens[end - 1];
  const after = tokens[end]?.text ?? '';
  if (!last || end <= from || after === 'asc' || after === 'desc' || after === 'using') return [];
  return [{ rule: 'order', start: last.end, end: last.end, to: ' desc' }];
}

/** `in ('a', 'b')` loses its last value. */
function shortened(tokens: readonly Token[], n: number): Change[] {
  const open = tokens[n + 1];
  if (open?.text !== '(' || tokens[n + 2]?.kind !== 'string') return [];
  const close = tokens.findIndex((token, at) => at > n + 1 && token.text === ')' && token.depth === open.depth);
  const [comma, value] = [tokens[close - 2], tokens[close - 1]];
  if (comma?.text !== ',' || value?.kind !== 'string') return [];
  return [{ rule: 'value dropped', start: comma.start, end: value.end, to: '' }];
}
