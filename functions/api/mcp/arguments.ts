import type { JsonSchema } from '../contract/json_schema.ts';
import { MAX_VALUE_CHARACTERS } from '../http/query.ts';
import { type Issue, issue } from '../http/validation.ts';

/** Input schema of a tool: an object of scalars and lists. */
export type InputSchema = {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties: false;
  examples?: object[];
};

export type Arguments = Record<string, unknown>;

/**
 * Corrects common mistakes of models that have one meaning: "open" or '["open"]' for ["open"], "5"
 * for 5, "true" for true, ["NBA"] for "NBA", "Frames" for "frames". Other wrong values
 * stay unchanged, and `typeIssues` reports them.
 */
export function coerceArguments(schema: InputSchema, given: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      return [name, property === undefined ? value : coerce(property, value)];
    }),
  );
}

function coerce(schema: JsonSchema, value: unknown): unknown {
  if (schema.type === 'array') return coerceList(value);
  // A list with one item is the item.
  if (Array.isArray(value)) return value.length === 1 && !Array.isArray(value[0]) ? coerce(schema, value[0]) : value;
  return typeof value === 'string' ? coerceText(schema, value) : value;
}

function coerceList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // A list as JSON in a text, or as a sentence has it: [open, live].
  const bare = value.trim().replace(/^\[(.*)\]$/s, '$1');
  return bare.split(',').map((item) => item.trim().replace(/^(["'])(.*)\1$/s, '$2'));
}

function coerceText({ type, enum: words }: JsonSchema, value: string): unknown {
  const text = value.trim();
  if (type === 'integer' && /^-?\d{1,15}(\.0+)?$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return words?.find((word) => typeof word === 'string' && word === text.toLowerCase()) ?? value;
}

/**
 * Reports arguments of the wrong type, with the messages of REST. The route validates the values.
 * An unknown argument is rejected, not ignored: a model that misspells one would trust the answer.
 * Null means absent.
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
      const names = Object.keys(schema.properties).join(', ') || 'none';
      issues.push(
        issue(
          'extra_forbidden',
          ['arguments', name.slice(0, 60)],
          `There is no such argument. Arguments: ${names}`,
          shortened(value),
        ),
      );
    } else if (value !== null) issues.push(...valueIssues(property, value, ['arguments', name]));
  }
  return issues;
}

function valueIssues(schema: JsonSchema, value: unknown, loc: (string | number)[]): Issue[] {
  const reject = (type: string, msg: string) => [issue(type, loc, msg, shortened(value))];
  switch (schema.type) {
    case 'integer':
      if (!Number.isSafeInteger(value)) return reject('int_type', 'Input should be a valid integer');
      return rangeIssues(schema, value as number, loc);
    case 'number':
      if (typeof value !== 'number') return reject('float_type', 'Input should be a valid number');
      return rangeIssues(schema, value, loc);
    case 'boolean':
      return typeof value === 'boolean' ? [] : reject('bool_type', 'Input should be a valid boolean');
    case 'array': {
      if (!Array.isArray(value)) return reject('list_type', 'Input should be a valid list');
      const { minItems = 0, maxItems = 100 } = schema;
      if (value.length < minItems) return reject('too_short', `List should have at least ${minItems} items`);
      if (value.length > maxItems) return reject('too_long', `List should have at most ${maxItems} items`);
      return value.flatMap((item, index) => valueIssues(schema.items as JsonSchema, item, [...loc, index]));
    }
    default: {
      if (typeof value !== 'string') return reject('string_type', 'Input should be a valid string');
      // Counts characters, not UTF-16 units. No searchable value is longer.
      const maxCharacters = schema.maxLength ?? MAX_VALUE_CHARACTERS;
      if ([...value].length <= maxCharacters) return [];
      return reject('string_too_long', `String should have at most ${maxCharacters} characters`);
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

/** The part of a rejected value that is sent back. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length > 120 ? `${text.slice(0, 120)}…` : value;
}

/** Arguments as a query string of REST: lists comma-separated, absent ones omitted. */
export function buildQueryString(given: Arguments): string {
  const pairs = Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}=${encodeURIComponent(toQueryValue(value))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function toQueryValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  // JSON allows 1e-7; the query parameter does not.
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(6) : String(value);
}
