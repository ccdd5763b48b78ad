import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { checkResult, type Finding, unknown } from './finding.ts';

/** What was decided, and where it is told why. */
const expectedConfig: [path: string, value: string | number | boolean | string[], why: string][] = [
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
  let config: TomlTable;
  try {
    config = parse(readFileSync(join(folder, 'supabase', 'config.toml'), 'utf8'));
  } catch (error) {
    return [checkResult('supabase/config.toml', [`cannot be read: ${parseErrorOf(error)}`], '')];
  }
  const missing = expectedConfig
    .filter(([path, value]) => JSON.stringify(valueAt(config, path)) !== JSON.stringify(value))
    .map(
      ([path, value, why]) =>
        `${path} is ${JSON.stringify(valueAt(config, path))} and should be ${JSON.stringify(value)}: ${why}`,
    );
  return [
    checkResult(
      'supabase/config.toml',
      [...missing, ...seedErrors(folder, config)],
      `parsed; ${expectedConfig.length} settings as decided`,
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

/** The value at `path`, such as `functions.api.verify_jwt`; undefined if there is none. */
function valueAt(config: TomlTable, path: string): TomlValue | undefined {
  let found: TomlValue | undefined = config;
  for (const name of path.split('.')) {
    if (!isTable(found)) return undefined;
    found = found[name];
  }
  return found;
}

const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);

/** The parser's message with its line; the excerpt that follows is cut off. */
function parseErrorOf(error: unknown): string {
  if (error instanceof TomlError) return `line ${error.line}: ${error.message.split('\n')[0]}`;
  return error instanceof Error ? error.message : String(error);
}

function seedErrors(folder: string, config: TomlTable): string[] {
  if (valueAt(config, 'db.seed.enabled') !== true) return [];
  const paths = valueAt(config, 'db.seed.sql_paths');
  return (Array.isArray(paths) ? paths : [])
    .filter((path) => !existsSync(join(folder, 'supabase', String(path))))
    .map((path) => `db.seed names ${path}, which does not exist`);
}

/** Folders of functions/ that hold a function. */
export function functionNames(folder: string): string[] {
  return readdirSync(join(folder, 'functions'))
    .filter((name) => existsSync(join(folder, 'functions', name, 'index.ts')))
    .sort();
}

function functionsFinding(folder: string, config: TomlTable): Finding {
  const found = functionNames(folder);
  const table = valueAt(config, 'functions');
  const named = isTable(table) ? Object.keys(table) : [];
  const faults = [
    ...found.filter((name) => !named.includes(name)).map((name) => `${name} is not in config.toml`),
    ...named
      .filter((name) => !found.includes(name))
      .map((name) => `${name} is in config.toml and has no functions/${name}/index.ts`),
    ...found.filter((name) => named.includes(name)).flatMap((name) => functionErrors(folder, config, name)),
  ];
  return checkResult(
    'functions in config.toml',
    faults,
    `${found.join(', ')}: entrypoints exist, verify_jwt off (our code checks keys)`,
  );
}

function functionErrors(folder: string, config: TomlTable, name: string): string[] {
  const entry = valueAt(config, `functions.${name}.entrypoint`);
  return [
    ...(typeof entry === 'string' && existsSync(join(folder, 'supabase', entry))
      ? []
      : [`${name}: entrypoint ${JSON.stringify(entry)} does not exist`]),
    // Callers bring API keys, tickets or a secret key; the platform would refuse them as no JWT.
    ...(valueAt(config, `functions.${name}.verify_jwt`) === false ? [] : [`${name}: verify_jwt must be false`]),
    ...(valueAt(config, `functions.${name}.enabled`) === true ? [] : [`${name} is not enabled`]),
    ...(existsSync(join(folder, 'functions', name, 'deno.json'))
      ? []
      : [`${name} has no deno.json: the root one is not used for a deploy`]),
  ];
}
