import type { Sql } from '../platform/postgres/template.ts';

/** Why a labelled event of both venues has no pair: the code of each venue's listing. */
export type Miss = { family: string; pair: string; reason: string };

/** `A|B`, the ids of a labelled event on both venues, as the scorer names it. */
const idsOf = (pair: string): { a: string; b: string } => {
  const [a = '', b = ''] = pair.split('|');
  return { a, b };
};

/**
 * Reads the reason of each missed event after a match pass: the code under which the pass rejected
 * the two, else the code of each listing (`a: no_counterpart, b: unknown_alias`). An event without
 * a question of the family has the code of its other question, or of the event itself.
 */
export async function reasonsOfMisses(sql: Sql, missed: readonly { family: string; pair: string }[]): Promise<Miss[]> {
  const misses: Miss[] = [];
  for (const { family, pair } of missed) {
    const { a, b } = idsOf(pair);
    const [rejected] = await sql<{ code: string }[]>`
      select r.code
      from catalog.rejections r
      join venue.questions a on a.question_id = r.question_a and a.event_id = ${a}
      join venue.questions b on b.question_id = r.question_b and b.event_id = ${b}
      order by a.family::text <> ${family}, r.code
      limit 1`;
    const reason =
      rejected?.code ?? `a: ${await codeOf(sql, 'venue_a', a, family)}, b: ${await codeOf(sql, 'venue_b', b, family)}`;
    misses.push({ family, pair, reason });
  }
  return misses;
}

/** Why one listing has no pair. `paired` where it has one, with another listing than the label. */
async function codeOf(sql: Sql, venue: 'venue_a' | 'venue_b', event: string, family: string): Promise<string> {
  const [row] = await sql<{ code: string }[]>`
    select code
    from (
      select u.reason as code, (u.family::text <> ${family})::integer as place
      from catalog.unpaired_questions u
      where u.venue = ${venue} and u.event_id = ${event}
      union all
      select 'paired', (q.family::text <> ${family})::integer
      from venue.questions q
      where q.venue = ${venue}
        and q.event_id = ${event}
        and not exists (select from catalog.unpaired_questions u where u.question_id = q.question_id)
      union all
      select u.code, 2
      from catalog.unread_events u
      where u.venue = ${venue} and u.event_id = ${event}
    ) found
    order by place, code
    limit 1`;
  return row?.code ?? 'unlisted';
}

/** Every code of a small world without a pair, in order: of rejections, questions and events. */
export async function codesOfWorld(sql: Sql): Promise<string[]> {
  const rows = await sql<{ code: string }[]>`
    select r.code from catalog.rejections r
    union
    select u.reason from catalog.unpaired_questions u
    union
    select u.code from catalog.unread_events u
    order by code`;
  return rows.map((row) => row.code);
}
