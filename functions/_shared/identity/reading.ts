import type { Json, Question, SetAside } from '../listing.ts';
import type { Context, Reading } from './question.ts';
import { record, text, type Wire } from './text/wire.ts';

export type Parser = (event: Wire, context: Context) => Question[];

/**
 * Asks each family's parser in turn. A parser that fails sets the event aside for its family and the rest goes on: no listing may
 * stop another.
 */
export function readEvent(
  event: unknown,
  context: Context,
  idField: 'event_ticker' | 'slug',
  parsers: { [family: string]: Parser },
): Reading {
  const wire = record(event);
  const native = text(wire[idField]);
  const questions: Question[] = [];
  const set_aside: SetAside[] = [];
  if (native === null) {
    return {
      questions,
      set_aside: [
        {
          kind: 'event',
          native_id: '?',
          code: 'identity.no_id',
          detail: `an event without ${idField}`,
          payload: wire as Json,
        },
      ],
    };
  }
  for (const [family, parse] of Object.entries(parsers)) {
    try {
      for (const question of parse(wire, context)) {
        if (isSound(question)) questions.push(question);
        else set_aside.push(unsound(native, family, question));
      }
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      set_aside.push({ kind: 'question', native_id: native, code: `identity.${family}_failed`, detail, payload: null });
    }
  }
  return { questions, set_aside };
}

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Dates and numbers as the database takes them: one that is none would cost the whole page it came with. */
function isSound({ on_date, start_at, close_at, line, game_no }: Question): boolean {
  return (
    (on_date === null || (DAY.test(on_date) && !Number.isNaN(Date.parse(on_date)))) &&
    [start_at, close_at].every((at) => at === null || INSTANT.test(at)) &&
    (line === null || Number.isFinite(line)) &&
    (game_no === null || (Number.isInteger(game_no) && game_no > 0 && game_no < 100))
  );
}

function unsound(native: string, family: string, question: Question): SetAside {
  const { on_date, start_at, close_at, line, game_no } = question;
  return {
    kind: 'question',
    native_id: native,
    code: 'identity.bad_value',
    detail: `a ${family} with a date, time or number that is none`,
    payload: { on_date, start_at, close_at, line: line === null ? null : String(line), game_no },
  };
}
