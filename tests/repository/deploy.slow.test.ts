import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as deploy from '../../local/commands/deploy.ts';
import { configFindings } from '../../local/deploy/config.ts';
import type { Finding } from '../../local/deploy/finding.ts';
import { functionFindings } from '../../local/deploy/functions.ts';
import { documentedSecrets, secretFindings, variablesIn } from '../../local/deploy/secrets.ts';
import { uploads } from '../../local/deploy/upload.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { callCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

let project = '';
beforeEach(() => {
  project = temporaryFolder('project');
  mkdirSync(join(project, 'supabase'));
  cpSync(join(repository, 'supabase/config.toml'), join(project, 'supabase/config.toml'));
  for (const part of ['functions', 'docs']) cpSync(join(repository, part), join(project, part), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const change = (path: string, from: string, to: string) => {
  const text = readFileSync(join(project, path), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(project, path), text.replace(from, to));
};
const wrong = (findings: Finding[]) =>
  findings
    .filter((finding) => finding.state === 'wrong')
    .map((finding) => finding.message)
    .join('\n');

test('npm run deploy -- --check finds nothing wrong, prints both commands and writes nothing', async () => {
  // Other tests build dist/ and test-results/ meanwhile.
  const ours = ['supabase', 'sql', 'functions', 'docs'];
  const status = () =>
    spawnSync('git', ['status', '--short', '--ignored', ...ours], { cwd: repository, encoding: 'utf8' }).stdout;
  const before = status();
  const run = await callCommand(deploy, ['--check']);
  expect(
    run.out.split('\n').filter((line) => line.startsWith('WRONG')),
    run.err,
  ).toEqual([]);
  for (const command of ['config push', 'db push', 'secrets set --env-file deploy.env', 'functions deploy --use-api'])
    expect(run.out, run.err).toContain(`\n  npx supabase ${command}\n`);
  expect(run.status).toBe(0);
  expect(status()).toBe(before);
});

describe('the check of config.toml', () => {
  test.each([
    ['schemas = ["api"]', 'schemas = ["api", "public"]', 'api.schemas is ["api","public"] and should be ["api"]'],
    ['verify_jwt = false', 'verify_jwt = true', 'api: verify_jwt must be false'],
    [
      '"../functions/stream/index.ts"',
      '"../functions/streams/index.ts"',
      'stream: entrypoint "../functions/streams/index.ts" does not exist',
    ],
    [
      '[functions.deliver]',
      '[functions.delivery]',
      'deliver is not in config.toml; delivery is in config.toml but has no',
    ],
    ['policy = "per_worker"', 'policy = "oneshot"', 'edge_runtime.policy'],
    ['auto_expose_new_tables = false', '', 'api.auto_expose_new_tables is undefined'],
    ['[realtime]\nenabled = true', '[realtime]\nenabled = false', 'realtime.enabled is false'],
    ['schemas = ["api"]', 'schemas = [api]', 'cannot be read: line'],
  ])('reports the change of %j to %j in config.toml', (from, to, words) => {
    expect(wrong(configFindings(project))).toBe('');
    change('supabase/config.toml', from, to);
    expect(wrong(configFindings(project))).toContain(words);
  });

  test.each(['a =', 'a = 1\na = 2', 'a = [1', '[a\nb = 1'])('reports invalid TOML (%j) with its line', (text) => {
    writeFileSync(join(project, 'supabase/config.toml'), text);
    expect(wrong(configFindings(project))).toMatch(/cannot be read: line \d/);
  });
});

describe('the check of the functions', () => {
  test('uploads each function completely, with JSON registries and files that are imported late', async () => {
    const found = await uploads(project);
    expect(found.map(({ name, verifyJwt }) => [name, verifyJwt])).toEqual([
      ['api', false],
      ['deliver', false],
      ['export', false],
      ['ingest', false],
      ['stream', false],
    ]);
    const files = (name: string) => [...(found.find((upload) => upload.name === name)?.files.keys() ?? [])];
    expect(files('api')).toContain('functions/api/mcp/serve.ts');
    expect(files('ingest')).toContain('functions/ingest/identity/registry/nba.json');
  });

  test.each([
    [
      'a package that its deno.json does not name',
      "import 'lru-cache';",
      'imports lru-cache, which its deno.json does not name',
    ],
    ['a file of local/', "import '../../local/platform/user_error.ts';", '/local/platform/user_error.ts'],
    [
      'a file of another function',
      "import '../ingest/work_limits.ts';",
      'includes functions/ingest/work_limits.ts of another function',
    ],
    ['a file that is not there', "import './nowhere.ts';", 'cannot be bundled from its uploaded files'],
  ])(
    'rejects a function that imports %s',
    async (_, line, words) => {
      appendFileSync(join(project, 'functions/deliver/index.ts'), `${line}\n`);
      const outcome = await functionFindings(project).then(
        ({ findings }) => wrong(findings),
        (error: Error) => error.message,
      );
      expect(outcome).toContain(words);
    },
    120_000,
  );

  test('rejects a function whose bundle exceeds the limit of the platform', async () => {
    const registry = join(project, 'functions/deliver/large.json');
    writeFileSync(registry, JSON.stringify({ text: 'x'.repeat(5_100_000) }));
    appendFileSync(
      join(project, 'functions/deliver/index.ts'),
      "import large from './large.json' with { type: 'json' };\nconsole.log(large);\n",
    );
    expect(wrong((await functionFindings(project)).findings)).toMatch(
      /its bundle of 5\d{6} bytes exceeds the limit of 5000000/,
    );
  });
});

describe('the check of the secrets', () => {
  const page = () => readFileSync(join(project, 'docs/deploy.md'), 'utf8');

  test('finds the environment variables that code reads, in each supported form', () => {
    const code = `env('A_B'); text('C', 'd'); positiveOf(env, 'E_F'); Deno.env.get('G'); Deno.env.get(name); other('H_I');
      countOf(env, 'J'); ownKeyOf(env, 'K'); headerNameOf(env, 'L');`;
    expect(variablesIn(code)).toEqual(['A_B', 'C', 'E_F', 'G', 'J', 'K', 'L']);
  });

  test('reports secrets that docs/deploy.md lacks, assigns to a wrong function, or lists without a reader', async () => {
    const uploaded = await uploads(project);
    expect(wrong(secretFindings(project, uploaded))).toBe('');
    expect(documentedSecrets(page()).get('WALL_CLOCK_SECONDS')).toEqual(['deliver', 'ingest']);
    change('docs/deploy.md', '| `WEBHOOK_CA` | deliver |', '| `WEBHOOK_CB` | deliver |');
    change('docs/deploy.md', '| `WALL_CLOCK_SECONDS` | deliver, ingest |', '| `WALL_CLOCK_SECONDS` | ingest |');
    expect(wrong(secretFindings(project, uploaded)).split('; ')).toEqual([
      'WALL_CLOCK_SECONDS is read by deliver, ingest',
      'docs/deploy.md names ingest',
      'WEBHOOK_CA (read by deliver) is not in the table of docs/deploy.md',
      'WEBHOOK_CB is in docs/deploy.md, but no function reads it',
    ]);
  });

  test('reports code that reads its environment in a way that the check cannot follow', async () => {
    appendFileSync(join(project, 'functions/deliver/index.ts'), 'console.log(Deno.env.toObject());\n');
    expect(wrong(secretFindings(project, await uploads(project)))).toContain(
      'functions/deliver/index.ts reads its environment',
    );
  });
});
