import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { environmentFor } from './fixture.ts';
import { listen, sendEndlessly } from './hostile_venue.ts';

/**
 * Guarantee: while one venue answers with anything at all, the whole worker, with a heap of 256 MB,
 * goes on with the other venue, withdraws the prices of this one, and /health and the alerts have
 * the reason.
 */

let venues: RunningVenues;
let database: TestDatabase;
let proxy: Server;
let worker: ChildProcess;
const output: string[] = [];
let isHostile = false;

beforeAll(async () => {
  [venues, database] = await Promise.all([startVenues('--games', '20'), createDatabase()]);
  const honest = new URL(venues.listening.venue_a.rest);
  let asked = 0;
  // venue_a without a key: its books are polled, so everything passes this proxy.
  proxy = createServer(async (request, response) => {
    const path = request.url ?? '/';
    if (isHostile) {
      asked += 1;
      // Listings are refused at once. Books arrive byte by byte, without an end.
      if (path.includes('/events') || path.includes('/series')) response.end('['.repeat(5e6) + ']'.repeat(5e6));
      else if (asked % 2 === 0) void sendEndlessly(response, Buffer.alloc(1_048_576, 'x'));
      else {
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      }
      return;
    }
    const answer = await fetch(new URL(path, honest));
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = await listen(proxy);
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
      VENUE_A_REST_URL: `http://127.0.0.1:${port}${honest.pathname}`,
      VENUE_A_KEY_ID: '',
      VENUE_A_PRIVATE_KEY: '',
      LISTINGS_SECONDS: '2',
    },
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream?.on('data', (piece: Buffer) => output.push(piece.toString()));
}, 60_000);
afterAll(async () => {
  worker?.kill('SIGKILL');
  proxy?.closeAllConnections();
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
      timeoutMs: 60_000,
      evidence,
    });
    const before = residentMegabytes();
    isHostile = true;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, residentMegabytes());
    }, 100);
    try {
      await waitUntil(async () => (await prices('ask_a')) === 0, {
        what: 'no price of the hostile venue',
        timeoutMs: 50_000,
        evidence,
      });
      await waitUntil(async () => (await state()).venue_a === 'down', { what: 'a down venue', timeoutMs: 30_000 });
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
  150_000,
);
