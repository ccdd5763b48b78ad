import type { z } from 'zod';

/** One problem of a request, with pydantic's names: the validation error record of spec.md. */
export type Issue = {
  loc: (string | number)[];
  msg: string;
  type: string;
  input: unknown;
  ctx: Record<string, unknown>;
};

export function issue(
  type: string,
  loc: (string | number)[],
  msg: string,
  input: unknown,
  ctx: Record<string, unknown> = {},
): Issue {
  return { loc, msg, type, input, ctx };
}

/** The head of a 422: the first issue as a sentence, and the code that every 422 has. */
export function summarizeIssues([first]: readonly Issue[]): { error: string; code: 'validation' } {
  const place = first === undefined ? '' : first.loc.slice(1).join('.') || String(first.loc[0] ?? '');
  const what = first?.msg.replace(/^Value error, /, '') ?? 'The request is not valid';
  return { error: `${place === '' ? '' : `${place}: `}${what}.`, code: 'validation' };
}

/** The 422 body: {error, code, detail, request_id}. */
export function validationResponse(
  issues: readonly Issue[],
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ ...summarizeIssues(issues), detail: issues, request_id: requestId }), {
    status: 422,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  });
}

/** Lists the expected values as pydantic does: 'a', 'b' or 'c'. */
export function expected(values: readonly unknown[]): string {
  const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return literals.length < 2 ? literals.join('') : `${literals.slice(0, -1).join(', ')} or ${literals.at(-1)}`;
}

/**
 * Details of an issue that our own parsers add: pydantic's type name, ctx, and the input where only
 * a part of the value is wrong.
 */
export type CustomIssue = { type: string; ctx?: Record<string, unknown>; input?: unknown };

/**
 * Converts zod's issues to records. `where` is the first item of each `loc`. `given` is the parsed
 * value, from which `input` is taken.
 */
export function toIssues(error: z.ZodError, where: 'query' | 'path' | 'body', given: unknown): Issue[] {
  return error.issues.map((found) => {
    const path = found.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    const input = at(given, path);
    const { type, msg, ctx, part } = translate(found, input);
    const rejected = part ?? input;
    // The rejected input may be the whole value, so the text that is sent back is cut.
    return issue(
      type,
      [where, ...path],
      msg,
      typeof rejected === 'string' ? rejected.slice(0, 200) : (rejected ?? null),
      ctx,
    );
  });
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Reflect.get(inner, step);
  }
  return inner;
}

type IssueText = { type: string; msg: string; ctx: Record<string, unknown>; part?: unknown };

function translate(found: z.core.$ZodIssue, input: unknown): IssueText {
  switch (found.code) {
    case 'custom': {
      const details = found.params as CustomIssue | undefined;
      return {
        type: details?.type ?? 'value_error',
        msg: found.message,
        ctx: details?.ctx ?? {},
        part: details?.input,
      };
    }
    case 'invalid_type':
      if (input === undefined) return { type: 'missing', msg: 'Field required', ctx: {} };
      return typeIssue(found.expected);
    case 'invalid_value':
      return {
        type: 'enum',
        msg: `Input should be ${expected(found.values)}`,
        ctx: { expected: expected(found.values) },
      };
    case 'too_small':
      return tooSmallIssue(found.origin, Number(found.minimum), found.inclusive !== false);
    case 'too_big':
      return tooBigIssue(found.origin, Number(found.maximum), found.inclusive !== false);
    case 'invalid_format':
      if (found.format === 'uuid') return { type: 'uuid_parsing', msg: 'Input should be a valid UUID', ctx: {} };
      if (found.format === 'url') return { type: 'url_parsing', msg: 'Input should be a valid URL', ctx: {} };
      return { type: 'string_pattern_mismatch', msg: found.message, ctx: {} };
    case 'unrecognized_keys':
      return { type: 'extra_forbidden', msg: 'Extra inputs are not permitted', ctx: { keys: found.keys } };
    case 'not_multiple_of':
      return { type: 'multiple_of', msg: found.message, ctx: { multiple_of: found.divisor } };
    default:
      return { type: 'value_error', msg: `Value error, ${found.message}`, ctx: {} };
  }
}

function typeIssue(wanted: string): IssueText {
  const named: Record<string, [string, string]> = {
    string: ['string_type', 'Input should be a valid string'],
    number: ['float_type', 'Input should be a valid number'],
    int: ['int_type', 'Input should be a valid integer'],
    boolean: ['bool_type', 'Input should be a valid boolean'],
    array: ['list_type', 'Input should be a valid list'],
    object: ['dict_type', 'Input should be a valid dictionary'],
    record: ['dict_type', 'Input should be a valid dictionary'],
  };
  const [type, msg] = named[wanted] ?? ['value_error', `Value error, expected ${wanted}`];
  return { type, msg, ctx: {} };
}

function tooSmallIssue(origin: string, minimum: number, inclusive: boolean): IssueText {
  if (origin === 'string') {
    return {
      type: 'string_too_short',
      msg: `String should have at least ${minimum} characters`,
      ctx: { min_length: minimum },
    };
  }
  if (origin === 'array' || origin === 'set') {
    return { type: 'too_short', msg: `List should have at least ${minimum} items`, ctx: { min_length: minimum } };
  }
  return inclusive
    ? { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${minimum}`, ctx: { ge: minimum } }
    : { type: 'greater_than', msg: `Input should be greater than ${minimum}`, ctx: { gt: minimum } };
}

function tooBigIssue(origin: string, maximum: number, inclusive: boolean): IssueText {
  if (origin === 'string') {
    return {
      type: 'string_too_long',
      msg: `String should have at most ${maximum} characters`,
      ctx: { max_length: maximum },
    };
  }
  if (origin === 'array' || origin === 'set') {
    return { type: 'too_long', msg: `List should have at most ${maximum} items`, ctx: { max_length: maximum } };
  }
  return inclusive
    ? { type: 'less_than_equal', msg: `Input should be less than or equal to ${maximum}`, ctx: { le: maximum } }
    : { type: 'less_than', msg: `Input should be less than ${maximum}`, ctx: { lt: maximum } };
}
