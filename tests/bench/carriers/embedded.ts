import { join } from 'node:path';
import postgres from 'postgres';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { databaseUrl, freePort } from '../../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { serveDeno } from '../stream/processes.ts';
import type { ListenerTarget } from './listener_process.ts';

/** A process of functions/stream over a database of its own. */
export type EmbeddedCarrier = {
  sql: postgres.Sql;
  port: number;
  pid: number;
  stop(): Promise<void>;
};

/** `realtimeUrl`: where it gets the broadcasts. */
export async function startEmbedded(
  scratch: TemporaryPostgres,
  template: string,
  database: string,
  realtimeUrl: string,
): Promise<EmbeddedCarrier> {
  const owner = await scratch.create(database, template);
  const sql = postgres(owner, { max: 4, onnotice: () => {} });
  await scratch.admin.unsafe(`alter role parallax_stream login password '${scratch.password}'`);
  const port = await freePort();
  const child = await serveDeno(join(repository, 'functions/stream/container.ts'), port, {
    DB_URL_STREAM: databaseUrl(
      scratch.cluster.port,
      'parallax_stream',
      scratch.password,
      new URL(owner).pathname.slice(1),
    ),
    SUPABASE_URL: realtimeUrl,
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_bench"}',
    STREAM_SIGNING_SECRET: 'a secret of the bench',
    // All clients have one address.
    STREAM_MOST_PER_ADDRESS: '5000',
    PORT: String(port),
  });
  return {
    sql,
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await sql.end({ timeout: 1 });
    },
  };
}

/** The clients of functions/stream. */
export function targetsOfStream(port: number, commands: readonly string[]): ListenerTarget[] {
  return commands.map((message) => ({ port, path: '/stream', message, acceptedBy: '"connect":', pongs: true }));
}

/** The bare loop: a Deno server that sends the same texts to every client. */
export type BareLoop = { port: number; pid: number; send(texts: readonly string[]): Promise<unknown>; stop(): void };

export async function startBareLoop(): Promise<BareLoop> {
  const port = await freePort();
  const child = await serveDeno(join(repository, 'tests/bench/stream/bare_server.ts'), port, {}, [String(port)]);
  return {
    port,
    pid: child.pid ?? 0,
    send: (texts) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(texts) }),
    stop: () => void child.kill('SIGKILL'),
  };
}

export function targetsOfLoop(port: number, count: number): ListenerTarget[] {
  return Array.from({ length: count }, () => ({
    port,
    path: '/stream',
    message: 'hello',
    acceptedBy: '101 Switching',
    pongs: false,
  }));
}
