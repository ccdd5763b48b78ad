import type { Question } from '../../listing.ts';
import { type Context, earliest } from '../question.ts';
import { parseInstant } from '../text/eastern.ts';
import { joined, type RawObject, records, rulesOfB, text, textsOfB, yesContract } from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { formatDollars, type PriceRung, priceQuestion } from './crypto.ts';
import { type PricedText, payoffOfLadder } from './crypto_payoff.ts';
import { type Hints, parseYears } from './crypto_period.ts';
import { type ParsedQuestion, parseArrow, parseQuestion, parseSlug, parseTitle } from './crypto_read_b.ts';
import { includesLevel } from './crypto_terms.ts';
import { parsePriceLabel } from './threshold.ts';

type ParsedMarket = { question: ParsedQuestion; market: RawObject; contradictory: boolean };

/** Returns the key of the ladder of the event that a market belongs to. */
const ladderKeyOf = ({ asset, kind, when }: ParsedQuestion): string =>
  `${asset.id}|${kind}|${'key' in when ? when.key : (when.settles_at ?? when.on_date)}`;

/**
 * Every question about a price contains one of these words. This check alone skips most listings.
 */
const PRICE_WORD = /above|\bhit|-hit|reach|\bdip|-dip|fall|drop|settle|close/i;

/**
 * Parses a market from its question, else from the title of the event and its label, else from a
 * slug. A label with another level or direction contradicts.
 */
function parseMarket(event: RawObject, market: RawObject, hints: Omit<Hints, 'end' | 'years'>): ParsedMarket | null {
  const question = text(market.question) ?? '';
  const label = text(market.groupItemTitle) ?? '';
  const slug = text(market.slug) ?? '';
  const title = text(event.title) ?? '';
  const event_slug = text(event.slug) ?? '';
  if (!PRICE_WORD.test(`${question} ${title} ${slug} ${event_slug}`)) return null;
  const own = parseYears(question, slug);
  const dated = [...(/^20\d{2}(?=-)/.exec(text(event.eventDate) ?? '') ?? [])].map(Number);
  const context = {
    ...hints,
    rules: joined(market.description) ?? joined(event.description),
    end: parseInstant(text(market.endDate)) ?? parseInstant(text(event.endDate)),
    years: [own, parseYears(title, event_slug), dated].find((years) => years.length > 0) ?? [],
  };
  const parsed =
    parseQuestion(question, label, context) ??
    parseTitle(title, label, context) ??
    parseSlug(slug, label, context) ??
    parseSlug(event_slug, label, context);
  if (parsed === null || parsed.level === null) return null;
  const labelPrice = parsePriceLabel(label);
  const arrow = parseArrow(label);
  const contradictory =
    (labelPrice !== null && labelPrice !== parsed.level) || (arrow !== null && arrow !== parsed.kind);
  return { question: parsed, market, contradictory };
}

function rungOf({ question, market }: ParsedMarket): PriceRung | null {
  const yes = yesContract(market);
  if (yes === null || question.level === null) return null;
  const arrow = question.kind === 'at' ? '' : question.kind === 'high' ? '↑ ' : '↓ ';
  return {
    ...yes,
    level: question.level,
    // Unless the text states otherwise, "above" excludes the level, and a price that reaches or
    // dips to a level has touched it.
    inclusive: includesLevel(text(market.description) ?? '') ?? question.kind !== 'at',
    label: `${arrow}${formatDollars(question.level)}`,
    side: null,
    trading: market.closed !== true,
  };
}

function buildLadder(
  event: RawObject,
  slug: string,
  reads: readonly ParsedMarket[],
  part: string | null,
): Question | null {
  const first = reads[0]?.question;
  if (first === undefined) return null;
  const markets = reads.map(({ market }) => market);
  const { asset, kind, when } = first;
  const at = 'key' in when ? null : when;
  const period = 'key' in when ? when : null;
  const texts = {
    // Each direction of an event has its own rules, and the event has only one of them.
    rules: truncateRules(rulesOfB(kind === 'at' ? event : {}, markets)),
    texts: textsOfB(kind === 'at' ? event : {}, markets),
    titles: markets.map((market) => text(market.question) ?? '').join('\n'),
    sources: [event, ...markets].map((one) => text(one.resolutionSource)).filter((one) => one !== null),
  };
  const expected = {
    asset: asset.id,
    kind,
    on_date: at?.on_date ?? null,
    settles_at: at?.settles_at ?? null,
    until: period?.until ?? null,
  };
  const about = kind === 'at' ? joined(event.description) : null;
  const contracts = reads.map(
    ({ question: { level }, market }): PricedText => ({
      titles: [text(market.question), text(market.groupItemTitle)],
      text: joined(market.description) ?? about,
      priced: { ...expected, level },
    }),
  );
  if (about !== null) contracts.push({ titles: [], text: about, priced: { ...expected, level: null } });
  return priceQuestion({
    venue: 'venue_b',
    nativeId: slug,
    part,
    series: null,
    asset,
    kind,
    on_date: at?.on_date ?? null,
    settles_at: at?.settles_at ?? null,
    period: period?.key ?? null,
    evidence: at !== null ? { hour_by: at.hour_by } : { year_by: period?.year_by ?? null },
    title: text(event.title),
    texts,
    close_at: earliest([event, ...markets].map((one) => parseInstant(text(one.endDate)))),
    rungs: reads.map(rungOf).filter((rung): rung is PriceRung => rung !== null),
    payoff: payoffOfLadder(text(event.title), contracts),
    excluded: reads.some(({ contradictory }) => contradictory) ? 'contradictory' : null,
  });
}

/**
 * Parses the price ladders of coins and commodities. "What price will Bitcoin hit in July?" gives
 * two: one for highs, one for lows.
 */
export function cryptoB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const ladders = new Map<string, ParsedMarket[]>();
  for (const market of records(event.markets)) {
    const one = parseMarket(event, market, { now: context.now });
    if (one === null) continue;
    const key = ladderKeyOf(one.question);
    ladders.set(key, [...(ladders.get(key) ?? []), one]);
  }
  const kinds = [...ladders.keys()].map((key) => key.split('|')[1]);
  return [...ladders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, reads]) => {
      const [, kind = ''] = key.split('|');
      const alone = kinds.filter((other) => other === kind).length === 1;
      // The venue may add the other direction on a later day, so a touch ladder has its direction
      // in its id from the start.
      const part = alone ? (kind === 'at' ? null : kind) : key;
      const one = buildLadder(event, slug, reads, part);
      return one === null ? [] : [one];
    });
}
