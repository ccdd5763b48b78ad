import type { z } from 'zod';
import { GLOSSARY } from '../../contract/glossary.ts';
import type { market } from '../../contract/market.ts';
import type { settlement } from '../../contract/settlement.ts';
import { renderOutcomeNames, toFilterName, toSafeId, toSafeWord, toShortId, toSingleLine } from '../untrusted_text.ts';
import { minute, points, price, roundDollars, trimmed } from './amounts.ts';

export type Market = z.infer<typeof market>;
type Outcome = Market['outcomes'][number];
export type Risk = z.infer<typeof settlement>['risks'][number];

/** Outcomes of a row that a list has in its text: those with the largest gaps. */
const MAX_OUTCOMES = 5;

/** A whole market with at most this many outcomes has the contracts of each in its text. */
const MAX_CONTRACTS = 3;

export const kindOf = (row: {
  market_type: string;
  sport?: string | null;
  category: string;
  competition?: string | null;
}): string => [row.market_type, toFilterName(row.competition ?? row.sport ?? row.category)].join(' ');

/** The identity of a row and its gap, in one line. */
export function renderHead(row: Market, n: number): string {
  const gross =
    row.potential_arb_pct === null || typeof row.best_edge_pct === 'number'
      ? ''
      : `, return before fees ${row.potential_arb_pct}%`;
  const widest = widestOf(row);
  const on = widest === undefined ? '' : ` on ${toSafeWord(widest.key)}`;
  return `${n}. ${row.id} ${kindOf(row)}, ${row.status}, starts ${minute(row.start_time)}, signal ${row.signal}, gap ${points(row.spread_pts)}${on}${gross}`;
}

/** A row in one line, for a list of many. */
export function renderBrief(row: Market, n: number): string {
  const widest = widestOf(row);
  const asks =
    widest === undefined ? '' : ` on ${toSafeWord(widest.key)} ${price(widest.venue_a)}/${price(widest.venue_b)}`;
  return `${n}. ${row.id} ${toFilterName(row.competition ?? row.category)}, ${minute(row.start_time)}, ${row.spread_pts === null ? 'unpriced' : `gap ${points(row.spread_pts)}${asks}`}`;
}

/**
 * What a reader needs to judge a row: the asks with their sizes, the contracts of the outcome with
 * the gap, the edge after fees, and the worst risk. `isWhole`: with every outcome.
 */
export function renderRow(row: Market, n: number, isWhole: boolean): string[] {
  const judged = [...renderEdge(row), ...(row.settlement ? [renderWorst(row.settlement.risks)] : [])];
  return [renderHead(row, n), ...renderPrices(row, isWhole), ...(judged.length > 0 ? [`   ${judged.join('; ')}`] : [])];
}

/** The outcome with the largest gap between the asks; undefined without a gap. */
function widestOf(row: Market): Outcome | undefined {
  const [widest] = byGap(row.outcomes);
  return widest !== undefined && gapOf(widest) >= 0 ? widest : undefined;
}

const gapOf = ({ venue_a, venue_b }: Outcome): number =>
  venue_a === null || venue_b === null ? -1 : Math.abs(venue_a - venue_b);

const byGap = (outcomes: readonly Outcome[]): Outcome[] =>
  [...outcomes].sort((one, other) => gapOf(other) - gapOf(one));

function renderPrices(row: Market, isWhole: boolean): string[] {
  if (row.outcomes.length === 0) return ['   unpriced'];
  if (isWhole && row.outcomes.length <= MAX_CONTRACTS) {
    return row.outcomes.map((one) => `   ${toSafeWord(one.key)}: ${renderContracts(one, toSafeId)}`);
  }
  const widest = widestOf(row);
  const listed = isWhole ? row.outcomes : byGap(row.outcomes).slice(0, MAX_OUTCOMES);
  const others = listed.filter((one) => one !== widest);
  const omitted = row.outcomes.length - listed.length;
  const more = omitted > 0 ? `; ${omitted} more: get_market` : '';
  return [
    ...(widest === undefined
      ? []
      : [`   ${toSafeWord(widest.key)}: ${renderContracts(widest, isWhole ? toSafeId : toShortId)}`]),
    ...(others.length === 0 ? [] : [`   others: ${others.map(renderAsks).join(', ')}${more}`]),
  ];
}

