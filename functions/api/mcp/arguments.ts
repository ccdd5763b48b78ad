import type { JsonSchema } from '../contract/json_schema.ts';
import { MAX_VALUE_CHARACTERS } from '../http/query.ts';
import { type Issue, issue } from '../http/validation.ts';

/** The input schema of a tool: an object of scalars and lists of words. */
export type InputSchema = {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties: false;
  examples?: object[];
};

export type Arguments = Record<string, unknown>;

/**
 * Arguments as they were meant, where a model's commonest slips have one meaning: "open" for ["open"], "5" for 5, "true" for true. What
 * else is wrong stays as it is, for `kindIssues` to name.
 */
export function coerceArguments(schema: InputSchema, given: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const kind = Object.hasOwn(schema.properties, name) ? schema.properties[name]?.type : undefined;
      return [name, typeof value === 'string' ? coerceText(kind, value) : value];
    }),
  );
}

function coerceText(kind: unknown, value: string): unknown {
  if (kind === 'array') return value.split(',').map((item) => item.trim());
  if (kind === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (kind === 'number' && /^-?\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  if (kind === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}

/**
 * What is wrong with the kinds of a tool's arguments, in REST's words. Their values are looked at by the route that they go to; an
 * argument that is not known is refused and not ignored, since a model that misnames one would believe the answer. Null is absence.
 */
export function typeIssues(schema: InputSchema, given: Arguments): Issue[] {
  const issues: Issue[] = [];
  for (const name of schema.required ?? []) {
    if (given[name] === undefined || given[name] === null) {
      issues.push(issue('missing', ['arguments', name], 'Field required', null));
    }
  }
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) {
      const names = Object.keys(schema.properties).join(', ') || 'none at all';
      issues.push(
        issue(
          'extra_forbidden',
          ['arguments', name.slice(0, 60)],
          `No such argument; there are: ${names}`,
          shortened(value),
        ),
      );
    } else if (value !== null) issues.push(...valueIssues(property, value, ['arguments', name]));
  }
  return issues;
}

function valueIssues(schema: JsonSchema, value: unknown, loc: (string | number)[]): Issue[] {
  const refused = (type: string, msg: string) => [issue(type, loc, msg, shortened(value))];
  switch (schema.type) {
    case 'integer':
      if (!Number.isSafeInteger(value)) return refused('int_type', 'Input should be a valid integer');
      return rangeIssues(schema, value as number, loc);
    case 'number':
      if (typeof value !== 'number') return refused('float_type', 'Input should be a valid number');
      return rangeIssues(schema, value, loc);
    case 'boolean':
      return typeof value === 'boolean' ? [] : refused('bool_type', 'Input should be a valid boolean');
    case 'array': {
      if (!Array.isArray(value)) return refused('list_type', 'Input should be a valid list');
      const { minItems = 0, maxItems = 100 } = schema;
      if (value.length < minItems) return refused('too_short', `List should have at least ${minItems} items`);
      if (value.length > maxItems) return refused('too_long', `List should have at most ${maxItems} items`);
      return value.flatMap((item, place) => valueIssues(schema.items as JsonSchema, item, [...loc, place]));
    }
    default: {
      if (typeof value !== 'string') return refused('string_type', 'Input should be a valid string');
      // By characters, as people count. Longer than this nothing is that could be found.
      const most = schema.maxLength ?? MAX_VALUE_CHARACTERS;
      if ([...value].length <= most) return [];
      return refused('string_too_long', `String should have at most ${most} characters`);
    }
  }
}

function rangeIssues(schema: JsonSchema, value: number, loc: (string | number)[]): Issue[] {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && value < minimum) {
    const msg = `Input should be greater than or equal to ${minimum}`;
    return [issue('greater_than_equal', loc, msg, value, { ge: minimum })];
  }
  if (maximum !== undefined && value > maximum) {
    return [issue('less_than_equal', loc, `Input should be less than or equal to ${maximum}`, value, { le: maximum })];
  }
  return [];
}

/** What is sent back of a wrong value: enough to recognize it. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length > 120 ? `${text.slice(0, 120)}…` : value;
}

/** Arguments as REST's query string has them: lists comma-separated, absent ones left out. */
export function buildQueryString(given: Arguments): string {
  const pairs = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}=${encodeURIComponent(toQueryValue(value))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function toQueryValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  // 1e-7 is a number to JSON and not to the query.
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(6) : String(value);
}
