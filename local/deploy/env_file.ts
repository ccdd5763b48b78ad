import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { parseEnv } from 'node:util';
import { checkDatabaseUrl, replicaUrlErrors } from './database_url.ts';
import { checkResult, type Finding } from './finding.ts';
import { RESERVED_NAMES } from './secrets.ts';

/** The names of the secrets in docs/deploy.md, and which of them are needed. */
export type KnownSecrets = { names: readonly string[]; needed: readonly string[] };

/** The errors of one value; empty where it is right. They never hold the value of a secret. */
type Check = (value: string, all: ReadonlyMap<string, string>) => string[];

const DATABASE_ROLES: Readonly<Record<string, string>> = {
  DB_URL_API: 'parallax_api',
  DB_URL_INGEST: 'parallax_ingest',
  DB_URL_STREAM: 'parallax_stream',
  DB_URL_DELIVER: 'parallax_deliver',
  DB_URL_EXPORT: 'parallax_export',
};

/** A part that the deployer replaces, such as `<project ref>`. */
const PLACEHOLDER = /<[a-z][a-z0-9 _.-]*>/i;
const MIN_KEY_LENGTH = 32;
/** Of the Free plan and of the paid ones (docs:guides/functions/limits.mdx). */
const WALL_CLOCKS = ['150', '400'];

const isNumber =
  (wanted: readonly string[], why: string): Check =>
  (value) =>
    wanted.includes(value) ? [] : [`is ${value}: set ${wanted.join(' or ')}, ${why}`];

const isPositive: Check = (value) => (Number(value) > 0 ? [] : [`is ${value}: set a number above zero`]);

const isAddress =
  (...protocols: string[]): Check =>
  (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? []
      : [`must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`];

const isNotHosted =
  (what: string): Check =>
  () => [`is ${what}: remove the line`];

const hasLength: Check = (value) =>
  value.length >= MIN_KEY_LENGTH
    ? []
    : [`has ${value.length} characters, fewer than ${MIN_KEY_LENGTH}: make one with openssl rand -hex 32`];

const checks: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    Object.entries(DATABASE_ROLES).map(([name, role]) => [
      name,
      (value: string) => checkDatabaseUrl(value, role).errors,
    ]),
  ),
  DB_URL_API_READ: (value, all) => [
    ...replicaUrlErrors(value, 'parallax_api'),
    ...(value === all.get('DB_URL_API')
      ? ['equals DB_URL_API: set the URL of a read replica, or remove the line']
      : []),
  ],
  INGEST_CPU_SECONDS: isNumber(['2'], 'the CPU that the platform gives one call'),
  DELIVER_CPU_SECONDS: isNumber(['2'], 'the CPU that the platform gives one call'),
  EXPORT_CPU_SECONDS: isNumber(['2'], 'the CPU that the platform gives one call'),
  STREAM_CPU_SECONDS: isNumber(['2'], 'the CPU that the platform gives one call'),
  WALL_CLOCK_SECONDS: isNumber(WALL_CLOCKS, 'the life of a call on the Free plan or on a paid one'),
  STREAM_WALL_CLOCK_SECONDS: (value, all) => [
    ...isNumber(WALL_CLOCKS, 'the life of a call on the Free plan or on a paid one')(value, all),
    ...(WALL_CLOCKS.some((other) => other !== value && other === all.get('WALL_CLOCK_SECONDS'))
      ? ['differs from WALL_CLOCK_SECONDS: set the same']
      : []),
  ],
  STREAM_SIGNING_KEY: (value) => signingKeyErrors(value),
  STREAM_SIGNING_SECRET: isNotHosted('for npm start only, and STREAM_SIGNING_KEY takes its place'),
  WEBHOOK_CA: isNotHosted('a CA for tests, which a hosted function must not trust'),
  PUBLIC_URL: isNotHosted('for the CLI’s stack only, since the platform knows its own address'),
  CRON_KEY: hasLength,
  METRICS_KEY: (value, all) => [
    ...hasLength(value, all),
    ...(value === all.get('CRON_KEY') ? ['equals CRON_KEY, so a reader of the metrics could start workers'] : []),
  ],
  STREAM_URL: isAddress('wss:'),
  VENUE_A_KEY_ID: (_, all) => pairErrors(all, 'VENUE_A_PRIVATE_KEY'),
  VENUE_A_PRIVATE_KEY: (value, all) => [...pairErrors(all, 'VENUE_A_KEY_ID'), ...privateKeyErrors(value)],
  FEED_SOURCE: isNumber(['live', 'simulated', 'replay'], 'live for the real venues'),
  LOG_LEVEL: isNumber(['debug', 'info', 'warn', 'error'], 'the lowest level that is logged'),
  LISTINGS_SECONDS: isPositive,
  DB_CONNECTIONS_API: isPositive,
  DB_CONNECTIONS_INGEST: isPositive,
  DB_CONNECTIONS_STREAM: isPositive,
  DB_CONNECTIONS_DELIVER: isPositive,
  STREAM_MOST_CONNECTIONS: isPositive,
  STREAM_MOST_PER_ADDRESS: isPositive,
  STREAM_ADDRESS_HEADER: (value) => (/^[A-Za-z0-9-]+$/.test(value) ? [] : ['is no name of a header']),
  STREAM_SOCKET: isNotHosted('for npm start only, because a service has a port'),
  STREAM_RECHECK_SECONDS: isPositive,
  PORT: isPositive,
  HEALTH_PORT: isPositive,
  VENUE_A_REST_URL: isAddress('https:'),
  VENUE_A_WS_URL: isAddress('wss:'),
  VENUE_B_GAMMA_URL: isAddress('https:'),
  VENUE_B_CLOB_URL: isAddress('https:'),
  VENUE_B_DATA_URL: isAddress('https:'),
  VENUE_B_WS_URL: isAddress('wss:'),
};

