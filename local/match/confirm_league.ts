import { applyLeagues, BASE_LEAGUES, type ConfirmedLeague } from '../../functions/ingest/identity/names/registry.ts';
import type { Sql } from '../platform/postgres/template.ts';

/**
 * What an operator does once after a match pass: confirms the subject of the review queue that has
 * most games of a competition which the registry does not hold. The parsers know the league then,
 * until `applyLeagues` replaces it.
 */
export async function confirmLeague(sql: Sql, competition: string): Promise<void> {
  const league = BASE_LEAGUES.find(({ id }) => id === competition);
  if (league === undefined) throw new Error(`the registry does not hold ${competition}`);
  const [subject] = await sql<{ subject: string; digest: string }[]>`
    select s.subject, catalog.review_entry(s.subject) ->> 'digest' as digest
    from catalog.review_subjects() s
    where s.kind = 'league'
      and (
        split_part(s.subject, ':', 2) = any (${league.venue_a.game_series as string[]})
        or split_part(s.subject, ':', 3) = any (${league.venue_b.prefixes as string[]})
      )
    order by s.pairs desc, s.subject
    limit 1`;
  if (subject === undefined) return;
  const changes = { name: `${league.name} again`, sport: league.sport };
  const [answer] = await sql<{ code: string | null }[]>`
    select catalog.decide_review(${subject.subject}, 'confirm', ${subject.digest}, 'evaluation', ${sql.json(changes)})
             ->> 'code' as code`;
  if (answer?.code) console.error(`${competition}: ${subject.subject} is refused: ${answer.code}`);
  const rows = await sql<{ version: number; definition: ConfirmedLeague }[]>`
    select c.version::float8 as version, c.definition from catalog.league_changes(0) c where c.state = 'confirmed'`;
  applyLeagues(
    nextVersion++,
    rows.map(({ definition }) => definition),
  );
}

/** Each world has its own database and counts versions again, so they are no version here. */
let nextVersion = 1;
