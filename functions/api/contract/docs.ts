import type { RouteDocs } from './route_docs.ts';

// Texts of the reference for each route. Its parameters come from the schemas of the route.
// Responses are named, not imported: their schemas load with the document and not with every
// isolate (18 to 46 ms under Deno on this machine, 2026-11-20).

export const marketsDocs: RouteDocs = {
  id: 'get_markets',
  tag: 'Markets',
  summary: 'List markets',
  description:
    'The matched catalog at the REST snapshot: identity, asks of both venues, spread. The default is `open` and `live` markets of the types `moneyline` and `outright`, or of every type where you filter by a context outside sports. Pages by `cursor` keep the order and the rows of the first page’s snapshot: no row is repeated, lost or added. A row that leaves the catalog meanwhile is omitted. Each row has its state at the `snapshot_at` of its own page. `signal=arb` is rejected here: see `/v2/arbitrage` for confirmed arbitrage.',
  responses: { 200: 'MarketList' },
  isSnapshot: true,
};

export const pairDocs: RouteDocs = {
  id: 'get_pair',
  tag: 'Markets',
  summary: 'Read one market',
  description: 'One market with its ids, books and settlement, unless `include` names other blocks.',
  responses: { 200: 'Market' },
  errors: ['pair.not_found'],
  isSnapshot: true,
};

export const explanationDocs: RouteDocs = {
  id: 'explain_market',
  tag: 'Arbitrage and spreads',
  summary: 'Explain why a market is no arbitrage',
  description:
    'The four gates of the signal with a reason for each closed one, what followed with all gates open, how close the asks of the snapshot come after fees, the settlement risks, and the record of the resolution rule. For markets of the catalog and for candidates.',
  responses: { 200: 'Explanation' },
  errors: ['pair.not_found'],
  isSnapshot: true,
};

export const historyDocs: RouteDocs = {
  id: 'get_history',
  tag: 'Markets',
  summary: 'Read a market’s price history',
  description:
    'Asks of both venues per outcome, one point a minute, oldest first: the last seven days, or `from` to `to`. `bucket` has one point every 5 or 60 minutes instead: the prices at the start of the bucket. Where that range contains too many points, the `from` in the response is later. `series` is empty before the first point. Only an unknown market is a 404.',
  responses: { 200: 'History' },
  errors: ['pair.not_found'],
  isSnapshot: true,
};

export const searchDocs: RouteDocs = {
  id: 'get_search',
  tag: 'Markets',
  summary: 'Search markets',
  description:
    'Searches teams, competition, sport, market type, slugs, venue ids, title and context, in any case, over the catalog and the candidates. Numbers (`100k`), nicknames (`sixers`), short names (`BTC`) and times (`tonight`, in New York) are read as people mean them; `read_as` has how. Returns identity without prices.',
  responses: { 200: 'SearchResult' },
  errors: ['search.blank'],
  isSnapshot: true,
};

export const lookupDocs: RouteDocs = {
  id: 'get_lookup',
  tag: 'Markets',
  summary: 'Look up ids',
  description:
    'Finds markets by the ids of the venues or by their own, in the catalog and the candidates, and the outcome where the id is a contract. Without prices: `/v2/markets?ids=` has them.',
  responses: { 200: 'Lookup' },
  isSnapshot: true,
};

export const arbitrageDocs: RouteDocs = {
  id: 'get_arbitrage',
  tag: 'Arbitrage and spreads',
  summary: 'List confirmed arbitrage',
  description:
    'Opportunities that are open at the REST snapshot, with the exact contract to buy for each outcome, fees included. Each is checked against the current match first. An empty list is the normal state. The order is the largest edge first, unless `sort` names another.',
  responses: { 200: 'OpportunityList' },
  isSnapshot: true,
};

export const arbitrageHistoryDocs: RouteDocs = {
  id: 'get_arbitrage_history',
  tag: 'Arbitrage and spreads',
  summary: 'List closed opportunities',
  description:
    'Opportunities that had closed at the REST snapshot, the last closed first, with the reason of the close, their terms when they opened and at their largest edge, and how size and edge changed. Closed opportunities are kept for 30 days. One that opened on a book that was already invalid (`retracted` on the stream) is not listed: it never was an opportunity. One that a book made invalid later ends at the last valid moment. `profit_usd` is what the size locked in at those prices, not a result of settlement: `/v2/track-record` has those.',
  responses: { 200: 'PastOpportunityList' },
  isSnapshot: true,
};

export const spreadsDocs: RouteDocs = {
  id: 'get_spreads',
  tag: 'Arbitrage and spreads',
  summary: 'List spread observations',
  description:
    'Pairs with a price gap whose resolution rule excludes arbitrage, with the reasons why they may settle differently. Only pairs whose two confidences are at least 0.95.',
  responses: { 200: 'SpreadList' },
  isSnapshot: true,
};

