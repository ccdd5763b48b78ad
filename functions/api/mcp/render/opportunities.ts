import type { z } from 'zod';
import type { categoryList } from '../../contract/discovery.ts';
import type { opportunity, opportunityList } from '../../contract/opportunity.ts';
import { fenceText, toFilterName, toSafeId, toSafeWord, toSingleLine } from '../untrusted_text.ts';
import { countText, dollars, minute, price, second, trimmed } from './amounts.ts';

export type Opportunity = z.infer<typeof opportunity>;
type Leg = Opportunity['legs'][number];

/**
 * Longer than any instruction of arb.instruction. A cut instruction would lose the outcome on which
 * the leg pays.
 */
const MAX_INSTRUCTION_CHARACTERS = 400;

export function renderOpportunities(body: Record<string, unknown>): string {
  const list = body as z.infer<typeof opportunityList>;
  if (list.count === 0) {
    return 'No confirmed arbitrage is open. This is the normal state. For gaps that are not arbitrage, with the reasons, use get_spreads.';
  }
  return [
    `${countText(list.count, 'open opportunity', 'open opportunities')} after fees, newest price ${second(list.as_of)} (${list.delay_seconds} s old): not for execution. Each has settlement risk: get_market returns both rule texts.`,
    ...list.opportunities.map(renderRow),
    fenceText(list.opportunities.map(renderNames)),
  ].join('\n');
}

function renderRow(one: Opportunity, at: number): string {
  const where = toFilterName(one.competition ?? one.sport ?? one.category);
  return `${at + 1}. ${one.id} market ${one.market_id} ${where}, starts ${minute(one.start_time)}: edge ${trimmed(one.edge_pct, 4)} pts (${trimmed(one.edge_after_bound_pct, 4)} after its rule’s bound), up to ${one.max_contracts} contracts for $${one.max_wager_usd.toFixed(2)}${renderProfit(one)}; buy ${one.legs.map(renderLeg).join('; ')}; risks: ${renderRisks(one)}`;
}

function renderProfit({ profit_usd, expected_settlement_at }: Opportunity): string {
  const settles = expected_settlement_at ? `, settles about ${expected_settlement_at.slice(0, 10)}` : '';
  return `${typeof profit_usd === 'number' ? `, profit ${dollars(profit_usd)}` : ''}${settles}`;
}

/**
 * The side and the contract to buy, without venue text. The fenced instruction repeats it with the
 * names of the venues.
 */
function renderLeg(leg: Leg): string {
  const contract = leg.side === null ? 'token' : `${leg.side.toUpperCase()} on`;
  return `${contract} ${toSafeId(leg.contract_id)} (${leg.venue}) at ${price(leg.ask_usd)}, pays on ${toSafeWord(leg.outcome)}`;
}

export const renderRisks = ({ risks }: Pick<Opportunity, 'risks'>): string =>
  risks.map((one) => `${toSafeWord(one.event)} (${one.severity})`).join(', ') || 'none known';

const renderNames = (one: Opportunity, at: number) =>
  `${at + 1}. ${toSingleLine(one.title)}: ${one.legs.map((leg) => toSingleLine(leg.instruction, MAX_INSTRUCTION_CHARACTERS)).join('; ')}. Weakest link: ${toSingleLine(one.weakest_link, 400)}`;

export function renderCategories(body: Record<string, unknown>): string {
  const { categories } = body as z.infer<typeof categoryList>;
  if (categories.length === 0) return 'The catalog is empty.';
  return categories
    .map((one) => {
      const sports = [...new Set(one.facets.map((facet) => facet.sport).filter((sport) => typeof sport === 'string'))];
      const sportList = sports.length > 0 ? `; sports: ${sports.map(toSafeWord).join(', ')}` : '';
      return `${toSafeWord(one.category)}: ${one.open} open, ${one.live} live; types: ${one.market_types.join(', ')}${sportList}`;
    })
    .join('\n');
}

export const renderReportReceipt = (_: Record<string, unknown>, args: Record<string, unknown>): string =>
  args.opp_id
    ? 'The report is stored for review, with the evidence of the opportunity if its id is known.'
    : 'The report is stored for review. It has no opp_id, so no evidence of an opportunity is stored with it.';
