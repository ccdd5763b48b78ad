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
  title: 'Find confirmed arbitrage',
  description:
    'Confirmed arbitrage that is open: the exact contract to buy for each outcome, profit after both venues’ fees, size. Each passed all gates (match, settlement parity, no high risk, fresh prices). Usually there are none. Its settlement risk is disclosed: `risks`, `weakest_link`, the record of its `rule`. Use it for “is there a gap left after fees, and what could break it?”; get_market has both rule texts. For gaps that are no arbitrage, use get_spreads.',
  annotations: READ_ONLY_HINTS,
  route: getArbitrage,
  defaults: { limit: DEFAULT_ROWS },
  bounds: limitRange,
  examples: [{ sport: 'basketball', limit: 3 }, {}],
  response: 'OpportunityList',
  render: renderOpportunities,
});

export const listSpreads: Tool = toolFromRoute({
  name: 'get_spreads',
  title: 'List spread observations',
  description:
    'Price gaps on pairs whose rules keep them from ever being arbitrage, widest first, with the settlement risks that explain it. A gap here is an observation, not a return. Use it for “where do the venues disagree?”; for gaps that are left after fees, with disclosed settlement risk, use find_arbitrage.',
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
  title: 'Report a bad arbitrage',
  description:
    'Files for human review that something find_arbitrage showed is no arbitrage (wrong match, rules that differ, prices that were not there). Say at least one field; with `opp_id` the evidence is kept. Use it when the user asks to report, not on your own account.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  route: postReportBadArb,
  examples: [{ opp_id: 'opp_00000000-0000-4000-8000-000000000001', reason: 'The venues name different games.' }],
  response: 'Received',
  render: renderReportReceipt,
});
