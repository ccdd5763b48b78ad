import { z } from 'zod';
import { MAX_VALUE_CHARACTERS } from './query.ts';
import { type CustomIssue, expected } from './validation.ts';

// Parsers for query parameters, which are text. Each rejects with a type name of pydantic and
// carries in `meta` the JSON schema of the values that it takes. The API reference is built from
// it.

/** The part of zod's context that these parsers use. */
type IssueSink = { addIssue(issue: { code: 'custom'; message: string; params: CustomIssue }): void };

/** Adds an issue with pydantic's type name and returns the value that zod expects. */
export function rejectParameter(ctx: IssueSink, message: string, details: CustomIssue): never {
  ctx.addIssue({ code: 'custom', message, params: details });
  return z.NEVER;
}

/** Text of at most 200 characters, unchanged. */
export const text = z.string().max(MAX_VALUE_CHARACTERS);

/** An integer from `min` to `max`; `defaultValue` where the parameter is absent. */
export function integer<Default extends number | undefined>(min: number, max: number, defaultValue: Default) {
  return z
    .string()
    .optional()
    .transform((given, ctx): number | Default => {
      if (given === undefined) return defaultValue;
      if (!/^[+-]?\d+$/.test(given)) {
        return rejectParameter(ctx, 'Input should be a valid integer, unable to parse string as an integer', {
          type: 'int_parsing',
        });
      }
      return bounded(Number(given), min, max, ctx);
    })
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** One of these integers; `defaultValue` where the parameter is absent. */
export function oneOf(values: readonly number[], defaultValue: number) {
  return z
    .string()
    .optional()
    .transform((given, ctx) => {
      if (given === undefined) return defaultValue;
      const found = values.find((value) => String(value) === given);
      return (
        found ??
        rejectParameter(ctx, `Input should be ${expected(values)}`, {
          type: 'enum',
          ctx: { expected: expected(values) },
        })
      );
    })
    .meta({ type: 'integer', enum: [...values] });
}

/** A decimal number from `min` to `max`; null where the parameter is absent. */
export function decimal(min: number, max: number) {
  return z
    .string()
    .optional()
    .transform((given, ctx) => {
      if (given === undefined) return null;
      if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(given)) {
        return rejectParameter(ctx, 'Input should be a valid number, unable to parse string as a number', {
          type: 'float_parsing',
        });
      }
      return bounded(Number(given), min, max, ctx);
    })
    .meta({ type: 'number', minimum: min, maximum: max });
}

function bounded(value: number, min: number, max: number, ctx: IssueSink): number {
  if (value < min) {
    return rejectParameter(ctx, `Input should be greater than or equal to ${min}`, {
      type: 'greater_than_equal',
      ctx: { ge: min },
    });
  }
  if (value > max) {
    return rejectParameter(ctx, `Input should be less than or equal to ${max}`, {
      type: 'less_than_equal',
      ctx: { le: max },
    });
  }
  return value;
}

const ISO_PATTERN = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
// The end of the year 9999. Many parsers of ISO 8601 reject a year of five digits.
const MAX_INSTANT_MS = 253_402_300_799_999;

/**
 * An instant as epoch milliseconds. Accepts epoch milliseconds or ISO 8601: a day means its
 * midnight in UTC, a time needs its offset.
 */
export const instant = z.string().transform((given, ctx) => {
  if (/^\d{1,20}$/.test(given)) return bounded(Number(given), 0, MAX_INSTANT_MS, ctx);
  // A plus sign that the client did not encode arrives as a space.
  const iso = given.replace(' ', '+');
  const day = ISO_PATTERN.test(iso) ? Date.parse(iso.slice(0, 10)) : Number.NaN;
  const at = Date.parse(iso);
  // Date.parse reads 31 February as 3 March.
  if (Number.isNaN(day) || Number.isNaN(at) || new Date(day).toISOString().slice(0, 10) !== iso.slice(0, 10)) {
    return rejectParameter(ctx, 'Input should be a valid datetime: epoch milliseconds or ISO 8601', {
      type: 'datetime_parsing',
      ctx: { error: 'epoch milliseconds or ISO 8601' },
    });
  }
  return bounded(at, 0, MAX_INSTANT_MS, ctx);
});

const MONTH_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

/** A calendar month: `2026-11`. */
export const month = z
  .string()
  .transform((given, ctx) =>
    MONTH_PATTERN.test(given)
      ? given
      : rejectParameter(ctx, 'Input should be a month as YYYY-MM', {
          type: 'date_parsing',
          ctx: { expected: 'YYYY-MM' },
        }),
  )
  .meta({ type: 'string', pattern: MONTH_PATTERN.source });

const DAY_PATTERN = /^20\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** A day of this century: `2026-11-27`. */
export const day = z
  .string()
  .transform((given, ctx) => {
    // Date.parse reads 31 February as 3 March.
    const isDay = DAY_PATTERN.test(given) && new Date(Date.parse(given)).toISOString().startsWith(given);
    return isDay
      ? given
      : rejectParameter(ctx, 'Input should be a day as YYYY-MM-DD', {
          type: 'date_parsing',
          ctx: { expected: 'YYYY-MM-DD' },
        });
  })
  .meta({ type: 'string', pattern: DAY_PATTERN.source });

