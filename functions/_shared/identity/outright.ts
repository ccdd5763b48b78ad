import type { Json, Question, VenueCode } from '../listing.ts';
import { ordered, question, type UnorderedLeg } from './question.ts';
import { type Award, COMPETITIONS, fieldOf, teamOf, teamsByCode, teamsByName } from './registry.ts';
import { common } from './sets.ts';
import { clean, isPlaceholder, normal, personKey } from './text.ts';

/** A season-long question as both venues' readings hand it over. */
export type Race = {
  venue: VenueCode;
  event: string;
  award: Award;
  year: number | null;
  /** ticker, text, end_date, or inferred from the season that is on. */
  year_by: string | null;
  close_at: string | null;
  url: string | null;
  terms: { [key: string]: Json };
  runners: Runner[];
  excluded: string | null;
  texts: { [key: string]: Json };
};

export type Runner = {
  label: string | null;
  code: string | null;
  market_id: string;
  contract_id: string;
  side: 'yes' | 'no' | null;
};

type Read = { key: string; name: string } | { left_out: string; why: string };

function readRunner(race: Race, runner: Runner): Read {
  const { award } = race;
  const label = clean(runner.label);
  if (label !== null && isPlaceholder(label)) return { left_out: label, why: 'placeholder' };
  if (award.kind === 'person') {
    const key = label === null ? null : personKey(label);
    return key === null || label === null
      ? { left_out: label ?? runner.code ?? '', why: 'unknown_alias' }
      : { key, name: label };
  }
  const league = COMPETITIONS.get(award.competition);
  if (!league) return { left_out: label ?? '', why: 'unknown_alias' };
  const byLabel = label === null ? null : teamsByName(league, label);
  const byCode = runner.code === null ? new Set<string>() : teamsByCode(league, race.venue, runner.code);
  if (byLabel?.size === 0) return { left_out: label ?? '', why: 'unknown_alias' };
  const field = fieldOf(league, award.field);
  let may = byLabel === null ? byCode : byCode.size === 0 ? byLabel : common(byLabel, byCode);
  if (field !== null && may.size > 1) may = common(may, field);
  const [team, ...more] = [...may];
  if (team === undefined)
    return { left_out: label ?? runner.code ?? '', why: byLabel === null ? 'unknown_alias' : 'contradictory' };
  if (more.length > 0) return { left_out: label ?? runner.code ?? '', why: 'ambiguous_alias' };
  if (field !== null && !field.has(team)) return { left_out: label ?? team, why: 'contradictory' };
  return { key: team.split('/')[1] ?? team, name: teamOf(team)?.name ?? team };
}

export function outrightKey(award: Award, year: number): string {
  const league = COMPETITIONS.get(award.competition);
  return ['outright', league?.sport ?? '', award.competition, award.id, String(year)].join('|');
}

export function outright(race: Race): Question {
  const { award, year } = race;
  const league = COMPETITIONS.get(award.competition);
  const legs = new Map<string, UnorderedLeg>();
  const twice = new Set<string>();
  const left_out: { [key: string]: Json }[] = [];
  for (const runner of race.runners) {
    const read = readRunner(race, runner);
    if ('left_out' in read) {
      left_out.push({ name: read.left_out, why: read.why });
      continue;
    }
    if (legs.has(read.key)) twice.add(read.key);
    legs.set(read.key, {
      outcome_key: read.key,
      outcome_name: read.name,
      market_id: runner.market_id,
      contract_id: runner.contract_id,
      side: runner.side,
      detail: null,
    });
  }
  // Two contracts for one name: which is the listing cannot be told.
  for (const key of twice) {
    left_out.push({ name: legs.get(key)?.outcome_name ?? key, why: 'ambiguous_alias' });
    legs.delete(key);
  }
  const field = league ? fieldOf(league, award.field) : null;
  const unknown = left_out.filter((one) => one.why !== 'placeholder').length;
  const excluded =
    race.excluded ??
    (year === null
      ? 'unreadable_date'
      : legs.size > unknown
        ? null
        : left_out.some((one) => one.why === 'contradictory')
          ? 'contradictory'
          : unknown > 0
            ? 'unknown_alias'
            : left_out.length > 0
              ? 'placeholder'
              : 'incomplete');
  return question(
    {
      question_id: `${race.venue}:${race.event}`,
      family: 'outright',
      key: year === null ? `outright|?|${race.event}` : outrightKey(award, year),
      title: `${league?.name ?? ''} ${award.name} ${year ?? ''}`.trim(),
      identity: {
        sport: league?.sport ?? null,
        competition: award.competition,
        award: award.id,
        kind: award.kind,
        year,
        year_by: race.year_by,
        left_out: left_out.sort((a, b) => (normal(String(a.name)) < normal(String(b.name)) ? -1 : 1)),
        whole: field !== null && award.exclusive && field.size === legs.size,
        ...race.texts,
      },
    },
    {
      close_at: race.close_at,
      sport: league?.sport ?? null,
      competition: league?.name ?? null,
      url: race.url,
      exclusive: award.exclusive,
      excluded,
    },
    race.terms,
    ordered([...legs.values()], null),
  );
}
