import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { documentedSecrets } from '../../local/deploy/secrets.ts';
import { environmentOf, permissionsOf, variableReaders } from '../../local/platform/functions/environment.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';

const text = (name: string) => readFileSync(join(repository, name), 'utf8');

test('npm start gives each variable to the functions that the table of docs/deploy.md names', () => {
  const given = Object.entries(variableReaders).map(([name, readers]) => [name, [...readers].sort()] as const);
  expect(new Map(given)).toEqual(documentedSecrets(text('docs/deploy.md')));
});

test('every variable of deploy.env.example is in the list of npm start', () => {
  // A line that is set, or that is commented out: NAME=value or #NAME=value.
  const example = parseEnv(text('deploy.env.example').replace(/^#([A-Z][A-Z0-9_]*=)/gm, '$1'));
  expect(Object.keys(example).filter((name) => variableReaders[name] === undefined)).toEqual([]);
  expect(Object.keys(example)).toContain('VENUE_A_PRIVATE_KEY');
});

test('a function gets its own variables only, and a variable without a reader reaches none', () => {
  const all = { DB_URL_API: 'a', DB_URL_INGEST: 'i', CRON_KEY: 'c', VENUE_A_PRIVATE_KEY: 'v', PGPASSWORD: 'p' };
  expect(environmentOf('api', all)).toEqual({ DB_URL_API: 'a', CRON_KEY: 'c' });
  expect(environmentOf('ingest', all)).toEqual({ DB_URL_INGEST: 'i', CRON_KEY: 'c', VENUE_A_PRIVATE_KEY: 'v' });
  expect(environmentOf('stream', all)).toEqual({});
});

test('a function reaches the hosts of its addresses only, and deliver every host', () => {
  const env = {
    DB_URL_INGEST: 'postgres://u:p@127.0.0.1:5/x',
    VENUE_A_REST_URL: 'https://venue.example/v2',
    CRON_KEY: 'c',
  };
  expect(permissionsOf('ingest', env).net).toEqual(['127.0.0.1:5', 'venue.example']);
  expect(permissionsOf('deliver', env).net).toBeUndefined();
  expect(permissionsOf('api', {}).env).toContain('DB_URL_API');
  expect(permissionsOf('api', {}).env).not.toContain('DB_URL_INGEST');
});