/** A finding for each variable of the file, for each missing one, and for what they share. */
export function envFindings(text: string, known: KnownSecrets): Finding[] {
  const all = new Map(Object.entries(parseEnv(text)).filter((entry): entry is [string, string] => !!entry[1]));
  const missing = known.needed.filter((name) => !all.has(name));
  return [
    ...missing.map((name) => checkResult(name, [`is missing: deploy.env.example explains it`], '')),
    ...[...all].map(([name, value]) => checkResult(name, variableErrors(name, value, all, known), 'as required')),
    ...databaseFindings(all),
  ];
}

function variableErrors(name: string, value: string, all: Map<string, string>, known: KnownSecrets): string[] {
  if (RESERVED_NAMES.test(name))
    return ['begins with SUPABASE_: the platform sets such names itself and refuses yours; remove the line'];
  if (!known.names.includes(name)) return ['is read by no function: check its spelling, or remove the line'];
  const placeholder = PLACEHOLDER.exec(value)?.[0];
  if (placeholder) return [`still has ${placeholder} of deploy.env.example: replace it`];
  return checks[name]?.(value, all) ?? [];
}

/** What the four database URLs must have in common, and what they must not. */
function databaseFindings(all: ReadonlyMap<string, string>): Finding[] {
  const urls = Object.entries(DATABASE_ROLES).flatMap(([name, role]) => {
    const value = all.get(name);
    return value && !PLACEHOLDER.test(value) ? [{ name, ...checkDatabaseUrl(value, role) }] : [];
  });
  if (urls.length < 2) return [];
  const refs = [...new Set(urls.flatMap(({ projectRef }) => projectRef ?? []))];
  const repeated = urls.filter(({ password }, at) => urls.findIndex((other) => other.password === password) < at);
  return [
    checkResult(
      'DB_URL_… name one project',
      refs.length > 1 ? [`they name the projects ${refs.join(' and ')}: take all four from one project`] : [],
      refs.join() || 'no project ref could be read',
    ),
    checkResult(
      'DB_URL_… passwords',
      [],
      repeated.length > 0
        ? `warning: ${repeated.map(({ name }) => name).join(', ')} has the password of another role; give each its own`
        : 'each role has its own',
    ),
  ];
}

/** The project that the database URLs of an env file name; undefined for none or two. */
export function projectRefOf(text: string): string | undefined {
  const values = parseEnv(text);
  const refs = new Set(
    Object.entries(DATABASE_ROLES).flatMap(
      ([name, role]) => checkDatabaseUrl(values[name] ?? '', role).projectRef ?? [],
    ),
  );
  return refs.size === 1 ? [...refs][0] : undefined;
}

function pairErrors(all: ReadonlyMap<string, string>, other: string): string[] {
  return all.has(other) ? [] : [`needs ${other} as well: set both, or neither`];
}

function signingKeyErrors(value: string): string[] {
  const how = 'make one with npx supabase gen signing-key --algorithm ES256, and keep the single quotes';
  let key: Record<string, unknown>;
  try {
    key = JSON.parse(value) as Record<string, unknown>;
    if (Array.isArray(key)) return [`is a list of keys: take the one object out of the brackets`];
    if (typeof key !== 'object' || key === null) return [`is no JSON object: ${how}`];
  } catch {
    return [`is no JSON: ${how}`];
  }
  const errors = [
    ...(key.kty === 'EC' && key.crv === 'P-256' ? [] : [`is no ES256 key (kty EC, crv P-256): ${how}`]),
    ...(typeof key.d === 'string' ? [] : ['has no "d", so it is the public half: use the private key']),
    ...(typeof key.kid === 'string' && key.kid ? [] : ['has no "kid", by which Auth finds the key: keep the field']),
  ];
  if (errors.length > 0) return errors;
  try {
    createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
    return [];
  } catch {
    return [`is damaged (x, y and d are no key of P-256): ${how}`];
  }
}

function privateKeyErrors(value: string): string[] {
  if (value.includes('BEGIN RSA PRIVATE KEY'))
    return ['is in the form PKCS#1: convert it with openssl pkcs8 -topk8 -nocrypt'];
  try {
    const { asymmetricKeyType } = createPrivateKey(value);
    return asymmetricKeyType === 'rsa' ? [] : [`is a key of type ${asymmetricKeyType}: venue_a signs with RSA`];
  } catch {
    return ['is no private key in PEM: put the whole file with its line ends between double quotes'];
  }
}