export const rulesDocs: RouteDocs = {
  id: 'get_rules',
  tag: 'Arbitrage and spreads',
  summary: 'List resolution rules with their record',
  description:
    'How often both venues paid the same under each resolution rule, counted in occasions: pairs that settled here, and the settled history of both venues. `bound_pct` against `limit_pct` decides whether a rule is confirmed. `include=divergences` adds the texts and the payouts of both venues on each occasion that diverged. Only pairs of confirmed and pooled rules can be opportunities.',
  responses: { 200: 'RuleList' },
  isSnapshot: true,
};

export const trackRecordDocs: RouteDocs = {
  id: 'get_track_record',
  tag: 'Arbitrage and spreads',
  summary: 'Read the track record',
  description:
    'What every published opportunity paid once both venues settled it, by month, family and competition. Needs no key. The size and the price of each are those of its first publication: what a reader who acts at once gets. Paid is what the venues paid for exactly these contracts, also after a void, a 50-50 or a divergence, and also when the pair was withdrawn later. A result that a venue amends is counted again. Updated each minute.',
  responses: { 200: 'TrackRecord' },
  errors: ['database.unavailable'],
  isCached: true,
};

export const sampleDocs: RouteDocs = {
  id: 'get_sample',
  tag: 'Markets',
  summary: 'Read the sample',
  description:
    'At most 20 open or live markets at the REST snapshot, in the form of `/v2/markets`: those of the stream’s channel `sample`, chosen once an hour over the sports. Needs no key and counts nowhere. Everyone gets the same bytes, so any cache may keep them until the next step. With `stale-while-revalidate` and `stale-if-error` a cache may serve an older step for some seconds: `snapshot_at` and `X-As-Of` have the moment of the prices.',
  responses: { 200: 'Sample' },
  errors: ['database.unavailable'],
  isCached: true,
  hasAsOf: true,
};

export const reportDocs: RouteDocs = {
  id: 'report_bad_arb',
  tag: 'Arbitrage and spreads',
  summary: 'Report a bad arbitrage',
  description:
    'Stores a report for review. At least one field must have text; blank and null count as absent. Other fields are stored as well. At most 100 reports of an organization, 16 MiB with their evidence, can wait for review.',
  responses: { 202: 'Received' },
  errors: [
    'auth.read_only_key',
    'report.empty',
    'report.limit',
    'body.not_json',
    'body.too_deep',
    'body.bad_text',
    'body.too_large',
  ],
};

export const categoriesDocs: RouteDocs = {
  id: 'get_categories',
  tag: 'Discovery',
  summary: 'List categories',
  description:
    'Categories, market types and contexts that have markets: the values that the filters of other routes can name.',
  responses: { 200: 'CategoryList' },
  isSnapshot: true,
};

export const leaguesDocs: RouteDocs = {
  id: 'get_leagues',
  tag: 'Discovery',
  summary: 'List leagues',
  description: 'Sports with their leagues. Deprecated: use `/v2/categories`.',
  responses: { 200: 'LeagueList' },
  isDeprecated: true,
  isSnapshot: true,
};

export const coverageDocs: RouteDocs = {
  id: 'get_coverage',
  tag: 'Discovery',
  summary: 'Read the coverage census',
  description:
    'Every series of venue_a with its pairing state, the unpaired games of venue_b, and every event of both venues by series and by week: paired, candidate, unpaired or unread, with the code of the reason. Updated about hourly.',
  responses: { 200: 'Coverage' },
  isSnapshot: true,
};

export const exportDocs: RouteDocs = {
  id: 'get_export',
  tag: 'Export',
  summary: 'Export a day',
  description:
    'The price updates, closed opportunities, pairs, refusals and verdicts of one UTC day as files, in NDJSON and in Parquet, each with an address that works for an hour without a key. A day is published whole, about an hour after its end, and kept for 30 days. Pro only. Counts as one request of the window and not in the month. docs/export.md describes the columns and their units.',
  responses: { 200: 'ExportedDay' },
  errors: ['export.tier', 'export.not_found', 'export.not_ready', 'storage.unavailable'],
};

export const mcpDocs: RouteDocs = {
  id: 'post_mcp',
  tag: 'Agents',
  summary: 'Send an MCP message',
  description:
    'The Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message in the body, one response, as JSON or, for a call that reports progress, as an event stream. Revisions 2025-06-18, 2025-11-25 and 2026-07-28. The key may also be in `X-API-Key`. A tool call counts like its REST request; other messages count in the window only. A request without `Accept: application/json, text/event-stream` is refused. Configure your client with this address, including the slash. The client lists the tools itself.',
  accept: 'application/json, text/event-stream',
  body: {
    type: 'object',
    description: 'One JSON-RPC message.',
    properties: {
      jsonrpc: { type: 'string', const: '2.0' },
      id: { type: ['string', 'number'], description: 'Returned with the response. A notification has none.' },
      method: { type: 'string', description: 'Such as `initialize`, `tools/list` or `tools/call`.' },
      params: { type: 'object', description: 'The parameters of the method.' },
    },
    required: ['jsonrpc', 'method'],
  },
  responses: { 200: null, 202: null },
  errors: ['body.too_large'],
};

