import { INVALID_TEXT_PATTERN } from './text.ts';
import { type Issue, issue } from './validation.ts';

/** Limit for the value of one parameter. No value in the catalog is longer. */
export const MAX_VALUE_CHARACTERS = 200;

/**
 * Decodes the known parameters of a query string and ignores all others. A known parameter that is
 * given twice, is not valid percent-encoded UTF-8 or contains NUL becomes an issue: a guess would
 * answer another question. A parameter of `lists` may be repeated; its values are joined by commas.
 */
export function parseQueryString(
  url: string,
  known: readonly string[],
  lists: readonly string[] = [],
): { values: Record<string, string>; issues: Issue[] } {
  const values: Record<string, string> = {};
  const issues: Issue[] = [];
  const mark = url.indexOf('?');
  const search = mark < 0 ? '' : url.slice(mark + 1).replace(/#.*$/s, '');
  for (const pair of search.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined || !known.includes(name)) continue;
    const loc = ['query', name];
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    const value = decode(raw);
    const before = Object.hasOwn(values, name) ? values[name] : undefined;
    const isRepeated = before !== undefined || issues.some((found) => found.loc[1] === name);
    if (isRepeated && !lists.includes(name)) {
      issues.push(
        issue(
          'value_error',
          loc,
          'Value error, the parameter is given more than once',
          raw.slice(0, MAX_VALUE_CHARACTERS),
        ),
      );
    } else if (value === undefined) {
      issues.push(
        issue('value_error', loc, 'Value error, not valid percent-encoded UTF-8', raw.slice(0, MAX_VALUE_CHARACTERS)),
      );
    } else if (INVALID_TEXT_PATTERN.test(value)) {
      issues.push(
        issue('value_error', loc, 'Value error, must not contain a NUL character', raw.slice(0, MAX_VALUE_CHARACTERS)),
      );
    } else values[name] = before === undefined ? value : `${before},${value}`;
  }
  return { values, issues };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
