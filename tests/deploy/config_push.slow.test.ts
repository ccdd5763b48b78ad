import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configPushFindings, EXAMPLE_REF } from '../../local/deploy/config_push.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

// The real CLI pushes to a stub of the management API on loopback.

let project = '';
beforeEach(() => {
  project = temporaryFolder('push');
  mkdirSync(join(project, 'supabase'));
  cpSync(join(repository, 'supabase/config.toml'), join(project, 'supabase/config.toml'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const change = (from: string, to: string) => {
  const file = join(project, 'supabase/config.toml');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
};

test('config push sends the values of production, and the example is reported as the deployer’s to replace', async () => {
  const [pushed, example] = await configPushFindings(project);
  expect(pushed).toMatchObject({ state: 'ok', message: expect.stringContaining('schema api, site https://') });
  expect(example).toMatchObject({ state: 'unknown', message: expect.stringContaining('set project_id, site_url') });
});

test('the example is wrong once the database URLs name a project', async () => {
  const ref = 'qwertyuiopasdfghjklz';
  const wrong = (await configPushFindings(project, ref)).filter(({ state }) => state === 'wrong');
  expect(wrong.map(({ message }) => message).join('\n')).toContain(`the database URLs name ${ref}`);
  change(EXAMPLE_REF, ref);
  change('site_url = "https://parallax.example.com"', 'site_url = "https://parallax.trade"');
  change('["https://parallax.example.com/**"]', '["https://parallax.trade/**"]');
  expect(await configPushFindings(project, ref)).toEqual([expect.objectContaining({ state: 'ok' })]);
});

test.each([
  ['no values for production', `project_id = "${EXAMPLE_REF}"`, '', 'has no [remotes.production] project_id'],
  [
    'a local site',
    'site_url = "https://parallax.example.com"',
    'site_url = "http://127.0.0.1:5173"',
    'auth.site_url is http://127.0.0.1:5173, an address of this machine',
  ],
  [
    'no site of its own',
    'site_url = "https://parallax.example.com"',
    '',
    'auth.site_url is http://127.0.0.1:5173, an address of this machine',
  ],
  [
    'a local redirect address',
    '["https://parallax.example.com/**"]',
    '["https://parallax.example.com/**", "http://localhost:5173/**"]',
    'auth.additional_redirect_urls is http://localhost:5173/**',
  ],
  ['no redirect addresses', '["https://parallax.example.com/**"]', '[]', 'additional_redirect_urls is empty'],
  [
    'a site without TLS',
    'site_url = "https://parallax.example.com"',
    'site_url = "http://parallax.example.com"',
    'use https',
  ],
  ['sign-up without confirmed e-mail', 'enable_confirmations = true', '', 'enable_confirmations is off'],
  ['a mail a second', 'max_frequency = "1m"', '', 'max_frequency is 1 s'],
  ['another schema', 'schemas = ["api"]', 'schemas = ["api", "public"]', 'exposes the schemas api,public'],
  ['an invalid project ref', EXAMPLE_REF, 'Production', 'the CLI sent nothing'],
])(
  'config push with %s is reported',
  async (_, from, to, words) => {
    change(from, to);
    const wrong = (await configPushFindings(project)).filter(({ state }) => state === 'wrong');
    expect(wrong.map(({ message }) => message).join('\n')).toContain(words);
  },
  60_000,
);
