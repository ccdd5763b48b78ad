import type { VenueCode } from '../../listing.ts';
import { remembered } from '../text/remembered.ts';
import { isPlaceholder, normalize, slugOf } from '../text/text.ts';
import { fullNameKey, playerKey } from './person.ts';
import { POOL_SETS, TEAM_POOLS } from './registry_pools.ts';

/**
 * The closed registry of names. A name that is not in it is unknown, and an unknown name is never
 * guessed. To add a league, add a JSON file with its sources and run `npm run registry`.
 */

export type Team = {
  id: string;
  name: string;
  names?: string[];
  nicks?: string[];
  codes: { venue_a: string[]; venue_b: string[] };
};

export type Competition = {
  id: string;
  name: string;
  sport: string;
  /** Outcomes of a game: 2, or 3 when the draw is an outcome. */
  ways: number;
  /** The order in which both venues list the teams of a game. `listed`: neither team is at home. */
  order: 'away_first' | 'home_first' | 'listed';
  /**
   * The name in keys, where one venue divides a competition that the other does not (`atp` for the
   * tour and its Challengers). Without it the id is used.
   */
  key?: string;
  /**
   * Participants that need not be in the registry: a `person` by family name, a `team` by exactly
   * the name that both venues print. `full_name` is set for a match of two persons with one family
   * name.
   */
  open?: 'person' | 'full_name' | 'team';
  /**
   * Set for a game that the registry does not decide (game/unconfirmed.ts). Its questions stay
   * excluded, so other listings of the same text are compared as evidence and not refused.
   */
  unconfirmed?: boolean;
  /**
   * A pattern for normalized text that selects this competition where several share a slug prefix.
   */
  text_pattern?: string;
  /** A minor competition of the teams of another one. It is never inferred from teams alone. */
  named_only?: boolean;
  /** Its bare names mean men's teams. A text about women is about other teams. */
  men?: boolean;
  /**
   * How soon the same two teams may meet again. With `next_day`, a date that differs by one day is
   * no evidence of the same game. With `same_day`, an equal date with another hour is none either.
   */
  rematch: 'same_day' | 'next_day' | 'later';
  /** `crossing`: a season that spans two years is named by the year in which it is decided. */
  season: 'calendar' | 'crossing';
  /** Dates (month-day) between which games are preseason unless the listing states otherwise. */
  preseason: string[] | null;
  venue_a: { game_series: string[]; names: string[] };
  venue_b: { prefixes: string[] };
  /** Names in texts of either venue, normalized. */
  words: string[];
  /** Pools whose teams may take part. Without it, its own pool. */
  pools?: string[];
};

type PoolFile = {
  pool: string;
  source: string[];
  club_affixes?: boolean;
  competitions: Competition[];
  groups: { [group: string]: string[] };
  teams: Team[];
};

const FILES: readonly PoolFile[] = [
  ...(TEAM_POOLS as unknown as PoolFile[]),
  ...(POOL_SETS as unknown as { pools: PoolFile[] }[]).flatMap((set) => set.pools),
];

/** Parts of club names that do not identify the club. */
const AFFIX = new Set(
  'fc cf afc sc ac cfc acf ssc ss as us uc rc rcd ud cd ca sd ad sv vfb vfl tsg fsv bc bv bsc kv sk fk nk gnk aj ogc losc calcio club de futbol balompie if bk ff il ec se cr fbc gd hnk mfk ks saudi'.split(
    ' ',
  ),
);

export const isClubAffix = (word: string): boolean => AFFIX.has(word);

/** "1 fc union berlin" and "union berlin" are one club. A name of affixes only is kept. */
function withoutAffixes(name: string): string {
  const kept = name.split(' ').filter((word) => !AFFIX.has(word) && !/^\d+$/.test(word));
  return kept.length === 0 ? name : kept.join(' ');
}

export type Pool = {
  id: string;
  groups: { [group: string]: string[] };
  teams: ReadonlyMap<string, Team>;
  byName: ReadonlyMap<string, ReadonlySet<string>>;
  /** Club names without their affixes. Empty in pools of other teams. */
  byShort: ReadonlyMap<string, ReadonlySet<string>>;
  byCode: Record<VenueCode, ReadonlyMap<string, ReadonlySet<string>>>;
};

