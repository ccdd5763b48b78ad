import type { Question } from '../listing.ts';
import { awardOfTitle, currentSeason, decidedYear } from './award.ts';
import { instant } from './eastern.ts';
import { outright, type Runner } from './outright.ts';
import { type Context, earliest, urlOf } from './question.ts';
import { type Award, COMPETITIONS } from './registry.ts';
import { gameSlug } from './slug.ts';
import { sportsTerms } from './terms.ts';
import { records, rulesOfB, text, type Wire, yesContract } from './wire.ts';

const ASKED = /^will (?:the )?(.+?) (?:win|be|have|finish|lead|make|clinch|place)\b\s*(.*?)\?$/i;

/** venue_b's futures: an event of Yes/No markets, one a runner, whose title asks for the award. */
export function outrightB(event: Wire, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null || gameSlug(slug) !== null) return [];
  const markets = records(event.markets);
  // A game's "More Markets" and the like carry a game in their title; season-long events do not.
  const title = text(event.title) ?? titleOfQuestion(markets);
  if (title === null || / vs\.? /i.test(title)) return [];
  const award = awardOfTitle(title);
  if (award === null) return [];
  const runners = markets.flatMap((market): Runner[] => {
    const yes = yesContract(market);
    if (yes === null) return [];
    const asked = text(market.question);
    const label = text(market.groupItemTitle) ?? (asked === null ? null : (ASKED.exec(asked)?.[1] ?? null));
    return [{ label: market.negRiskOther === true ? 'Other' : label, code: null, ...yes, side: null }];
  });
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

/** An event without a title asks what its questions ask, the name taken out: "Will Arsenal win the 2026 FA Cup?" asks "win the 2026 FA Cup". */
function titleOfQuestion(markets: readonly Wire[]): string | null {
  const asked = text(markets[0]?.question);
  const match = asked === null ? null : ASKED.exec(asked);
  return match ? `win ${match[2]}` : null;
}

/** What the listing says comes first; an end date stands in for it; the season that is on is the last resort. */
function yearOf(
  award: Award,
  title: string,
  slug: string,
  event: Wire,
  markets: readonly Wire[],
  now: string,
): { year: number | null; year_by: string | null } {
  const texts = [
    title,
    slug.replace(/(\d{4})-(\d{2})-/g, '$1-$2 '),
    ...markets.slice(0, 3).map((market) => text(market.question)),
  ];
  for (const one of texts) {
    const year = one === null ? null : decidedYear(one, award);
    if (year !== null) return { year, year_by: 'text' };
  }
  const end = earliest([instant(text(event.endDate)), ...markets.map((market) => instant(text(market.endDate)))]);
  if (end !== null) {
    const at = new Date(end);
    const late = COMPETITIONS.get(award.competition)?.season === 'crossing' && at.getUTCMonth() >= 8;
    return { year: at.getUTCFullYear() + (late ? 1 : 0), year_by: 'end_date' };
  }
  const year = currentSeason(award, now);
  return { year, year_by: year === null ? null : 'inferred' };
}
