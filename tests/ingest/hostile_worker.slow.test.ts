import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { environmentFor, PATIENCE_MS } from './fixture.ts';
import { type HostileProxy, startHostileProxy } from './hostile_proxy.ts';

/**
 * Guarantee: while one venue answers with anything at all, the whole worker, with a heap of 256 MB,
 * goes on with the other venue, withdraws the prices of this one, and /health and the alerts have
 * the reason.
 */

let venues: RunningVenues;
let database: TestDatabase;
let proxy: HostileProxy;
let worker: ChildProcess;
const output: string[] = [];

beforeAll(async () => {
  [venues, database] = await Promise.all([startVenues('--listings', 'next_games'), createDatabase()]);
  const honest = new URL(venues.listening.venue_a.rest);
  // venue_a without a key: its books are polled, so everything passes this proxy.
  proxy = await startHostileProxy(venues.listening.venue_a.rest);
  const { PATH = '', HOME = '' } = process.env;
  const args = ['run', '--allow-net', '--allow-env', '--v8-flags=--max-old-space-size=256'];
  worker = spawn(join(repository, 'node_modules/.bin/deno'), [...args, 'functions/ingest/container.ts'], {
    cwd: repository,
    env: {
      PATH,
      HOME,
      NO_COLOR: '1',
      DENO_NO_UPDATE_CHECK: '1',
      ...environmentFor(venues, database.url('parallax_ingest')),
      VENUE_A_REST_URL: `http://127.0.0.1:${proxy.port}${honest.pathname}`,
      VENUE_A_KEY_ID: '',
      VENUE_A_PRIVATE_KEY: '',
      LISTINGS_SECONDS: '2',
    },
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream?.on('data', (piece: Buffer) => output.push(piece.toString()));
});
afterAll(async () => {
  worker?.kill('SIGKILL');
  proxy?.close();
  venues?.end();
  await database?.close();
});

const residentMegabytes = (): number => {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
};
const state = async (): Promise<Record<string, string>> => {
  const [row] = await database.sql<
    { venues: Record<string, { state: string }> }[]
  >`select venues from api.get_health()`;
  return Object.fromEntries(Object.entries(row?.venues ?? {}).map(([venue, feed]) => [venue, feed.state]));
};
const prices = async (side: 'ask_a' | 'ask_b'): Promise<number> => {
  const rows = await database.sql`
    select from price.latest_updates
    where void_reason is null and array_remove(${database.sql(side)}, null) <> '{}'`;
  return rows.length;
};
const evidence = () => output.join('').slice(-3_000);

it.skipIf(process.platform !== 'linux')(
  'a venue whose answers never end or never fit is withdrawn, and the other venue goes on with flat memory',
  async () => {
    await waitUntil(async () => (await prices('ask_a')) > 10 && (await prices('ask_b')) > 10, {
      what: 'prices of both venues',
      timeoutMs: PATIENCE_MS,
      evidence,
    });
    const before = residentMegabytes();
    proxy.turn();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, residentMegabytes());
    }, 100);
    try {
      await waitUntil(async () => (await prices('ask_a')) === 0, {
        what: 'no price of the hostile venue',
        timeoutMs: PATIENCE_MS,
        evidence,
      });
      await waitUntil(async () => (await state()).venue_a === 'down', { what: 'a down venue', timeoutMs: PATIENCE_MS });
      const [{ at }] = await database.sql<[{ at: Date }]>`select max(last_message_at) as at from venue.feeds`;
      await pause(3_000);
      const [feed] = await database.sql<{ last_message_at: Date }[]>`
        select last_message_at from venue.feeds where venue = 'venue_b' and last_message_at > ${at}`;
      expect(feed).toBeDefined();
    } finally {
      clearInterval(watch);
    }
    expect(await state()).toEqual({ venue_a: 'down', venue_b: 'up' });
    expect(worker.exitCode).toBeNull();
    const [sweep] = await database.sql<{ last_error: string }[]>`
      select last_error from venue.sweeps where venue = 'venue_a'`;
    expect(sweep?.last_error).toMatch(/^rest\.too_deep: /);
    const alerts = await database.sql<{ alert: string; how_much: string }[]>`
      select alert, how_much from ops.feed_alerts where what = 'venue_a' and alert = 'sweep.failing'`;
    expect(alerts).toMatchObject([{ how_much: expect.stringMatching(/^rest\.too_deep: /) }]);
    console.info(`RSS ${before} MB before, at most ${peak} MB while hostile`);
    expect(peak - before).toBeLessThan(150);
  },
);
