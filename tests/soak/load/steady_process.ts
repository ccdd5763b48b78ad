// The paying load that is measured: a fixed number of requests a second, sent whether or not the
// earlier ones were answered. Nothing is retried.

import { sendToParent } from './send_to_parent.ts';
import { StreamClient } from './stream_client.ts';
import { callTool } from './tool_call.ts';

export type SteadyCommand = {
  base: string;
  wsUrl: string;
  /** REST keys, used in turn. */
  keys: string[];
  mcpKeys: string[];
  streamKey: string;
  markets: string[];
  channel: string;
};
/** One answer: the real time (ms) of the request, and how long it took. Status 0: no answer. */
export type Sample = { figure: string; at: number; ms: number; status: number };
export type SteadyMessage = {
  samples: Sample[];
  /** The frames of `channel` since the last message, and their real time of arrival. */
  frames: [offset: number, at: number][];
};

const REST_PER_SECOND = 20;
const MCP_PER_SECOND = 3;
/** Each call watches for one second. Its latency is the time beyond that. */
const WATCH_EVERY_MS = 2_000;
const WATCH_SECONDS = 1;
const TIMEOUT_MS = 10_000;

const samples: Sample[] = [];
const frames: [number, number][] = [];

process.on('message', (command: SteadyCommand) => {
  let n = 0;
  setInterval(() => void sendRest(command, n++), 1_000 / REST_PER_SECOND);
  let m = 0;
  setInterval(() => void sendMcp(command, m++), 1_000 / MCP_PER_SECOND);
  setInterval(() => void watch(command), WATCH_EVERY_MS);
  new StreamClient('steady', command.base, command.wsUrl, command.streamKey, ({ channel, offset }) => {
    if (channel === command.channel) frames.push([offset, Date.now()]);
  });
  setInterval(() => sendToParent({ samples: samples.splice(0), frames: frames.splice(0) }), 1_000);
});
process.on('disconnect', () => process.exit(0));

async function sendRest({ base, keys, markets }: SteadyCommand, n: number): Promise<void> {
  const pair = markets[n % markets.length] ?? '';
  const routes: readonly [string, string][] = [
    ['REST /v2/markets', '/v2/markets?limit=50'],
    ['REST /v2/markets with depth', '/v2/markets?limit=50&include=depth'],
    ['REST /v2/pairs/{id}', `/v2/pairs/${pair}`],
    ['REST /v2/arbitrage', '/v2/arbitrage?limit=50'],
    ['REST /v2/search', '/v2/search?q=a&page_size=10'],
    ['REST /v1/account', '/v1/account'],
  ];
  const [figure, path] = routes[n % routes.length] ?? ['', ''];
  // Each key gets every route: 6 routes and 4 keys have a common factor.
  const key = keys[Math.floor(n / routes.length) % keys.length];
  const at = Date.now();
  const startedAt = performance.now();
  let status = 0;
  try {
    const response = await fetch(base + path, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    status = response.status;
  } catch {
    // No answer.
  }
  samples.push({ figure, at, ms: performance.now() - startedAt, status });
}

async function sendMcp({ base, mcpKeys }: SteadyCommand, n: number): Promise<void> {
  const tools = ['list_markets', 'find_arbitrage', 'list_categories'];
  await measureTool('MCP tools', base, mcpKeys[n % mcpKeys.length] ?? '', tools[n % tools.length] ?? '', {}, 0);
}

async function watch({ base, mcpKeys, markets }: SteadyCommand): Promise<void> {
  const args = { market_ids: markets.slice(0, 1), seconds: WATCH_SECONDS };
  await measureTool('MCP watch_markets', base, mcpKeys[0] ?? '', 'watch_markets', args, WATCH_SECONDS * 1_000);
}

async function measureTool(
  figure: string,
  base: string,
  key: string,
  tool: string,
  args: Record<string, unknown>,
  askedMs: number,
): Promise<void> {
  const at = Date.now();
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(askedMs + TIMEOUT_MS);
  const { status } = await callTool({ base, key, tool, args, signal });
  samples.push({ figure, at, ms: Math.max(0, performance.now() - startedAt - askedMs), status });
}
