import { join } from 'node:path';
import { type CentrifugoBinary, requireCentrifugo } from '../carrier/binary.ts';
import { type Broker, type CarrierNode, type ClusterSettings, CONNECTIONS_OF_NODE } from '../carrier/config.ts';
import { spawnNode, untilNodeServes, writeConfig } from '../carrier/nodes.ts';
import { type RedisBinary, type RedisServer, requireRedis, spawnRedis, untilRedisServes } from '../carrier/redis.ts';
import type { Upstream } from '../gateway/forward.ts';
import type { Backend } from '../gateway/gateway.ts';
import { Newcomers } from '../gateway/newcomers.ts';
import { freePort } from '../postgres/postgres.ts';
import type { CarrierFacts, DataFolder } from './data_folder.ts';
import type { Carrier } from './options.ts';
import { Service } from './service.ts';
import { MAX_NEWCOMERS_PER_ADDRESS, type ServiceContext, urlFor } from './services.ts';

/** The programs of `--carrier centrifugo`. */
export type CarrierPrograms = {
  nodes: number;
  broker: Broker;
  centrifugo: CentrifugoBinary;
  redis: RedisBinary | undefined;
};

/** Finds the programs that a carrier needs; undefined where it needs none. Throws UserError. */
export function findCarrierPrograms(carrier: Carrier, printLine: (line: string) => void): CarrierPrograms | undefined {
  if (carrier.kind === 'embedded') return undefined;
  const { nodes, broker } = carrier;
  const redis = broker === 'redis' ? requireRedis() : undefined;
  return { nodes, broker, redis, centrifugo: requireCentrifugo(printLine) };
}

/** The first port of the nodes is this far from that of the gateway, if it is free. */
const FIRST_NODE_PORT = 10;
/** Centrifugo of a stack: its nodes, its Redis, and their ports. */
export class CentrifugoCluster {
  readonly #programs: CarrierPrograms;
  readonly #data: DataFolder;
  readonly #nodes: readonly CarrierNode[];
  readonly #redis: RedisServer | undefined;

  private constructor(
    programs: CarrierPrograms,
    data: DataFolder,
    nodes: readonly CarrierNode[],
    redis: RedisServer | undefined,
  ) {
    this.#programs = programs;
    this.#data = data;
    this.#nodes = nodes;
    this.#redis = redis;
  }

  /** Chooses the ports. */
  static async prepare(programs: CarrierPrograms, data: DataFolder, gatewayPort: number): Promise<CentrifugoCluster> {
    const nodes: CarrierNode[] = [];
    for (let place = 0; place < programs.nodes; place += 1) {
      const wanted = gatewayPort + FIRST_NODE_PORT + 2 * place;
      const wsPort = await freePort(wanted);
      nodes.push({ name: `node-${place + 1}`, wsPort, internalPort: await freePort(wanted + 1) });
    }
    const redis = programs.redis && {
      folder: join(data.path, 'redis'),
      port: await freePort(gatewayPort + FIRST_NODE_PORT + 2 * programs.nodes),
      password: data.secrets.redis,
    };
    return new CentrifugoCluster(programs, data, nodes, redis);
  }

