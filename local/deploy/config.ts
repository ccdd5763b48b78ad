import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, judged, unknown } from './finding.ts';
import { at, parseToml, type Toml } from './toml.ts';

/** What was decided, and where it is told why. */
const decided: [path: string, value: string | number | boolean | string[], why: string][] = [
  ['api.schemas', ['api'], 'every table lives in a room that callers do not see'],
  ['api.auto_expose_new_tables', false, 'new tables belong to nobody until a migration grants them'],
  ['db.major_version', 17, 'the migrations use what 17 brought'],
  ['realtime.enabled', true, 'the stream and the dashboard hear it'],
  ['edge_runtime.policy', 'per_worker', 'ingest and deliver work on after their answer'],
  ['edge_runtime.deno_version', 2, 'the functions are written for it'],
  ['auth.enable_anonymous_sign_ins', false, 'each account belongs to a person'],
];

/** Looks at `supabase/config.toml` of the project at `folder`. Functions are those that have an index.ts. */
export function configFindings(folder: string): Finding[] {
  let config: Toml;
  try {
    config = parseToml(readFileSync(join(folder, 'supabase', 'config.toml'), 'utf8'));
  } catch (error) {
    return [judged('supabase/config.toml', [`cannot be read: ${error instanceof Error ? error.message : error}`], '')];
  }
  const missing = decided
    .filter(([path, value]) => JSON.stringify(at(config, path)) !== JSON.stringify(value))
    .map(
      ([path, value, why]) =>
        `${path} is ${JSON.stringify(at(config, path))} and should be ${JSON.stringify(value)}: ${why}`,
    );
  return [
    judged(
      'supabase/config.toml',
      [...missing, ...seedFaults(folder, config)],
      `parsed; ${decided.length} settings as decided`,
    ),
    functionsFinding(folder, config),
    unknown(
      'exposed schemas of the project',
      'db push does not set them: in the dashboard, API settings, expose api and nothing else (or supabase config push)',
    ),
    unknown(
      'Auth of the project',
      'site URL, redirect URLs, confirmation by mail, SMTP and providers are set in its dashboard; config.toml serves this machine',
    ),
  ];
}

function seedFaults(folder: string, config: Toml): string[] {
  if (at(config, 'db.seed.enabled') !== true) return [];
  const paths = at(config, 'db.seed.sql_paths');
  return (Array.isArray(paths) ? paths : [])
    .filter((path) => !existsSync(join(folder, 'supabase', path)))
    .map((path) => `db.seed names ${path}, which does not exist`);
}

/** Folders of functions/ that hold a function. */
export function functionNames(folder: string): string[] {
  return readdirSync(join(folder, 'functions'))
    .filter((name) => existsSync(join(folder, 'functions', name, 'index.ts')))
    .sort();
}

function functionsFinding(folder: string, config: Toml): Finding {
  const found = functionNames(folder);
  const table = at(config, 'functions');
  const named = typeof table === 'object' && !Array.isArray(table) ? Object.keys(table) : [];
  const faults = [
    ...found.filter((name) => !named.includes(name)).map((name) => `${name} is not in config.toml`),
    ...named
      .filter((name) => !found.includes(name))
      .map((name) => `${name} is in config.toml and has no functions/${name}/index.ts`),
    ...found.filter((name) => named.includes(name)).flatMap((name) => functionFaults(folder, config, name)),
  ];
  return judged(
    'functions in config.toml',
    faults,
    `${found.join(', ')}: entrypoints exist, verify_jwt off (our code checks keys)`,
  );
}

function functionFaults(folder: string, config: Toml, name: string): string[] {
  const entry = at(config, `functions.${name}.entrypoint`);
  return [
    ...(typeof entry === 'string' && existsSync(join(folder, 'supabase', entry))
      ? []
      : [`${name}: entrypoint ${JSON.stringify(entry)} does not exist`]),
    // Callers bring API keys, tickets or a secret key; the platform would refuse them as no JWT.
    ...(at(config, `functions.${name}.verify_jwt`) === false ? [] : [`${name}: verify_jwt must be false`]),
    ...(at(config, `functions.${name}.enabled`) === true ? [] : [`${name} is not enabled`]),
    ...(existsSync(join(folder, 'functions', name, 'deno.json'))
      ? []
      : [`${name} has no deno.json: the root one is not used for a deploy`]),
  ];
}
