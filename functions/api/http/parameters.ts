import { z } from 'zod';
import { MAX_VALUE_CHARACTERS } from './query.ts';
import { type CustomIssue, expected } from './validation.ts';

// Query parameters are text. These are the kinds of text that there are; each refuses with pydantic's type name, and carries the JSON
// schema of what it takes (meta), which the API reference is made of.

/** The part of zod's context that the checks here use. */
type IssueSink = { addIssue(issue: { code: 'custom'; message: string; params: CustomIssue }): void };

/** Reports a fault in pydantic's words and gives zod the value that it wants back. */
export function rejectParameter(ctx: IssueSink, message: string, fault: CustomIssue): never {
  ctx.addIssue({ code: 'custom', message, params: fault });
  return z.NEVER;
}

/** Any text of at most 200 characters, as it is. */
export const text = z.string().max(MAX_VALUE_CHARACTERS);

/** An integer from `least` to `most`, with `otherwise` where it is absent. */
export function integer(least: number, most: number, otherwise: number) {
  return z
    .string()
    .optional()
    .transform((given, ctx) => {
      if (given === undefined) return otherwise;
      if (!/^[+-]?\d+$/.test(given)) {
        return rejectParameter(ctx, 'Input should be a valid integer, unable to parse string as an integer', {
          type: 'int_parsing',
        });
      }
      return bounded(Number(given), least, most, ctx);
    })
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** A decimal number of at least `least`, null where it is absent. */
export function decimal(least: number, most: number) {
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
      return bounded(Number(given), least, most, ctx);
    })
    .meta({ type: 'number', minimum: least, maximum: most });
}

function bounded(value: number, least: number, most: number, ctx: IssueSink): number {
  if (value < least) {
    return rejectParameter(ctx, `Input should be greater than or equal to ${least}`, {
      type: 'greater_than_equal',
      ctx: { ge: least },
    });
  }
  if (value > most) {
    return rejectParameter(ctx, `Input should be less than or equal to ${most}`, {
      type: 'less_than_equal',
      ctx: { le: most },
    });
  }
  return value;
}

const ISO_PATTERN = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
// The end of the year 9999: what comes after has five digits and no ISO 8601 form that everybody reads.
const MAX_INSTANT_MS = 253_402_300_799_999;

/** A point in time as epoch milliseconds, given so or in ISO 8601 (a day is its midnight in UTC; a time names its offset). */
export const instant = z.string().transform((given, ctx) => {
  if (/^\d{1,20}$/.test(given)) return bounded(Number(given), 0, MAX_INSTANT_MS, ctx);
  // A plus that was not encoded arrives as a space.
  const iso = given.replace(' ', '+');
  const day = ISO_PATTERN.test(iso) ? Date.parse(iso.slice(0, 10)) : Number.NaN;
  const at = Date.parse(iso);
  // 31 February is not 3 March.
  if (Number.isNaN(day) || Number.isNaN(at) || new Date(day).toISOString().slice(0, 10) !== iso.slice(0, 10)) {
    return rejectParameter(ctx, 'Input should be a valid datetime: epoch milliseconds or ISO 8601', {
      type: 'datetime_parsing',
      ctx: { error: 'epoch milliseconds or ISO 8601' },
    });
  }
  return bounded(at, 0, MAX_INSTANT_MS, ctx);
});

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

/** One of `words`, in any case. `instead` tells where a word that is refused on purpose is served: {arb: '/v2/arbitrage'}. */
export function choice<const Word extends string>(words: readonly Word[], instead: Record<string, string> = {}) {
  return z
    .string()
    .transform((given, ctx): Word => {
      const found = words.find((word) => word === given.toLowerCase());
      return found ?? rejectChoice(given, words, ctx, instead);
    })
    .meta({ type: 'string', enum: [...words] });
}

/** A comma-separated list of `words`, in any case, each once, in the order of `words`: equal questions look equal to the cache. */
export function list<const Word extends string>(words: readonly Word[]) {
  return z
    .string()
    .transform((given, ctx): Word[] => {
      const items = given.split(',').map((item) => item.trim().toLowerCase());
      const stranger = items.find((item) => !words.some((word) => word === item));
      if (stranger !== undefined) return rejectChoice(stranger, words, ctx);
      return words.filter((word) => items.includes(word));
    })
    .meta({ type: 'array', items: { type: 'string', enum: [...words] } });
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

/** An id as a path may hold it. */
export const marketId = z.string().regex(MARKET_ID_PATTERN);

/** The bare uuid, in lower case, of `mkt_<uuid>` or `<uuid>`; undefined where it is neither. */
export function parseMarketUuid(id: string): string | undefined {
  return MARKET_ID_PATTERN.exec(id)?.[1]?.toLowerCase();
}
