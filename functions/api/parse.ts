import { z } from 'zod';
import { parseMarketUuid } from './http/parameters.ts';
import { parseQueryString } from './http/query.ts';
import { type Issue, issue, toIssues } from './http/validation.ts';

/** A route's parameters as its schema reads them out of an address, or what is wrong with them. `given` is their text. */
export type Query<Schema extends z.ZodObject> = {
  given: Record<string, string>;
  read: z.output<Schema> | undefined;
  issues: Issue[];
};

export function parseQuery<Schema extends z.ZodObject>(schema: Schema, url: string): Query<Schema> {
  const names = Object.keys(schema.shape);
  const { values, issues } = parseQueryString(
    url,
    names,
    names.filter((name) => isList(schema.shape[name])),
  );
  const result = schema.safeParse(values);
  if (result.success) return { given: values, read: result.data, issues };
  return { given: values, read: undefined, issues: [...issues, ...toIssues(result.error, 'query', values)] };
}

/** Whether a parameter is a list of words (`list` of parameters.ts), however it is wrapped. */
function isList(parameter: unknown): boolean {
  if (!(parameter instanceof z.ZodType)) return false;
  if (parameter.meta()?.type === 'array') return true;
  return parameter instanceof z.ZodOptional || parameter instanceof z.ZodDefault ? isList(parameter.unwrap()) : false;
}

/** The uuid in a path's market id, or undefined with an issue added. */
export function parseMarketId(given: string | undefined, issues: Issue[]): string | undefined {
  const text = given ?? '';
  const id = parseMarketUuid(text);
  if (id === undefined) {
    const msg = 'Input should be a valid UUID, bare or after mkt_';
    issues.push(issue('uuid_parsing', ['path', 'market_id'], msg, text.slice(0, 200)));
  }
  return id;
}