const BOOLEAN_WORDS: Record<string, boolean> = {
  ...{ true: true, t: true, '1': true, yes: true, y: true, on: true },
  ...{ false: false, f: false, '0': false, no: false, n: false, off: false },
};

export const flag = z
  .string()
  .optional()
  .transform((given, ctx) => {
    if (given === undefined) return false;
    const word = given.toLowerCase();
    return Object.hasOwn(BOOLEAN_WORDS, word)
      ? BOOLEAN_WORDS[word] === true
      : rejectParameter(ctx, 'Input should be a valid boolean, unable to interpret input', { type: 'bool_parsing' });
  })
  .meta({ type: 'boolean' });

/**
 * One of `words`, in any case. `instead` names the route that serves a word which is rejected here:
 * {arb: '/v2/arbitrage'}.
 */
export function choice<const Word extends string>(words: readonly Word[], instead: Record<string, string> = {}) {
  return z
    .string()
    .transform((given, ctx): Word => {
      const found = words.find((word) => word === given.toLowerCase());
      return found ?? rejectChoice(given, words, ctx, instead);
    })
    .meta({ type: 'string', enum: [...words] });
}

/**
 * A comma-separated list of `words`, in any case. Returns each once, in the order of `words`, so
 * that equal requests share a cache key.
 */
export function list<const Word extends string>(words: readonly Word[]) {
  return z
    .string()
    .transform((given, ctx): Word[] => {
      const items = given.split(',').map((item) => item.trim().toLowerCase());
      const unknown = items.find((item) => !words.some((word) => word === item));
      if (unknown !== undefined) return rejectChoice(unknown, words, ctx);
      return words.filter((word) => items.includes(word));
    })
    .meta({ type: 'array', items: { type: 'string', enum: [...words] } });
}

/** A comma-separated list of at most `max` texts of up to 200 characters, each once. */
export function texts(max: number) {
  return z
    .string()
    .transform((given, ctx): string[] => {
      const items = given.split(',').map((item) => item.trim());
      if (items.length > max) {
        return rejectParameter(ctx, `List should have at most ${max} items, not ${items.length}`, {
          type: 'too_long',
          ctx: { max_length: max, actual_length: items.length },
        });
      }
      for (const item of items) {
        if (item === '') {
          return rejectParameter(ctx, 'String should have at least 1 character', {
            type: 'string_too_short',
            ctx: { min_length: 1 },
          });
        }
        if (item.length > MAX_VALUE_CHARACTERS) {
          return rejectParameter(ctx, `String should have at most ${MAX_VALUE_CHARACTERS} characters`, {
            type: 'string_too_long',
            ctx: { max_length: MAX_VALUE_CHARACTERS },
          });
        }
      }
      return [...new Set(items)];
    })
    .meta({
      type: 'array',
      minItems: 1,
      maxItems: max,
      items: { type: 'string', minLength: 1, maxLength: MAX_VALUE_CHARACTERS },
    });
}

/** A comma-separated list of at most `max` market ids, as UUIDs, each once and sorted. */
export function marketIds(max: number) {
  return texts(max)
    .transform((items, ctx): string[] => {
      const ids = items.map((item) => parseMarketUuid(item));
      const wrong = items[ids.indexOf(undefined)];
      if (wrong !== undefined) {
        return rejectParameter(ctx, 'Input should be a valid UUID, bare or after mkt_', {
          type: 'uuid_parsing',
          input: wrong,
        });
      }
      return [...new Set(ids.filter((id) => id !== undefined))].sort();
    })
    .meta({ type: 'array', minItems: 1, maxItems: max, items: { type: 'string', pattern: MARKET_ID_PATTERN.source } });
}

function rejectChoice(
  given: string,
  words: readonly string[],
  ctx: IssueSink,
  instead: Record<string, string> = {},
): never {
  const wrong = given.toLowerCase();
  const use = Object.hasOwn(instead, wrong) ? instead[wrong] : undefined;
  const wanted = expected(words);
  const hint = use === undefined ? '' : `; '${given}' is served by ${use}`;
  return rejectParameter(ctx, `Input should be ${wanted}${hint}`, {
    type: 'enum',
    ctx: { expected: wanted, ...(use === undefined ? {} : { use }) },
    input: given.slice(0, MAX_VALUE_CHARACTERS),
  });
}

const HEX = '[0-9a-fA-F]';
const MARKET_ID_PATTERN = new RegExp(`^(?:mkt_)?(${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12})$`);

/** A market id in a path, with or without `mkt_`. */
export const marketId = z.string().regex(MARKET_ID_PATTERN);

/**
 * The UUID of `mkt_<uuid>` or `<uuid>`, lower case without prefix; undefined for any other text.
 */
export function parseMarketUuid(id: string): string | undefined {
  return MARKET_ID_PATTERN.exec(id)?.[1]?.toLowerCase();
}
