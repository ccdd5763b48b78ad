import type { RouteDocs } from './route_docs.ts';

// What the reference says of each route beside its parameters, which come from the route's own schemas. Answers are named and not
// imported: their schemas are loaded with the document, not with every isolate (18 to 46 ms under Deno on this machine, 2026-11-20).

export const marketsDocs: RouteDocs = {
  id: 'get_markets',
  tag: 'Markets',
  summary: 'List markets',
  description:
    'The matched catalog as of the snapshot: identity, both venues’ asks, the gap. By default what is `open` or `live` of the types `moneyline` and `outright`, or of every type where you filter by a context outside sports. Pages by `cursor` keep the order and the rows of the snapshot in which the first page was answered: no row comes twice, none is lost, none is added. A row that leaves the catalog meanwhile is left out. Each row has the state of its page’s own `snapshot_at`. `signal=arb` is refused here: confirmed arbitrage is at `/v2/arbitrage`.',
  responses: { 200: 'MarketList' },
  isSnapshot: true,
};

export const pairDocs: RouteDocs = {
  id: 'get_pair',
  tag: 'Markets',
  summary: 'Read one market',
  description: 'One Market with its ids, books and settlement, unless `include` names less.',
  responses: { 200: 'Market' },
  errors: ['pair.not_found'],
  isSnapshot: true,
};

export const historyDocs: RouteDocs = {
  id: 'get_history',
  tag: 'Markets',
  summary: 'Read a market’s price history',
  description:
    'Both venues’ asks per outcome, one point a minute, oldest first: the last seven days, or from `from` to `to`. Where that holds too many points, the answer’s own `from` is later. `series` is empty while nothing has been sampled; only an unknown market is a 404.',
  responses: { 200: 'History' },
  errors: ['pair.not_found'],
  isSnapshot: true,
};

export const searchDocs: RouteDocs = {
  id: 'get_search',
  tag: 'Markets',
  summary: 'Search markets',
  description:
    'Finds text, in any case, in teams, competition, sport, market type, slugs, the venues’ own ids, title and context, over the catalog and the candidates. Identity only, no prices.',
  responses: { 200: 'SearchResult' },
  errors: ['search.blank'],
  isSnapshot: true,
};

export const arbitrageDocs: RouteDocs = {
  id: 'get_arbitrage',
  tag: 'Arbitrage and spreads',
  summary: 'List confirmed arbitrage',
  description:
    'Windows that are open at the snapshot, with the exact contract to buy for each outcome, fees included. Each is checked against today’s match before it is served. None at all is the normal state.',
  responses: { 200: 'OpportunityList' },
  isSnapshot: true,
};

export const spreadsDocs: RouteDocs = {
  id: 'get_spreads',
  tag: 'Arbitrage and spreads',
  summary: 'List spread observations',
  description:
    'Pairs whose resolution rule never makes an arbitrage but that show a live gap, with the reasons why they may settle differently. Only pairs of which both confidences are at least 0.95.',
  responses: { 200: 'SpreadList' },
  isSnapshot: true,
};

export const reportDocs: RouteDocs = {
  id: 'report_bad_arb',
  tag: 'Arbitrage and spreads',
  summary: 'Report a bad arbitrage',
  description:
    'Files a report for review. At least one field must say something; blank and null count as absent. Other fields are kept too. At most 100 reports of an organization, and 16 MiB with their evidence, wait to be looked at.',
  responses: { 202: 'Received' },
  errors: ['report.empty', 'report.limit', 'body.not_json', 'body.too_deep', 'body.bad_text', 'body.too_large'],
};

export const categoriesDocs: RouteDocs = {
  id: 'get_categories',
  tag: 'Discovery',
  summary: 'List categories',
  description: 'Which categories, market types and contexts have rows: what the filters of the other routes can name.',
  responses: { 200: 'CategoryList' },
  isSnapshot: true,
};

export const leaguesDocs: RouteDocs = {
  id: 'get_leagues',
  tag: 'Discovery',
  summary: 'List leagues',
  description: 'Sports with the leagues seen. Deprecated: `/v2/categories` says more.',
  responses: { 200: 'LeagueList' },
  isDeprecated: true,
  isSnapshot: true,
};

export const coverageDocs: RouteDocs = {
  id: 'get_coverage',
  tag: 'Discovery',
  summary: 'Read the coverage census',
  description:
    'What venue_a lists and whether it is paired, series by series, and what venue_b has beyond. Taken about hourly.',
  responses: { 200: 'Coverage' },
  isSnapshot: true,
};

export const mcpDocs: RouteDocs = {
  id: 'post_mcp',
  tag: 'Agents',
  summary: 'Send a message of MCP',
  description:
    'The Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message as the body, one answer, as JSON or, for a call that reports progress, as an event stream. Revisions 2025-06-18, 2025-11-25 and 2026-07-28. The key may also come as `X-API-Key`. A tool call counts as the request of REST that it is; other messages count in the window alone. Clients are configured with this address, its slash included; what tools there are, they ask.',
  responses: { 200: null, 202: null },
  errors: ['body.too_large'],
};

export const accountDocs: RouteDocs = {
  id: 'get_account',
  tag: 'Account',
  summary: 'Read your limits and usage',
  description:
    'The organization that the key belongs to: tier, limits, what is used and when it resets. Counts in the window and takes nothing of the month, so it answers when the month is used up.',
  responses: { 200: 'Account' },
};

export const postWebhookDocs: RouteDocs = {
  id: 'register_webhook',
  tag: 'Webhooks',
  summary: 'Register an endpoint',
  description:
    'Deliveries of these events are POSTed to `url` from now on, signed with the `secret`, which only this answer holds. At most three endpoints an organization; disabled ones count.',
  responses: { 201: 'WebhookSecret' },
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

export const getWebhooksDocs: RouteDocs = {
  id: 'list_webhooks',
  tag: 'Webhooks',
  summary: 'List endpoints',
  description: 'The organization’s endpoints, oldest first, with their state and how their deliveries fare.',
  responses: { 200: 'WebhookList' },
  errors: ['webhook.tier'],
};

export const deleteWebhookDocs: RouteDocs = {
  id: 'delete_webhook',
  tag: 'Webhooks',
  summary: 'Delete an endpoint',
  description: 'It receives nothing from then on; its secret and the log of its deliveries go too.',
  responses: { 204: null },
  errors: ['webhook.tier', 'webhook.not_found'],
};

export const healthDocs: RouteDocs = {
  id: 'get_health',
  tag: 'Service',
  summary: 'Ask whether it is fresh',
  description: 'Always 200 while the process serves. Needs no key.',
  responses: { 200: 'Health' },
};

export const openapiDocs: RouteDocs = {
  id: 'get_openapi',
  tag: 'Service',
  summary: 'Read this document',
  description:
    'The OpenAPI 3.1 description of the API. Needs no key; changes with a new version alone, and has an `ETag`.',
  responses: { 200: null },
};