/** The contracts of an outcome, the cheaper first: `venue_b .42 x 179 ($75) token 1; venue_a …`. */
function renderContracts(one: Outcome, renderToken: (id: string) => string): string {
  const { venue_a, venue_b, venue_a_book: a, venue_b_book: b } = one;
  const ofA = a ? ` ${a.side === 'no' ? 'NO' : 'YES'} ${toSafeId(a.ticker)}` : '';
  const ofB = b ? ` token ${renderToken(b.token_id)}` : '';
  const isCheaperB = (venue_b ?? 2) < (venue_a ?? 2);
  const textA = `venue_a ${renderSized(venue_a, a?.depth, !isCheaperB)}${ofA}`;
  const textB = `venue_b ${renderSized(venue_b, b?.depth, isCheaperB)}${ofB}`;
  return isCheaperB ? `${textB}; ${textA}` : `${textA}; ${textB}`;
}

/** `home .48 x 444/.42 x 179`. */
const renderAsks = (one: Outcome): string =>
  `${toSafeWord(one.key)} ${renderSized(one.venue_a, one.venue_a_book?.depth)}/${renderSized(one.venue_b, one.venue_b_book?.depth)}`;

function renderSized(ask: number | null, size: number | null | undefined, hasDollars = false): string {
  if (ask === null || typeof size !== 'number') return price(ask);
  return `${price(ask)} x ${trimmed(size, 2)}${hasDollars ? ` (${roundDollars(ask * size)})` : ''}`;
}

/** What one of each cheapest contract leaves, for a row that `best` was read with. */
function renderEdge(row: Market): string[] {
  if (row.best === undefined || row.best.length === 0) return [];
  if (typeof row.best_edge_pct !== 'number') return ['edge after fees unknown'];
  const sizes = row.best.map(({ buy }) => buy?.size ?? Number.NaN);
  const size = Math.min(...sizes);
  const contracts = Number.isNaN(size) ? '' : ` x ${trimmed(size, 2)}`;
  return [`edge after fees ${points(row.best_edge_pct)}${contracts}`];
}

const RISKS: Readonly<Record<string, string>> = GLOSSARY.risks;

/** The worst of the risks, as its severity and code. */
export function renderWorst([worst, ...others]: readonly Risk[]): string {
  if (worst === undefined) return 'worst risk: none known';
  return `worst risk: ${worst.severity} ${toSafeWord(worst.event)}${others.length === 0 ? '' : ` (${others.length} more)`}`;
}

/** The meaning of each worst risk, once for all rows: no text of a venue. */
export function renderMeanings(lists: readonly (readonly Risk[])[]): string[] {
  const codes = new Set(lists.flatMap(([worst]) => (worst === undefined ? [] : [worst.event])));
  return [...codes].flatMap((code) => (RISKS[code] === undefined ? [] : [`${toSafeWord(code)}: ${RISKS[code]}`]));
}

/** Number, title and outcome names of a row. Title and names are venue text. */
export function renderNames(
  row: { title: string | null; outcomes?: readonly { key: string; name: string }[] },
  n: number,
): string {
  return `${n}. ${toSingleLine(row.title)}${renderOutcomeNames(row.outcomes ?? [])}`;
}

/** A risk as one line. Its note may quote venue text (a source, a station), so it is fenced. */
export const renderRisk = (risk: Risk): string =>
  `- ${risk.severity} ${toSafeWord(risk.event)}: ${toSingleLine(risk.note, 300)}`;
