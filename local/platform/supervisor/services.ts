import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, permissionsOf } from '../functions/environment.ts';
import { functionsFolder, spawnContainer, spawnWorker, untilListening } from '../functions/worker.ts';
import { ADDRESS_HEADER } from '../gateway/forward.ts';
import type { Backend } from '../gateway/gateway.ts';
import { platformLimits } from '../limits/limits.ts';
import { repository } from '../postgres/binaries.ts';
import { quietTools } from '../postgres/build.ts';
import { type Cluster, databaseUrl } from '../postgres/postgres.ts';
import type { DataFolder } from './data_folder.ts';
import { DATABASE_NAME } from './database.ts';
import type { OutputSink } from './log_file.ts';
import type { StartOptions } from './options.ts';
import { Service, type ServiceEvents } from './service.ts';
import type { VenueAddresses } from './venue_addresses.ts';
import { tsxArguments } from './venues.ts';

/**
 * The context of all services. `sockets` is a private temporary folder, because paths of unix
 * sockets must be short.
 */
export type ServiceContext = {
  cluster: Cluster;
  data: DataFolder;
  port: number;
  sockets: string;
  events: ServiceEvents;
  log(name: string): OutputSink;
};

export function backendOf(name: string, { service, socketPath }: { service: Service; socketPath: string }): Backend {
  return { name, address: { socketPath }, untilUp: (milliseconds) => service.untilUp(milliseconds) };
}

/** A backend that is not started yet: the gateway answers 503 for it, not 404. */
export function isStarting(name: string, sockets: string): Backend {
  const address = { socketPath: join(sockets, 'not-yet') };
  return { name, address, untilUp: () => Promise.resolve(false) };
}

const program = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
type Role =
  | 'supabase_admin'
  | 'postgres'
  | 'parallax_api'
  | 'parallax_ingest'
  | 'parallax_deliver'
  | 'parallax_export'
  | 'parallax_stream'
  | 'parallax_carrier';
export const urlFor = (context: ServiceContext, role: Role) => {
  const { secrets } = context.data;
  const password = role === 'supabase_admin' ? secrets.superuser : secrets[role];
  return databaseUrl(context.cluster.port, role, password, DATABASE_NAME);
};

/** Auth, REST and Storage: @supabase/lite, as role postgres. */
export function authService(context: ServiceContext): { service: Service; socketPath: string } {
  return liteService(context, 'auth+rest');
}

/** REST and Storage, where Supabase Auth itself runs. */
export function restService(context: ServiceContext): { service: Service; socketPath: string } {
  return liteService(context, 'rest');
}

function liteService(context: ServiceContext, name: 'auth+rest' | 'rest'): { service: Service; socketPath: string } {
  const socketPath = join(context.sockets, 'auth');
  const { secrets } = context.data;
  const service = new Service(
    {
      name,
      spawn() {
        const log = context.log(name);
        const child = spawn(process.execPath, [...tsxArguments, program('auth/main.ts')], {
          cwd: repository,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            ...quietTools,
            AUTH_SOCKET: socketPath,
            AUTH_DB_URL: urlFor(context, 'postgres'),
            AUTH_JWT_SECRET: secrets.jwt,
            AUTH_PUBLISHABLE_KEY: secrets.publishable,
            AUTH_SECRET_KEY: secrets.secret,
            AUTH_SITE_URL: `http://127.0.0.1:${context.port}`,
            STORAGE_FOLDER: join(context.data.path, 'storage'),
          },
        });
        return log.collect(child);
      },
      async ready() {
        await untilListening(socketPath);
        return name === 'rest' ? '/rest/v1 /storage/v1' : '/auth/v1 /rest/v1 /storage/v1';
      },
    },
    context.events,
  );
  return { service, socketPath };
}

/** Realtime, as supabase_admin. `jwks`: the public keys of ES256 sessions. */
export function realtimeService(context: ServiceContext, jwks?: string): { service: Service; socketPath: string } {
  const socketPath = join(context.sockets, 'realtime');
  const { secrets } = context.data;
  const roles = { [secrets.publishable]: 'anon', [secrets.secret]: 'service_role' };
  const service = new Service(
    {
      name: 'realtime',
      spawn() {
        const log = context.log('realtime');
        const child = spawn(process.execPath, [...tsxArguments, program('realtime/main.ts')], {
          cwd: repository,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            ...quietTools,
            REALTIME_LISTEN: socketPath,
            REALTIME_DB_URL: urlFor(context, 'supabase_admin'),
            REALTIME_JWT_SECRET: secrets.jwt,
            REALTIME_KEYS: JSON.stringify(roles),
            // As docs/deploy.md asks of a hosted project.
            REALTIME_PRIVATE_ONLY: 'true',
            ...(jwks === undefined ? {} : { REALTIME_JWKS: jwks }),
          },
        });
        return log.collect(child);
      },
      async ready() {
        await untilListening(socketPath);
        return '/realtime/v1';
      },
    },
    context.events,
  );
  return { service, socketPath };
}

