import { type ChildProcess, execFileSync } from 'node:child_process';
import { openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostedDeno } from '../../local/platform/functions/hosted_deno.ts';
import { functionsFolder, spawnWorker, untilListening } from '../../local/platform/functions/worker.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { buildFromMigrations } from '../../local/platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

// The CLI's stack needs Docker, which is not here. The command runs against a Postgres with the
// same roles, and the functions get the environment that `functions serve` gives them.

const folder = temporaryFolder('cli-stack');
const envFile = join(folder, 'functions.env');
const children: ChildProcess[] = [];
let scratch: TemporaryPostgres;
let url: string;

const prepare = () => {
  const command = ['--import', 'tsx', 'local/cli.ts', 'cli-stack', '--db-url', url, '--env', envFile];
  execFileSync(process.execPath, command, { cwd: repository });
  return parseEnv(readFileSync(envFile, 'utf8')) as Record<string, string>;
};
/** The address inside of the stack's network, as the address of the test's Postgres. */
const reachable = (address = '') => address.replace('db:5432/postgres', new URL(url).host + new URL(url).pathname);

beforeAll(async () => {
  scratch = await startTemporaryPostgres();
  url = await scratch.create('cli_stack');
  await buildFromMigrations(url);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await scratch.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('gives the roles passwords, fills the Vault, and writes a file that only its owner may read', async () => {
  const first = prepare();
  const second = prepare();
  expect(statSync(envFile).mode & 0o777).toBe(0o600);
  // `functions serve` skips such names.
  expect(Object.keys(second).filter((name) => name.startsWith('SUPABASE_'))).toEqual([]);
  expect(second.CRON_KEY).toHaveLength(48);
  for (const name of ['API', 'INGEST', 'STREAM', 'DELIVER']) {
    const login = postgres(reachable(second[`DB_URL_${name}`]), { max: 1 });
    expect(await login`select current_user::text as name`).toEqual([{ name: `parallax_${name.toLowerCase()}` }]);
    await login.end();
    expect(first[`DB_URL_${name}`]).not.toBe(second[`DB_URL_${name}`]);
  }
  const owner = postgres(url, { max: 1 });
  const rows = await owner`select name, decrypted_secret as value from vault.decrypted_secrets order by name`;
  await owner.end();
  expect(rows).toEqual([
    { name: 'cron_key', value: second.CRON_KEY },
    { name: 'project_url', value: 'http://kong:8000' },
  ]);
});

test('every function starts with the file and what the CLI adds, and pg_cron’s key starts a worker', async () => {
  const env = prepare();
  const added = {
    SUPABASE_URL: 'http://kong:8000',
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: 'sb_publishable_of_the_cli' }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: 'sb_secret_of_the_cli' }),
  };
  const databases = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, name.startsWith('DB_URL_') ? reachable(value) : value]),
  );
  const serve = async (name: string): Promise<string> => {
    const socketPath = join(folder, name);
    const entrypoint = join(functionsFolder, name, 'index.ts');
    const deno = hostedDeno() ?? undefined;
    // The venues are not here.
    const source = {
      FEED_SOURCE: 'simulated',
      VENUE_A_REST_URL: 'http://127.0.0.1:1',
      VENUE_A_WS_URL: 'ws://127.0.0.1:1',
    };
    const log = openSync(join(folder, `${name}.log`), 'a');
    children.push(spawnWorker({ name, entrypoint, socketPath, env: { ...databases, ...added, ...source }, deno }, log));
    await untilListening(socketPath);
    return socketPath;
  };
  const call = (socketPath: string, method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<[number, string]>((resolve, reject) => {
      request({ socketPath, method, path, headers: { host: '127.0.0.1', ...headers } }, async (answer) => {
        let text = '';
        for await (const chunk of answer) text += chunk;
        resolve([answer.statusCode ?? 0, text]);
      })
        .on('error', reject)
        .end();
    });
  const api = await serve('api');
  expect((await call(api, 'GET', '/api/health'))[0]).toBe(200);
  const [, document] = await call(api, 'GET', '/api/openapi.json');
  expect(JSON.parse(document).servers[0].url).toContain('http://127.0.0.1:54321');
  const stream = await serve('stream');
  expect((await call(stream, 'GET', '/stream'))[0]).toBe(426);
  for (const name of ['deliver', 'ingest']) {
    const socket = await serve(name);
    expect((await call(socket, 'POST', `/${name}`, { apikey: 'sb_secret_of_the_cli' }))[0]).toBe(401);
    expect((await call(socket, 'POST', `/${name}`, { 'x-cron-key': env.CRON_KEY ?? '' }))[0]).toBe(202);
  }
});
