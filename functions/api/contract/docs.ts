import type { About } from './route_docs.ts';

// What the reference says of each route beside its parameters, which come from the route's own schemas. Answers are named and not
// imported: their schemas are loaded with the document, not with every isolate (18 to 46 ms under Deno on this machine, 2026-11-20).

export const aboutMarkets: About = {
  id: 'get_markets',
  tag: 'Markets',
  summary: 'List markets',
  description:
    'The matched catalog as of the snapshot: identity, both venues’ asks, the gap. By default what is `open` or `live` of the types `moneyline` and `outright`, or of every type where you filter by a context outside sports. Pages by `cursor` keep the order and the rows of the snapshot in which the first page was answered: no row comes twice, none is lost, none is added. A row that leaves the catalog meanwhile is left out. Each row has the state of its page’s own `snapshot_at`. `signal=arb` is refused here: confirmed arbitrage is at `/v2/arbitrage`.',
  answers: { 200: 'MarketList' },
  snapshot: true,
};

export const aboutPair: About = {
  id: 'get_pair',
  tag: 'Markets',
  summary: 'Read one market',
  description: 'One Market with its ids, books and settlement, unless `include` names less.',
  answers: { 200: 'Market' },
  errors: ['pair.not_found'],
  snapshot: true,
};

export const aboutHistory: About = {
  id: 'get_history',
  tag: 'Markets',
  summary: 'Read a market’s price history',
  description:
    'Both venues’ asks per outcome, one point a minute, oldest first: the last seven days, or from `from` to `to`. Where that holds too many points, the answer’s own `from` is later. `series` is empty while nothing has been sampled; only an unknown market is a 404.',
  answers: { 200: 'History' },
  errors: ['pair.not_found'],
  snapshot: true,
};

export const aboutSearch: About = {
  id: 'get_search',
  tag: 'Markets',
  summary: 'Search markets',
  description:
    'Finds text, in any case, in teams, competition, sport, market type, slugs, the venues’ own ids, title and context, over the catalog and the candidates. Identity only, no prices.',
  answers: { 200: 'SearchResult' },
  errors: ['search.blank'],
  snapshot: true,
};

export const aboutArbitrage: About = {
  id: 'get_arbitrage',
  tag: 'Arbitrage and spreads',
  summary: 'List confirmed arbitrage',
  description:
    'Windows that are open at the snapshot, with the exact contract to buy for each outcome, fees included. Each is checked against today’s match before it is served. None at all is the normal state.',
  answers: { 200: 'OpportunityList' },
  snapshot: true,
};

export const aboutSpreads: About = {
  id: 'get_spreads',
  tag: 'Arbitrage and spreads',
  summary: 'List spread observations',
  description:
    'Pairs whose resolution rule never makes an arbitrage but that show a live gap, with the reasons why they may settle differently. Only pairs of which both confidences are at least 0.95.',
  answers: { 200: 'SpreadList' },
  snapshot: true,
};

export const aboutReport: About = {
  id: 'report_bad_arb',
  tag: 'Arbitrage and spreads',
  summary: 'Report a bad arbitrage',
  description:
    'Files a report for review. At least one field must say something; blank and null count as absent. Other fields are kept too. At most 100 reports of an organization, and 16 MiB with their evidence, wait to be looked at.',
  answers: { 202: 'Received' },
  errors: ['report.empty', 'report.limit', 'body.not_json', 'body.too_deep', 'body.bad_text', 'body.too_large'],
};

export const aboutCategories: About = {
  id: 'get_categories',
  tag: 'Discovery',
  summary: 'List categories',
  description: 'Which categories, market types and contexts have rows: what the filters of the other routes can name.',
  answers: { 200: 'CategoryList' },
  snapshot: true,
};

export const aboutLeagues: About = {
  id: 'get_leagues',
  tag: 'Discovery',
  summary: 'List leagues',
  description: 'Sports with the leagues seen. Deprecated: `/v2/categories` says more.',
  answers: { 200: 'LeagueList' },
  deprecated: true,
  snapshot: true,
};

export const aboutCoverage: About = {
  id: 'get_coverage',
  tag: 'Discovery',
  summary: 'Read the coverage census',
  description:
    'What venue_a lists and whether it is paired, series by series, and what venue_b has beyond. Taken about hourly.',
  answers: { 200: 'Coverage' },
  snapshot: true,
};

export const aboutMcp: About = {
  id: 'post_mcp',
  tag: 'Agents',
  summary: 'Send a message of MCP',
  description:
    'The Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message as the body, one answer, as JSON or, for a call that reports progress, as an event stream. Revisions 2025-06-18, 2025-11-25 and 2026-07-28. The key may also come as `X-API-Key`. A tool call counts as the request of REST that it is; other messages count in the window alone. Clients are configured with this address, its slash included; what tools there are, they ask.',
  answers: { 200: null, 202: null },
  errors: ['body.too_large'],
};

export const aboutAccount: About = {
  id: 'get_account',
  tag: 'Account',
  summary: 'Read your limits and usage',
  description:
    'The organization that the key belongs to: tier, limits, what is used and when it resets. Counts in the window and takes nothing of the month, so it answers when the month is used up.',
  answers: { 200: 'Account' },
};

export const aboutPostWebhook: About = {
  id: 'register_webhook',
  tag: 'Webhooks',
  summary: 'Register an endpoint',
  description:
    'Deliveries of these events are POSTed to `url` from now on, signed with the `secret`, which only this answer holds. At most three endpoints an organization; disabled ones count.',
  answers: { 201: 'WebhookSecret' },
  errors: [
    'webhook.tier',
    'webhook.limit',
    'change.limit',
    'body.not_json',
    'body.too_deep',
    'body.bad_text',
    'body.too_large',
  ],
};

export const aboutGetWebhooks: About = {
  id: 'list_webhooks',
  tag: 'Webhooks',
  summary: 'List endpoints',
  description: 'The organization’s endpoints, oldest first, with their state and how their deliveries fare.',
  answers: { 200: 'WebhookList' },
  errors: ['webhook.tier'],
};

export const aboutDeleteWebhook: About = {
  id: 'delete_webhook',
  tag: 'Webhooks',
  summary: 'Delete an endpoint',
  description: 'It receives nothing from then on; its secret and the log of its deliveries go too.',
  answers: { 204: null },
  errors: ['webhook.tier', 'webhook.not_found'],
};

export const aboutHealth: About = {
  id: 'get_health',
  tag: 'Service',
  summary: 'Ask whether it is fresh',
  description: 'Always 200 while the process serves. Needs no key.',
  answers: { 200: 'Health' },
};

export const aboutOpenapi: About = {
  id: 'get_openapi',
  tag: 'Service',
  summary: 'Read this document',
  description:
    'The OpenAPI 3.1 description of the API. Needs no key; changes with a new version alone, and has an `ETag`.',
  answers: { 200: null },
};
