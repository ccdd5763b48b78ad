/** Requests `path` from the running stack, under its base URL. Returns its JSON for any status. */
export type ExampleRequest = (path: string) => Promise<unknown>;

/**
 * A typical request of a route: path and query under the base URL, and `body` where the route takes
 * one.
 */
export type ExampleResponse = { path: string; body?: object };

const WIDEST_MARKET = '/v2/markets?limit=1&sort=-spread_pts';

type First = { id: string; title: string };

async function firstMarket(ask: ExampleRequest): Promise<First> {
  const list = (await ask(WIDEST_MARKET)) as { markets?: First[] };
  const market = list.markets?.[0];
  if (!market) throw new Error('The stack has no markets yet. Run this command again in a moment.');
  return market;
}

/** The last word of the first market's title, so that the search finds something. */
async function wordToFind(ask: ExampleRequest): Promise<string> {
  const words = (await firstMarket(ask)).title.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.at(-1) ?? 'a';
}

async function epochOf(ask: ExampleRequest, channel: string): Promise<string> {
  const { epoch } = (await ask(`/v1/stream/replay?channel=${channel}`)) as { epoch?: string };
  return epoch ?? '';
}

/** The path of the newest endpoint. */
async function endpointPath(ask: ExampleRequest): Promise<string> {
  const { webhooks } = (await ask('/v1/webhooks')) as { webhooks?: { id: string }[] };
  return `/v1/webhooks/${webhooks?.at(-1)?.id}`;
}

/** Waits for the test of a host that does not exist: its last attempt follows after 31 seconds. */
async function failedDelivery(ask: ExampleRequest, path: string): Promise<string> {
  for (let second = 0; second < 90; second++) {
    const page = (await ask(`${path}?state=failed`)) as { deliveries?: { delivery_id: string }[] };
    const [first] = page.deliveries ?? [];
    if (first) return first.delivery_id;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error('The test delivery to hooks.example.com has not failed within 90 s.');
}

/** The UTC day before market time. `npm run examples` exports it first. */
async function yesterday(ask: ExampleRequest): Promise<string> {
  const { time } = (await ask('/health')) as { time: string };
  return new Date(Date.parse(time) - 86_400_000).toISOString().slice(0, 10);
}

/** The document itself is no example of a response. */
export const WITHOUT_EXAMPLE: readonly string[] = ['get_openapi'];

/** By operation id. A test reports a route that is missing here. */
export const requests: Readonly<Record<string, (ask: ExampleRequest) => Promise<ExampleResponse>>> = {
  get_markets: async () => ({ path: WIDEST_MARKET }),
  get_pair: async (ask) => ({ path: `/v2/pairs/${(await firstMarket(ask)).id}` }),
  explain_market: async (ask) => ({ path: `/v2/pairs/${(await firstMarket(ask)).id}/explanation` }),
  get_history: async (ask) => ({ path: `/v2/pairs/${(await firstMarket(ask)).id}/history` }),
  get_search: async (ask) => ({ path: `/v2/search?q=${await wordToFind(ask)}&page_size=1` }),
  get_lookup: async (ask) => ({ path: `/v2/lookup?id=${(await firstMarket(ask)).id},unknown` }),
  get_arbitrage: async () => ({ path: '/v2/arbitrage?limit=1' }),
  get_arbitrage_history: async () => ({ path: '/v2/arbitrage/history?limit=1' }),
  get_spreads: async () => ({ path: '/v2/spreads?min_gap=1&limit=1' }),
  get_rules: async () => ({ path: '/v2/rules?state=confirmed&limit=1' }),
  get_track_record: async () => ({ path: '/v2/track-record' }),
  get_sample: async () => ({ path: '/v2/sample' }),
  report_bad_arb: async () => ({
    path: '/v2/report-bad-arb',
    body: { market: 'Chicago Bears vs Arizona Cardinals', reason: 'the venues settle a tie differently' },
  }),
  get_categories: async () => ({ path: '/v2/categories' }),
  get_leagues: async () => ({ path: '/v2/leagues' }),
  get_coverage: async () => ({ path: '/v2/coverage' }),
  get_export: async (ask) => ({ path: `/v2/export/${await yesterday(ask)}?dataset=pairs` }),
  create_stream_ticket: async () => ({ path: '/v1/stream/token' }),
  replay_stream: async (ask) => ({
    path: `/v1/stream/replay?channel=status&epoch=${await epochOf(ask, 'status')}&after=0`,
  }),
  read_stream_state: async () => ({ path: '/v1/stream/state?channel=quotes:all' }),
  post_mcp: async () => ({
    path: '/v2/mcp/',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'find_markets', arguments: { q: 'chicago', page_size: 1 } },
    },
  }),
  get_account: async () => ({ path: '/v1/account' }),
  // This host does not exist, so the stack must allow it: npm start -- --webhook-allow
  // hooks.example.com:443
  register_webhook: async () => ({
    path: '/v1/webhooks',
    body: {
      url: 'https://hooks.example.com/parallax',
      events: ['pair.created', 'spread.threshold'],
      min_spread_pts: 3,
    },
  }),
  list_webhooks: async () => ({ path: '/v1/webhooks' }),
  change_webhook: async (ask) => ({ path: await endpointPath(ask), body: { min_spread_pts: 2.5 } }),
  delete_webhook: async (ask) => ({ path: await endpointPath(ask) }),
  roll_webhook_secret: async (ask) => ({ path: `${await endpointPath(ask)}/roll` }),
  test_webhook: async (ask) => ({ path: `${await endpointPath(ask)}/test` }),
  list_webhook_deliveries: async (ask) => ({ path: `${await endpointPath(ask)}/deliveries?limit=1` }),
  retry_webhook_delivery: async (ask) => {
    const deliveries = `${await endpointPath(ask)}/deliveries`;
    return { path: `${deliveries}/${await failedDelivery(ask, deliveries)}/retry` };
  },
  get_health: async () => ({ path: '/health' }),
};
