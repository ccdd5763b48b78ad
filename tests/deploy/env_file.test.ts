import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { envFindings, projectRefOf } from '../../local/deploy/env_file.ts';
import { documentedSecrets, knownSecrets, RESERVED_NAMES } from '../../local/deploy/secrets.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';

const known = knownSecrets(repository);
const REF = 'qwertyuiopasdfghjklz';
const secret = () => randomBytes(24).toString('hex');
const jwk = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid: 'f6d2c1a0',
});
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString();

const pkcs1 = createPrivateKey(pem).export({ format: 'pem', type: 'pkcs1' }).toString();

const pooler = (role: string, password = secret()) =>
  `postgresql://${role}.${REF}:${password}@aws-1-us-east-1.pooler.supabase.com:6543/postgres?sslmode=require`;

const right = (): Record<string, string> => ({
  DB_URL_API: pooler('parallax_api'),
  DB_URL_INGEST: pooler('parallax_ingest'),
  DB_URL_STREAM: pooler('parallax_stream'),
  DB_URL_DELIVER: pooler('parallax_deliver'),
  DB_URL_EXPORT: pooler('parallax_export'),
  CRON_KEY: secret(),
  STREAM_SIGNING_KEY: `'${JSON.stringify(jwk())}'`,
  INGEST_CPU_SECONDS: '2',
  DELIVER_CPU_SECONDS: '2',
  EXPORT_CPU_SECONDS: '2',
  STREAM_CPU_SECONDS: '2',
  WALL_CLOCK_SECONDS: '150',
  STREAM_WALL_CLOCK_SECONDS: '150',
  VENUE_A_KEY_ID: 'a-key',
  VENUE_A_PRIVATE_KEY: `"${pem}"`,
});

const fileOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** The wrong findings of a right file in which `changes` replace values; null removes a line. */
function wrongOf(changes: Record<string, string | null>): string[] {
  const values = Object.fromEntries(
    Object.entries({ ...right(), ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return envFindings(fileOf(values), known)
    .filter(({ state }) => state === 'wrong')
    .map(({ subject, message }) => `${subject} ${message}`);
}

test('a right file has a finding for each variable, and none is wrong', () => {
  const findings = envFindings(fileOf(right()), known);
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  for (const name of Object.keys(right())) expect(findings.map(({ subject }) => subject)).toContain(name);
});

describe('the check of a secrets file', () => {
  const replica = pooler('parallax_api');
  const api = (from: string | RegExp, to: string) => ({ DB_URL_API: pooler('parallax_api').replace(from, to) });

  test.each<[fault: string, changes: Record<string, string | null>, words: string]>([
    ['a missing variable', { DB_URL_STREAM: null }, 'DB_URL_STREAM is missing'],
    ['an empty variable', { CRON_KEY: '' }, 'CRON_KEY is missing'],
    ['a misspelled variable', { CRON_KEYS: secret() }, 'CRON_KEYS is read by no function'],
    ['a name of the platform', { SUPABASE_SECRET_KEYS: '{}' }, 'SUPABASE_SECRET_KEYS begins with SUPABASE_'],
    ['a placeholder', { CRON_KEY: '<output of openssl>' }, 'CRON_KEY still has <output of openssl>'],
    ['a placeholder in a URL', api(REF, '<project ref>'), 'DB_URL_API still has <project ref>'],
    ['the role of another function', { DB_URL_API: pooler('parallax_ingest') }, 'use the role parallax_api'],
    ['the role postgres', { DB_URL_API: pooler('postgres') }, 'logs in as postgres: use the role parallax_api'],
    ['a pooler user without the project', api(`.${REF}`, ''), '"Tenant or user not found"'],
    ['session mode of the pooler', api(':6543', ':5432'), 'port 5432 of the pooler is session mode'],
    ['a pooler URL without a port', api(':6543', ''), 'port 5432 of the pooler is session mode'],
    ['no sslmode', api('?sslmode=require', ''), 'has no sslmode'],
    ['sslmode=disable', api('=require', '=disable'), 'has sslmode=disable: use require'],
    ['a host that is not Supabase', api(/aws.*com/, 'localhost'), 'the host localhost is no database of Supabase'],
    ['another database', api('/postgres?', '/app?'), 'names the database app'],
    ['no password', { DB_URL_API: pooler('parallax_api', '') }, 'has no password'],
    ['an @ in the password', { DB_URL_API: pooler('parallax_api', 'abc@def') }, 'unencoded "@": write %40'],
    ['a / in the password', { DB_URL_API: pooler('parallax_api', 'abc/def') }, 'unencoded "/": write %2F'],
    ['a quoted # in the password', { DB_URL_API: `"${pooler('parallax_api', 'a#b')}"` }, 'unencoded "#": write %23'],
    ['a # in the password', { DB_URL_API: pooler('parallax_api', 'abc#def') }, 'a "#" in the password must be'],
    ['a % in the password', { DB_URL_API: pooler('parallax_api', 'abc%zz') }, 'unencoded "%": write %25'],
    ['a URL that is no database', { DB_URL_API: 'https://example.org/' }, 'is no URL of the form postgresql://'],
    ['two projects', api(REF, 'z'.repeat(20)), `they name the projects ${'z'.repeat(20)} and ${REF}`],
    ['a user with the project on the direct host', api(/aws.*com:6543/, `db.${REF}.supabase.co:5432`), 'without .'],
    ['the primary as its replica', { DB_URL_API: replica, DB_URL_API_READ: replica }, 'READ equals DB_URL_API'],
    ['another role at the replica', { DB_URL_API_READ: pooler('parallax_stream') }, 'logs in as parallax_stream'],
    ['a short cron key', { CRON_KEY: 'short' }, 'CRON_KEY has 5 characters, fewer than 32'],
    ['a public key', { STREAM_SIGNING_KEY: `'${JSON.stringify({ ...jwk(), d: undefined })}'` }, 'has no "d"'],
    ['a key without its id', { STREAM_SIGNING_KEY: `'${JSON.stringify({ ...jwk(), kid: undefined })}'` }, 'no "kid"'],
    ['a list of keys', { STREAM_SIGNING_KEY: `'[${JSON.stringify(jwk())}]'` }, 'is a list of keys'],
    ['a key of another type', { STREAM_SIGNING_KEY: `'{"kty":"oct","k":"abc"}'` }, 'is no ES256 key'],
    ['a damaged key', { STREAM_SIGNING_KEY: `'${JSON.stringify({ ...jwk(), x: 'abc' })}'` }, 'is damaged'],
    ['text instead of a key', { STREAM_SIGNING_KEY: 'secret' }, 'STREAM_SIGNING_KEY is no JSON'],
    ['a damaged PEM', { VENUE_A_PRIVATE_KEY: `"${pem.replace(/\n/g, ' ')}"` }, 'is no private key in PEM'],
    ['a PEM of another form', { VENUE_A_PRIVATE_KEY: `"${pkcs1}"` }, 'is in the form PKCS#1'],
    ['a key of venue_a without its id', { VENUE_A_KEY_ID: null }, 'VENUE_A_PRIVATE_KEY needs VENUE_A_KEY_ID'],
    ['another wall clock', { WALL_CLOCK_SECONDS: '300' }, 'WALL_CLOCK_SECONDS is 300: set 150 or 400'],
    ['two wall clocks', { STREAM_WALL_CLOCK_SECONDS: '400' }, 'differs from WALL_CLOCK_SECONDS'],
    ['more CPU than the platform gives', { INGEST_CPU_SECONDS: '10' }, 'INGEST_CPU_SECONDS is 10: set 2'],
    ['a CA for tests', { WEBHOOK_CA: 'x' }, 'WEBHOOK_CA is a CA for tests'],
    ['the secret of npm start', { STREAM_SIGNING_SECRET: secret() }, 'STREAM_SIGNING_SECRET is for npm start only'],
    ['a stream without TLS', { STREAM_URL: 'ws://stream.example.org' }, 'STREAM_URL must be an address'],
  ])('reports %s, and nothing else', (_, changes, words) => {
    const wrong = wrongOf(changes);
    expect(wrong.join('\n')).toContain(words);
    expect(wrong).toHaveLength(1);
  });

  test.each([
    ['the direct connection', `parallax_api:${secret()}@db.${REF}.supabase.co:5432/postgres?sslmode=verify-full`],
    ['the dedicated pooler', `parallax_api:${secret()}@db.${REF}.supabase.co:6543/postgres?sslmode=require`],
    [
      'an encoded password',
      `parallax_api.${REF}:a%40b%2Fc@aws-0-eu-west-1.pooler.supabase.com:6543/postgres?sslmode=require`,
    ],
  ])('accepts %s', (_, rest) => {
    expect(wrongOf({ DB_URL_API: `postgresql://${rest}` })).toEqual([]);
  });

  test('warns of a password that two roles have', () => {
    const shared = secret();
    const values = {
      ...right(),
      DB_URL_API: pooler('parallax_api', shared),
      DB_URL_STREAM: pooler('parallax_stream', shared),
    };
    const [finding] = envFindings(fileOf(values), known).filter(({ subject }) => subject === 'DB_URL_… passwords');
    expect(finding?.state).toBe('ok');
    expect(finding?.message).toContain('warning: DB_URL_STREAM has the password of another role');
  });

  test('never prints a secret, whether its value is right or wrong', () => {
    const password = 'hunter2hunter2hunter2';
    const key = jwk();
    const values = {
      ...right(),
      DB_URL_API: pooler('parallax_api', password).replace('?sslmode=require', ''),
      DB_URL_INGEST: pooler('parallax_ingest', `${password}@x`),
      DB_URL_STREAM: pooler('parallax_stream', password),
      CRON_KEY: 'hunter3',
      STREAM_SIGNING_KEY: `'${JSON.stringify({ ...key, kid: undefined })}'`,
      VENUE_A_PRIVATE_KEY: `"${pem.slice(0, 200)}"`,
    };
    const printed = JSON.stringify(envFindings(fileOf(values), known));
    for (const value of [password, 'hunter3', String(key.d), pem.slice(40, 100).replace(/\n/g, '\\n')])
      expect(printed).not.toContain(value);
  });

  test('finds the project of the database URLs', () => {
    expect(projectRefOf(fileOf(right()))).toBe(REF);
    expect(
      projectRefOf(fileOf({ ...right(), DB_URL_API: pooler('parallax_api').replace(REF, 'z'.repeat(20)) })),
    ).toBeUndefined();
  });
});

describe('deploy.env.example', () => {
  const example = readFileSync(join(repository, 'deploy.env.example'), 'utf8');
  const lines = example.split('\n');
  const nameIn = (line: string) => /^#?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1];

  test('names every secret that a hosted function may have, and no other', () => {
    const page = readFileSync(join(repository, 'docs/deploy.md'), 'utf8');
    // Simulators, tests, containers and npm start.
    const others = /^(PORT|HEALTH_PORT|PUBLIC_URL|WEBHOOK_CA|STREAM_SIGNING_SECRET|STREAM_SOCKET|VENUE_[AB]_\w+_URL)$/;
    const wanted = [...documentedSecrets(page).keys()].filter(
      (name) => !RESERVED_NAMES.test(name) && !others.test(name),
    );
    expect(lines.flatMap((line) => nameIn(line) ?? []).sort()).toEqual(wanted.sort());
  });

  test('explains each variable in the one line above it', () => {
    for (const [at, line] of lines.entries()) if (nameIn(line)) expect(lines[at - 1], line).toMatch(/^# \S/);
  });

  test('is reported as unfinished for each value that the deployer must set', () => {
    const wrong = envFindings(example, known).filter(({ state }) => state === 'wrong');
    expect(wrong.map(({ subject }) => subject).sort()).toEqual(
      known.needed.filter((name) => !/_SECONDS$/.test(name)).sort(),
    );
  });
});
