import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as deploy from '../../local/commands/deploy.ts';
import { sentFinding } from '../../local/deploy/secrets_set.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { callCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder('env');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('npm run deploy -- --env reports the example as unfinished and a SUPABASE_ name, and prints no value', async () => {
  const file = join(folder, 'deploy.env');
  const example = readFileSync(join(repository, 'deploy.env.example'), 'utf8');
  const key = 'a-cron-key-of-this-test-0123456789abcdef';
  writeFileSync(file, `${example.replace(/^CRON_KEY=.*$/m, `CRON_KEY=${key}`)}SUPABASE_DB_URL=x\n`);
  const { out, err, status } = await callCommand(deploy, ['--env', file]);
  expect(out).toMatch(/^ok +CRON_KEY +as required$/m);
  expect(out).toMatch(/^WRONG +DB_URL_API +still has <project ref> of deploy\.env\.example: replace it$/m);
  expect(out).toMatch(/^WRONG +SUPABASE_DB_URL +begins with SUPABASE_/m);
  expect(out).toMatch(/^ok +supabase secrets set +the CLI sends these \d+ values$/m);
  expect(out + err).not.toContain(key);
  expect(status).toBe(1);
});

test('npm run deploy -- --env names the example when the file does not exist', async () => {
  const { err, status } = await callCommand(deploy, ['--env', join(folder, 'none.env')]);
  expect(err).toContain('does not exist: copy deploy.env.example to it');
  expect(status).toBe(1);
});

test('the Supabase CLI sends the values that are checked: JSON in single quotes, a PEM, a comment after a value', async () => {
  const text = `A='{"kty":"EC"}'\nB="-----BEGIN X-----\nabc\n-----END X-----\n"\nC=postgres://a:b%23@c/d # note\n`;
  expect(await sentFinding(text)).toMatchObject({ state: 'ok', message: 'the CLI sends these 3 values' });
});
