/** Where Centrifugo keeps the frames of an hour, and how its nodes reach each other. */
export const brokers = ['postgres', 'redis'] as const;
export type Broker = (typeof brokers)[number];

/** The path of the WebSocket. The gateway forwards `/functions/v1/stream` to it. */
export const WEBSOCKET_PATH = '/stream';

/** Variables of ours that the configuration quotes. Centrifugo prescribes how their names begin. */
const VARIABLES = {
  proxySecret: 'CENTRIFUGO_VAR_STREAM_PROXY_SECRET',
  nodeName: 'CENTRIFUGO_VAR_NODE_NAME',
} as const;

/** The consumer of the queue `stream.carrier_commands`. It is part of the names of variables. */
const CONSUMER = 'commands';

/**
 * Frames that a client can recover at once, and so the history of a channel: nothing reads further
 * back. All of them are one message, which must fit into the queue of a client (0.6 KB a frame).
 */
const MAX_RECOVERED_FRAMES = 10_000;
const MAX_QUEUED_BYTES = 8 * 1024 * 1024;

const recoverable = { history_ttl: '3600s', force_positioning: true, force_recovery: true };

export type ConfigOptions = {
  broker: Broker;
  /** The address of functions/api, without a slash at its end. */
  apiUrl: string;
};

/**
 * The configuration of every node of a cluster, without secrets and without what differs between
 * nodes: `nodeOptions` and `nodeEnvironment` have both. A client may do nothing but connect,
 * because no `allow_…` is set. There is no `connection_rate_limit`: with N, Centrifugo 6.9.1 takes
 * N connections at once and then one a second (tried 2026-11-27).
 */
export function centrifugoConfig({ broker, apiUrl }: ConfigOptions): Record<string, unknown> {
  const proxy = (route: string) => ({
    enabled: true,
    endpoint: `${apiUrl}/internal/stream/${route}`,
    timeout: '5s',
    http: {
      static_headers: [
        { key: 'X-Stream-Proxy', value: `\${${VARIABLES.proxySecret}}` },
        { key: 'X-Stream-Node', value: `\${${VARIABLES.nodeName}}` },
      ],
    },
  });
  return {
    http_server: { port: 8_000, internal_port: '9000' },
    health: { enabled: true },
    prometheus: { enabled: true, recovered_publications_histogram: true },
    usage_stats: { disabled: true },
    shutdown: { timeout: '8s' },
    websocket: {
      handler_prefix: WEBSOCKET_PATH,
      message_size_limit: 65_536,
      write_timeout: '10s',
      // A message has up to 16 frames, 7 KB: one system call instead of two (docs/scale.md).
      write_buffer_size: 16_384,
      use_write_buffer_pool: true,
    },
    client: {
      // A connection is authenticated by its ticket and by no cookie, so any page may open one.
      allowed_origins: ['*'],
      ping_interval: '25s',
      pong_timeout: '10s',
      stale_close_delay: '10s',
      queue_max_size: MAX_QUEUED_BYTES,
      recovery_max_publication_limit: MAX_RECOVERED_FRAMES,
      // Channels of the server count. A client with more is disconnected for good.
      channel_limit: 512,
      connection_limit: 50_000,
      proxy: { connect: proxy('connect'), refresh: proxy('refresh') },
    },
    channel: {
      without_namespace: { ...recoverable, history_size: MAX_RECOVERED_FRAMES },
      namespaces: [
        { name: 'markets', ...recoverable, history_size: MAX_RECOVERED_FRAMES },
        { name: 'candidates', ...recoverable, history_size: MAX_RECOVERED_FRAMES },
        { name: 'quotes', ...recoverable, history_size: MAX_RECOVERED_FRAMES },
        { name: 'best', ...recoverable, history_size: MAX_RECOVERED_FRAMES },
        // functions/api asks who is connected, because Centrifugo reports no end of a connection.
        { name: 'org', ...recoverable, history_size: 1_000, presence: true },
      ],
    },
    consumers: [commandConsumer],
    ...(broker === 'redis' ? { engine: { type: 'redis' } } : postgresBroker),
  };
}

