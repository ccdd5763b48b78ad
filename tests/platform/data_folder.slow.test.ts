import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clusterExists } from '../../local/platform/postgres/postgres.ts';
import { DataFolder, runningStack } from '../../local/platform/supervisor/data_folder.ts';
import { readOptions } from '../../local/platform/supervisor/options.ts';
import { birthOf } from '../../local/platform/supervisor/process.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

let parent: string;
let folder: string;
let sleeper: ChildProcess | undefined;
beforeEach(() => {
  parent = temporaryFolder('folder');
  folder = join(parent, 'data');
});
afterEach(() => {
  sleeper?.kill('SIGKILL');
  sleeper = undefined;
  rmSync(parent, { recursive: true, force: true });
});

test('creates secrets once, keeps them over a restart and makes them readable by the owner only', () => {
  const first = DataFolder.open(folder);
  first.saveMarketTime(1234.6);
  first.release();
  const second = DataFolder.open(folder);
  expect(second.secrets).toEqual(first.secrets);
  expect(second.lastMarketTime()).toBe(1235);
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const name of ['secrets.json', 'parallax.json', 'market_time'])
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  second.release();
});

test('rejects a second start on a locked folder with the owner of the lock, and replaces the lock of a killed process', () => {
  const held = DataFolder.open(folder);
  expect(() => DataFolder.open(folder)).toThrow(new RegExp(`already runs on .* \\(process ${process.pid}\\)`));
  held.release();
  // The same process id with another start time: a new process with the id of the dead one.
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, birth: 'long ago' }));
  DataFolder.open(folder).release();
  sleeper = spawn('sleep', ['60']);
  const pid = sleeper.pid ?? 0;
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, birth: birthOf(pid) }));
  expect(() => DataFolder.open(folder)).toThrow(/already runs/);
});

test.each([
  [
    'a folder with other files',
    (path: string) => writeFileSync(join(path, 'thesis.doc'), ''),
    /is not a data folder of Parallax \(it contains thesis.doc\)/,
  ],
  [
    'an invalid parallax.json',
    (path: string) => writeFileSync(join(path, 'parallax.json'), '{'),
    /parallax.json is damaged/,
  ],
  [
    'another PostgreSQL',
    (path: string) => writeFileSync(join(path, 'parallax.json'), '{"format":1,"postgres":16}'),
    /created with PostgreSQL 16/,
  ],
])('rejects %s with a sentence that states what to do', (_name, damage, sentence) => {
  mkdirSync(folder);
  damage(folder);
  expect(() => DataFolder.open(folder)).toThrow(sentence);
  expect(() => DataFolder.open(folder)).toThrow(/--data/);
});

test('reports missing or damaged secrets instead of replacing them, because the database has the old passwords', () => {
  DataFolder.open(folder).release();
  writeFileSync(join(folder, 'secrets.json'), '{}');
  expect(() => DataFolder.open(folder)).toThrow(/secrets.json is damaged/);
  rmSync(join(folder, 'secrets.json'));
  mkdirSync(join(folder, 'postgres'));
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '17\n');
  expect(() => DataFolder.open(folder)).toThrow(/secrets.json is missing/);
});

test('reports a folder that is not writable', () => {
  if (process.getuid?.() === 0) {
    writeFileSync(folder, 'a file');
  } else {
    mkdirSync(folder);
    chmodSync(folder, 0o500);
  }
  expect(() => DataFolder.open(folder)).toThrow(/cannot be used \(E[A-Z]+\)\. Choose another with --data/);
});

test('rejects a cluster of another version or without its control file', () => {
  const cluster = join(parent, 'postgres');
  expect(clusterExists(cluster)).toBe(false);
  mkdirSync(join(cluster, 'global'), { recursive: true });
  expect(() => clusterExists(cluster)).toThrow(/not a complete PostgreSQL cluster/);
  writeFileSync(join(cluster, 'PG_VERSION'), '16\n');
  expect(() => clusterExists(cluster)).toThrow(/created by PostgreSQL 16/);
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n');
  expect(() => clusterExists(cluster)).toThrow(/pg_control is missing/);
});

