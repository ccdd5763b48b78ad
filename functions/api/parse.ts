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
  const text = given ?? '';
  const id = parseMarketUuid(text);
  if (id === undefined) {
    const msg = 'Input should be a valid UUID, bare or after mkt_';
    issues.push(issue('uuid_parsing', ['path', 'market_id'], msg, text.slice(0, 200)));
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
