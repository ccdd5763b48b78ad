import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { environmentFor, PATIENCE_MS } from './fixture.ts';
import { type HostileProxy, startHostileProxy } from './hostile_proxy.ts';

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
  let proxy: HostileProxy;
  let env: Record<string, string>;
  const started: Started[] = [];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--listings', 'next_games'), createDatabase()]);
    proxy = await startHostileProxy(venues.listening.venue_a.rest);
    env = {
      ...environmentFor(venues, database.url('parallax_ingest')),
      CRON_KEY: 'cron_key_of_this_test_0123456789abcdef',
    };
  });
  afterAll(async () => {
    for (const one of started) one.process.kill('SIGKILL');
    await Promise.all(started.map((one) => one.ended));
    proxy?.close();
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
    await waitUntil(async () => (await priced()) > 10, { what: 'prices', timeoutMs: PATIENCE_MS });
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

  const pricedSince = async (at: Date) =>
    (await database.sql`select from price.latest_updates where void_reason is null and priced_at > ${at}`).length;
  const leasesOf = async (what: 'held' | 'of the killed worker') =>
    (
      await database.sql`
      select from venue.leases where ${what === 'held' ? database.sql`holder is not null` : database.sql`token = 1`}`
    ).length;
  const container = ['run', '--allow-net', '--allow-env', 'functions/ingest/container.ts'];
  let polling: Started;

  it('as a container takes over the leases of a killed worker, and releases its own on SIGTERM', async () => {
    const killedAt = new Date();
    // Most of the ten seconds of the leases have passed.
    await database.sql`update venue.leases set expires_at = clock_timestamp() + interval '2 seconds'`;
    const first = run(container);
    await waitUntil(async () => (await pricedSince(killedAt)) > 5, { what: 'new prices', timeoutMs: PATIENCE_MS });
    await waitUntil(async () => (await leasesOf('of the killed worker')) === 0, {
      what: 'every lease has its next holder',
      timeoutMs: PATIENCE_MS,
    });
    first.process.kill('SIGTERM');
    expect(await first.ended, first.output.join('')).toBe(0);
    expect(await leasesOf('held')).toBe(0);
  });

  it('polls the books of venue_a when it has no key', async () => {
    const since = new Date();
    // Everything of venue_a passes the proxy.
    polling = run(container.toSpliced(1, 0, '--v8-flags=--max-old-space-size=256'), {
      VENUE_A_REST_URL: `http://127.0.0.1:${proxy.port}${new URL(env.VENUE_A_REST_URL ?? '').pathname}`,
      VENUE_A_KEY_ID: '',
      VENUE_A_PRIVATE_KEY: '',
      LISTINGS_SECONDS: '2',
    });
    await waitUntil(
      async () => {
        const [row] = await database.sql<{ detail: string }[]>`select detail from venue.feeds where venue = 'venue_a'`;
        return row?.detail === 'polling' && (await priced()) > 10 && (await pricedSince(since)) > 5;
      },
      { what: 'polled prices', timeoutMs: PATIENCE_MS },
    );
  });

  it.skipIf(process.platform !== 'linux')(
    'a venue whose answers never end or never fit stops neither the other venue nor fills the memory',
    async () => {
      const residentMegabytes = (): number => {
        const status = readFileSync(`/proc/${polling.process.pid}/status`, 'utf8');
        return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
      };
      const evidence = () => polling.output.join('').slice(-3_000);
      const before = residentMegabytes();
      let peak = before;
      proxy.turn();
      const startedAt = new Date();
      // Some of the answers go on until the worker cuts them.
      await waitUntil(
        async () => {
          peak = Math.max(peak, residentMegabytes());
          const [sweep] = await database.sql<{ error: string }[]>`
            select last_error as error from venue.sweeps where venue = 'venue_a' and last_error_at > ${startedAt}`;
          return proxy.asked() >= 6 && /^rest\.too_deep: /.test(sweep?.error ?? '');
        },
        { what: 'refused listings', timeoutMs: PATIENCE_MS, everyMs: 100, evidence },
      );
      const [alert] = await database.sql<{ how_much: string }[]>`
        select how_much from ops.feed_alerts where what = 'venue_a' and alert = 'sweep.failing'`;
      expect(alert?.how_much).toMatch(/^rest\.too_deep: /);
      const [{ at }] = await database.sql<[{ at: Date }]>`select max(last_message_at) as at from venue.feeds`;
      await waitUntil(
        async () =>
          (await database.sql`select from venue.feeds where venue = 'venue_b' and last_message_at > ${at}`).length > 0,
        { what: 'messages of the other venue', timeoutMs: PATIENCE_MS, evidence },
      );
      expect(polling.process.exitCode).toBeNull();
      expect(peak - before).toBeLessThan(150);
    },
  );

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
