import type { Json, Question, VenueCode } from '../../listing.ts';
import { fieldOfCompetition } from '../names/registry.ts';
import { buildQuestion, type Exclusion, orderLegs, type UnorderedLeg } from '../question.ts';
import { normalize } from '../text/text.ts';
import { type Award, contestsById } from './outright_awards.ts';
import { parseRunner, type Runner } from './outright_runner.ts';

/** A season-long question as parsed from either venue. */
export type Race = {
  venue: VenueCode;
  event: string;
  award: Award;
  year: number | null;
  /** ticker, text, end_date, or inferred from the current season. */
  year_by: string | null;
  close_at: string | null;
  url: string | null;
  terms: { [key: string]: Json };
  runners: Runner[];
  excluded: Exclusion | null;
  texts: { [key: string]: Json };
};

type LeftOut = { name: string; why: string };

export function outrightKey(award: Award, year: number): string {
  return ['outright', award.sport, award.competition, award.id, String(year)].join('|');
}

/** Returns the legs that could be parsed, and the others with a reason. */
function legsOf(race: Race): { legs: Map<string, UnorderedLeg>; left_out: LeftOut[]; by: { [key: string]: string } } {
  const contest = contestsById().get(race.award.competition);
  const legs = new Map<string, UnorderedLeg>();
  const twice = new Set<string>();
  const left_out: LeftOut[] = [];
  const by: { [key: string]: string } = {};
  for (const runner of race.runners) {
    const result = contest
      ? parseRunner(race.venue, race.award, contest, runner)
      : { left_out: '', why: 'unknown_alias' };
    if ('left_out' in result) {
      left_out.push({ name: result.left_out, why: result.why });
      continue;
    }
    if (legs.has(result.key)) twice.add(result.key);
    if (result.by !== 'name') by[result.key] = result.by;
    legs.set(result.key, {
      outcome_key: result.key,
      outcome_name: result.name,
      market_id: runner.market_id,
      contract_id: runner.contract_id,
      side: runner.side,
      detail: null,
    });
  }
  // Two contracts have the same name, so it is unknown which one is the listing.
  for (const key of twice) {
    left_out.push({ name: legs.get(key)?.outcome_name ?? key, why: 'ambiguous_alias' });
    legs.delete(key);
    delete by[key];
  }
  return { legs, left_out: left_out.sort((a, b) => (normalize(a.name) < normalize(b.name) ? -1 : 1)), by };
}

/**
 * Excludes a question when most of its runners could not be parsed. Codes and shortened lists are
 * an exception: names from a closed registry stay valid, regardless of how many others no registry
 * holds.
 */
function exclusionOf(race: Race, legs: number, left_out: readonly LeftOut[], byCode: boolean): Exclusion | null {
  if (race.excluded !== null) return race.excluded;
  if (race.year === null) return 'unreadable_date';
  const unread = left_out.filter((one) => one.why !== 'placeholder');
  const contradictory = unread.some((one) => one.why === 'contradictory');
  if (legs > unread.length || (byCode && legs > 0 && !contradictory)) return null;
  if (contradictory) return 'contradictory';
  if (unread.length > 0) return 'unknown_alias';
  return left_out.length > 0 ? 'placeholder' : 'incomplete';
}

export function outrightQuestion(race: Race): Question {
  const { award, year } = race;
  const contest = contestsById().get(award.competition);
  const { legs, left_out, by } = legsOf(race);
  const league = contest?.leagues[0];
  const field = league && contest.leagues.length === 1 ? fieldOfCompetition(league, award.field) : null;
  const byCode = race.runners.length > 0 && race.runners.every((runner) => runner.label === null);
  return buildQuestion(
    {
      question_id: `${race.venue}:${race.event}`,
      family: 'outright',
      key: year === null ? `outright|?|${race.event}` : outrightKey(award, year),
      title: `${award.contest} ${award.name} ${year ?? ''}`.trim(),
      identity: {
        sport: award.sport,
        competition: award.competition,
        award: award.id,
        kind: award.kind,
        ...(award.kind === 'person' ? { names_person: true } : {}),
        year,
        year_by: race.year_by,
        left_out,
        // Runners that were not resolved by a plain name: by a code, by another registered name, or
        // as printed.
        read_by: by,
        participants_by: [...new Set(Object.values(by))].filter((one) => one === 'code' || one === 'as_printed').sort(),
        whole: field !== null && award.exclusive && field.size === legs.size,
        ...race.texts,
      },
    },
    {
      close_at: race.close_at,
      sport: award.sport,
      competition: award.contest,
      url: race.url,
      exclusive: award.exclusive,
      excluded: exclusionOf(race, legs.size, left_out, byCode),
    },
    race.terms,
    orderLegs([...legs.values()], null),
  );
}
