import { getArbitrage } from '../../routes/get_arbitrage.ts';
import { getSpreads } from '../../routes/get_spreads.ts';
import { postReportBadArb } from '../../routes/post_report_bad_arb.ts';
import { renderSpreads } from '../render/markets.ts';
import { renderOpportunities, renderReportReceipt } from '../render/opportunities.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';

const DEFAULT_ROWS = 10;
const limitRange = { limit: { minimum: 1, maximum: 100 } };

export const findArbitrage: Tool = toolFromRoute({
  name: 'find_arbitrage',
  toolset: 'arbitrage',
  title: 'Find confirmed arbitrage',
  description:
    'Open confirmed arbitrage: the exact contract to buy for each outcome, profit after the fees of both venues, size. Each passed all gates (match, settlement parity, no high risk, fresh prices). Usually there is none. Each row discloses its settlement risk: `risks`, `weakest_link`, the record of its `rule`. Use it for “is there a gap after fees, and what could break it?”; get_market returns both rule texts. For gaps that are not arbitrage, use get_spreads.',
  annotations: READ_ONLY_HINTS,
  route: getArbitrage,
  // get_market has the rule texts and the books.
  without: ['include', 'market_type'],
  defaults: { limit: DEFAULT_ROWS },
  bounds: limitRange,
  examples: [{ sport: 'basketball', limit: 3 }, {}],
  response: 'OpportunityList',
  render: renderOpportunities,
});

export const listSpreads: Tool = toolFromRoute({
  name: 'get_spreads',
  toolset: 'arbitrage',
  title: 'List spread observations',
  description:
    'Price gaps on pairs whose resolution rule excludes arbitrage, widest first, with the settlement risks that explain it. A gap here is an observation, not a return. Use it for “where do the venues disagree?”; for gaps after fees, with disclosed settlement risk, use find_arbitrage.',
  annotations: READ_ONLY_HINTS,
  route: getSpreads,
  defaults: { limit: DEFAULT_ROWS },
  bounds: limitRange,
  examples: [{ category: 'weather', min_gap: 3, limit: 5 }],
  response: 'SpreadList',
  render: renderSpreads,
});

export const reportBadArb: Tool = toolFromRoute({
  name: 'report_bad_arb',
  toolset: 'reports',
  title: 'Report a bad arbitrage',
  description:
    'Stores a report for human review: a row of find_arbitrage is not an arbitrage (wrong match, different rules, prices that did not exist). Send at least one field; with `opp_id` the evidence is stored. Use it only when the user asks to report.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  route: postReportBadArb,
  examples: [{ opp_id: 'opp_00000000-0000-4000-8000-000000000001', reason: 'The venues name different games.' }],
  response: 'Received',
  render: renderReportReceipt,
});
