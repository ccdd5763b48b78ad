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

test('secrets are made once, survive, and are for the owner alone', () => {
  const first = DataFolder.open(folder);
  first.saveMarketTime(1234.6);
  first.release();
  const second = DataFolder.open(folder);
  expect(second.secrets).toEqual(first.secrets);
  expect(second.lastMarketTime()).toBe(1235);
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const name of ['secrets.json', 'parallax.json', 'shown'])
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  second.release();
});

test('two starts on one folder: the second is told who has it; the lock of a killed one is taken over', () => {
  const held = DataFolder.open(folder);
  expect(() => DataFolder.open(folder)).toThrow(new RegExp(`already runs on .* \\(process ${process.pid}\\)`));
  held.release();
  // Same number, other birth: a process that got the dead one's number.
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, birth: 'long ago' }));
  DataFolder.open(folder).release();
  sleeper = spawn('sleep', ['60']);
  const pid = sleeper.pid ?? 0;
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, birth: birthOf(pid) }));
  expect(() => DataFolder.open(folder)).toThrow(/already runs/);
});

test.each([
  [
    'a folder of somebody else',
    (path: string) => writeFileSync(join(path, 'thesis.doc'), ''),
    /is no data folder of Parallax \(it holds thesis.doc\)/,
  ],
  [
    'a mark that is no JSON',
    (path: string) => writeFileSync(join(path, 'parallax.json'), '{'),
    /parallax.json is damaged/,
  ],
  [
    'another PostgreSQL',
    (path: string) => writeFileSync(join(path, 'parallax.json'), '{"format":1,"postgres":16}'),
    /made with PostgreSQL 16/,
  ],
])('%s is refused with one sentence that says what to do', (_name, damage, sentence) => {
  mkdirSync(folder);
  damage(folder);
  expect(() => DataFolder.open(folder)).toThrow(sentence);
  expect(() => DataFolder.open(folder)).toThrow(/--data/);
});

test('secrets that are gone or damaged are said, not replaced: the database knows the old ones', () => {
  DataFolder.open(folder).release();
  writeFileSync(join(folder, 'secrets.json'), '{}');
  expect(() => DataFolder.open(folder)).toThrow(/secrets.json is damaged/);
  rmSync(join(folder, 'secrets.json'));
  mkdirSync(join(folder, 'postgres'));
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '17\n');
  expect(() => DataFolder.open(folder)).toThrow(/secrets.json is gone/);
});

test('a folder that cannot be written is said', () => {
  if (process.getuid?.() === 0) {
    writeFileSync(folder, 'a file');
  } else {
    mkdirSync(folder);
    chmodSync(folder, 0o500);
  }
  expect(() => DataFolder.open(folder)).toThrow(/cannot be used \(E[A-Z]+\): choose another with --data/);
});

test('clusters of another version or without their heart are refused', () => {
  const cluster = join(parent, 'postgres');
  expect(clusterExists(cluster)).toBe(false);
  mkdirSync(join(cluster, 'global'), { recursive: true });
  expect(() => clusterExists(cluster)).toThrow(/not a whole PostgreSQL cluster/);
  writeFileSync(join(cluster, 'PG_VERSION'), '16\n');
  expect(() => clusterExists(cluster)).toThrow(/made by PostgreSQL 16/);
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n');
  expect(() => clusterExists(cluster)).toThrow(/pg_control is missing/);
});

test('a data folder holds one universe', () => {
  const data = DataFolder.open(folder);
  data.settle({ source: 'simulated', seed: 1 });
  expect(() => data.settle({ source: 'simulated', seed: 2 })).toThrow(/the universe of --seed 1/);
  expect(() => data.settle({ source: 'live' })).toThrow(/simulated venues/);
  data.settle({ source: 'simulated' });
  data.release();
  expect(runningStack(folder)).toBeUndefined();
});

test('options: defaults, and everything that is not understood is said', () => {
  expect(readOptions([], {})).toMatchObject({ port: 54_321, source: 'simulated', speed: 1, restDelaySeconds: 120 });
  expect(readOptions(['--help'])).toBe('help');
  expect(readOptions([], {})).toMatchObject({ webhookAllow: [], webhookCa: undefined });
  const allow = ['--webhook-allow', 'LocalHost:8443', '--webhook-allow', '[::1]:8444'];
  expect(readOptions(allow, {})).toMatchObject({ webhookAllow: ['localhost:8443', '::1:8444'] });
  expect(readOptions(['--live', '--port', '5000'], {})).toMatchObject({ port: 5000, source: 'live' });
  for (const [args, sentence] of [
    [['--prot', '1'], /There are: --port --data/],
    [['extra'], /There are: --port/],
    [['--port'], /There are: --port/],
    [['--port', '70000'], /--port is a whole number from 1 to 65535, not "70000"/],
    [['--seed', '1.5'], /--seed is a whole number/],
    [['--speed', '0'], /--speed is a number from/],
    [['--live', '--replay', '.'], /exclude each other/],
    [['--inspect', '--hosted-limits'], /exclude each other/],
    [['--live', '--speed', '2'], /cannot hurry/],
    [['--live', '--seed', '2'], /means nothing with --live/],
    [['--replay', '/no/such/folder'], /There is no folder/],
    [['--webhook-allow', 'localhost'], /HOST:PORT/],
    [['--webhook-allow', 'https://localhost:1'], /HOST:PORT/],
    [['--webhook-allow', 'localhost:0'], /--webhook-allow is a whole number/],
    [['--webhook-ca', '/no/such/file'], /no PEM of a certificate/],
    [['--webhook-ca', 'package.json'], /no PEM of a certificate/],
  ] as const) {
    expect(() => readOptions([...args], {}), args.join(' ')).toThrow(sentence);
  }
  expect(() => readOptions([], { REST_DELAY_SECONDS: 'soon' })).toThrow(/REST_DELAY_SECONDS is a whole number/);
});
