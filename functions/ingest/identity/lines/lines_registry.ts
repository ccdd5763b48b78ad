import { COMPETITIONS, type League, registryIndex } from '../names/registry.ts';
import lines from '../registry/lines.json' with { type: 'json' };

/**
 * Maps series of venue_a and market types of venue_b to lines of a game, by the tables of
 * registry/lines.json.
 */

export type LineFamily = 'total' | 'spread' | 'team_total';
type Kind = { family: LineFamily; unit?: string };

const FAMILIES = lines.venue_a.families as { [suffix: string]: Kind };
const SUFFIXES = Object.keys(FAMILIES).sort((a, b) => b.length - a.length);
const TYPES = lines.venue_b.types as { [type: string]: Kind };
const UNITS = lines.units as { [sport: string]: string[] };

/**
 * Whether a match of this sport is played in maps. This holds for video games, each of which is a
 * sport of its own here (spec.md: lol, cs2, dota2 …).
 */
export const countsMaps = (sport: string): boolean => UNITS[sport]?.includes('maps') ?? false;

const MATCH_COUNTS = lines.match_counts as { [sport: string]: string };

const GAME_SUFFIX = /(?:GAME|MATCH|FIGHT)$/;
const leaguesByStem = registryIndex(
  () =>
    new Map(
      [...COMPETITIONS.values()].flatMap((league) =>
        league.venue_a.game_series.map((series) => [series.replace(GAME_SUFFIX, ''), league] as const),
      ),
    ),
);

/**
 * Returns the league whose game series is `stem` plus GAME, MATCH or FIGHT: `KXMLB` is the league
 * of KXMLBGAME.
 */
export const leagueOfStem = (stem: string): League | null => leaguesByStem().get(stem) ?? null;

export type LineSeries = { league: League; family: LineFamily; unit: string | null; part: string | null };

/**
 * `KXMLBTOTAL`, `KXNBA1HSPREAD`, `KXATPGSPREAD`: league, family and unit. `part` is the half,
 * quarter or set of the series, null for the whole game. Null when the series is no line of a
 * registered league.
 */
export function lineSeries(series: string): LineSeries | null {
  for (const suffix of SUFFIXES) {
    const kind = FAMILIES[suffix];
    if (kind === undefined || !series.endsWith(suffix)) continue;
    const head = series.slice(0, -suffix.length);
    const whole = leagueOfStem(head);
    if (whole) return { league: whole, family: kind.family, unit: kind.unit ?? null, part: null };
    const part = lines.venue_a.parts.find((one) => head.endsWith(one));
    const league = part === undefined ? null : leagueOfStem(head.slice(0, -part.length));
    if (league && part !== undefined) return { league, family: kind.family, unit: kind.unit ?? null, part };
  }
  return null;
}

export type LineType = Kind & { part: boolean };

/** Returns the family of a market type of venue_b. Null for a type that is no line of a game. */
export function lineType(type: string): LineType | null {
  const kind = TYPES[type];
  if (kind) return { ...kind, part: false };
  // first_half_totals, q1_spreads, tennis_first_set_totals: lines of a part. The pattern also
  // covers types that venue_b adds later.
  const part = /^(?:.*_)?(?:first|second|third|fourth|[hqp]\d|\d[hqp])_(?:.*_)?(team_total|total|spread)s?$/.exec(type);
  return part ? { family: part[1] as LineFamily, part: true } : null;
}

/**
 * Returns the unit that a line counts: the one that the listing states, if the sport counts it,
 * else the only unit of the sport. Null when neither decides. Games and sets of a tennis match are
 * two questions.
 */
export function unitOf(sport: string, stated: readonly (string | null | undefined)[]): string | null {
  const units = UNITS[sport] ?? [];
  const named = new Set(stated.flatMap((unit) => (unit ? [unitInSport(sport, unit)] : [])));
  const [only, ...more] = named.size > 0 ? [...named] : units;
  return only !== undefined && more.length === 0 && units.includes(only) ? only : null;
}

/**
 * Returns the unit in the terms of the sport. The over/under of a tennis match counts games. The
 * games of an esports match are its maps.
 */
function unitInSport(sport: string, unit: string): string {
  if (unit === 'match') return MATCH_COUNTS[sport] ?? (UNITS[sport] ?? [])[0] ?? unit;
  return unit === 'games' && UNITS[sport]?.join() === 'maps' ? 'maps' : unit;
}
