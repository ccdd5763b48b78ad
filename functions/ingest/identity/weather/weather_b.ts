import type { Question } from '../../listing.ts';
import { type Context, earliest } from '../question.ts';
import { daysBetween, isoDate, parseDate, parseInstant, parseMonth } from '../text/eastern.ts';
import { dayEnd } from '../text/local_day.ts';
import { joined, type RawObject, records, rulesOfB, text, textsOfB, yesContract } from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { type Band, parseBand, parseBandInQuestion, parseBandInSlug, sameBand } from './band.ts';
import { type BandRung, weatherQuestion } from './weather.ts';
import { type BandText, payoffOfBands } from './weather_payoff.ts';
import { type City, cityByName } from './weather_places.ts';
import type { Extreme } from './weather_terms.ts';

const SLUG = /^(highest|lowest)-temperature-in-(.+?)-on-([a-z]+)-(\d{1,2})(?:-(20\d{2}))?(?:-\d+)*$/;
const TITLE = /^(highest|lowest) temperature in (.+?) on /i;

type ParsedSlug = { extreme: Extreme; city: City; month: number | null; day: number; year: number | null };

function parseEventSlug(slug: string): ParsedSlug | null {
  const match = SLUG.exec(slug);
  const city = match ? cityByName(match[2] ?? '') : null;
  if (!match || city === null) return null;
  return {
    extreme: match[1] === 'highest' ? 'high' : 'low',
    city,
    month: parseMonth(match[3] ?? ''),
    day: Number(match[4]),
    year: match[5] ? Number(match[5]) : null,
  };
}

/** Returns the day in the slug. Without a year it is the date nearest to the end of the market. */
function dateOf({ month, day, year }: ParsedSlug, end: string | null, now: string): string | null {
  if (month === null) return null;
  if (year !== null) return isoDate(year, month, day);
  const near = (end ?? parseInstant(now) ?? '').slice(0, 10);
  const nearYear = Number(near.slice(0, 4));
  if (!(nearYear > 2000)) return null;
  return (
    [nearYear - 1, nearYear, nearYear + 1]
      .map((one) => isoDate(one, month, day))
      .filter((one): one is string => one !== null)
      .sort((a, b) => Math.abs(daysBetween(a, near)) - Math.abs(daysBetween(b, near)))[0] ?? null
  );
}

/**
 * Returns when trading ends. The endDate of these markets is noon UTC of the measured day
 * (venues.md B2). In most cities that is before the day is over, and the market trades until it is.
 */
function closeOf(end: string | null, on_date: string | null, { zone }: City): string | null {
  const over = on_date === null ? null : dayEnd(on_date, zone);
  return (
    [end, over]
      .filter((at): at is string => at !== null)
      .sort()
      .at(-1) ?? null
  );
}

/** Whether the title names another city, extreme or day than the slug. */
function titleDiffers(title: string | null, listed: ParsedSlug, on_date: string | null): boolean {
  const match = TITLE.exec(title ?? '');
  if (match === null) return false;
  const city = cityByName(match[2] ?? '');
  const day = parseDate(title ?? '', on_date);
  return (
    (match[1]?.toLowerCase() === 'highest') !== (listed.extreme === 'high') ||
    (city !== null && city.id !== listed.city.id) ||
    (day !== null && on_date !== null && day !== on_date)
  );
}

function parseMarketBand(market: RawObject, event: string, city: City): Band | null | 'contradictory' {
  const slug = text(market.slug) ?? '';
  const bands = [
    parseBand(text(market.groupItemTitle) ?? '', city.unit),
    parseBandInQuestion(text(market.question) ?? '', city.unit),
    slug.startsWith(`${event}-`) ? parseBandInSlug(slug.slice(event.length + 1)) : null,
  ].filter((band): band is Band => band !== null);
  const [first, ...others] = bands;
  if (first === undefined) return null;
  return others.every((band) => sameBand(band, first)) ? first : 'contradictory';
}

/** "84-85°F", for a listing without a label. */
const labelOf = ({ low, high, unit }: Band): string =>
  low === null
    ? `${high}°${unit} or below`
    : high === null
      ? `${low}°${unit} or higher`
      : low === high
        ? `${low}°${unit}`
        : `${low}-${high}°${unit}`;

function rungOf(market: RawObject, band: Band): BandRung | null {
  const yes = yesContract(market);
  return yes === null
    ? null
    : {
        band,
        label: text(market.groupItemTitle) ?? labelOf(band),
        ...yes,
        side: null,
        trading: market.closed !== true,
      };
}

/** Parses highest-temperature-in-X-on-… and lowest-temperature-in-X-on-… of a known city. */
export function weatherB(event: RawObject, context: Context): Question[] {
  const slug = text(event.slug);
  const listed = slug === null ? null : parseEventSlug(slug);
  if (slug === null || listed === null) return [];
  const markets = records(event.markets);
  const end = earliest([
    parseInstant(text(event.endDate)),
    ...markets.map((market) => parseInstant(text(market.endDate))),
  ]);
  const on_date = dateOf(listed, end, context.now);
  const read = markets.map((market) => ({ market, band: parseMarketBand(market, slug, listed.city) }));
  const rungs = read.flatMap(({ market, band }) => {
    const rung = band === null || band === 'contradictory' ? null : rungOf(market, band);
    return rung === null ? [] : [rung];
  });
  const about = joined(event.description);
  const contracts = read.map(
    ({ market, band }): BandText => ({
      titles: [text(market.question), text(market.groupItemTitle)],
      text: joined(market.description) ?? about,
      band: band === 'contradictory' ? null : band,
    }),
  );
  if (about !== null) contracts.push({ titles: [], text: about, band: null });
  const addresses = [event, ...markets].map((holder) => text(holder.resolutionSource)).filter((one) => one !== null);
  const contradictory =
    read.some(({ band }) => band === 'contradictory') || titleDiffers(text(event.title), listed, on_date);
  return [
    weatherQuestion({
      venue: 'venue_b',
      nativeId: slug,
      series: null,
      city: listed.city,
      extreme: listed.extreme,
      on_date,
      title: text(event.title),
      close_at: closeOf(end, on_date, listed.city),
      texts: { rules: truncateRules(rulesOfB(event, markets)), texts: textsOfB(event, markets), addresses },
      rungs,
      payoff: payoffOfBands(text(event.title), contracts, { city: listed.city, extreme: listed.extreme, on_date }),
      excluded: contradictory ? 'contradictory' : null,
    }),
  ];
}
