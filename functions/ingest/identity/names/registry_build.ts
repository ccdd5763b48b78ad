import type { VenueCode } from '../../listing.ts';
import { once } from '../text/once.ts';
import { normalizeOnce } from '../text/text.ts';
import { POOL_SETS, TEAM_POOLS } from './registry_pools.ts';

/** The shape of the registry's files, and the indexes that are built from them. */

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

export type PoolFile = {
  pool: string;
  source: string[];
  club_affixes?: boolean;
  competitions: Competition[];
  groups: { [group: string]: string[] };
  teams: Team[];
};

export const FILES: readonly PoolFile[] = [
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
export function withoutAffixes(name: string): string {
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

export function add(map: Map<string, Set<string>>, key: string, id: string): void {
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
    for (const name of [team.name, ...(team.names ?? [])]) add(short, withoutAffixes(normalizeOnce(name)), team.id);
  }
  return short;
}

/**
 * The team of each name and nickname. "Arizona Wildcats" is the name with the nickname of a school,
 * "bos bruins" and "CHI Blackhawks" are a code with a nickname. Many schools share a name or a
 * nickname.
 */
function indexNames(teams: readonly Team[]): Pool['byName'] {
  const byName = new Map<string, Set<string>>();
  for (const team of teams) {
    const nicks = team.nicks ?? [];
    const names = [team.name, ...(team.names ?? [])];
    for (const name of [...names, ...nicks]) add(byName, normalizeOnce(name), team.id);
    for (const before of nicks.length > 0 ? [...names, ...team.codes.venue_a, ...team.codes.venue_b] : [])
      for (const nick of nicks) add(byName, normalizeOnce(`${before} ${nick}`), team.id);
  }
  return byName;
}

function indexCodes(teams: readonly Team[], venue: VenueCode): ReadonlyMap<string, ReadonlySet<string>> {
  const byCode = new Map<string, Set<string>>();
  for (const team of teams) for (const code of team.codes[venue]) add(byCode, code.toLowerCase(), team.id);
  return byCode;
}

/** A pool builds each index at its first use: a page of listings needs few of all pools. */
export function buildPool(file: Pick<PoolFile, 'pool' | 'groups' | 'teams' | 'club_affixes'>): Pool {
  const byName = once(() => indexNames(file.teams));
  const byShort = once(() => (file.club_affixes ? shortNames(file.teams) : new Map()));
  const codesA = once(() => indexCodes(file.teams, 'venue_a'));
  const codesB = once(() => indexCodes(file.teams, 'venue_b'));
  return {
    id: file.pool,
    groups: file.groups,
    teams: new Map(file.teams.map((team) => [team.id, team])),
    get byName() {
      return byName();
    },
    get byShort() {
      return byShort();
    },
    byCode: {
      get venue_a() {
        return codesA();
      },
      get venue_b() {
        return codesB();
      },
    },
  };
}

export type League = Competition & { pool: Pool; pools_all: readonly Pool[] };

/** The leagues of a file. A competition without `pools` uses the pool of its file. */
export function leaguesOf(file: Pick<PoolFile, 'pool' | 'competitions'>, pools: ReadonlyMap<string, Pool>): League[] {
  return file.competitions.map((competition) => {
    const ids = competition.pools ?? [file.pool];
    const all = ids.map((id) => pools.get(id)).filter((one): one is Pool => one !== undefined);
    return { ...competition, pool: pools.get(file.pool) as Pool, pools_all: all };
  });
}
