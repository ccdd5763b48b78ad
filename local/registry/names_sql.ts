import { join } from 'node:path';
import { BASE_LEAGUES, BASE_POOLS } from '../../functions/ingest/identity/names/registry.ts';
import type { Pool, Team } from '../../functions/ingest/identity/names/registry_build.ts';
import { normalize } from '../../functions/ingest/identity/text/text.ts';
import { repository } from '../platform/postgres/binaries.ts';

export const namesFile = join(repository, 'sql/31_catalog_registry_names.sql');

/** A line of the generated file: the SQL linter allows 120 columns. */
const WIDTH = 118;

/**
 * Characters of one function. `supabase db push` splits a file into statements in a time that grows
 * with the square of the longest one: 300 kB in one statement took 18 s.
 */
const PART = 12_000;

/**
 * The SQL file with every name of the registry: functions that return constants, because a
 * migration that compares schemas includes functions and no rows.
 */
export function namesSql(): string {
  const leagues = BASE_LEAGUES.map(({ id, sport, rematch, open, pool, pools_all }) => {
    const pools = [...new Set([pool.id, ...pools_all.map((one) => one.id)])];
    return `${JSON.stringify(id)}:${JSON.stringify([sport, rematch, open ?? '', ...pools])}`;
  });
  const participants = [...BASE_POOLS.values()].flatMap((pool) =>
    [...pool.teams.values()].map((team) => `${JSON.stringify(`${pool.id}/${team.id}`)}:[${namesOf(pool, team)}]`),
  );
  const leagueParts = partsOf('registry_leagues', leagues);
  const participantParts = partsOf('registry_participants', participants);
  return `-- Written by \`npm run registry\` from functions/ingest/identity/registry; do not edit.

${functionsOf(leagueParts, 'A part of the leagues: {id: [sport, rematch, open, pool, ...]}.')}
${functionsOf(participantParts, 'A part of the participants: {pool/team: [name or [name, normalized]]}.')}
create function catalog.registry_names() returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'leagues',
    ${leagueParts.map((part) => part.call).join('\n      || ')},
    'participants',
    ${participantParts.map((part) => part.call).join('\n      || ')}
  )
$$;
comment on function catalog.registry_names() is
  'The registry: {leagues: {id: [sport, rematch, open, pool, ...]}, participants: {pool/team: '
  '[name or [name, normalized]]}}.';
revoke all on function catalog.registry_names() from public;

select catalog.load_registry();
`;
}

/** `call`: the function that returns these entries, such as `catalog.registry_leagues_01()`. */
type Part = { call: string; entries: string[] };

/** Groups of entries with about `PART` characters each. */
function partsOf(name: string, entries: readonly string[]): Part[] {
  const groups: string[][] = [[]];
  let length = 0;
  for (const entry of entries) {
    if (length + entry.length > PART) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(entry);
    length += entry.length + 1;
  }
  return groups.map((group, index) => ({
    call: `catalog.${name}_${String(index + 1).padStart(2, '0')}()`,
    entries: group,
  }));
}

/** One function for each part, which returns its entries as one object. */
function functionsOf(parts: readonly Part[], comment: string): string {
  return parts
    .map(({ call, entries }) => {
      const text = `{\n${wrapped(entries)}\n}`.replaceAll("'", "''");
      return `create function ${call} returns jsonb
language sql immutable
set search_path = ''
as $$
  select '${text}'::jsonb
$$;
comment on function ${call} is
  '${comment}';
revoke all on function ${call} from public;
`;
    })
    .join('\n');
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
