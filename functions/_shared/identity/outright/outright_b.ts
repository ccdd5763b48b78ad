import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { sportsTerms } from '../terms/terms.ts';
import { instant } from '../text/eastern.ts';
import { records, rulesOfB, text, type Wire, yesContract } from '../text/wire.ts';
import { awardOfText, currentSeason, decidedYear, type Hints } from './award.ts';
import { outright } from './outright.ts';
import type { Award } from './outright_awards.ts';
import type { Runner } from './outright_runner.ts';
import { askedIn } from './outright_sentence.ts';

/** venue_b's futures: an event of Yes/No markets, one a runner, whose title or questions ask for the award. */
export function outrightB(event: Wire, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const markets = records(event.markets);
  const title = text(event.title);
  // A game's "More Markets" and the like carry a game in their title; season-long events do not.
  if (title !== null && / vs\.? /i.test(title)) return [];
  const questions = [...new Set(markets.map((market) => askedIn(text(market.question))?.asks ?? null))];
  const name = /^([a-z0-9]+)-.*\d{4}-\d{2}-\d{2}/.exec(slug)?.[1];
  const hints: Hints = name === undefined ? {} : { name };
  // A title decides what is asked; only an event without one is read from its questions.
  const award =
    (title === null ? questions : [title]).map((one) => awardOfText(one, hints)).find((one) => one !== null) ?? null;
  if (award === null) return [];
  const runners = markets.flatMap((market): Runner[] => runnerOf(market, award, hints, title === null));
  if (runners.length === 0) return [];
  const year = yearOf(award, title, slug, event, markets, context.now);
  const rules = rulesOfB(event, markets);
  const sources = [event, ...markets]
    .map((one) => text(one.resolutionSource))
    .filter((one): one is string => one !== null);
  return [
    outright({
      venue: 'venue_b',
      event: slug,
      award,
      ...year,
      close_at: earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]),
      url: urlOf('venue_b', slug, null),
      terms: sportsTerms(rules, [...new Set(sources)], null),
      runners,
      excluded: null,
      texts: { title },
    }),
  ];
}

/** Where no title says what is asked, each market has to ask it itself. */
function runnerOf(market: Wire, award: Award, hints: Hints, untitled: boolean): Runner[] {
  const yes = yesContract(market);
  if (yes === null) return [];
  const asked = askedIn(text(market.question));
  const own = awardOfText(asked?.asks ?? null, hints);
  const differs = own === null ? untitled : own.id !== award.id || own.competition !== award.competition;
  const label = market.negRiskOther === true ? 'Other' : (text(market.groupItemTitle) ?? asked?.runner ?? null);
  // Where nothing is printed, the end of the market's slug is a code: "mlb-alchamp-2026-09-27-nyy", "…-w-col".
  const code =
    label === null
      ? (/\d{4}-\d{2}-\d{2}(?:-[a-z0-9]+)*-([a-z0-9]+)$/.exec(text(market.slug) ?? '')?.[1] ?? null)
      : null;
  return [{ label, code, ...yes, side: null, other: differs ? (own?.id ?? 'unread') : null }];
}

/** What the listing says comes first; the day in its slug and its end date stand in for it; the season that is on is the last resort. */
function yearOf(
  award: Award,
  title: string | null,
  slug: string,
  event: Wire,
  markets: readonly Wire[],
  now: string,
): { year: number | null; year_by: string | null } {
  const day = /-(\d{4})-\d{2}-\d{2}(?:-|$)/.exec(slug);
  const texts = [
    title,
    ...(day ? [] : [slug.replace(/(\d{4})-(\d{2})-/g, '$1-$2 ')]),
    ...markets.slice(0, 3).map((market) => text(market.question)),
  ];
  for (const one of texts) {
    const year = one === null ? null : decidedYear(one, award);
    if (year === null) continue;
    // One year in a text may name a season by its start or by its end; the day in the slug tells which.
    return { year: day && Math.abs(Number(day[1]) - year) === 1 ? Number(day[1]) : year, year_by: 'text' };
  }
  if (day) return { year: Number(day[1]), year_by: 'end_date' };
  const end = earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]);
  if (end !== null) {
    const at = new Date(end);
    const late = award.season === 'crossing' && at.getUTCMonth() >= 8;
    return { year: at.getUTCFullYear() + (late ? 1 : 0), year_by: 'end_date' };
  }
  const year = currentSeason(award, now);
  return { year, year_by: year === null ? null : 'inferred' };
}