/** Database connections of a node. The consumer has one for each partition and a listener. */
const POOL_SIZES = { broker: 8, controller: 4, consumer: 3 } as const;
export const CONNECTIONS_OF_NODE = Object.values(POOL_SIZES).reduce((sum, size) => sum + size, 0);

/** Reads the queue with one node at a time; the others try again at the next poll. */
const commandConsumer = {
  name: CONSUMER,
  enabled: true,
  type: 'postgresql',
  postgresql: {
    outbox_table_name: 'stream.carrier_commands',
    num_partitions: 2,
    partition_select_limit: 500,
    partition_poll_interval: '100ms',
    partition_notification_channel: 'carrier_commands',
    use_try_lock: true,
  },
};

const postgresBroker = {
  broker: {
    enabled: true,
    type: 'postgres',
    postgres: {
      pool_size: POOL_SIZES.broker,
      // One shard gives all channels one order, and NOTIFY wakes its reader.
      num_shards: 1,
      // With jsonb the keys of a frame would arrive in another order.
      binary_data: true,
      use_notify: true,
      // With 1, the last hour would be dropped at midnight UTC.
      partition_retention_days: 2,
      outbox: { poll_interval: '100ms', batch_size: 1_000 },
    },
  },
  controller: {
    enabled: true,
    type: 'postgres',
    // The listener and the reader hold one each, and what the reader handles takes a third: with
    // two, a cluster of two nodes hangs.
    postgres: { pool_size: POOL_SIZES.controller, use_notify: true, poll_interval: '1s' },
  },
};

/** One process of Centrifugo, on loopback. */
export type CarrierNode = {
  name: string;
  /** Port of the WebSocket. */
  wsPort: number;
  /** Port of the server API, `/health` and `/metrics`. */
  internalPort: number;
};

/** What the nodes of a cluster share, with its secrets. */
export type ClusterSettings = {
  /** Logs in as parallax_carrier. */
  databaseUrl: string;
  /** Header `X-Stream-Proxy` of the calls of functions/api. */
  proxySecret: string;
  /** Header `X-API-Key` of the server API. */
  apiKey: string;
  /** With the broker `redis`. */
  redis?: { url: string; password: string } | undefined;
};

/** The options of a node on loopback. They have precedence over the configuration. */
export function nodeOptions({ wsPort, internalPort }: CarrierNode): string[] {
  const options = { address: '127.0.0.1', port: wsPort, internal_port: internalPort };
  return Object.entries(options).map(([name, value]) => `--http_server.${name}=${value}`);
}

/** The variables of a node: its name, and the secrets. They have precedence as well. */
export function nodeEnvironment({ name }: Pick<CarrierNode, 'name'>, cluster: ClusterSettings): Record<string, string> {
  const url = new URL(cluster.databaseUrl);
  url.searchParams.set('search_path', 'centrifugo');
  // The server on loopback has no TLS, which would be tried first.
  url.searchParams.set('sslmode', 'disable');
  const dsn = url.href;
  url.searchParams.set('pool_max_conns', String(POOL_SIZES.consumer));
  return {
    CENTRIFUGO_NODE_NAME: name,
    CENTRIFUGO_HTTP_API_KEY: cluster.apiKey,
    [VARIABLES.proxySecret]: cluster.proxySecret,
    [VARIABLES.nodeName]: name,
    [`CENTRIFUGO_CONSUMERS_${CONSUMER.toUpperCase()}_POSTGRESQL_DSN`]: url.href,
    ...(cluster.redis
      ? { CENTRIFUGO_ENGINE_REDIS_ADDRESS: cluster.redis.url, CENTRIFUGO_ENGINE_REDIS_PASSWORD: cluster.redis.password }
      : {
          CENTRIFUGO_BROKER_POSTGRES_DSN: dsn,
          CENTRIFUGO_CONTROLLER_POSTGRES_DSN: dsn,
        }),
  };
}
