import type { VenueCode } from '../listing.ts';
import { knownElsewhere, type League, type TeamId, teamsByCode, teamsByName } from './registry.ts';
import { common } from './sets.ts';
import { normal } from './text.ts';

/**
 * Which team a listing means, from everything that it says about it. Every reading is the set of teams it may mean; the answer
 * is what all of them allow. A name that the registry does not know never gives way to a code that it does.
 */

export type Resolved =
  | { team: TeamId; by: 'label+code' | 'label' | 'code' | 'elimination' }
  | { problem: 'unknown_alias' | 'ambiguous_alias' | 'contradictory'; detail: string };

export function resolveTeam(league: League, venue: VenueCode, label: string | null, code: string | null): Resolved {
  const byLabel = label === null ? null : teamsByName(league, label);
  const byCode = code === null ? new Set<TeamId>() : teamsByCode(league, venue, code);
  const said = `label "${label ?? ''}", code "${code ?? ''}" in ${league.id}`;
  if (byLabel !== null && byLabel.size === 0) {
    const elsewhere = label !== null && byCode.size > 0 && knownElsewhere(league, label);
    return { problem: elsewhere ? 'contradictory' : 'unknown_alias', detail: said };
  }
  if (byLabel === null && byCode.size === 0) return { problem: 'unknown_alias', detail: said };
  const both = byLabel === null ? byCode : byCode.size === 0 ? byLabel : common(byLabel, byCode);
  const [team, ...rest] = [...both];
  if (team === undefined) {
    // Codes of venue_b's slugs are its own shorthand and sometimes wrong; its labels are what a trader reads.
    if (venue === 'venue_b' && byLabel?.size === 1) return { team: [...byLabel][0] as TeamId, by: 'label' };
    return { problem: 'contradictory', detail: said };
  }
  if (rest.length > 0) return { problem: 'ambiguous_alias', detail: said };
  return { team, by: byLabel === null ? 'code' : byCode.size === 0 ? 'label' : 'label+code' };
}

/** "Game 2: Cleveland at Detroit", "49ers vs. Rams: …": the two names in the order of the title, or null. */
export function sidesOfTitle(title: string | null): { first: string; second: string; word: 'at' | 'vs' } | null {
  if (title === null) return null;
  const bare = title
    .replace(/^(?:[^:]*\b(?:game|round|leg|matchday|week)\b[^:]*): /i, '')
    .replace(/:.*$/, '')
    .replace(/\s[-–—]\s.*$/, '')
    .replace(/\?$/, '');
  const match = /^(.+?)\s+(vs\.?|v\.?|at|@)\s+(.+)$/i.exec(bare);
  if (!match) return null;
  const word = /^(?:at|@)$/i.test(match[2] ?? '') ? 'at' : 'vs';
  return { first: (match[1] ?? '').trim(), second: (match[3] ?? '').replace(/\s+(?:winner|game)$/i, '').trim(), word };
}

/** The one of two teams that a name means, or null. */
export function whichOf(league: League, name: string, teams: readonly TeamId[]): TeamId | null {
  const may = [...teamsByName(league, name)].filter((team) => teams.includes(team));
  return may.length === 1 ? (may[0] ?? null) : null;
}

const DRAW = new Set(['tie', 'draw', 'the draw']);
/** "Tie", "Draw", "Draw (A vs. B)". */
export function isDraw(label: string): boolean {
  return DRAW.has(normal(label)) || /^draw \(/i.test(label.trim());
}

/** Two codes run together ("HOUSD") cut in every way that gives two codes of the league. */
export function splitCodes(
  league: League,
  venue: VenueCode,
  codes: string,
): [first: Set<TeamId>, second: Set<TeamId>][] {
  const cuts: [Set<TeamId>, Set<TeamId>][] = [];
  for (let at = 2; at <= codes.length - 2; at += 1) {
    const first = teamsByCode(league, venue, codes.slice(0, at));
    const second = teamsByCode(league, venue, codes.slice(at));
    if (first.size > 0 && second.size > 0) cuts.push([first, second]);
  }
  return cuts;
}