export const accountDocs: RouteDocs = {
  id: 'get_account',
  tag: 'Account',
  summary: 'Read your limits and usage',
  description:
    'The organization of the key: tier, limits, use and reset times. Counts in the window only, so it also answers when the monthly quota is used.',
  responses: { 200: 'Account' },
};

export const postWebhookDocs: RouteDocs = {
  id: 'register_webhook',
  tag: 'Webhooks',
  summary: 'Register an endpoint',
  description:
    'From now on these events are delivered to `url` by POST, signed with the `secret`. Only this response contains the secret. An organization has at most three endpoints; disabled ones count.',
  responses: { 201: 'WebhookSecret' },
  errors: [
    'auth.read_only_key',
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
  description: 'The endpoints of the organization, oldest first, with their state and their deliveries.',
  responses: { 200: 'WebhookList' },
  errors: ['webhook.tier'],
};

export const deleteWebhookDocs: RouteDocs = {
  id: 'delete_webhook',
  tag: 'Webhooks',
  summary: 'Delete an endpoint',
  description: 'The endpoint receives no more deliveries. Its secret and its delivery history are deleted.',
  responses: { 204: null },
  errors: ['auth.read_only_key', 'webhook.tier', 'webhook.not_found'],
};

export const patchWebhookDocs: RouteDocs = {
  id: 'change_webhook',
  tag: 'Webhooks',
  summary: 'Change an endpoint',
  description:
    'Changes the fields that the body has: address, events, thresholds; `status: "enabled"` enables a disabled endpoint. A threshold ends with its event. After a change of events or thresholds the first gap of each pair only sets the side, as after a registration.',
  responses: { 200: 'Webhook' },
  errors: [
    'auth.read_only_key',
    'webhook.tier',
    'webhook.not_found',
    'change.limit',
    'body.not_json',
    'body.too_deep',
    'body.bad_text',
    'body.too_large',
  ],
};

export const testWebhookDocs: RouteDocs = {
  id: 'test_webhook',
  tag: 'Webhooks',
  summary: 'Send a test delivery',
  description:
    'Sends the event `ping`, as every delivery is sent. It never counts as a failure. Its result is in the delivery history under the returned id. One test at a time, 100 a day.',
  responses: { 202: 'WebhookDeliveryId' },
  errors: [
    'auth.read_only_key',
    'webhook.tier',
    'webhook.not_found',
    'webhook.disabled',
    'webhook.busy',
    'webhook.tests',
  ],
};

export const deliveriesDocs: RouteDocs = {
  id: 'list_webhook_deliveries',
  tag: 'Webhooks',
  summary: 'List deliveries',
  description:
    'Deliveries to an endpoint within seven days, newest first, with the result of the last attempt. Send `next_cursor` back as `cursor` until it is null.',
  responses: { 200: 'WebhookDeliveries' },
  errors: ['webhook.tier', 'webhook.not_found'],
};

export const retryDeliveryDocs: RouteDocs = {
  id: 'retry_webhook_delivery',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description: 'Sends a failed or dropped delivery again, with the same id and body and all four attempts.',
  responses: { 202: 'WebhookDeliveryId' },
  errors: [
    'auth.read_only_key',
    'webhook.tier',
    'webhook.not_found',
    'delivery.not_found',
    'webhook.disabled',
    'delivery.not_failed',
  ],
};

export const rollWebhookDocs: RouteDocs = {
  id: 'roll_webhook_secret',
  tag: 'Webhooks',
  summary: 'Replace the secret of an endpoint',
  description:
    'Returns a new secret, which only this response contains. For 24 hours each delivery is signed with the new and with the old secret. A second call within the day ends the oldest secret at once.',
  responses: { 200: 'WebhookRoll' },
  errors: ['auth.read_only_key', 'webhook.tier', 'webhook.not_found', 'change.limit'],
};

export const healthDocs: RouteDocs = {
  id: 'get_health',
  tag: 'Service',
  summary: 'Read the state of the service',
  description: 'Always 200 while the process serves. Needs no key.',
  responses: { 200: 'Health' },
};

export const openapiDocs: RouteDocs = {
  id: 'get_openapi',
  tag: 'Service',
  summary: 'Read this document',
  description:
    'The OpenAPI 3.1 document of the API. Needs no key. It changes with a new version only, and has an `ETag`.',
  responses: { 200: null },
};