test('rejects another Auth in a data folder, whose accounts it would not find', () => {
  const data = DataFolder.open(folder);
  data.recordAuth('gotrue');
  data.release();
  const again = DataFolder.open(folder);
  again.recordAuth('gotrue');
  expect(() => again.recordAuth('lite')).toThrow(/has the accounts of --auth gotrue\. .*another --data/);
  again.release();
});

test('takes the accounts of a data folder that names no Auth for those of lite', () => {
  const data = DataFolder.open(folder);
  mkdirSync(join(folder, 'postgres'));
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '17\n');
  expect(() => data.recordAuth('gotrue')).toThrow(/has the accounts of --auth lite/);
  data.recordAuth('lite');
  data.release();
});

test('creates the signing key of sessions once, and adds it to a data folder without one', () => {
  const data = DataFolder.open(folder);
  const [key] = data.signingKeys();
  expect(key).toMatchObject({ alg: 'ES256', key_ops: ['sign', 'verify'] });
  data.release();
  const again = DataFolder.open(folder);
  expect(again.signingKeys()).toEqual([key]);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o077).toBe(0);
  again.release();
});

test('rejects another universe in a data folder that has one', () => {
  const data = DataFolder.open(folder);
  data.recordUniverse({ source: 'simulated', seed: 1 });
  expect(() => data.recordUniverse({ source: 'simulated', seed: 2 })).toThrow(/the universe of --seed 1/);
  expect(() => data.recordUniverse({ source: 'live' })).toThrow(/simulated venues/);
  data.recordUniverse({ source: 'simulated' });
  data.release();
  expect(runningStack(folder)).toBeUndefined();
});

test('parses the options of npm start, and rejects each invalid one with a reason', () => {
  expect(readOptions([], {})).toMatchObject({ port: 54_321, source: 'simulated', speed: 1, restDelaySeconds: 120 });
  expect(readOptions([], {})).toMatchObject({ auth: 'lite' });
  expect(readOptions(['--auth', 'gotrue'], {})).toMatchObject({ auth: 'gotrue' });
  expect(readOptions(['--help'])).toBe('help');
  expect(readOptions([], {})).toMatchObject({ webhookAllow: [], webhookCa: undefined });
  const allow = ['--webhook-allow', 'LocalHost:8443', '--webhook-allow', '[::1]:8444'];
  expect(readOptions(allow, {})).toMatchObject({ webhookAllow: ['localhost:8443', '::1:8444'] });
  expect(readOptions(['--live', '--port', '5000'], {})).toMatchObject({ port: 5000, source: 'live' });
  for (const [args, sentence] of [
    [['--prot', '1'], /Options: --port --data/],
    [['extra'], /Options: --port/],
    [['--auth', 'gotrie'], /--auth takes lite or gotrue, not "gotrie"/],
    [['--port'], /Options: --port/],
    [['--port', '70000'], /--port must be a whole number from 1 to 65535, not "70000"/],
    [['--seed', '1.5'], /--seed must be a whole number/],
    [['--speed', '0'], /--speed must be a number from/],
    [['--live', '--replay', '.'], /exclude each other/],
    [['--inspect', '--hosted-limits'], /exclude each other/],
    [['--live', '--speed', '2'], /does not apply to real venues/],
    [['--live', '--seed', '2'], /Omit it with --live/],
    [['--replay', '/no/such/folder'], /is not a folder/],
    [['--webhook-allow', 'localhost'], /HOST:PORT/],
    [['--webhook-allow', 'https://localhost:1'], /HOST:PORT/],
    [['--webhook-allow', 'localhost:0'], /--webhook-allow must be a whole number/],
    [['--webhook-ca', '/no/such/file'], /is not a certificate in PEM format/],
    [['--webhook-ca', 'package.json'], /is not a certificate in PEM format/],
  ] as const) {
    expect(() => readOptions([...args], {}), args.join(' ')).toThrow(sentence);
  }
  expect(() => readOptions([], { REST_DELAY_SECONDS: 'soon' })).toThrow(/REST_DELAY_SECONDS must be a whole number/);
});
