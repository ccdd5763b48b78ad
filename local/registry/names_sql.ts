import { join } from 'node:path';
import { BASE_LEAGUES, BASE_POOLS } from '../../functions/ingest/identity/names/registry.ts';
import type { Pool, Team } from '../../functions/ingest/identity/names/registry_build.ts';
import { normalize } from '../../functions/ingest/identity/text/text.ts';
import { repository } from '../platform/postgres/binaries.ts';

export const namesFile = join(repository, 'sql/31_catalog_registry_names.sql');

/** A line of the generated file: the SQL linter allows 120 columns. */
const WIDTH = 118;

/**
 * The SQL file with every name of the registry. It is a function that returns a constant, because
 * a migration that compares schemas includes functions and no rows.
 */
export function namesSql(): string {
  const leagues = BASE_LEAGUES.map(({ id, sport, rematch, open, pool, pools_all }) => {
    const pools = [...new Set([pool.id, ...pools_all.map((one) => one.id)])];
    return `${JSON.stringify(id)}:${JSON.stringify([sport, rematch, open ?? '', ...pools])}`;
  });
  const participants = [...BASE_POOLS.values()].flatMap((pool) =>
    [...pool.teams.values()].map((team) => `${JSON.stringify(`${pool.id}/${team.id}`)}:[${namesOf(pool, team)}]`),
  );
  const text = `{"leagues":{\n${wrapped(leagues)}\n},"participants":{\n${wrapped(participants)}\n}}`;
  return `-- Written by \`npm run registry\` from functions/ingest/identity/registry; do not edit.

create function catalog.registry_names() returns jsonb
language sql immutable
set search_path = ''
as $$
  select '${text.replaceAll("'", "''")}'::jsonb
$$;
comment on function catalog.registry_names() is
  'The registry: {leagues: {id: [sport, rematch, open, pool, ...]}, participants: {pool/team: '
  '[name or [name, normalized]]}}.';
revoke all on function catalog.registry_names() from public;

select catalog.load_registry();
`;
}

/** Each name under which the registry finds the team. A printed name goes before a made one. */
function namesOf(pool: Pool, team: Team): string {
  const nicks = team.nicks ?? [];
  const names = [team.name, ...(team.names ?? [])];
  const printed = [
    ...names,
    ...nicks,
    ...nicks.flatMap((nick) => names.map((name) => `${name} ${nick}`)),
    ...nicks.flatMap((nick) => [...team.codes.venue_a, ...team.codes.venue_b].map((code) => `${code} ${nick}`)),
    // Names without affixes such as "fc" mean the club as well.
    ...[...pool.byShort].flatMap(([short, ids]) => (ids.has(team.id) ? [short] : [])),
  ];
  const byForm = new Map<string, string>();
  for (const name of printed) if (!byForm.has(normalize(name))) byForm.set(normalize(name), name);
  return [...byForm].map(([form, name]) => JSON.stringify(form === name.toLowerCase() ? name : [name, form])).join(',');
}

/** Entries separated by commas, in lines of the allowed width. A line may end at any comma. */
function wrapped(entries: readonly string[]): string {
  const lines: string[] = [];
  for (const entry of entries) {
    let line = '';
    for (const part of `${entry},`.split(/(?<=[^"],|",)(?=["[])/)) {
      if (line !== '' && line.length + part.length > WIDTH) {
        lines.push(line);
        line = '';
      }
      line += part;
    }
    lines.push(line);
  }
  return lines.join('\n').replace(/,$/, '');
}
