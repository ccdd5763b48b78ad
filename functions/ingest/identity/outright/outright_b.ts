import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import { sportsTerms } from '../terms/terms.ts';
import { parseInstant } from '../text/eastern.ts';
import { parsePayoffs } from '../text/payoff.ts';
import { joined, type RawObject, records, rulesOfB, text, yesContract } from '../text/raw_object.ts';
import { currentSeason, type Hints, parseAward } from './award.ts';
import { outrightQuestion } from './outright.ts';
import type { Award } from './outright_awards.ts';
import { payoffOfRace, type RunnerText } from './outright_payoff.ts';
import type { Runner } from './outright_runner.ts';
import { parseOutright } from './outright_sentence.ts';
import { mergeYears, parseYears } from './outright_year.ts';

/**
 * Parses the futures of venue_b: an event of Yes/No markets, one per runner, whose title or
 * questions name the award.
 */
export function outrightB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const markets = records(event.markets);
  const title = text(event.title);
  // Side events of a game ("More Markets") have the game in their title. Season-long events do not.
  if (title !== null && / vs\.? /i.test(title)) return [];
  const questions = [...new Set(markets.map((market) => parseOutright(text(market.question))?.asks ?? null))];
  const name = /^([a-z0-9]+)-.*\d{4}-\d{2}-\d{2}/.exec(slug)?.[1];
  const hints: Hints = name === undefined ? {} : { name };
  // The title decides what is asked. The questions count only when there is no title.
  const award =
    (title === null ? questions : [title]).map((one) => parseAward(one, hints)).find((one) => one !== null) ?? null;
  if (award === null) return [];
  const about = joined(event.description);
  const contracts = markets.flatMap((market): RunnerText[] =>
    parseRunners(market, award, hints, title === null).map((runner) => ({
      runner,
      question: text(market.question),
      text: joined(market.description) ?? about,
    })),
  );
  if (contracts.length === 0) return [];
  const year = yearOf(award, title, slug, event, contracts, context.now);
  const accepted = (one: Award) => one.competition === award.competition && one.id === award.id;
  const payoff = payoffOfRace({ venue: 'venue_b', title, award, hints, accepts: accepted, year: year.year }, contracts);
  const rules = rulesOfB(event, markets);
  const sources = [event, ...markets]
    .map((one) => text(one.resolutionSource))
    .filter((one): one is string => one !== null);
  return [
    outrightQuestion({
      venue: 'venue_b',
      event: slug,
      award,
      year: year.year,
      year_by: year.year_by,
      close_at: earliest([
        parseInstant(text(event.endDate)),
        ...markets.map((market) => parseInstant(text(market.endDate))),
      ]),
      url: urlOf('venue_b', slug, null),
      terms: withPayoff(sportsTerms(rules, [...new Set(sources)], null), payoff),
      runners: contracts.map((one) => one.runner),
      excluded: payoff === 'contradicts' ? 'payoff_contradicted' : year.contradictory ? 'contradictory' : null,
      texts: { title },
    }),
  ];
}

/** Without a title, each market must name the award itself. */
function parseRunners(market: RawObject, award: Award, hints: Hints, untitled: boolean): Runner[] {
  const yes = yesContract(market);
  if (yes === null) return [];
  const parsed = parseOutright(text(market.question));
  const own = parseAward(parsed?.asks ?? null, hints);
  const differs = own === null ? untitled : own.id !== award.id || own.competition !== award.competition;
  const label = market.negRiskOther === true ? 'Other' : (text(market.groupItemTitle) ?? parsed?.runner ?? null);
  // Without a label, the end of the market slug is a code: "mlb-alchamp-2026-09-27-nyy", "…-w-col".
  const code =
    label === null
      ? (/\d{4}-\d{2}-\d{2}(?:-[a-z0-9]+)*-([a-z0-9]+)$/.exec(text(market.slug) ?? '')?.[1] ?? null)
      : null;
  return [{ label, code, ...yes, side: null, other: differs ? (own?.id ?? 'unread') : null }];
}

type Dated = { year: number | null; year_by: string | null; contradictory: boolean };

/**
 * Returns the season of an event. Title, questions and payoff sentences decide. The words of the
 * slug, the day in it and the end date come next, and the current season is the last resort. When
 * the words name a season that cannot end on the day in the slug, the year is `inferred` and the
 * pair stays a candidate.
 */
function yearOf(
  award: Award,
  title: string | null,
  slug: string,
  event: RawObject,
  contracts: readonly RunnerText[],
  now: string,
): Dated {
  const dated = /-(\d{4})-\d{2}-\d{2}(?:-|$)/.exec(slug);
  const day = dated === null ? null : Number(dated[1]);
  const read = (one: string | null) => (one === null ? null : parseYears(one, award));
  const paid = [...new Set(contracts.flatMap((one) => (one.text === null ? [] : [one.text])))].flatMap((one) =>
    parsePayoffs(one),
  );
  const years = mergeYears([
    read(title),
    ...contracts.map((one) => read(one.question)),
    ...paid.filter(({ pays }) => pays === 'yes' || pays === 'described').map(({ condition }) => read(condition)),
  ]);
  if (years === 'contradictory') return { year: null, year_by: null, contradictory: true };
  const found = years ?? (day === null ? read(slug.replace(/(\d{4})-(\d{2})-/g, '$1-$2 ')) : null);
  if (found !== null) {
    // A single year may name a season by its start or by its end. The day in the slug decides.
    const year = day !== null && found.may.has(day) ? day : found.preferred;
    return { year, year_by: day !== null && day !== year ? 'inferred' : 'text', contradictory: false };
  }
  if (day !== null) return { year: day, year_by: 'end_date', contradictory: false };
  const end = earliest([
    parseInstant(text(event.endDate)),
    ...records(event.markets).map((one) => parseInstant(text(one.endDate))),
  ]);
  if (end !== null) {
    const at = new Date(end);
    const late = award.season === 'crossing' && at.getUTCMonth() >= 8;
    return { year: at.getUTCFullYear() + (late ? 1 : 0), year_by: 'end_date', contradictory: false };
  }
  const year = currentSeason(award, now);
  return { year, year_by: year === null ? null : 'inferred', contradictory: false };
}