  get facts(): CarrierFacts {
    const nodes = this.#nodes.map(({ name, wsPort, internalPort }) => ({
      name,
      ws: `ws://127.0.0.1:${wsPort}/stream`,
      internal: `http://127.0.0.1:${internalPort}`,
    }));
    return { kind: 'centrifugo', broker: this.#programs.broker, nodes };
  }

  /** Database connections of all nodes. */
  get connections(): number {
    return this.#nodes.length * CONNECTIONS_OF_NODE;
  }

  /** What functions/api needs to answer the nodes and to call them. */
  get environment(): Record<string, string> {
    const { secrets } = this.#data;
    return {
      STREAM_PROXY_SECRET: secrets.stream_proxy,
      CENTRIFUGO_API_KEY: secrets.centrifugo_api,
      CENTRIFUGO_NODES: this.facts.nodes.map(({ name, internal }) => `${name}=${internal}`).join(','),
    };
  }

  /**
   * Takes the place of the function `stream` in `backends`, and starts Redis and the nodes. The
   * first node starts alone, so that only one creates the tables.
   */
  async start(
    context: ServiceContext,
    backends: Map<string, Backend>,
    startService: (service: Service) => Promise<void>,
  ): Promise<void> {
    const configFile = writeConfig(join(this.#data.path, 'centrifugo'), {
      broker: this.#programs.broker,
      apiUrl: `http://127.0.0.1:${context.port}/functions/v1/api`,
    });
    const cluster = this.#settings(context);
    const nodes = this.#nodes.map((node) => this.#nodeService(context, { node, cluster, configFile }));
    backends.set('stream', backendOfNodes(this.#nodes, nodes));
    const redis = this.#redisService(context);
    if (redis) await startService(redis);
    const [first, ...others] = nodes;
    if (first) await startService(first);
    await Promise.all(others.map(startService));
  }

  #settings(context: ServiceContext): ClusterSettings {
    const { secrets } = this.#data;
    return {
      databaseUrl: urlFor(context, 'parallax_carrier'),
      proxySecret: secrets.stream_proxy,
      apiKey: secrets.centrifugo_api,
      redis: this.#redis && { url: `redis://127.0.0.1:${this.#redis.port}`, password: this.#redis.password },
    };
  }

  #nodeService(
    context: ServiceContext,
    { node, cluster, configFile }: { node: CarrierNode; cluster: ClusterSettings; configFile: string },
  ): Service {
    const name = `centrifugo/${node.name}`;
    const binary = this.#programs.centrifugo;
    return new Service(
      {
        name,
        spawn: () => context.log(name).collect(spawnNode({ binary, configFile, node, cluster }, 'pipe')),
        ready: async (child) => {
          await untilNodeServes(child, node);
          return `127.0.0.1:${node.wsPort}, internal ${node.internalPort} (Centrifugo ${binary.version})`;
        },
        // More than shutdown.timeout of its configuration.
        graceMs: 10_000,
      },
      context.events,
    );
  }

  #redisService(context: ServiceContext): Service | undefined {
    const [binary, server] = [this.#programs.redis, this.#redis];
    if (!binary || !server) return undefined;
    return new Service(
      {
        name: 'redis',
        spawn: () => context.log('redis').collect(spawnRedis(binary, server, 'pipe')),
        ready: async (child) => {
          await untilRedisServes(child, server);
          return `127.0.0.1:${server.port} (Redis ${binary.version})`;
        },
      },
      context.events,
    );
  }
}

/** The nodes as one backend: each upgrade begins with another node, of those that are up. */
function backendOfNodes(nodes: readonly CarrierNode[], services: readonly Service[]): Backend {
  const name = 'The stream';
  const all = nodes.map(({ wsPort }): Upstream => ({ name, address: { host: '127.0.0.1', port: wsPort } }));
  let turn = 0;
  return {
    name,
    address: all[0]?.address ?? { host: '127.0.0.1', port: 0 },
    newcomers: new Newcomers(MAX_NEWCOMERS_PER_ADDRESS),
    async untilUp(milliseconds) {
      const isUp = async (service: Service) => {
        if (!(await service.untilUp(milliseconds))) throw new Error(`${service.plan.name} is not up`);
      };
      return Promise.any(services.map(isUp)).then(
        () => true,
        () => false,
      );
    },
    upstreams() {
      const up = all.filter((_, place) => services[place]?.state === 'up');
      const first = up.length === 0 ? 0 : turn++ % up.length;
      return [...up.slice(first), ...up.slice(0, first)];
    },
    // As the function `stream` answers.
    admit: async () => ({
      status: 426,
      code: 'stream.upgrade',
      error: 'This address accepts WebSocket connections only.',
    }),
  };
}
