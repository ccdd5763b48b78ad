import { type ChildProcess, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { environmentFor } from './fixture.ts';

const root = resolve(import.meta.dirname, '../..');
const deno = resolve(root, 'node_modules/.bin/deno');
const quiet = { DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NO_COLOR: '1' };

type Started = { process: ChildProcess; output: string[]; ended: Promise<number | null> };

function start(args: string[], env: Record<string, string>): Started {
  const child = spawn(deno, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...quiet, ...env },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => output.push(piece.toString()));
  const ended = new Promise<number | null>((done) => child.on('exit', done));
  return { process: child, output, ended };
}

describe('ingest function in Deno', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let env: Record<string, string>;
  const started: Started[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '20'), createDatabase()]);
    env = {
      ...environmentFor(venues, database.url('parallax_ingest')),
      CRON_KEY: 'cron_key_of_this_test_0123456789abcdef',
    };
  });
  afterAll(async () => {
    for (const one of started) one.process.kill('SIGKILL');
    await Promise.all(started.map((one) => one.ended));
    venues?.end();
    await database?.close();
  });

  const run = (args: string[], more: Record<string, string> = {}): Started => {
    const one = start(args, { ...env, ...more });
    started.push(one);
    return one;
  };
  const priced = async (): Promise<number> => {
    const rows =
      await database.sql`select from price.latest_updates where array_remove(ask_a, null) <> '{}' and array_remove(ask_b, null) <> '{}'`;
    return rows.length;
  };

  it('answers at once, starts one worker for the cron key only, and reads both venues in the background', async () => {
    const served = run([
      'serve',
      '--allow-net',
      '--allow-env',
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      'functions/ingest/index.ts',
    ]);
    const base = await waitUntil(() => /https?:\/\/[\d.]+:\d+/.exec(served.output.join(''))?.[0], {
      what: 'an address',
    });
    const post = (headers: Record<string, string>) => fetch(`${base}/ingest`, { method: 'POST', headers });
    for (const [key, code] of [
      ['', 'auth.missing_key'],
      ['sb_secret_default', 'auth.wrong_key'],
      ['cron_key_of_this_test_0123456789abcde', 'auth.wrong_key'],
    ] as const) {
      const answer = await post(key === '' ? {} : { 'x-cron-key': key });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, code]);
    }
    const first = await post({ 'x-cron-key': 'cron_key_of_this_test_0123456789abcdef' });
    expect([first.status, await first.json()]).toEqual([202, { started: true, holds: [] }]);
    await waitUntil(async () => (await priced()) > 10, { what: 'prices', timeoutMs: 20_000 });
    const second = await post({ 'x-cron-key': 'cron_key_of_this_test_0123456789abcdef' });
    const body = (await second.json()) as { started: boolean; holds: string[] };
    expect([second.status, body.started, body.holds]).toEqual([
      202,
      false,
      ['backtest', 'books:0', 'books:1', 'books:2', 'books:3', 'listings:venue_a', 'listings:venue_b'],
    ]);
    expect((await fetch(`${base}/ingest`)).status).toBe(405);
    served.process.kill('SIGKILL');
    await served.ended;
  });

  it('as a container takes over the leases of a killed worker, and releases its own on SIGTERM', async () => {
    const [last] = await database.sql<{ at: Date }[]>`select max(priced_at) as at from price.latest_updates`;
    const container = run(['run', '--allow-net', '--allow-env', 'functions/ingest/container.ts']);
    await waitUntil(
      async () => {
        const rows =
          await database.sql`select from price.latest_updates where void_reason is null and priced_at > ${new Date((last?.at.getTime() ?? 0) + 5_000)}`;
        return rows.length > 5;
      },
      { what: 'newer prices', timeoutMs: 25_000 },
    );
    // It takes half of the shards over before the leases of the killed worker are over.
    await waitUntil(async () => (await database.sql`select from venue.leases where token = 1`).length === 0, {
      what: 'every lease has its next holder',
    });
    container.process.kill('SIGTERM');
    expect(await container.ended, container.output.join('')).toBe(0);
    const rows = await database.sql`select from venue.leases where holder is not null`;
    expect(rows).toHaveLength(0);
  });

  it('polls the books of venue_a when it has no key', async () => {
    const container = run(['run', '--allow-net', '--allow-env', 'functions/ingest/container.ts'], {
      VENUE_A_KEY_ID: '',
      VENUE_A_PRIVATE_KEY: '',
    });
    await waitUntil(
      async () => {
        const [row] = await database.sql<{ detail: string }[]>`select detail from venue.feeds where venue = 'venue_a'`;
        return row?.detail === 'polling' && (await priced()) > 10;
      },
      { what: 'polled prices', timeoutMs: 20_000 },
    );
    container.process.kill('SIGTERM');
    expect(await container.ended).toBe(0);
  });

  it('sends headers on the handshake with Deno’s WebSocket and with npm’s ws', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    const seen: unknown[] = [];
    server.on('connection', (socket, request) => {
      seen.push(request.headers['x-proof']);
      socket.send('hello');
    });
    await new Promise((done) => server.on('listening', done));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const script = `
      import { openSocket, openWithNode } from '${root}/functions/ingest/sockets.ts';
      for (const open of [openSocket, openWithNode]) {
        const text = await new Promise((done) => {
          const socket = open('${url}', { 'x-proof': open.name || 'x' }, { open() {}, message(text) { done(text); socket.close(); }, close() {} });
        });
        console.log(text);
      }
      // A runtime that takes the second argument for a sub-protocol throws. npm's ws follows then.
      const Native = globalThis.WebSocket;
      globalThis.WebSocket = class { constructor(url, second) { if (second !== undefined && typeof second !== 'string') throw new DOMException('bad protocol', 'SyntaxError'); return new Native(url); } };
      const text = await new Promise((done) => {
        const socket = openSocket('${url}', { 'x-proof': 'fallback' }, { open() {}, message(text) { done(text); socket.close(); }, close() {} });
      });
      console.log(text);
      Deno.exit(0);`;
    const probe = run(['eval', '--ext=ts', script]);
    expect(await probe.ended, probe.output.join('')).toBe(0);
    expect(seen).toEqual(['openSocket', 'openWithNode', 'fallback']);
    server.close();
  });
});
