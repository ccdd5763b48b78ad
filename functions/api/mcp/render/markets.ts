import type { z } from 'zod';
import type { marketList } from '../../contract/market.ts';
import type { searchResult } from '../../contract/search.ts';
import type { settlement } from '../../contract/settlement.ts';
import type { spreadList } from '../../contract/spreads.ts';
import { parseMarketUuid } from '../../http/parameters.ts';
import { fenceText, toSafeId, toSafeWord, toSingleLine } from '../untrusted_text.ts';
import { countText, minute, points, price, second, trimmed } from './amounts.ts';
import { kindOf, type Market, renderBrief, renderMeanings, renderNames, renderRisk, renderRow } from './market_row.ts';

type Settlement = z.infer<typeof settlement>;

/** Rows of a list that the text has in full, some 165 tokens each. The others have a line each. */
const FULL_ROWS = 4;
/** How a row is read. */
const LEGEND = 'Asks x contracts; others: venue_a/venue_b.';

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
function renderDetails(row: Market, args: Record<string, unknown>): string[] {
  const lines: string[] = [];
  if (row.venues && row.confidence) {
    const { venue_a, venue_b } = row.venues;
    const { entity, resolution } = row.confidence;
    lines.push(
      `   ids: venue_a event ${toSafeId(venue_a.event_ticker)}; venue_b condition ${toSafeId(venue_b.condition_id ?? 'none')}, slug ${toSafeId(venue_b.slug ?? 'none')}; match confidence entity ${price(entity)}, resolution ${price(resolution)}`,
    );
  }
  for (const one of includes(args, 'depth') ? row.outcomes : []) {
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
  const brief = list.count > FULL_ROWS ? ` Rows from ${FULL_ROWS + 1} on in short: get_market has the rest.` : '';
  return [
    `${countText(list.count, 'market')}, ${asOf}.${renderCursorHint(list.next_cursor)}${brief} ${LEGEND}`,
    ...list.markets.flatMap((row, at) =>
      at < FULL_ROWS ? renderListed(row, at + 1, args) : [renderBrief(row, at + 1), ...renderDetails(row, args)],
    ),
    ...renderMeanings(list.markets.slice(0, FULL_ROWS).map((row) => row.settlement?.risks ?? [])),
    // The risks of a row follow its names where `include` requested them.
    fenceText(
      list.markets.flatMap((row, at) => [
        renderNames(at < FULL_ROWS ? firstNames(row) : { title: row.title }, at + 1),
        ...(includes(args, 'settlement') ? (row.settlement?.risks ?? []).map(renderRisk) : []),
      ]),
    ),
  ].join('\n');
}

const renderListed = (row: Market, n: number, args: Record<string, unknown>): string[] => [
  ...renderRow(row, n, false),
  ...renderDetails(row, args),
];

/** The names of the first outcomes: a list does not name all of a long market. */
const firstNames = (row: Market) => ({ title: row.title, outcomes: row.outcomes.slice(0, 6) });

const includes = (args: Record<string, unknown>, block: string): boolean =>
  Array.isArray(args.include) && args.include.some((one) => String(one).toLowerCase() === block);

/** Markets by ids: each in full, and the ids that the catalog does not have. */
export function renderMarketsOf(body: Record<string, unknown>, args: Record<string, unknown>): string {
  const list = body as z.infer<typeof marketList>;
  const found = new Set(list.markets.map((row) => row.id));
  const missing = ((args.ids ?? []) as string[]).filter((id) => !found.has(`mkt_${parseMarketUuid(id)}`));
  return [
    `${countText(list.count, 'market')}, as of ${second(list.snapshot_at)} (${list.delay_seconds} s old). ${LEGEND}`,
    ...missing.map((id) => `Not in the catalog: ${toSafeId(id)}. A candidate is read with market_id.`),
    ...list.markets.flatMap((row, at) => [...renderRow(row, at + 1, true), ...renderDetails(row, args)]),
    ...renderMeanings(list.markets.map((row) => row.settlement?.risks ?? [])),
    fenceText(
      list.markets.flatMap((row, at) => [
        renderNames(row, at + 1),
        ...(includes(args, 'settlement') ? (row.settlement?.risks ?? []).map(renderRisk) : []),
      ]),
    ),
  ].join('\n');
}

type Found = z.infer<typeof searchResult>;

export function renderSearch(body: Record<string, unknown>): string {
  const found = body as Found;
  const reading = (found.read_as ?? []).map(renderReading);
  if (found.total === 0) {
    return ['No market matches. Try fewer words, another spelling, or list_markets with filters.', ...reading].join(
      '\n',
    );
  }
  return [
    `${found.count} of ${countText(found.total, 'match', 'matches')}${found.has_more ? `; more on page ${found.page + 1}` : ''}. Prices: get_market with market_ids.`,
    ...reading,
    ...found.markets.map(
      (row, at) =>
        `${at + 1}. ${row.id} ${kindOf(row)}, ${row.status}, starts ${minute(row.start_time)}, signal ${row.signal}`,
    ),
    fenceText(found.markets.map((row, at) => renderNames({ ...row, outcomes: [] }, at + 1))),
  ].join('\n');
}

/** How the search read a word: `tonight = starts 2026-11-20 22:00Z to 2026-11-21 10:00Z`. */
function renderReading({ words, also, starts_from, starts_before }: NonNullable<Found['read_as']>[number]): string {
  const meaning = [
    ...(starts_from === null ? [] : [`starts ${minute(starts_from)} to ${minute(starts_before)}`]),
    ...also.map((other) => toSingleLine(other, 60)),
  ];
  return `Read ${toSingleLine(words, 60)} also as: ${meaning.join(', ')}.`;
}

export function renderMarket(body: Record<string, unknown>, args: Record<string, unknown>): string {
  const row = body as Market;
  const { settlement: terms, result } = row;
  return [
    ...renderRow(row, 1, true),
    ...renderDetails(row, args),
    `Priced ${second(row.priced_at)}.`,
    ...(result ? [`Settled: ${result.verdict}, winners ${result.winners.map(toSafeWord).join(', ') || 'none'}.`] : []),
    ...(terms ? [renderSettlement(row.signal, terms)] : []),
    fenceText([renderNames(row, 1), ...(terms && includes(args, 'settlement') ? terms.risks.map(renderRisk) : [])]),
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
