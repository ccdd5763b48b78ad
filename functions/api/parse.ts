import { z } from 'zod';
import { parseMarketUuid } from './http/parameters.ts';
import { parseQueryString } from './http/query.ts';
import { type Issue, issue, toIssues } from './http/validation.ts';

/**
 * Query parameters after validation. `params` is undefined where the schema rejects one; `given`
 * holds their text.
 */
export type ParsedQuery<Schema extends z.ZodObject> = {
  given: Record<string, string>;
  params: z.output<Schema> | undefined;
  issues: Issue[];
};

export function parseQuery<Schema extends z.ZodObject>(schema: Schema, url: string): ParsedQuery<Schema> {
  const names = Object.keys(schema.shape);
  const { values, issues } = parseQueryString(
    url,
    names,
    names.filter((name) => isList(schema.shape[name])),
  );
  const result = schema.safeParse(values);
  if (result.success) return { given: values, params: result.data, issues };
  return { given: values, params: undefined, issues: [...issues, ...toIssues(result.error, 'query', values)] };
}

/** Whether a parameter is a `list` of parameters.ts, also inside `optional` or `default`. */
function isList(parameter: unknown): boolean {
  if (!(parameter instanceof z.ZodType)) return false;
  if (parameter.meta()?.type === 'array') return true;
  return parameter instanceof z.ZodOptional || parameter instanceof z.ZodDefault ? isList(parameter.unwrap()) : false;
}

/**
 * The UUID of a market id in a path. Adds an issue and returns undefined where it has another form.
 */
export function parseMarketId(given: string | undefined, issues: Issue[]): string | undefined {
  return parseMarketIdAt(['path', 'market_id'], given ?? '', issues);
}

/** The UUID of the query parameter `market_id`, as parseMarketId; undefined where it is absent. */
export function parseMarketQuery(given: string | undefined, issues: Issue[]): string | undefined {
  return given === undefined ? undefined : parseMarketIdAt(['query', 'market_id'], given, issues);
}

function parseMarketIdAt(loc: string[], given: string, issues: Issue[]): string | undefined {
  const id = parseMarketUuid(given);
  if (id === undefined) {
    const msg = 'Input should be a valid UUID, bare or after mkt_';
    issues.push(issue('uuid_parsing', loc, msg, given.slice(0, 200)));
  }
  return id;
}

/** Adds an issue where levels are asked for without the books that have them. */
export function checkLevels(
  levels: number | undefined,
  include: readonly string[] | undefined,
  given: string | undefined,
  issues: Issue[],
): void {
  if (levels === undefined || include?.includes('depth')) return;
  issues.push(issue('value_error', ['query', 'levels'], 'Value error, levels needs include=depth', given));
}

/** What `parse` makes of a cursor, if there is one. Adds an issue where it is not of this list. */
export function parseCursorOf<Position>(
  list: string,
  cursor: string | undefined,
  parse: (cursor: string) => Position | undefined,
  issues: Issue[],
): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = parse(cursor);
  if (position === undefined) {
    const msg = `Value error, not a next_cursor of ${list}`;
    issues.push(issue('value_error', ['query', 'cursor'], msg, cursor.slice(0, 200)));
  }
  return position;
}

/** Adds an issue where the first of two times (epoch ms) is later than the second. */
export function checkOrder<Name extends string>(
  [first, second]: readonly [Name, Name],
  times: Readonly<Partial<Record<Name, number | undefined>>>,
  given: Readonly<Record<string, string>>,
  issues: Issue[],
): void {
  const [from, to] = [times[first], times[second]];
  if (from === undefined || to === undefined || from <= to) return;
  issues.push(
    issue('value_error', ['query', first], `Value error, ${first} must not be later than ${second}`, given[first]),
  );
}