function add(map: Map<string, Set<string>>, key: string, id: string): void {
  const set = map.get(key);
  if (set) set.add(id);
  else map.set(key, new Set([id]));
}

/**
 * Indexes club names without their affixes. The index is used only when no team of the league has
 * the exact name.
 */
function shortNames(teams: readonly Team[]): ReadonlyMap<string, ReadonlySet<string>> {
  const short = new Map<string, Set<string>>();
  for (const team of teams) {
    for (const name of [team.name, ...(team.names ?? [])]) add(short, withoutAffixes(normalize(name)), team.id);
  }
  return short;
}

function buildPool(file: PoolFile): Pool {
  const byName = new Map<string, Set<string>>();
  const byCode = { venue_a: new Map<string, Set<string>>(), venue_b: new Map<string, Set<string>>() };
  const teams = new Map<string, Team>();
  for (const team of file.teams) {
    teams.set(team.id, team);
    const nicks = team.nicks ?? [];
    const names = [team.name, ...(team.names ?? [])];
    for (const name of [...names, ...nicks]) add(byName, normalize(name), team.id);
    // "Arizona Wildcats": name and nickname of a school. Many schools share a name or a nickname.
    for (const nick of nicks) for (const name of names) add(byName, normalize(`${name} ${nick}`), team.id);
    for (const venue of ['venue_a', 'venue_b'] as const) {
      for (const code of team.codes[venue]) {
        add(byCode[venue], code.toLowerCase(), team.id);
        // "bos bruins", "CHI Blackhawks": code and nickname together.
        for (const nick of nicks) add(byName, normalize(`${code} ${nick}`), team.id);
      }
    }
  }
  const byShort = file.club_affixes ? shortNames(file.teams) : new Map();
  return { id: file.pool, groups: file.groups, teams, byName, byShort, byCode };
}

export const POOLS: ReadonlyMap<string, Pool> = new Map(FILES.map((file) => [file.pool, buildPool(file)]));

export type League = Competition & { pool: Pool; pools_all: readonly Pool[] };

const LEAGUES: readonly League[] = FILES.flatMap((file) =>
  file.competitions.map((competition) => {
    const ids = competition.pools ?? [file.pool];
    const all = ids.map((id) => POOLS.get(id)).filter((one): one is Pool => one !== undefined);
    const own = POOLS.get(file.pool) as Pool;
    return { ...competition, pool: own, pools_all: all };
  }),
);

export const COMPETITIONS: ReadonlyMap<string, League> = new Map(LEAGUES.map((league) => [league.id, league]));
/** All ids, for the check that no two competitions share one: the second would hide the first. */
export const COMPETITION_IDS: readonly string[] = LEAGUES.map((league) => league.id);
const bySeries = new Map(
  LEAGUES.flatMap((league) => league.venue_a.game_series.map((series) => [series, league] as const)),
);
const byPrefix = new Map<string, League[]>();
for (const league of LEAGUES) {
  for (const prefix of league.venue_b.prefixes) byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), league]);
}

export const leagueOfSeries = (series: string): League | null => bySeries.get(series) ?? null;

/**
 * Returns the competition of a slug prefix. Where several share it ("itf"), returns the only one
 * that the words of the listing match.
 */
export function leagueOfPrefix(prefix: string, words = ''): League | null {
  const all = byPrefix.get(prefix) ?? [];
  const normalized = normalize(words);
  const matching =
    all.length < 2 ? all : all.filter(({ text_pattern }) => text_pattern && new RegExp(text_pattern).test(normalized));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}

/** `england/arsenal`: one id for a club in all its competitions. */
export type TeamId = string;

export function teamOf(id: TeamId): Team | null {
  const [pool = '', team = ''] = id.split('/');
  return POOLS.get(pool)?.teams.get(team) ?? null;
}

const WOMENS_MARK = /\s*(?:\((?:w|women)\)|\bwomen)\s*$/i;

/** The answers of `findRegistered` for each league. */
const registeredOf = new WeakMap<League, (name: string) => ReadonlySet<TeamId>>();

/**
 * Returns every registered team that a text may mean in this league. Affixes are removed only when
 * no team has the exact name. Texts of rules have the same words again and again, so it remembers.
 */