/** pg_cron and pg_net. */
export function jobsService(context: ServiceContext): Service {
  return new Service(
    {
      name: 'jobs',
      spawn() {
        const log = context.log('jobs');
        const child = spawn(process.execPath, [...tsxArguments, program('jobs/main.ts')], {
          cwd: repository,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
          env: {
            ...process.env,
            ...quietTools,
            JOBS_ADMIN_URL: urlFor(context, 'supabase_admin'),
            JOBS_OWNER_URL: urlFor(context, 'postgres'),
          },
        });
        return log.collect(child);
      },
      async ready(child) {
        await new Promise<void>((resolve) => child.once('message', () => resolve()));
        return 'cron, net';
      },
    },
    context.events,
  );
}

/**
 * Sockets of one address without an accepted ticket. Deployments have 20; here all clients of this
 * machine have one address.
 */
export const MAX_NEWCOMERS_PER_ADDRESS = 250;

/** The environment that a hosted project gives all functions, with our own secrets. */
export function functionEnvironment(
  context: ServiceContext,
  { source, webhookCa, hostedWallSeconds: wall }: Pick<StartOptions, 'source' | 'webhookCa' | 'hostedWallSeconds'>,
  venues: VenueAddresses,
): Record<string, string> {
  const { secrets } = context.data;
  return {
    DB_URL_API: urlFor(context, 'parallax_api'),
    DB_URL_INGEST: urlFor(context, 'parallax_ingest'),
    DB_URL_STREAM: urlFor(context, 'parallax_stream'),
    STREAM_SIGNING_SECRET: secrets.jwt,
    STREAM_ADDRESS_HEADER: ADDRESS_HEADER,
    STREAM_MOST_PER_ADDRESS: String(MAX_NEWCOMERS_PER_ADDRESS),
    DB_URL_DELIVER: urlFor(context, 'parallax_deliver'),
    DB_URL_EXPORT: urlFor(context, 'parallax_export'),
    SUPABASE_URL: `http://127.0.0.1:${context.port}`,
    CRON_KEY: secrets.cron,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secrets.secret }),
    FEED_SOURCE: source,
    VENUE_A_REST_URL: venues.venue_a.rest,
    VENUE_A_WS_URL: venues.venue_a.ws,
    VENUE_B_GAMMA_URL: venues.venue_b.gamma,
    VENUE_B_CLOB_URL: venues.venue_b.clob,
    VENUE_B_DATA_URL: venues.venue_b.data,
    VENUE_B_WS_URL: venues.venue_b.ws,
    ...(process.env.LOG_LEVEL ? { LOG_LEVEL: process.env.LOG_LEVEL } : {}),
    WALL_CLOCK_SECONDS: String(wall ?? 400),
    ...(wall === undefined ? {} : limitedSettings(wall)),
    ...(webhookCa === undefined ? {} : { WEBHOOK_CA: webhookCa }),
    ...venueKey(source, venues),
  };
}

/** The secrets of docs/deploy.md with the limits of the functions. */
function limitedSettings(wallSeconds: number): Record<string, string> {
  const cpuSeconds = String(platformLimits.cpuMs / 1000);
  return {
    INGEST_CPU_SECONDS: cpuSeconds,
    DELIVER_CPU_SECONDS: cpuSeconds,
    EXPORT_CPU_SECONDS: cpuSeconds,
    STREAM_CPU_SECONDS: cpuSeconds,
    STREAM_WALL_CLOCK_SECONDS: String(wallSeconds),
  };
}

/**
 * The real venue_a requires the user's own key (PEM, PKCS8). Without one, its books are polled over
 * REST.
 */
function venueKey(source: 'simulated' | 'live' | 'replay', venues: VenueAddresses): Record<string, string> {
  const { key_id, private_key_file } = venues.venue_a;
  const own = source === 'live' ? [process.env.VENUE_A_KEY_ID, process.env.VENUE_A_PRIVATE_KEY] : [];
  const [id, pem] = key_id && private_key_file ? [key_id, readFileSync(private_key_file, 'utf8')] : own;
  return id && pem ? { VENUE_A_KEY_ID: id, VENUE_A_PRIVATE_KEY: pem } : {};
}

/** The worker of a function. It gets the part of `all` that it reads. */
export function functionService(
  context: ServiceContext,
  name: string,
  all: Record<string, string>,
  inspectPort?: number,
): { service: Service; socketPath: string } {
  const socketPath = join(context.sockets, `f-${name}`);
  const env = environmentOf(name, all);
  const plan = { name, socketPath, env, permissions: permissionsOf(name, env), inspectPort };
  const service = new Service(
    {
      name: `functions/${name}`,
      spawn() {
        const log = context.log(`functions/${name}`);
        if (name !== 'stream')
          return log.collect(spawnWorker({ ...plan, entrypoint: join(functionsFolder, name, 'index.ts') }, 'pipe'));
        const entrypoint = join(functionsFolder, name, 'container.ts');
        return log.collect(spawnContainer({ ...plan, entrypoint, env: { ...env, STREAM_SOCKET: socketPath } }, 'pipe'));
      },
      async ready() {
        await untilListening(socketPath);
        return `/functions/v1/${name}${inspectPort === undefined ? '' : `, inspector 127.0.0.1:${inspectPort}`}`;
      },
    },
    context.events,
  );
  return { service, socketPath };
}
