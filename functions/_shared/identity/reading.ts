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
      questions.push(...parse(wire, context));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      set_aside.push({ kind: 'question', native_id: native, code: `identity.${family}_failed`, detail, payload: null });
    }
  }
  return { questions, set_aside };
}
