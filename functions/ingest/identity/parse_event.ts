import { MAX_TEXT_CHARS } from '../feeds/clean.ts';
import type { Json, Question, RejectedRow } from '../listing.ts';
import type { Context, QuestionResult } from './question.ts';
import { withDeathClause } from './terms/contract_texts.ts';
import { type RawObject, record, records, text } from './text/raw_object.ts';

export type Parser = (event: RawObject, context: Context) => Question[];

/**
 * Runs the parser of each family, and the fallbacks when no family parses the event. A parser that
 * fails adds a rejected row for its family and the others continue, so that one listing cannot stop
 * another.
 */
export function parseEvent(
  event: unknown,
  context: Context,
  idField: 'event_ticker' | 'slug',
  parsers: { [family: string]: Parser },
  fallbacks: { [family: string]: Parser } = {},
): QuestionResult {
  const raw = record(event);
  const nativeId = text(raw[idField]);
  const questions: Question[] = [];
  const rejected: RejectedRow[] = [];
  if (nativeId === null) {
    return {
      questions,
      rejected: [
        {
          kind: 'event',
          native_id: '?',
          code: 'identity.no_id',
          detail: `the event has no ${idField}`,
          payload: raw as Json,
        },
      ],
    };
  }
  const tooLong = describeOverlongText(raw) ?? describeOverlongText(record(context.series));
  if (tooLong !== null) {
    const detail = `${tooLong}, so the event is not parsed`;
    rejected.push({ kind: 'question', native_id: nativeId, code: 'identity.text_too_long', detail, payload: null });
    return { questions, rejected };
  }
  const run = ([family, parse]: [string, Parser]) => {
    try {
      for (const parsed of parse(raw, context)) {
        const question = withDeathClause(parsed, raw);
        if (isStorable(question)) questions.push(question);
        else rejected.push(rejectQuestion(nativeId, family, question));
      }
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      rejected.push({
        kind: 'question',
        native_id: nativeId,
        code: `identity.${family}_failed`,
        detail,
        payload: null,
      });
    }
  };
  Object.entries(parsers).forEach(run);
  if (questions.length === 0 && rejected.length === 0) Object.entries(fallbacks).forEach(run);
  return { questions, rejected };
}

/**
 * Limits of characters. In the recorded listings the longest name has 235 characters, the longest
 * text of a contract about 4,000, and the largest event a hundred markets. The adapter cuts a text
 * to MAX_TEXT_CHARS. The families read its first 12,000 characters.
 */
const MAX_NAME_LENGTH = 1_000;
const MAX_TEXT_LENGTH = MAX_TEXT_CHARS;
const MAX_EVENT_LENGTH = 1_000_000;
const TEXT_FIELDS = new Set(['rules_primary', 'rules_secondary', 'description', 'important_info']);
const NAME_FIELDS = new Set([
  ...[
    'title',
    'sub_title',
    'yes_sub_title',
    'no_sub_title',
    'question',
    'groupItemTitle',
    'slug',
    'ticker',
    'event_ticker',
  ],
  ...[
    'series_ticker',
    'outcomes',
    'clobTokenIds',
    'positionIds',
    'conditionId',
    'strike_type',
    'sportsMarketType',
    'resolutionSource',
  ],
  ...['teams', 'tags', 'series', 'settlement_sources', 'product_metadata'],
]);

/**
 * Returns which text of an event or of its markets is too long to parse, or null. A text that all
 * markets share counts once. This bounds the parsing time, together with the patterns of the
 * families: each of them passes over a text a bounded number of times.
 */
function describeOverlongText(raw: RawObject): string | null {
  let all = 0;
  const counted = new Set<string>();
  for (const holder of [raw, ...records(raw.markets)]) {
    for (const [field, value] of Object.entries(withoutNotice(holder))) {
      const limit = TEXT_FIELDS.has(field) ? MAX_TEXT_LENGTH : NAME_FIELDS.has(field) ? MAX_NAME_LENGTH : null;
      if (limit === null || (typeof value === 'string' && counted.has(value))) continue;
      if (typeof value === 'string' && value.length > MAX_NAME_LENGTH) counted.add(value);
      for (const length of textLengths(value)) {
        if (length > limit) return `${field} has more than ${limit} characters`;
        all += length;
      }
    }
  }
  return all > MAX_EVENT_LENGTH ? `all texts together have more than ${MAX_EVENT_LENGTH} characters` : null;
}

/** Moves venue_a's notice out of `product_metadata`: a text, recorded with 1,985 characters. */
function withoutNotice(holder: RawObject): RawObject {
  const { important_info, ...names } = record(holder.product_metadata);
  return important_info === undefined ? holder : { ...holder, product_metadata: names, important_info };
}

function textLengths(value: Json): number[] {
  if (typeof value === 'string') return [value.length];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textLengths) : [];
}

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Whether the database accepts the dates, numbers and outcomes of a question. An invalid value or a
 * repeated outcome would reject the whole event.
 */
function isStorable({ on_date, start_at, close_at, line, game_no, legs }: Question): boolean {
  return (
    (on_date === null || (DAY.test(on_date) && !Number.isNaN(Date.parse(on_date)))) &&
    [start_at, close_at].every((at) => at === null || INSTANT.test(at)) &&
    (line === null || Number.isFinite(line)) &&
    new Set(legs.map((leg) => leg.outcome_key)).size === legs.length &&
    (game_no === null || (Number.isInteger(game_no) && game_no > 0 && game_no < 100))
  );
}

function rejectQuestion(nativeId: string, family: string, question: Question): RejectedRow {
  const { on_date, start_at, close_at, line, game_no } = question;
  return {
    kind: 'question',
    native_id: nativeId,
    code: 'identity.bad_value',
    detail: `a question of ${family} has an invalid date, time or number, or a repeated outcome`,
    payload: { on_date, start_at, close_at, line: line === null ? null : String(line), game_no },
  };
}
