import type { z } from 'zod';
import type { market, marketList } from '../../contract/market.ts';
import type { searchResult } from '../../contract/search.ts';
import type { settlement } from '../../contract/settlement.ts';
import type { spreadList } from '../../contract/spreads.ts';
import { fenceText, renderOutcomeNames, toFilterName, toSafeId, toSafeWord, toSingleLine } from '../untrusted_text.ts';
import { countText, minute, points, price, second, trimmed } from './amounts.ts';

type Market = z.infer<typeof market>;
type Settlement = z.infer<typeof settlement>;

const kindOf = (row: { market_type: string; sport?: string | null; category: string; competition?: string | null }) =>
  [row.market_type, toFilterName(row.competition ?? row.sport ?? row.category)].join(' ');

/** Asks of both venues for each outcome: `home .42/.45`. */
function renderAsks(outcomes: Market['outcomes']): string {
  if (outcomes.length === 0) return 'unpriced';
  return outcomes.map((one) => `${toSafeWord(one.key)} ${price(one.venue_a)}/${price(one.venue_b)}`).join(', ');
}

function renderRow(row: Market, n: number): string {
  const arb = row.potential_arb_pct === null ? '' : `, return before fees ${row.potential_arb_pct}%`;
  return `${n}. ${row.id} ${kindOf(row)}, ${row.status}, starts ${minute(row.start_time)}, signal ${row.signal}, gap ${points(row.spread_pts)}${arb}; asks (venue_a/venue_b) ${renderAsks(row.outcomes)}`;
}

type Book = { ask: number | null; bid: number | null; depth: number | null; bid_depth?: number | null };

/** One contract: `venue_a NO KX-1 ask .42 x 120, bid .4 x 50`. */
function renderContract(venue: string, name: string, book: Book): string {
  const size = (at: number | null, of: number | null | undefined) =>
    at === null || typeof of !== 'number' ? '' : ` x ${trimmed(of, 2)}`;
  const { ask, bid, depth, bid_depth } = book;
  return `${venue} ${name} ask ${price(ask)}${size(ask, depth)}, bid ${price(bid)}${size(bid, bid_depth)}`;
}

/**
 * Indented lines for the `ids` and `depth` of a row: event ids, and the contracts of each outcome.
 */
function renderDetails(row: Market): string[] {
  const lines: string[] = [];
  if (row.venues && row.confidence) {
    const { venue_a, venue_b } = row.venues;
    const { entity, resolution } = row.confidence;
    lines.push(
      `   ids: venue_a event ${toSafeId(venue_a.event_ticker)}; venue_b condition ${toSafeId(venue_b.condition_id ?? 'none')}, slug ${toSafeId(venue_b.slug ?? 'none')}; match confidence entity ${price(entity)}, resolution ${price(resolution)}`,
    );
  }
  for (const one of row.outcomes) {
    if (one.venue_a_book === undefined && one.venue_b_book === undefined) continue;
    const a: (Book & { ticker: string; side?: string }) | null = one.venue_a_book ?? null;
    const b = one.venue_b_book ?? null;
    const contracts = [
      a === null
        ? 'venue_a none'
        : renderContract('venue_a', `${a.side === 'no' ? 'NO' : 'YES'} ${toSafeId(a.ticker)}`, a),
      b === null ? 'venue_b none' : renderContract('venue_b', `token ${toSafeId(b.token_id)}`, b),
    ];
    lines.push(`   ${toSafeWord(one.key)}: ${contracts.join('; ')}`);
  }
  return lines;
}

/** Number, title and outcome names of a row. Title and names are venue text. */
function renderNames(
  row: { title: string | null; outcomes?: readonly { key: string; name: string }[] },
  n: number,
): string {
  return `${n}. ${toSingleLine(row.title)}${renderOutcomeNames(row.outcomes ?? [])}`;
}

const renderCursorHint = (cursor: string | null) =>
  cursor === null ? '' : ' For more, call again with next_cursor as cursor.';

const CONTEXT_FILTERS = ['location', 'asset', 'indicator', 'basis', 'institution'];
const FILTERS = ['category', 'sport', 'competition', ...CONTEXT_FILTERS, 'game_id', 'signal', 'has_history'];

