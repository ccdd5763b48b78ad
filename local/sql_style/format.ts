import { decideBreaks } from './breaks.ts';
import { layOut } from './layout.ts';
import { type Language, type Statement, statementsOf } from './statements.ts';
import { type Token, tokensOf } from './tokens.ts';
import { CODE_WIDTH, piecesOf } from './wrap.ts';

/**
 * Formats an SQL file, with the PL/pgSQL and SQL bodies in it. Decides indentation, spaces, the
 * case of words, and empty lines (one at most). Line breaks stay as they are written, with three
 * exceptions: a query of several lines has one clause on each, code wider than 120 columns is
 * broken, prose wider than 100 is wrapped. Throws an Error rather than change anything but white
 * space, the case of unquoted words, and the pieces in which a string is written.
 */
export function formatSql(text: string): string {
  const formatted = `${render(tokensOf(text), 'sql', 0)}\n`;
  const [before, after] = [meaningOf(tokensOf(text)), meaningOf(tokensOf(formatted))];
  const at = before.findIndex((word, index) => word !== after[index]);
  if (at >= 0 || before.length !== after.length) {
    throw new Error(`Defect of the formatter: it would write "${after[at]}" for "${before[at]}".`);
  }
  return formatted;
}

/** What may not change: each token, the value of each string, each word of a comment. */
function meaningOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text, body }) => {
    if (body) return meaningOf(body);
    if (kind === 'comment') return text.split(/\s+/).filter((word) => word !== '--');
    return kind === 'string' ? [piecesOf(text).join('')] : [text];
  });
}

function render(tokens: Token[], language: Language, indent: number): string {
  const lines: string[] = [];
  let previous: Statement | undefined;
  for (const statement of statementsOf(tokens, language, indent)) {
    const first = statement.tokens[0];
    // On the line of the statement before it: a comment at its end.
    if (lines.length > 0 && first?.kind === 'comment' && first.breaks === 0) {
      lines.push(`${lines.pop()} ${first.text}`);
      statement.tokens.shift();
    }
    const [next] = statement.tokens;
    if (next?.breaks === 0 && fitsBehind(lines.at(-1), previous, statement)) {
      lines.push(`${lines.pop()} ${renderStatement({ ...statement, indent: 0 }).join('\n')}`);
    } else if (next) {
      if (lines.length > 0 && next.breaks > 1) lines.push('');
      lines.push(...renderStatement(statement));
    }
    previous = statement;
  }
  return lines.join('\n');
}

/** A branch of a `case` with one short statement may be written on one line. */
function fitsBehind(line = '', branch: Statement | undefined, statement: Statement): boolean {
  const word = branch?.tokens.find((token) => token.kind !== 'comment')?.text;
  if (!branch || statement.indent !== branch.indent + 2 || (word !== 'when' && word !== 'else')) return false;
  const lines = renderStatement({ ...statement, indent: 0 });
  return lines.length === 1 && line.length + 1 + (lines[0] ?? '').length <= CODE_WIDTH;
}

function renderStatement(statement: Statement): string[] {
  const { tokens } = statement;
  const isSql = tokens.some((token, index) => token.text === 'language' && tokens[index + 1]?.text === 'sql');
  for (const token of tokens) {
    if (token.body) token.text = renderBody(token.body, isSql ? 'sql' : 'plpgsql');
  }
  decideBreaks(statement);
  return layOut(statement).map(({ from, text }) => (from > 0 && (tokens[from]?.breaks ?? 0) > 1 ? `\n${text}` : text));
}

function renderBody(tokens: Token[], language: Language): string {
  const text = render(tokens, language, language === 'sql' ? 2 : 0);
  const oneLine = `$$ ${text.trim()} $$`;
  const fits = tokens[0]?.breaks === 0 && !text.includes('\n') && `as ${oneLine};`.length <= CODE_WIDTH;
  return fits ? oneLine : `$$\n${text}\n$$`;
}
