import { INVALID_TEXT_PATTERN } from './text.ts';
import { type Issue, issue } from './validation.ts';

/** The longest value of one parameter; nothing that exists is longer. */
export const MAX_VALUE_CHARACTERS = 200;

/**
 * The parameters of a query string that a route knows, decoded strictly. Others are ignored, however odd. A known one that is given
 * twice, is no valid percent-encoded UTF-8 or holds NUL comes back as an issue: to take one of two, or a mangled one, would answer
 * a question that nobody asked. One of `lists` may be repeated: its values are joined by commas, as clients write lists in either way.
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
    const again = before !== undefined || issues.some((found) => found.loc[1] === name);
    if (again && !lists.includes(name)) {
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
