import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { withPayoff } from '../terms/payoff_terms.ts';
import { sportsTerms } from '../terms/terms.ts';
import { parseInstant } from '../text/eastern.ts';
import { joined, type RawObject, record, records, rulesOfA, text } from '../text/raw_object.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { type Hints, parseAward } from './award.ts';
import { outrightQuestion } from './outright.ts';
import { type Award, awardOfSeries } from './outright_awards.ts';
import { payoffOfRace, type RunnerText } from './outright_payoff.ts';
import type { Runner } from './outright_runner.ts';
import { parseOutright } from './outright_sentence.ts';
import { mergeYears, parseYears } from './outright_year.ts';

/**
 * Returns the year in the ticker of a season: KXNFLMVP-27, KXWCGROUPWIN-26L, KXPGATOP10-PGC26,
 * KXNBADRAFTPICK-26-2. A ticker with a day is not about a season.
 */
function parseTickerYear(ticker: string): number | null {
  const match = /^[A-Z0-9]+-(?:(\d{2})(?:[A-Z][A-Z0-9]{0,7})?(?:-\d{1,2})?|[A-Z0-9]*?[A-Z](\d{2}))$/.exec(ticker);
  if (match === null || /-\d{2}[A-Z]{3}\d{2}/.test(ticker)) return null;
  return 2000 + Number(match[1] ?? match[2]);
}

type AwardResult = { award: Award; contradictory: boolean; hints: Hints };

/** Whether `other`, the award of a text, is the expected award. */
const accepts = (award: Award, other: Award): boolean =>
  other.competition === award.competition && (other.id === award.id || award.also.includes(other.id));

/**
 * Parses the award of an event from its title, else from the questions of its markets. The award of
 * a known series must agree with the texts.
 */
function parseEventAward(
  series: string,
  name: string | null,
  title: string | null,
  markets: readonly RawObject[],
): AwardResult | null {
  const hints: Hints = name === null ? { series } : { series, name };
  const known = awardOfSeries(series);
  const titled = parseAward(title, hints);
  const sentences = [...new Set(markets.map((market) => parseOutright(text(market.title))?.asks ?? null))];
  const byQuestions = sentences.map((one) => parseAward(one, hints)).find((one) => one !== null) ?? null;
  // The title takes precedence over the markets: "Conference to Win the National Championship".
  const award = title === null ? byQuestions : titled;
  if (known === null) return award === null ? null : { award: award, contradictory: false, hints };
  const fits = (one: Award | null) => one !== null && accepts(known, one);
  const silent = title === null && sentences.every((one) => one === null);
  return { award: known, contradictory: !silent && !fits(titled) && (titled !== null || !fits(byQuestions)), hints };
}

/** Parses the futures of venue_a. The year in the ticker is the year of the decision. */
export function outrightA(event: RawObject, context: Context): Question[] {
  const ticker = text(event.event_ticker);
  if (ticker === null) return [];
  const series = text(event.series_ticker) ?? seriesOf(ticker);
  const year = parseTickerYear(ticker);
  const title = text(event.title);
  // venue_a reuses tickers of conference futures for the winner of one series. advance_a.ts parses
  // those.
  if (year === null || (title !== null && /^series winner| vs\.? /i.test(title))) return [];
  const markets = records(event.markets);
  const parsedAward = parseEventAward(series, text(record(event.product_metadata).competition), title, markets);
  if (parsedAward === null) return [];
  const { award } = parsedAward;
  const contracts = markets.flatMap((market): RunnerText[] => {
    const market_id = text(market.ticker);
    if (market_id === null) return [];
    const question = text(market.title);
    const parsed = parseOutright(question);
    const label = text(market.yes_sub_title) ?? parsed?.runner ?? null;
    const own = parsed === null ? null : parseAward(parsed.asks, parsedAward.hints);
    const other = own !== null && !accepts(award, own) ? own.id : null;
    const runner: Runner = {
      label,
      code: suffixOf(ticker, market_id),
      market_id,
      contract_id: market_id,
      side: 'yes',
      other,
    };
    return [{ runner, question: question, text: joined(market.rules_primary, market.rules_secondary) }];
  });
  const rules = rulesOfA(markets);
  const years = mergeYears(
    [text(event.sub_title), title, ...contracts.map((one) => one.question)].map((one) =>
      one === null ? null : parseYears(one, award),
    ),
  );
  const otherYear = years === 'contradictory' || (years !== null && !years.may.has(year));
  const accepted = (one: Award) => accepts(award, one);
  const payoff = payoffOfRace(
    { venue: 'venue_a', title, award, hints: parsedAward.hints, accepts: accepted, year },
    contracts,
  );
  const sources = records(event.settlement_sources).concat(records(record(context.series).settlement_sources));
  return [
    outrightQuestion({
      venue: 'venue_a',
      event: ticker,
      award,
      year,
      year_by: 'ticker',
      close_at: earliest(
        markets.map(
          (market) => parseInstant(text(market.expected_expiration_time)) ?? parseInstant(text(market.close_time)),
        ),
      ),
      url: urlOf('venue_a', ticker, series),
      terms: withPayoff(
        sportsTerms(
          rules,
          [...new Set(sources.map((one) => text(one.name) ?? '').filter((name) => name !== ''))],
          null,
        ),
        payoff,
      ),
      runners: contracts.map((one) => one.runner),
      excluded:
        payoff === 'contradicts'
          ? 'payoff_contradicted'
          : parsedAward.contradictory || otherYear
            ? 'contradictory'
            : null,
      texts: { title, stated_year: years === null || years === 'contradictory' ? null : years.preferred },
    }),
  ];
}
