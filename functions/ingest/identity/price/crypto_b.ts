import type { Question } from '../../listing.ts';
import { type Context, earliest } from '../question.ts';
import { instant } from '../text/eastern.ts';
import { joined, records, rulesOfB, text, textsOfB, type Wire, yesContract } from '../text/raw_object.ts';
import { readable } from '../text/summary_text.ts';
import { dollars, type PriceRung, priceQuestion } from './crypto.ts';
import { type PricedText, payoffOfLadder } from './crypto_payoff.ts';
import { type Hints, yearsIn } from './crypto_period.ts';
import { type Asked, arrowOf, askedBy, askedBySlug, askedByTitle } from './crypto_read_b.ts';
import { takesLevelIn } from './crypto_terms.ts';
import { priceOfLabel } from './threshold.ts';

type Read = { asked: Asked; market: Wire; contradictory: boolean };

/** Which ladder of the event a market belongs to. */
const ladderOf = ({ asset, kind, when }: Asked): string =>
  `${asset.id}|${kind}|${'key' in when ? when.key : (when.settles_at ?? when.on_date)}`;

/** No price is asked for without one of these words: most listings are told apart by that alone. */
const PRICE_WORD = /above|\bhit|-hit|reach|\bdip|-dip|fall|drop|settle|close/i;

/** The market by its question, else by the event's title and its label, else by a slug. A label that says otherwise contradicts. */
function read(event: Wire, market: Wire, hints: Omit<Hints, 'end' | 'years'>): Read | null {
  const question = text(market.question) ?? '';
  const label = text(market.groupItemTitle) ?? '';
  const slug = text(market.slug) ?? '';
  const title = text(event.title) ?? '';
  const event_slug = text(event.slug) ?? '';
  if (!PRICE_WORD.test(`${question} ${title} ${slug} ${event_slug}`)) return null;
  const own = yearsIn(question, slug);
  const dated = [...(/^20\d{2}(?=-)/.exec(text(event.eventDate) ?? '') ?? [])].map(Number);
  const around = {
    ...hints,
    rules: joined(market.description) ?? joined(event.description),
    end: instant(text(market.endDate)) ?? instant(text(event.endDate)),
    years: [own, yearsIn(title, event_slug), dated].find((years) => years.length > 0) ?? [],
  };
  const asked =
    askedBy(question, label, around) ??
    askedByTitle(title, label, around) ??
    askedBySlug(slug, label, around) ??
    askedBySlug(event_slug, label, around);
  if (asked === null || asked.level === null) return null;
  const labelled = priceOfLabel(label);
  const arrow = arrowOf(label);
  const contradictory = (labelled !== null && labelled !== asked.level) || (arrow !== null && arrow !== asked.kind);
  return { asked, market, contradictory };
}

function rungOf({ asked, market }: Read): PriceRung | null {
  const yes = yesContract(market);
  if (yes === null || asked.level === null) return null;
  const arrow = asked.kind === 'at' ? '' : asked.kind === 'high' ? '↑ ' : '↓ ';
  return {
    ...yes,
    level: asked.level,
    // Unless the text says otherwise, "above" is strict, and what reaches or dips to a level has touched it.
    inclusive: takesLevelIn(text(market.description) ?? '') ?? asked.kind !== 'at',
    label: `${arrow}${dollars(asked.level)}`,
    side: null,
    trading: market.closed !== true,
  };
}

function questionOf(event: Wire, slug: string, reads: readonly Read[], part: string | null): Question | null {
  const first = reads[0]?.asked;
  if (first === undefined) return null;
  const markets = reads.map(({ market }) => market);
  const { asset, kind, when } = first;
  const at = 'key' in when ? null : when;
  const period = 'key' in when ? when : null;
  const said = {
    // The two directions of one event have rules of their own, and the event only carries one of them.
    rules: readable(rulesOfB(kind === 'at' ? event : {}, markets)),
    texts: textsOfB(kind === 'at' ? event : {}, markets),
    titles: markets.map((market) => text(market.question) ?? '').join('\n'),
    sources: [event, ...markets].map((one) => text(one.resolutionSource)).filter((one) => one !== null),
  };
  const asked = {
    asset: asset.id,
    kind,
    on_date: at?.on_date ?? null,
    settles_at: at?.settles_at ?? null,
    until: period?.until ?? null,
  };
  const about = kind === 'at' ? joined(event.description) : null;
  const contracts = reads.map(
    ({ asked: { level }, market }): PricedText => ({
      titles: [text(market.question), text(market.groupItemTitle)],
      text: joined(market.description) ?? about,
      priced: { ...asked, level },
    }),
  );
  if (about !== null) contracts.push({ titles: [], text: about, priced: { ...asked, level: null } });
  return priceQuestion({
    venue: 'venue_b',
    native: slug,
    part,
    series: null,
    asset,
    kind,
    on_date: at?.on_date ?? null,
    settles_at: at?.settles_at ?? null,
    period: period?.key ?? null,
    evidence: at !== null ? { hour_by: at.hour_by } : { year_by: period?.year_by ?? null },
    title: text(event.title),
    said,
    close_at: earliest([event, ...markets].map((one) => instant(text(one.endDate)))),
    rungs: reads.map(rungOf).filter((rung): rung is PriceRung => rung !== null),
    payoff: payoffOfLadder(text(event.title), contracts),
    excluded: reads.some(({ contradictory }) => contradictory) ? 'contradictory' : null,
  });
}

/** Price ladders of coins and commodities. "What price will Bitcoin hit in July?" is two of them: how high, and how low. */
export function cryptoB(event: Wire, context: Context): Question[] {
  const slug = text(event.slug);
  if (slug === null) return [];
  const ladders = new Map<string, Read[]>();
  for (const market of records(event.markets)) {
    const one = read(event, market, { now: context.now });
    if (one === null) continue;
    const key = ladderOf(one.asked);
    ladders.set(key, [...(ladders.get(key) ?? []), one]);
  }
  const kinds = [...ladders.keys()].map((key) => key.split('|')[1]);
  return [...ladders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, reads]) => {
      const [, kind = ''] = key.split('|');
      const alone = kinds.filter((other) => other === kind).length === 1;
      // A later day may list the other direction as well: a touch ladder is named by its own from the start.
      const part = alone ? (kind === 'at' ? null : kind) : key;
      const one = questionOf(event, slug, reads, part);
      return one === null ? [] : [one];
    });
}
