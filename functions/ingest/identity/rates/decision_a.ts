import type { Question } from '../../listing.ts';
import { type Context, earliest, urlOf } from '../question.ts';
import { parseDate, parseInstant, parseMonth, parseTickerDate } from '../text/eastern.ts';
import { joined, opening, type RawObject, records, rulesOfA, sourcesOfA, text, textsOfA } from '../text/raw_object.ts';
import { truncateRules } from '../text/summary_text.ts';
import { seriesOf, suffixOf } from '../text/ticker.ts';
import { decisionQuestion, type Meeting, type MoveLeg } from './decision.ts';
import { keyOfMove, moveOf } from './decision_move.ts';
import { type MoveText, payoffOfMoves } from './decision_payoff.ts';
import { BANKS, type Bank, CHOICES } from './decision_registry.ts';
import { type Move, parseDecision, parseSizeInRules, renderOpenEndedMove, type Size } from './decision_statement.ts';
import { decisionTerms } from './decision_terms.ts';

type MoveResult = { move: Move | null; sizes: readonly (Size | null)[]; contradictory: boolean };

/** Parses a rate decision of venue_a: `KXCBDECISIONENGLAND-26JUN18`, one contract per choice. */
export function decisionA(family: 'fed_decision' | 'cb_decision') {
  return (event: RawObject, context: Context): Question[] => {
    const ticker = text(event.event_ticker);
    if (ticker === null) return [];
    const series = text(event.series_ticker) ?? seriesOf(ticker);
    const bank = BANKS.find((one) => one.family === family && one.venue_a.includes(series));
    if (bank === undefined) return [];
    const markets = records(event.markets);
    const meeting = parseMeeting(ticker, event);
    const read = markets.map((market) => [market, parseMove(market, ticker, bank, meeting.month)] as const);
    const legs = read.flatMap(([market, { move }]): MoveLeg[] => {
      const id = text(market.ticker);
      return id === null || move === null ? [] : [{ move, market_id: id, contract_id: id, side: 'yes', over: false }];
    });
    const contracts = read.map(
      ([market, { move }]): MoveText => ({
        titles: [text(market.title), text(market.yes_sub_title)],
        text: joined(market.rules_primary, market.rules_secondary),
        move,
      }),
    );
    return [
      decisionQuestion('venue_a', ticker, bank, meeting, legs, {
        close_at: earliest(markets.map((market) => parseInstant(text(market.close_time)))),
        url: urlOf('venue_a', ticker, seriesOf(ticker)),
        title: text(event.title),
        unread: markets.length - legs.length,
        payoff: payoffOfMoves(text(event.title), contracts, { bank, month: meeting.month }),
        contradictory: meeting.contradictory || read.some(([, one]) => one.contradictory),
        terms: decisionTerms(truncateRules(rulesOfA(markets)), textsOfA(markets), sourcesOfA(event, context.series), {
          bank: bank.id,
          month: meeting.month,
          outer: renderOpenEndedMove(read.flatMap(([, one]) => one.sizes)),
        }),
      }),
    ];
  };
}

/**
 * Parses the meeting. The ticker names the month and often the day. The subtitle names the day in
 * words and must not name another month.
 */
function parseMeeting(ticker: string, event: RawObject): Meeting & { contradictory: boolean } {
  const match = /-(\d{2})([A-Z]{3})(\d{2})?$/.exec(ticker);
  const number = match ? parseMonth(match[2] ?? '') : null;
  if (!match || number === null) return { month: null, by: null, day: null, contradictory: false };
  const month = `20${match[1]}-${String(number).padStart(2, '0')}`;
  const inTicker = match[3] ? parseTickerDate(`${match[1]}${match[2]}${match[3]}`) : null;
  const inWords = parseDate(text(event.sub_title) ?? '', null);
  return {
    month,
    by: 'ticker',
    day: inWords ?? inTicker,
    contradictory: inWords !== null && !inWords.startsWith(month),
  };
}

/**
 * Parses the change that a contract states. Label, title, rules and the code in the ticker must
 * agree, where they state one.
 */
function parseMove(market: RawObject, event: string, bank: Bank, meeting: string | null): MoveResult {
  const [year, month] = (meeting ?? '').split('-').map(Number);
  const id = text(market.ticker);
  const statements = [market.yes_sub_title, market.title]
    .map((value) => text(value))
    .flatMap((value) => (value === null ? [] : [parseDecision(value)]))
    .filter((one) => one.closed && one.size !== null);
  const isContradictory = statements.some(
    (one) =>
      [...one.banks].some((other) => other !== bank.id) ||
      (one.month !== null && month !== undefined && one.month !== month) ||
      (one.year !== null && month !== undefined && one.year !== year),
  );
  const inRules = parseSizeInRules(opening(market.rules_primary));
  const sizes = [...statements.map((one) => one.size), inRules];
  const moves = sizes.flatMap((size) => (size === null ? [] : (moveOf(size, bank.step) ?? [])));
  const suffix = id === null ? null : suffixOf(event, id);
  const coded = CHOICES.find((one) => suffix !== null && one.venue_a.includes(suffix));
  const stated = coded ? [...moves, coded as Move] : moves;
  if (isContradictory || new Set(stated.map(keyOfMove)).size > 1) return { move: null, sizes, contradictory: true };
  const [move] = stated;
  return {
    move: move === undefined ? null : { low: move.low, high: move.high, comparison: move.comparison },
    sizes,
    contradictory: false,
  };
}
