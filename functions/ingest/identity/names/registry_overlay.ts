import { normalize } from '../text/text.ts';
import { add, type Competition, type League, type Pool, type PoolFile, type Team } from './registry_build.ts';

/** What an operator confirmed while the service runs, in the form of the registry. */

/** A confirmed row of catalog.aliases whose source is not `registry`. */
export type ConfirmedAlias = {
  /** Id of a competition. */
  league: string;
  name: string;
  /** `nameKey` of the name in its league. */
  normalized: string;
  /** `pool/team`. */
  participant: string;
};

/** A league that an operator confirmed. Its teams are a pool of their own. */
export type ConfirmedLeague = Pick<Competition, 'id' | 'name' | 'sport' | 'ways' | 'order'> &
  Partial<Pick<Competition, 'key' | 'open' | 'men' | 'named_only' | 'rematch' | 'season' | 'preseason' | 'words'>> & {
    venue_a: { game_series: string[]; names?: string[] };
    venue_b: { prefixes: string[] };
    /** Adds the series and the prefixes to this registered competition instead of a new one. */
    extends?: string;
    teams: (Omit<Team, 'codes'> & { codes?: Partial<Team['codes']> })[];
    /** Registered pools whose teams take part as well: the clubs of a new cup. */
    pools?: string[];
  };

/** A row that is not applied. `id`: the league, or the league and the name of an alias. */
export type Ignored = { id: string; code: string };

export type AliasIndex = {
  byLeague: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Pools in which a normalized name means a team. */
  poolsByKey: ReadonlyMap<string, ReadonlySet<string>>;
};

const WOMENS_MARK = /\s*(?:\((?:w|women)\)|\bwomen)\s*$/i;

export const withoutWomensMark = (name: string): string => name.replace(WOMENS_MARK, '');

/**
 * The form in which a name is compared in a league. "texas longhorns (w)", "Spain Women": in a
 * women's league the mark is no part of the name.
 */
export function nameKey(league: Pick<League, 'key'>, name: string): string {
  return normalize(league.key === 'women' ? withoutWomensMark(name) : name);
}

/** Indexes the rows that fit the registry. An alias never gives a team that does not exist. */
export function indexAliases(
  rows: readonly ConfirmedAlias[],
  competitions: ReadonlyMap<string, League>,
): { index: AliasIndex; ignored: Ignored[] } {
  const byLeague = new Map<string, Map<string, Set<string>>>();
  const poolsByKey = new Map<string, Set<string>>();
  const ignored: Ignored[] = [];
  for (const row of rows) {
    const league = competitions.get(row.league);
    const code = problemOfAlias(row, league);
    if (code !== null) {
      ignored.push({ id: `${row.league} ${row.name}`, code });
      continue;
    }
    const names = byLeague.get(row.league) ?? new Map<string, Set<string>>();
    byLeague.set(row.league, names);
    add(names, row.normalized, row.participant);
    add(poolsByKey, row.normalized, row.participant.split('/')[0] ?? '');
  }
  return { index: { byLeague, poolsByKey }, ignored };
}

function problemOfAlias(row: ConfirmedAlias, league: League | undefined): string | null {
  if (league === undefined) return 'alias.unknown_league';
  // `normalize` may have changed since the row was written, and with it what the database compared.
  if (row.normalized === '' || row.normalized !== nameKey(league, row.name)) return 'alias.other_form';
  const [poolId = '', team = '', ...more] = row.participant.split('/');
  if (team === '' || more.length > 0) return 'alias.unknown_participant';
  // A participant that an operator added to a league: a promoted club.
  if (poolId === poolOfLeague(row.league)) return null;
  const pool = [league.pool, ...league.pools_all].find(({ id }) => id === poolId);
  if (pool === undefined) return 'alias.unknown_participant';
  return pool.teams.has(team) || league.open !== undefined ? null : 'alias.unknown_participant';
}

type Registered = {
  competitions: ReadonlyMap<string, League>;
  pools: ReadonlyMap<string, Pool>;
  bySeries: ReadonlyMap<string, League>;
  byPrefix: ReadonlyMap<string, readonly League[]>;
};

/** Why a confirmed league cannot be added to these. Null when it can. */
export function problemOfLeague(league: ConfirmedLeague, registered: Registered): string | null {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(league.id)) return 'league.invalid_id';
  if (registered.competitions.has(league.id)) return 'league.registered';
  if (league.extends !== undefined && !registered.competitions.has(league.extends)) return 'league.unknown';
  if (registered.pools.has(poolOfLeague(league.id))) return 'league.pool_taken';
  if (league.venue_a.game_series.some((series) => registered.bySeries.has(series))) return 'league.series_taken';
  if (league.venue_b.prefixes.some((prefix) => registered.byPrefix.has(prefix))) return 'league.prefix_taken';
  if ((league.pools ?? []).some((pool) => !registered.pools.has(pool))) return 'league.unknown_pool';
  return null;
}

/** The pool of the teams of a confirmed league: participants are `confirmed_<league>/<team>`. */
export const poolOfLeague = (id: string): string => `confirmed_${id}`;

/** A confirmed league as a file of the registry. */
export function fileOfLeague(league: ConfirmedLeague): Pick<PoolFile, 'pool' | 'groups' | 'teams' | 'competitions'> {
  const { teams, pools, ...fields } = league;
  const pool = poolOfLeague(league.id);
  const competition: Competition = {
    ...fields,
    // Without a statement the same teams may meet twice a day, which is the strictest reading.
    rematch: league.rematch ?? 'same_day',
    season: league.season ?? 'calendar',
    preseason: league.preseason ?? null,
    words: league.words ?? [],
    venue_a: { game_series: league.venue_a.game_series, names: league.venue_a.names ?? [] },
    venue_b: { prefixes: league.venue_b.prefixes },
    pools: [pool, ...(pools ?? [])],
  };
  const complete = teams.map((team) => ({
    ...team,
    codes: { venue_a: team.codes?.venue_a ?? [], venue_b: team.codes?.venue_b ?? [] },
  }));
  return { pool, groups: {}, teams: complete, competitions: [competition] };
}
