import { readdirSync } from 'node:fs';

/**
 * The layer of each test file. A file belongs to the first layer below that names it; what none
 * names is a unit test. tests/repository/layers.test.ts holds a unit test to that.
 *
 * unit      no database, process, socket or browser
 * database  a database cloned from the template, and no process of the test's own
 * system    processes, sockets, browsers, stacks, faults, and whole simulated universes
 * long      what needs minutes: chaos, killed processes, growth, corrupted worlds
 * alone     whole stacks whose leases and delays need both cores: one file after the other
 */
export const layers = ['unit', 'database', 'system', 'long', 'alone'] as const;
export type Layer = (typeof layers)[number];

/** Below tests/, without `.test.ts`; `*` is every file of that folder. */
const alone = ['hosted/stack', 'stack/arbitrage', 'stream/function/quotes'];

const long = [
  'bench/carriers',
  'bench/evidence_growth',
  'bench/match_growth',
  'bench/measurements',
  'hosted/*',
  'ingest/guards',
  'machines/*',
  'match/corrupted',
  'match/evidence_tier',
  'mutants/sample',
  'pool/storm',
  'soak/run',
  'stack/clock_step',
  'stack/kills',
  'stream/carrier/chaos',
  'stream/carrier/killed_nodes',
  'stream/carrier/redis_failover',
  'stream/function/chaos',
  'webhook/hanging',
  'webhook/kills',
  'webhook/load',
];

const system = [
  'account/concurrency',
  'account/crash',
  'account/isolates',
  'account/lease_isolates',
  'account/plan_command',
  'account/rest',
  'api/cdn',
  'api/deno',
  'api/outage',
  'api/replica',
  'api/strangers',
  'auth/*',
  'backtest/simulated',
  'bench/startup',
  'carrier/config',
  'carrier/ended_connections',
  'carrier/gateway',
  'carrier/stack',
  'client/api_types',
  'client/live_channel',
  'containers/buildah',
  'containers/image',
  'containers/lint',
  'containers/stop',
  'dashboard/account_layout',
  'dashboard/account_pages',
  'dashboard/code_samples',
  'dashboard/coverage',
  'dashboard/endpoints',
  'dashboard/guides',
  'dashboard/insights',
  'dashboard/landing',
  'dashboard/pages',
  'dashboard/palette',
  'dashboard/units',
  'dashboard/record',
  'dashboard/reference',
  'dashboard/review',
  'dashboard/track_record',
  'dashboard/webhooks',
  'deploy/boot',
  'deploy/command',
  'deploy/config_push',
  'export/function',
  'fuzz/rest',
  'fuzz/venue_answers',
  'fuzz/stream',
  'repository/deno_lock',
  'repository/deploy',
  'ingest/feeds',
  'ingest/function',
  'ingest/handover',
  'ingest/hostile_answers',
  'ingest/hostile_worker',
  'ingest/limited',
  'ingest/quote_times',
  'ingest/outage',
  'ingest/venue_a_feed',
  'ingest/venue_a_index',
  'ingest/venue_a_requests',
  'ingest/venue_a_settled',
  'ingest/venue_a_sockets',
  'ingest/venue_b_documents',
  'ingest/venue_b_results',
  'ingest/rest',
  'ingest/simulated',
  'ingest/storm',
  'ingest/throughput',
  'jobs/pg_cron',
  'jobs/plpgsql_check',
  'live/legs',
  'live/outage',
  'live/pages',
  'live/realtime_client',
  'live/shell',
  'live/gates_card',
  'match/*',
  'mcp/clients',
  'mcp/conformance',
  'mcp/deno',
  'ops/metrics',
  'ops/why_command',
  'platform/auth',
  'platform/cli_stack',
  'platform/driver_crash',
  'platform/data_folder',
  'platform/damaged_folder',
  'platform/free_port',
  'platform/full_disk',
  'platform/hanging_folder',
  'platform/gateway',
  'platform/migrations',
  'platform/missing',
  'platform/service',
  'platform/platform_schemas',
  'platform/supervisor',
  'pool/functions',
  'probe/probe',
  'realtime/channels',
  'realtime/client_checks',
  'realtime/database',
  'realtime/limits',
  'realtime/outage',
  'realtime/tokens',
  'soak/attack_checks',
  'soak/checks',
  'soak/exit',
  'stack/one_stack',
  'stack/replay',
  'stack/stream',
  'stream/carrier/connect',
  'stream/carrier/docs',
  'stream/carrier/lifecycle',
  'stream/carrier/redis',
  'stream/carrier/relay',
  'stream/carrier/state',
  'stream/crash',
  'stream/function/bad_input',
  'stream/function/connect',
  'stream/function/docs',
  'stream/function/lifecycle',
  'stream/function/realtime_connection',
  'stream/function/realtime_token',
  'stream/function/state',
  'stream/function/strangers',
  'stream/function/wall_clock',
  'venue_simulator/arbitrage',
  'venue_simulator/families',
  'venue_simulator/settled_past',
  'venue_simulator/settled_past_size',
  'venue_simulator/process',
  'venue_simulator/recorded',
  'venue_simulator/replay',
  'venue_simulator/faults',
  'venue_simulator/universe',
  'venue_simulator/venue_a',
  'venue_simulator/venue_a_faults',
  'venue_simulator/venue_b',
  'webhook/bad_input',
  'webhook/contract',
  'webhook/deliver',
  'webhook/dns',
  'webhook/function',
  'webhook/rest_page',
];

const database = [
  'account/*',
  'api/*',
  'api/contract/*',
  'arb/*',
  'catalog/*',
  'census/*',
  'export/parts',
  'fuzz/addresses',
  'fuzz/entry_points',
  'fuzz/regressions',
  'fuzz/mcp',
  'fuzz/dashboard_rpc',
  'fuzz/listing_sweep',
  'repository/rights',
  'repository/sql_bodies',
  'ingest/clock',
  'ingest/connections',
  'ingest/lease_keeper',
  'ingest/listing',
  'jobs/*',
  'live/reason_text',
  'mcp/*',
  'ops/*',
  'platform/hosted_privileges',
  'platform/postgres',
  'pool/pool',
  'price/*',
  'realtime/sql',
  'stream/*',
  'stream/function/tickets',
  'stream/function/token',
  'venue_listings/*',
  'webhook/*',
];

/** In the order in which a file is looked up. */
const named = { alone, long, system, database };

/** The layer of a test file by its path below tests/, such as `api/get_pair.test.ts`. */
export function layerOf(file: string): Layer {
  const name = file.replace(/\.test\.ts$/, '');
  const everyOfFolder = `${name.slice(0, name.lastIndexOf('/'))}/*`;
  for (const layer of Object.keys(named) as (keyof typeof named)[]) {
    if (named[layer].includes(name) || named[layer].includes(everyOfFolder)) return layer;
  }
  return 'unit';
}

/** The test files of a layer, by their paths in the repository. */
export function filesOf(layer: Layer): string[] {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && layerOf(name) === layer)
    .sort()
    .map((name) => `tests/${name}`);
}

/** Every entry of the lists, for the test that none of them is left over. */
export const entries: readonly string[] = Object.values(named).flat();
