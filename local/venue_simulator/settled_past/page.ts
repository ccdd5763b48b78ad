import { cursorOf, type Place } from './place.ts';
import type { SettledPast, Span } from './settled_past.ts';
import type { SettledQuestion } from './settled_question.ts';

export type Page<Row> = { rows: readonly Row[]; cursor: string };

/**
 * Up to `limit` rows of the past after a place. `rowsOf` selects the rows of one question. The
 * cursor is empty after the last page.
 */
export async function pageOf<Row>(
  past: SettledPast,
  span: Span,
  after: Place,
  limit: number,
  rowsOf: (settled: SettledQuestion) => readonly Row[],
): Promise<Page<Row>> {
  const rows: Row[] = [];
  let last = after;
  if (limit <= 0) return { rows, cursor: cursorOf(after) };
  for await (const { day, strand, questions } of past.days(span, after.until, after)) {
    const here = day === after.day && strand === after.strand;
    for (const [question, settled] of questions.entries()) {
      if (here && question < after.question) continue;
      for (const [market, row] of rowsOf(settled).entries()) {
        if (here && question === after.question && market <= after.market) continue;
        rows.push(row);
        last = { until: after.until, day, strand, question, market };
        if (rows.length === limit) return { rows, cursor: cursorOf(last) };
      }
    }
  }
  return { rows, cursor: '' };
}
