// npm run cli-stack [-- --db-url URL]: prepares the Supabase CLI's own stack, as docs/deploy.md
// prepares a hosted project. Run it after `npx supabase start`, and again after each
// `npx supabase db reset`.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Sql } from 'postgres';
import type { Output } from '../command.ts';
import { platformLimits } from '../platform/limits/limits.ts';
import { repository } from '../platform/postgres/binaries.ts';
import { storeSecret } from '../platform/supervisor/database.ts';
import { readOptions, withDatabase } from '../platform/supervisor/operator_cli.ts';

const usage = `npm run cli-stack [-- options]

Gives the four roles passwords, writes the two rows of the Vault, and writes the secrets of the
functions to a file that "npx supabase functions serve" reads.

  --db-url URL   the database (default: the one of "npx supabase start")
  --env FILE     the file (default: supabase/functions/.env)`;

const DATABASE_URL = 'postgresql://postgres:postgres@127.0.0.1:54322/postgres';
const ENV_FILE = join(repository, 'supabase/functions/.env');
/** Where the containers of the CLI's stack find the database and the gateway. */
const DATABASE_ADDRESS = 'db:5432/postgres';
const GATEWAY_URL = 'http://kong:8000';
/** Where a browser finds the gateway (supabase/config.toml). */
const PUBLIC_URL = 'http://127.0.0.1:54321';
/** The secret of tokens in the CLI's stack, unless config.toml has another one. */
const JWT_SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';

const functions = ['api', 'ingest', 'stream', 'deliver', 'export'] as const;

export async function main(args: readonly string[], output: Output): Promise<number> {
  const values = readOptions(args, {
    'db-url': { type: 'string', default: DATABASE_URL },
    env: { type: 'string', default: ENV_FILE },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const secrets = newSecrets();
  await withDatabase(values['db-url'], (sql) => prepareDatabase(sql, secrets));
  mkdirSync(dirname(values.env), { recursive: true });
  // Only its owner may read it.
  writeFileSync(values.env, environmentFile(secrets), { mode: 0o600 });
  output.log(`The roles have passwords and the Vault has its rows. Secrets: ${values.env}`);
  output.log(`Next: npx supabase functions serve --env-file ${values.env}`);
  return 0;
}

type Secrets = { passwords: Record<(typeof functions)[number], string>; cronKey: string };

function newSecrets(): Secrets {
  const random = () => randomBytes(24).toString('hex');
  return {
    passwords: { api: random(), ingest: random(), stream: random(), deliver: random(), export: random() },
    cronKey: random(),
  };
}

async function prepareDatabase(sql: Sql, { passwords, cronKey }: Secrets): Promise<void> {
  for (const name of functions) await sql.unsafe(`alter role parallax_${name} login password '${passwords[name]}'`);
  await storeSecret(sql, 'project_url', GATEWAY_URL);
  await storeSecret(sql, 'cron_key', cronKey);
}

/**
 * No name begins with SUPABASE_: the CLI skips such a line, and sets SUPABASE_URL and the keys
 * itself.
 */
function environmentFile({ passwords, cronKey }: Secrets): string {
  const cpuSeconds = platformLimits.cpuMs / 1_000;
  const lines: Record<string, string | number> = {
    ...Object.fromEntries(
      functions.map((name) => [
        `DB_URL_${name.toUpperCase()}`,
        `postgresql://parallax_${name}:${passwords[name]}@${DATABASE_ADDRESS}`,
      ]),
    ),
    CRON_KEY: cronKey,
    STREAM_SIGNING_SECRET: JWT_SECRET,
    PUBLIC_URL,
    INGEST_CPU_SECONDS: cpuSeconds,
    DELIVER_CPU_SECONDS: cpuSeconds,
    EXPORT_CPU_SECONDS: cpuSeconds,
    STREAM_CPU_SECONDS: cpuSeconds,
    WALL_CLOCK_SECONDS: 400,
    STREAM_WALL_CLOCK_SECONDS: 400,
    FEED_SOURCE: 'live',
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
