import type { VenueCode } from '../../listing.ts';
import { remembered } from '../text/remembered.ts';
import { isPlaceholder, normalize, slugOf } from '../text/text.ts';
import { fullNameKey, playerKey } from './person.ts';
import { buildPool, FILES, type League, leaguesOf, type Pool, type Team, withoutAffixes } from './registry_build.ts';
import {
  type AliasIndex,
  type ConfirmedAlias,
  type ConfirmedLeague,
  fileOfLeague,
  type Ignored,
  indexAliases,
  nameKey,
  problemOfLeague,
  withoutWomensMark,
} from './registry_overlay.ts';

export type { Competition, League, Pool, Team } from './registry_build.ts';
export type { ConfirmedAlias, ConfirmedLeague, Ignored } from './registry_overlay.ts';

/**
 * The closed registry of names. A name that is not in it is unknown, and an unknown name is never
 * guessed. To add a league, add a JSON file with its sources and run `npm run registry`.
 *
 * The registry is the JSON files and two overlays: the aliases and the leagues that an operator
 * confirmed. Each overlay has a version, and the same version is applied once.
 */

/** The pools and leagues of the files, without overlays. */
export const BASE_POOLS: ReadonlyMap<string, Pool> = new Map(FILES.map((file) => [file.pool, buildPool(file)]));
export const BASE_LEAGUES: readonly League[] = FILES.flatMap((file) => leaguesOf(file, BASE_POOLS));

/** All ids, for the check that no two competitions share one: the second would hide the first. */
export const COMPETITION_IDS: readonly string[] = BASE_LEAGUES.map((league) => league.id);

const pools = new Map<string, Pool>();
const competitions = new Map<string, League>();
/** The pools and competitions of now. The maps stay, and their content follows the overlays. */
export const POOLS: ReadonlyMap<string, Pool> = pools;
export const COMPETITIONS: ReadonlyMap<string, League> = competitions;

const bySeries = new Map<string, League>();
const byPrefix = new Map<string, League[]>();
/** Grows whenever competitions come or go. */
let revision = 0;

const overlay = {
  aliases: { version: 0, rows: [] as readonly ConfirmedAlias[], ignored: [] as readonly Ignored[] },
  leagues: { version: 0, rows: [] as readonly ConfirmedLeague[], ignored: [] as readonly Ignored[] },
  without: new Set<string>() as ReadonlySet<string>,
};
let aliases: AliasIndex = { byLeague: new Map(), poolsByKey: new Map() };

/** The answers of `findRegistered` for each league. Replaced when an overlay changes. */
let registeredOf = new WeakMap<League, (name: string) => ReadonlySet<TeamId>>();

rebuild();

/** Which overlays are applied. 0: none. */
export function registryVersion(): { aliases: number; leagues: number } {
  return { aliases: overlay.aliases.version, leagues: overlay.leagues.version };
}

/**
 * Returns a getter of an index over COMPETITIONS. The index is built at its first use, and again at
 * the first use after competitions came or went.
 */
export function registryIndex<T>(build: () => T): () => T {
  let built: { revision: number; index: T } | undefined;
  return () => {
    if (built?.revision !== revision) built = { revision, index: build() };
    return built.index;
  };
}

/**
 * Replaces the overlay of aliases by these rows: all that are confirmed. A row that does not fit
 * the registry is ignored, with a code. Where a row and the registry name two teams, the name is
 * ambiguous, as for two teams of the registry.
 */
export function applyAliases(version: number, rows: readonly ConfirmedAlias[]): { ignored: readonly Ignored[] } {
  if (version !== overlay.aliases.version) {
    overlay.aliases = { version, rows: [...rows], ignored: [] };
    reindexAliases();
  }
  return { ignored: overlay.aliases.ignored };
}

/**
 * Replaces the overlay of leagues by these: all that an operator confirmed. A league that claims
 * an id, a series or a prefix of another one is ignored, with a code.
 */
export function applyLeagues(version: number, leagues: readonly ConfirmedLeague[]): { ignored: readonly Ignored[] } {
  if (version !== overlay.leagues.version) {
    overlay.leagues = { version, rows: [...leagues], ignored: [] };
    rebuild();
  }
  return { ignored: overlay.leagues.ignored };
}

/**
 * For evaluation only: behaves as if these competitions were not registered, with their series,
 * prefixes, words, and the pools that no other competition uses. Replaces the ids of an earlier
 * call. Returns a function that restores the registry.
 */
export function withoutCompetitions(ids: Iterable<string>): () => void {
  overlay.without = new Set(ids);
  rebuild();
  return () => {
    overlay.without = new Set();
    rebuild();
  };
}

function rebuild(): void {
  pools.clear();
  competitions.clear();
  bySeries.clear();
  byPrefix.clear();
  const kept = BASE_LEAGUES.filter(({ id }) => !overlay.without.has(id));
  const poolsOf = (leagues: readonly League[]) =>
    new Set(leagues.flatMap((league) => [league.pool.id, ...league.pools_all.map((pool) => pool.id)]));
  const used = poolsOf(kept);
  const removed = poolsOf(BASE_LEAGUES.filter(({ id }) => overlay.without.has(id)));
  for (const [id, pool] of BASE_POOLS) if (used.has(id) || !removed.has(id)) pools.set(id, pool);
  for (const league of kept) addLeague(league);
  const ignored: Ignored[] = [];
  for (const row of overlay.leagues.rows) {
    if (overlay.without.has(row.id)) continue;
    const code = problemOfLeague(row, { competitions, pools, bySeries, byPrefix });
    if (code !== null) {
      ignored.push({ id: row.id, code });
      continue;
    }
    const extended = competitions.get(row.extends ?? '');
    if (extended !== undefined) {
      addListings(extended, row);
      continue;
    }
    const file = fileOfLeague(row);
    pools.set(file.pool, buildPool(file));
    for (const league of leaguesOf(file, pools)) addLeague(league);
  }
  overlay.leagues.ignored = ignored;
  reindexAliases();
  revision += 1;
}

function addLeague(league: League): void {
  competitions.set(league.id, league);
  addListings(league, league);
}

/** Lets the series and the slug prefixes name the league. */
function addListings(league: League, { venue_a, venue_b }: Pick<ConfirmedLeague, 'venue_a' | 'venue_b'>): void {
  for (const series of venue_a.game_series) bySeries.set(series, league);
  for (const prefix of venue_b.prefixes) byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), league]);
}

function reindexAliases(): void {
  const indexed = indexAliases(overlay.aliases.rows, competitions);
  aliases = indexed.index;
  overlay.aliases.ignored = indexed.ignored;
  registeredOf = new WeakMap();
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
  const key = nameKey(league, name);
  const outright = inPools(league, (pool) => pool.byName.get(key));
  for (const team of aliases.byLeague.get(league.id)?.get(key) ?? []) outright.add(team);
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
  const keys = [normalize(name), normalize(withoutWomensMark(name))];
  const known = (pool: Pool) =>
    keys.some(
      (key) =>
        pool.byName.has(key) || pool.byShort.has(withoutAffixes(key)) || aliases.poolsByKey.get(key)?.has(pool.id),
    );
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
