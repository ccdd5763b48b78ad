import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lonelyStack } from '../support/lonely_stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

// One data folder, damaged in each way, and the real `npm start` on it.
const parent = temporaryFolder('damaged');
const sound = join(parent, 'sound');
const folder = join(parent, 'data');
beforeAll(async () => {
  const stack = await lonelyStack(sound);
  await stack.untilUp();
  await stack.stop('SIGTERM');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Another user than root has to obey the modes of files. */
const asUser = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000'] : [];
const obeysModes = spawnSync(asUser[0] ?? 'true', [...asUser.slice(1), 'true']).status === 0;

const at = (...names: string[]) => join(folder, ...names);
const remove = (name: string) => () => rmSync(at(name), { recursive: true });
const truncate = (name: string) => () => truncateSync(at(name), 0);
const lock = (name: string) => () => chmodSync(at(name), 0);

/** The small files whose loss would lose the data. */
const files = ['parallax.json', 'secrets.json', 'postgres/PG_VERSION', 'postgres/vault.key', 'postgres/pg_hba.conf'];
const contents = () => files.map((name) => existsSync(at(name)) && readFileSync(at(name), 'utf8'));

function damaged(damage: () => void): void {
  rmSync(folder, { recursive: true, force: true });
  spawnSync('cp', ['-a', sound, folder]);
  damage();
}

const advice = 'Restore it from a backup, or start with another --data\\.$';

test.each<[string, () => void, RegExp]>([
  ['parallax.json deleted', remove('parallax.json'), new RegExp(`parallax\\.json is missing\\. ${advice}`)],
  ['parallax.json empty', truncate('parallax.json'), /parallax\.json is damaged .* Start with another --data\.$/],
  ['secrets.json deleted', remove('secrets.json'), /secrets\.json is missing\. .* start with another --data\.$/],
  ['secrets.json empty', truncate('secrets.json'), new RegExp(`secrets\\.json is damaged\\. ${advice}`)],
  ['PG_VERSION deleted', remove('postgres/PG_VERSION'), /is not a complete PostgreSQL cluster .* --data\.$/],
  ['PG_VERSION empty', truncate('postgres/PG_VERSION'), /was created by PostgreSQL \(unknown\), .* --data\.$/],
  ['vault.key deleted', remove('postgres/vault.key'), new RegExp(`vault\\.key is missing\\. It decrypts .*${advice}`)],
  ['vault.key empty', truncate('postgres/vault.key'), new RegExp(`vault\\.key is damaged\\. It decrypts .*${advice}`)],
  [
    'vault.key of another database',
    () => writeFileSync(at('postgres/vault.key'), '0'.repeat(64)),
    new RegExp(`vault\\.key .*is not the key of its Vault\\. ${advice}`),
  ],
  ['pg_control deleted', remove('postgres/global/pg_control'), /global\/pg_control is missing.* --data\.$/],
  [
    'pg_control empty',
    truncate('postgres/global/pg_control'),
    /^PostgreSQL did not start: .*pg_control.*server\.log\)\.$/,
  ],
  ['postgresql.conf deleted', remove('postgres/postgresql.conf'), /^PostgreSQL did not start: .*server\.log\)\.$/],
  [
    'pg_hba.conf deleted',
    remove('postgres/pg_hba.conf'),
    /^PostgreSQL did not start: .*pg_hba\.conf.*server\.log\)\.$/,
  ],
  ['pg_wal deleted', remove('postgres/pg_wal'), /^PostgreSQL did not start: .*pg_wal.*server\.log\)\.$/],
  ['pg_filenode.map deleted', remove('postgres/global/pg_filenode.map'), /is damaged \(.*pg_filenode\.map.*--data\.$/],
  [
    'all but the WAL deleted',
    () => {
      for (const name of readdirSync(at('postgres')))
        if (name !== 'pg_wal') rmSync(at('postgres', name), { recursive: true });
    },
    /is not a complete PostgreSQL cluster .* --data\.$/,
  ],
  [
    'a file in the place of logs',
    () => {
      rmSync(at('logs'), { recursive: true });
      writeFileSync(at('logs'), '');
    },
    /logs cannot be used \(EEXIST\)\. Correct it, or start with another --data\.$/,
  ],
  [
    'a file in the place of postgres',
    () => {
      renameSync(at('postgres'), at('moved'));
      writeFileSync(at('postgres'), '');
    },
    /postgres.* cannot be used \(ENOTDIR\)\. Correct it, or start with another --data\.$/,
  ],
])(
  'npm start on a folder with %s ends with one sentence and overwrites nothing',
  async (_, damage, sentence) => {
    damaged(damage);
    const before = contents();
    const stack = await lonelyStack(folder);
    expect(await stack.ended).toBe(1);
    expect(stack.lines.join('\n')).not.toMatch(/^ +at |severity/m);
    expect(stack.lines.at(-1)).toMatch(sentence);
    expect(contents()).toEqual(before);
    expect(existsSync(at('lock'))).toBe(false);
    // The rest of what was there is still there.
    if (existsSync(at('postgres', 'pg_wal'))) expect(readdirSync(at('postgres', 'pg_wal'))).not.toEqual([]);
  },
  120_000,
);