/** Suggests changes to arguments that found nothing. Names only filters that are in effect. */
function suggestWiderFilters(args: Record<string, unknown>): string {
  const { market_type, status, category, cursor } = args;
  const given = FILTERS.filter((name) => args[name] !== undefined && args[name] !== false);
  const isOtherContext = CONTEXT_FILTERS.some((name) => given.includes(name));
  const sports = typeof category !== 'string' || category.toLowerCase() === 'sports';
  const hasDefaultTypes = market_type === undefined && sports && !isOtherContext;
  const hasSomeTypes = Array.isArray(market_type) && !market_type.some((one) => /^all$/i.test(String(one)));
  const suggestions = [
    ...(cursor === undefined ? [] : ['omit cursor to start again']),
    ...(hasDefaultTypes || hasSomeTypes ? ['market_type ["all"]'] : []),
    ...(status === undefined && args.has_history !== true ? ['status ["open", "live", "resolving", "settled"]'] : []),
    ...(given.length > 0 ? [`fewer of your filters (${given.join(', ')})`] : []),
  ];
  return `${suggestions.length > 0 ? ` Try: ${suggestions.join('; ')}.` : ''} list_categories returns the valid names.`;
}

export function renderMarkets(body: Record<string, unknown>, args: Record<string, unknown>): string {
  const list = body as z.infer<typeof marketList>;
  const asOf = `as of ${second(list.snapshot_at)} (${list.delay_seconds} s old)`;
  if (list.count === 0) return `No markets match, ${asOf}.${suggestWiderFilters(args)}`;
  return [
    `${countText(list.count, 'market')}, ${asOf}.${renderCursorHint(list.next_cursor)}`,
    ...list.markets.flatMap((row, at) => [renderRow(row, at + 1), ...renderDetails(row)]),
    // The risks of a row follow its names where `include` requested them.
    fenceText(
      list.markets.flatMap((row, at) => [renderNames(row, at + 1), ...(row.settlement?.risks ?? []).map(renderRisk)]),
    ),
  ].join('\n');
}

export function renderSearch(body: Record<string, unknown>): string {
  const found = body as z.infer<typeof searchResult>;
  if (found.total === 0) return 'No market matches. Try fewer words, another spelling, or list_markets with filters.';
  return [
    `${found.count} of ${countText(found.total, 'match', 'matches')}${found.has_more ? `; more on page ${found.page + 1}` : ''}. Prices: get_market or list_markets.`,
    ...found.markets.map(
      (row, at) =>
        `${at + 1}. ${row.id} ${kindOf(row)}, ${row.status}, starts ${minute(row.start_time)}, signal ${row.signal}`,
    ),
    fenceText(found.markets.map((row, at) => renderNames({ ...row, outcomes: [] }, at + 1))),
  ].join('\n');
}

export function renderMarket(body: Record<string, unknown>): string {
  const row = body as Market;
  const { settlement: terms, result } = row;
  return [
    renderRow(row, 1),
    ...renderDetails(row),
    `Priced ${second(row.priced_at)}.`,
    ...(result ? [`Settled: ${result.verdict}, winners ${result.winners.map(toSafeWord).join(', ') || 'none'}.`] : []),
    ...(terms ? [renderSettlement(row.signal, terms)] : []),
    fenceText([renderNames(row, 1), ...(terms ? terms.risks.map(renderRisk) : [])]),
  ].join('\n');
}

/** One sentence on the resolution rule and one on the settlement risks. */
function renderSettlement(signal: Market['signal'], terms: Settlement): string {
  const parity = terms.parity
    ? 'Its resolution rule is confirmed: all settled pairs of the rule agreed.'
    : 'Its resolution rule is not confirmed by settled pairs.';
  const blocking = terms.risks.filter((one) => one.severity === 'high' || one.severity === 'critical').length;
  const risks =
    terms.risks.length === 0
      ? 'No settlement risk is known.'
      : `${countText(terms.risks.length, 'settlement risk')}, ${blocking} of them blocking (high or critical).`;
  return `${parity} ${risks}${signal === 'arb' ? '' : ' Not an arbitrage: a gap only.'}`;
}

/** A risk as one line. Its note may quote venue text (a source, a station), so it is fenced. */
const renderRisk = (risk: Settlement['risks'][number]) =>
  `- ${risk.severity} ${toSafeWord(risk.event)}: ${toSingleLine(risk.note, 300)}`;

export function renderSpreads(body: Record<string, unknown>): string {
  const list = body as z.infer<typeof spreadList>;
  if (list.count === 0) return 'No spread matches. Lower min_gap or use fewer filters.';
  return [
    `${countText(list.count, 'spread')}, widest gap first. A gap is not a return: the venues may settle differently.`,
    ...list.spreads.map((row, at) => {
      const risks =
        row.settlement.risks.map((one) => `${toSafeWord(one.event)} (${one.severity})`).join(', ') || 'none known';
      return `${at + 1}. ${row.id} ${kindOf(row)}, ${row.status}, gap ${points(row.spread_pts)}, band ${row.match_band}; risks: ${risks}`;
    }),
    fenceText(list.spreads.map((row, at) => renderNames({ title: row.title }, at + 1))),
  ].join('\n');
}
