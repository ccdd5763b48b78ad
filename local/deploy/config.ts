import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { checkResult, type Finding, unknown } from './finding.ts';

/** The settings that the project requires, each with its reason. */
const expectedConfig: [path: string, value: string | number | boolean | string[], why: string][] = [
  ['api.schemas', ['api'], 'every table is in a schema that is not exposed'],
  ['api.auto_expose_new_tables', false, 'a new table has no grants until a migration adds them'],
  ['db.major_version', 17, 'the migrations use features of Postgres 17'],
  ['realtime.enabled', true, 'the stream function and the dashboard receive broadcasts'],
  ['edge_runtime.policy', 'per_worker', 'ingest and deliver continue after their response'],
  ['edge_runtime.deno_version', 2, 'the functions are written for Deno 2'],
  ['auth.enable_anonymous_sign_ins', false, 'every account belongs to a known user'],
];

/**
 * Checks `supabase/config.toml` of the project in `folder`. A folder of functions/ with an index.ts
 * is a function.
 */
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
      `parsed; ${expectedConfig.length} settings as required`,
    ),
    functionsFinding(folder, config),
    unknown(
      'API and Auth of the project',
      'npx supabase config diff shows what differs from config.toml; config push sends it (docs/deploy.md, step 2)',
    ),
    unknown(
      'mail and sign-in providers',
      'in the dashboard, Authentication, Emails and Sign In / Providers: a mail server of your own, and GitHub',
    ),
  ];
}

/** The value at `path`, such as `functions.api.verify_jwt`; undefined if there is none. */
export function valueAt(config: TomlTable, path: string): TomlValue | undefined {
  let found: TomlValue | undefined = config;
  for (const name of path.split('.')) {
    if (!isTable(found)) return undefined;
    found = found[name];
  }
  return found;
}

const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);

/** The parser's message with its line, without the excerpt. */
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

/** The functions of the project: folders of functions/ with an index.ts. */
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
      .map((name) => `${name} is in config.toml but has no functions/${name}/index.ts`),
    ...found.filter((name) => named.includes(name)).flatMap((name) => functionErrors(folder, config, name)),
  ];
  return checkResult(
    'functions in config.toml',
    faults,
    `${found.join(', ')}: entrypoints exist, verify_jwt is off (the functions check keys themselves)`,
  );
}

function functionErrors(folder: string, config: TomlTable, name: string): string[] {
  const entry = valueAt(config, `functions.${name}.entrypoint`);
  return [
    ...(typeof entry === 'string' && existsSync(join(folder, 'supabase', entry))
      ? []
      : [`${name}: entrypoint ${JSON.stringify(entry)} does not exist`]),
    // Callers send API keys, tickets or a secret key. With verify_jwt the platform would reject
    // them, because they are not JWTs.
    ...(valueAt(config, `functions.${name}.verify_jwt`) === false ? [] : [`${name}: verify_jwt must be false`]),
    ...(valueAt(config, `functions.${name}.enabled`) === true ? [] : [`${name} is not enabled`]),
    ...(existsSync(join(folder, 'functions', name, 'deno.json'))
      ? []
      : [`${name} has no deno.json; a deployment does not use the root one`]),
  ];
}