export function registeredByName(league: League, name: string): ReadonlySet<TeamId> {
  let find = registeredOf.get(league);
  if (find === undefined) {
    find = remembered(
      (one) => findRegistered(league, one),
      (found) => String([...found]).length,
    );
    registeredOf.set(league, find);
  }
  return find(name);
}

function findRegistered(league: League, name: string): ReadonlySet<TeamId> {
  // "texas longhorns (w)", "Spain Women": in a women's league the mark is no part of the name.
  const key = normalize(league.key === 'women' ? name.replace(WOMENS_MARK, '') : name);
  const outright = inPools(league, (pool) => pool.byName.get(key));
  if (outright.size > 0) return outright;
  const short = withoutAffixes(key);
  return inPools(league, (pool) => pool.byShort.get(short));
}

/**
 * Returns every team of the league that a text may mean, including an unregistered one where the
 * league is open. Empty when it means none.
 */
export function teamsByName(league: League, name: string): Set<TeamId> {
  const found = new Set(registeredByName(league, name));
  const other = found.size === 0 ? unregisteredKey(league, name) : null;
  if (other !== null) found.add(`${league.pool.id}/${other}`);
  return found;
}

function inPools(league: League, lookup: (pool: Pool) => ReadonlySet<string> | undefined): Set<TeamId> {
  return new Set(league.pools_all.flatMap((pool) => [...(lookup(pool) ?? [])].map((id) => `${pool.id}/${id}`)));
}

/**
 * Returns the key of a participant that is not in the registry, where the competition allows it. A
 * code or a part of a team name never gives one.
 */
function unregisteredKey(league: League, name: string): string | null {
  if (league.open === undefined || name.length > 80) return null;
  if (league.open === 'team' ? NO_TEAM.test(normalize(name)) : isPlaceholder(name)) return null;
  if (league.open === 'person') return playerKey(name);
  if (league.open === 'full_name') return fullNameKey(name);
  const key = slugOf(name.replace(/\be[- ]sports?\b/gi, 'esports'));
  return key === '' ? null : `${AS_PRINTED}${key}`;
}

/** Placeholders of a bracket, not teams: "Team A", "TBD", "Winner of Match 3". */
const NO_TEAM =
  /^(?:team [a-z0-9]|tbd|to be (?:determined|announced)|(?:winner|loser) of .*|other|yes|no|over|under|draw|tie)$/;

/** Marks a team that is not in the registry. Both venues print the same full name. */
export const AS_PRINTED = 'as:';

/** Returns the pools in which a name means a team. A cheap check before every league is tried. */
export function poolsWithTeam(name: string): Set<Pool> {
  const keys = [normalize(name), normalize(name.replace(WOMENS_MARK, ''))];
  const known = (pool: Pool) => keys.some((key) => pool.byName.has(key) || pool.byShort.has(withoutAffixes(key)));
  return new Set([...POOLS.values()].filter(known));
}

/**
 * Returns every team of the league that a code of the venue may mean. Digits after a venue_b code
 * ("atm1") are ignored unless the code with them is registered.
 */
export function teamsByCode(league: League, venue: VenueCode, code: string): Set<TeamId> {
  const found = new Set<TeamId>();
  const lower = code.toLowerCase();
  for (const pool of league.pools_all) {
    const codes = pool.byCode[venue];
    const ids = codes.get(lower) ?? (venue === 'venue_b' ? codes.get(lower.replace(/\d+$/, '')) : undefined);
    for (const id of ids ?? []) found.add(`${pool.id}/${id}`);
  }
  return found;
}

/**
 * Whether another league holds this text as a full team name. Then the name contradicts this
 * league, and is not just unknown.
 */
export function isKnownInOtherPool(league: League, name: string): boolean {
  const key = normalize(name);
  for (const pool of POOLS.values()) {
    if (league.pools_all.includes(pool)) continue;
    for (const id of pool.byName.get(key) ?? []) {
      if (normalize(pool.teams.get(id)?.name ?? '') === key) return true;
    }
  }
  return false;
}

/**
 * Returns all team ids of a group or of the league. Null when the registry does not hold the whole
 * field.
 */
export function fieldOfCompetition(league: League, field: string | null): Set<TeamId> | null {
  if (field === null) return null;
  const ids = field === 'all' ? [...league.pool.teams.keys()] : league.pool.groups[field];
  return ids ? new Set(ids.map((id) => `${league.pool.id}/${id}`)) : null;
}
