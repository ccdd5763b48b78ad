import type { Token } from './tokens.ts';

const operators = new Set(['||', '+', '-', '*', '/', '->', '->>', '#>>', '#>', '=', '<>', '<', '>', '<=', '>=']);
const noSpaceBefore = new Set([',', ';', ')', ']', '.', '::']);
const noSpaceAfter = new Set(['(', '[', '.', '::']);

/**
 * Whether a space is before the token at `index`, which does not begin a line. Where PostgreSQL's
 * grammar is needed to know it (a sign or a minus, a call or a list of columns), the space stays as
 * it is written.
 */
export function hasSpaceBefore(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index] as Token;
  const before = tokens[index - 1] as Token;
  if (before.kind === 'comment' || token.kind === 'comment') return true;
  if (noSpaceBefore.has(token.text) || noSpaceAfter.has(before.text)) return false;
  if (before.text === ',') return true;
  if (token.text === '(') return token.spaced || operators.has(before.text) || takesNoArguments(before);
  if (token.kind !== 'symbol' && before.kind !== 'symbol') return true;
  if (operators.has(token.text) && isOperand(before)) return true;
  return (operators.has(before.text) && isOperand(tokens[index - 2])) || token.spaced;
}

/**
 * After these a parenthesis holds no arguments: `in (`, `as (`. `any (…)` and `array(…)` stay as
 * they are written.
 */
const takesNoArguments = ({ keyword, text }: Token) => keyword && text !== 'any' && text !== 'array';

function isOperand(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === 'word') return !token.keyword;
  return token.kind !== 'symbol' || token.text === ')' || token.text === ']';
}
