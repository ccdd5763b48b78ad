import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import WebSocket from 'ws';
import type { Platform } from '../../functions/_shared/platform.ts';
import { untilListening } from '../../local/platform/functions/worker.ts';
import { forward } from '../../local/platform/gateway/forward.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { TestDatabase } from './database.ts';
import { listenOnFreePort } from './listening.ts';
import { temporaryFolder } from './temporary_folder.ts';

const keys = { publishable: 'sb_publishable_test', secret: 'sb_secret_test' };
const JWT_SECRET = 'a-secret-of-at-least-thirty-two-letters';

/** A client of schema `api`. `token` replaces the session of the client. */
export function clientAt(url: string, key: string, token?: string) {
  return createClient(url, key, {
    db: { schema: 'api' },
    auth: { persistSession: false, autoRefreshToken: false },
    // On Node 20 supabase-js has no WebSocket of its own.
    realtime: { transport: WebSocket as never },
    ...(token ? { global: { headers: { Authorization: `Bearer ${token}` } } } : {}),
  });
}
export type Client = ReturnType<typeof clientAt>;

export type Rest = {
  url: string;
  /** The socket of the process. */
  address: { socketPath: string };
  keys: typeof keys;
  /** The secret of HS256 tokens. */
  jwtSecret: string;
  /** The settings with which the function api reaches it. */
  platform: Platform;
  client(key?: string, token?: string): Client;
  /** A token with these claims, signed with the project's secret by default. */
  token(claims: Record<string, unknown>, secret?: string): string;
  close(): Promise<void>;
};

/**
 * Starts the real process of local/platform/auth (Auth and REST) on `db`, behind the forwarder of
 * the gateway.
 */
export async function serveRest(db: TestDatabase): Promise<Rest> {
  const folder = temporaryFolder('rest');
  const socketPath = join(folder, 'rest');
  const child: ChildProcess = spawn(
    process.execPath,
    [...tsxArguments, join(repository, 'local/platform/auth/main.ts')],
    {
      cwd: repository,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        LITE_TELEMETRY: '0',
        AUTH_SOCKET: socketPath,
        AUTH_DB_URL: db.url(),
        AUTH_JWT_SECRET: JWT_SECRET,
        AUTH_PUBLISHABLE_KEY: keys.publishable,
        AUTH_SECRET_KEY: keys.secret,
        AUTH_SITE_URL: 'http://127.0.0.1',
        STORAGE_FOLDER: join(folder, 'storage'),
      },
    },
  );
  await untilListening(socketPath);
  const gateway = createServer((request, response) =>
    forward(request, response, { name: 'Auth', address: { socketPath } }, request.url ?? '/'),
  );
  const url = `http://127.0.0.1:${await listenOnFreePort(gateway)}`;
  return {
    url,
    address: { socketPath },
    keys,
    jwtSecret: JWT_SECRET,
    platform: { url, apikey: keys.publishable },
    client: (key = keys.publishable, token) => clientAt(url, key, token),
    token: (claims, secret = JWT_SECRET) => signed(claims, secret),
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      gateway.closeAllConnections();
      gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signed(claims: Record<string, unknown>, secret: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
