import type { VenueCode } from '../../listing.ts';
import { fieldOfCompetition, type League, teamOf, teamsByCode, teamsByName } from '../names/registry.ts';
import { intersection } from '../text/sets.ts';
import { clean, isPlaceholder, normalize, slugOf } from '../text/text.ts';
import type { Award, Contest } from './outright_awards.ts';
import { personByCode, personByName } from './outright_players.ts';

/** One contract of a season-long question as printed. */
export type Runner = {
  label: string | null;
  code: string | null;
  market_id: string;
  contract_id: string;
  side: 'yes' | 'no' | null;
  /** The award in the question of the contract, if it differs from that of the event. */
  other: string | null;
};

export type RunnerResult = { key: string; name: string; by: string } | { left_out: string; why: string };

/** Returns the participant that a contract pays for, or the reason why it is unknown. */
export function parseRunner(venue: VenueCode, award: Award, contest: Contest, runner: Runner): RunnerResult {
  const label = clean(runner.label);
  const printed = label ?? runner.code ?? '';
  if (label !== null && isPlaceholder(label)) return { left_out: printed, why: 'placeholder' };
  if (runner.other !== null) return { left_out: printed, why: 'contradictory' };
  if (award.kind === 'person') {
    const person =
      label === null ? personByCode(award.people, venue, runner.code ?? '') : personByName(award.people, label);
    return person ?? { left_out: printed, why: 'unknown_alias' };
  }
  if (award.kind === 'named') return fromList(award.names ?? {}, label, printed);
  const [league, ...more] = contest.leagues;
  if (league === undefined) return asPrinted(label, printed);
  const result =
    more.length > 0
      ? fromSeveralLeagues(contest.leagues, venue, label, runner.code, printed)
      : fromLeague(league, award, venue, label, runner.code, printed);
  return contest.open && 'left_out' in result && result.why === 'unknown_alias' ? asPrinted(label, printed) : result;
}

function fromList(names: { [key: string]: string[] }, label: string | null, printed: string): RunnerResult {
  const normalized = label === null ? '' : normalize(label);
  const found = Object.entries(names).find(([, ways]) => ways.some((way) => normalize(way) === normalized));
  return found
    ? { key: found[0], name: found[1][0] ?? found[0], by: 'list' }
    : { left_out: printed, why: 'unknown_alias' };
}

/** When no registry holds the field, the full printed name is the key. */
function asPrinted(label: string | null, printed: string): RunnerResult {
  const key = label === null ? '' : slugOf(label.replace(/^the /i, ''));
  return key === '' || label === null
    ? { left_out: printed, why: 'unknown_alias' }
    : { key, name: label, by: 'as_printed' };
}

/** Returns the only team that one of several registries holds under this name. */
function fromSeveralLeagues(
  leagues: readonly League[],
  venue: VenueCode,
  label: string | null,
  code: string | null,
  printed: string,
): RunnerResult {
  const may = new Set<string>();
  for (const league of leagues) {
    const found = label === null ? teamsByCode(league, venue, code ?? '') : teamsByName(league, label);
    for (const id of found) may.add(id);
  }
  const [only, ...others] = [...may];
  if (only === undefined) return { left_out: printed, why: 'unknown_alias' };
  if (others.length > 0) return { left_out: printed, why: 'ambiguous_alias' };
  return { key: only.split('/')[1] ?? only, name: teamOf(only)?.name ?? only, by: label === null ? 'code' : 'name' };
}

function fromLeague(
  league: League,
  award: Award,
  venue: VenueCode,
  label: string | null,
  code: string | null,
  printed: string,
): RunnerResult {
  const byLabel = label === null ? null : teamsByName(league, label);
  const byCode = code === null ? new Set<string>() : teamsByCode(league, venue, code);
  if (byLabel?.size === 0) return { left_out: printed, why: 'unknown_alias' };
  const field = fieldOfCompetition(league, award.field);
  let may = byLabel === null ? byCode : byCode.size === 0 ? byLabel : intersection(byLabel, byCode);
  if (field !== null && may.size > 1) may = intersection(may, field);
  const [only, ...more] = [...may];
  if (only === undefined) return { left_out: printed, why: byLabel === null ? 'unknown_alias' : 'contradictory' };
  if (more.length > 0) return { left_out: printed, why: 'ambiguous_alias' };
  if (field !== null && !field.has(only)) return { left_out: printed, why: 'contradictory' };
  return { key: only.split('/')[1] ?? only, name: teamOf(only)?.name ?? only, by: byLabel === null ? 'code' : 'name' };
}
