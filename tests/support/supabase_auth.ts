import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importJWK, SignJWT } from 'jose';
import { inject } from 'vitest';
import { admitToAuth, admitToDataApi } from '../../local/platform/auth/gotrue/admission.ts';
import { type AuthBinary, findAuthBinary } from '../../local/platform/auth/gotrue/binary.ts';
import { admitAuthRole, createAuthSchema, migrateAuth } from '../../local/platform/auth/gotrue/database.ts';
import { startMailCatcher } from '../../local/platform/auth/gotrue/mail_catcher.ts';
import { spawnAuth, untilAuthServes } from '../../local/platform/auth/gotrue/process.ts';
import type { AuthSettings } from '../../local/platform/auth/gotrue/settings.ts';
import { createSigningKey, type SigningKey } from '../../local/platform/auth/gotrue/signing_keys.ts';
import { Gateway, type GatewayOptions } from '../../local/platform/gateway/gateway.ts';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { databaseUrl, freePort } from '../../local/platform/postgres/postgres.ts';
import { buildTemplate, cloneDatabase, connectAdmin, type Sql } from '../../local/platform/postgres/template.ts';
import { createDatabase } from './database.ts';
import { type Mail, untilMail } from './mails.ts';
import { type Client, clientAt, serveRest } from './rest.ts';
import { temporaryFolder } from './temporary_folder.ts';

/** The Supabase Auth program, or undefined after logging that `file` is skipped. */
export function supabaseAuthOrSkip(file: string): AuthBinary | undefined {
  const found = findAuthBinary();
  if (!('missing' in found)) {
    // .ci/summary.mjs counts the tests of the files that print this.
    console.log(`${file} runs against Supabase Auth ${found.version}`);
    return found;
  }
  console.log(`${file} is skipped: ${found.missing}.`);
  return undefined;
}

/** Supabase Auth itself and the Data API behind the local gateway, on a database of its own. */
export type RealAuth = {
  url: string;
  keys: { publishable: string; secret: string };
  /** Logged in as postgres. */
  sql: Sql;
  signingKeys: readonly SigningKey[];
  client(key?: string, token?: string): Client;
  /** The newest mail to that address, once there are `count` of them. */
  mail(to: string, count?: number): Promise<Mail>;
  /** An ES256 token with these claims, signed with `key` (default: the current key). */
  token(claims: Record<string, unknown>, key?: SigningKey): Promise<string>;
  /** Restarts Auth and the gateway's knowledge of its keys. */
  restart(changes: RealAuthOptions): Promise<void>;
  close(): Promise<void>;
};

export type RealAuthOptions = { signingKeys?: readonly SigningKey[]; confirmsEmail?: boolean };

const TEMPLATE = 'auth_template';

export async function serveSupabaseAuth(binary: AuthBinary, options: RealAuthOptions = {}): Promise<RealAuth> {
  const { port: databasePort, password } = inject('postgres');
  const folder = temporaryFolder('auth');
  const log = openSync(join(folder, 'log'), 'a');
  const mails = await startMailCatcher(join(folder, 'mails'));
  await buildAuthTemplate(binary);
  const db = await createDatabase({ from: TEMPLATE });
  const rest = await serveRest(db);
  const { keys } = rest;
  let settings: AuthSettings = {
    databaseUrl: databaseUrl(databasePort, 'supabase_auth_admin', password, db.name),
    port: await freePort(),
    siteUrl: `http://127.0.0.1:${await freePort()}`,
    jwtSecret: rest.jwtSecret,
    signingKeys: [createSigningKey()],
    smtpPort: mails.port,
    confirmsEmail: false,
    ...options,
  };
  const plan: GatewayOptions = {
    port: Number(new URL(settings.siteUrl).port),
    functions: new Map(),
    auth: undefined,
    dashboard: folder,
    notice: '',
  };
  let child: ChildProcess | undefined;
  const start = async () => {
    const { jwtSecret, signingKeys, port } = settings;
    const roles = new Map([
      [keys.publishable, 'anon'],
      [keys.secret, 'service_role'],
    ]);
    const project = { jwtSecret, signingKeys, roles };
    const untilUp = () => Promise.resolve(true);
    plan.auth = { name: 'Auth', address: { host: '127.0.0.1', port }, untilUp, admit: admitToAuth(project) };
    plan.rest = { name: 'REST', address: rest.address, untilUp, admit: admitToDataApi(project) };
    child = spawnAuth(binary, settings, log);
    await untilAuthServes(child, port).catch((error: unknown) => {
      throw new Error(`${error}\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
    });
  };
  const gateway = new Gateway(plan);
  await gateway.listen();
  await start();
  return {
    url: settings.siteUrl,
    keys,
    sql: db.sql,
    get signingKeys() {
      return settings.signingKeys;
    },
    client: (key = keys.publishable, token) => clientAt(settings.siteUrl, key, token),
    mail: (to, count) => untilMail(join(folder, 'mails'), to, count),
    token: (claims, key = settings.signingKeys[0]) => signed(claims, key as SigningKey),
    async restart(changes) {
      await end(child);
      settings = { ...settings, ...changes };
      await start();
    },
    async close() {
      await Promise.all([end(child), gateway.close(), rest.close(), mails.stop()]);
      await db.close();
      closeSync(log);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Builds, once a run, the database that has Auth's own tables and sql/. */
async function buildAuthTemplate(binary: AuthBinary): Promise<void> {
  const { port, password, cluster } = inject('postgres');
  const server = connectAdmin(cluster, 'postgres');
  try {
    // Another file of this run may build it at the same time.
    await server`select pg_advisory_lock(hashtext(${TEMPLATE}))`;
    const [built] = await server`select from pg_database where datname = ${TEMPLATE} and datistemplate`;
    if (built) return;
    await buildTemplate(cluster, password, { name: `${TEMPLATE}_platform`, makeAuth });
    await cloneDatabase(server, TEMPLATE, `${TEMPLATE}_platform`);
    await buildFromSql(databaseUrl(port, 'postgres', password, TEMPLATE), process.env.PARALLAX_SQL_DIR);
    await server.unsafe(`alter database ${TEMPLATE} is_template true allow_connections false`);
  } finally {
    await server.end();
  }

  async function makeAuth(admin: Sql, name: string): Promise<void> {
    await createAuthSchema(admin);
    await admitAuthRole(admin, name, password);
    await migrateAuth(binary, {
      databaseUrl: databaseUrl(port, 'supabase_auth_admin', password, name),
      port: 0,
      siteUrl: 'http://127.0.0.1',
      jwtSecret: 'of the migrations, which sign nothing',
      signingKeys: [createSigningKey()],
      smtpPort: 0,
      confirmsEmail: false,
    });
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

async function signed(claims: Record<string, unknown>, { key_ops: _uses, ...key }: SigningKey): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: key.kid })
    .sign(await importJWK(key, 'ES256'));
}
