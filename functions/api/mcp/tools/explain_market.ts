import { getExplanation } from '../../routes/get_explanation.ts';
import { renderExplanation } from '../render/explanation.ts';
import { READ_ONLY_HINTS, type Tool } from '../tool.ts';
import { toolFromRoute } from '../tool_from_route.ts';

export const explainMarket: Tool = toolFromRoute({
  name: 'explain_market',
  toolset: 'arbitrage',
  title: 'Explain why a market is no arbitrage',
  description:
    'Why one market is or is no arbitrage now: the four gates with a reason for each closed one, how close the asks come after fees, the worst settlement risk, and the record of its resolution rule. Use it for “why is this pair not an arb?”; for the rule texts and all risks, get_market.',
  annotations: READ_ONLY_HINTS,
  route: getExplanation,
  required: ['market_id'],
  examples: [{ market_id: 'mkt_00000000-0000-4000-8000-000000000001' }],
  response: 'Explanation',
  render: renderExplanation,
});