test.skipIf(!obeysModes).each([
  ['parallax.json', lock('parallax.json')],
  ['secrets.json', lock('secrets.json')],
  ['postgres/PG_VERSION', lock('postgres/PG_VERSION')],
  ['postgres/vault.key', lock('postgres/vault.key')],
  ['lock', () => writeFileSync(at('lock'), '{}', { mode: 0 })],
])(
  'npm start on a folder whose %s this user may not read names the file and does not replace it',
  async (name, damage) => {
    damaged(damage);
    const stack = await lonelyStack(folder, asUser);
    expect(await stack.ended).toBe(1);
    expect(stack.lines.at(-1)).toMatch(new RegExp(`${name} cannot be (read|used) \\(EACCES\\)\\. .* --data\\.$`));
    expect(existsSync(at(name))).toBe(true);
  },
  120_000,
);

const replaceable = ['market_time', 'postgres/postmaster.opts', 'postgres/server.log'];
test.each<[string, () => void]>([
  [
    'deleted',
    () => {
      for (const name of [...replaceable, 'logs', 'venues', 'postgres/pg_ident.conf']) remove(name)();
    },
  ],
  [
    'empty, as after a crash,',
    () => {
      for (const name of replaceable) truncate(name)();
      for (const name of ['lock', 'stack.json', 'secrets.json.new', 'logs/jobs.log']) writeFileSync(at(name), '');
    },
  ],
])('npm start makes good the files that hold no data when they are %s', async (_, damage) => {
  damaged(damage);
  const before = contents();
  const stack = await lonelyStack(folder);
  await stack.untilUp();
  expect(await stack.stop('SIGTERM')).toBe(0);
  expect(contents()).toEqual(before);
});

test.skipIf(!obeysModes)('npm start goes on with logs and a market time that this user may not read', async () => {
  damaged(() => {
    for (const name of ['market_time', 'logs/jobs.log', 'postgres/server.log']) lock(name)();
  });
  const stack = await lonelyStack(folder, asUser);
  await stack.untilUp();
  expect(stack.lines.join('\n')).toMatch(/cannot be written \(EACCES\)\. Until it can/);
  expect(await stack.stop('SIGTERM')).toBe(0);
});

test('npm start on a folder that is below a file names the folder', async () => {
  mkdirSync(parent, { recursive: true });
  writeFileSync(join(parent, 'a file'), '');
  const stack = await lonelyStack(join(parent, 'a file', 'data'));
  expect(await stack.ended).toBe(1);
  expect(stack.lines).toEqual([expect.stringMatching(/^The data folder .* cannot be used \(ENOTDIR\)\. Choose/)]);
});
