import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { createKey, mintTicket } from './minted.ts';
import { openRawConnection } from './raw.ts';

// Runs the Edge Function itself as a worker with a short wall-clock limit. It runs without Realtime
// and reads the log instead.
let db: TestDatabase;
let worker: ChildProcess;
let url: string;
beforeAll(async () => {
  db = await createDatabase();
  const port = await freePort();
  url = `ws://127.0.0.1:${port}/stream`;
  const args = [
    'serve',
    '--quiet',
    '--no-prompt',
    '--cached-only',
    '--allow-net',
    '--allow-env',
    '--host',
    '127.0.0.1',
  ];
  worker = spawn(denoProgram(), [...args, '--port', String(port), join(repository, 'functions/stream/index.ts')], {
    cwd: repository,
    env: { ...process.env, DB_URL_STREAM: db.url('parallax_stream'), STREAM_WALL_CLOCK_SECONDS: '12' },
    stdio: 'ignore',
  });
  await waitUntil(async () => (await fetch(url.replace('ws', 'http')).catch(() => undefined))?.status === 426, {
    what: 'it serves',
  });
});
afterAll(async () => {
  worker?.kill('SIGKILL');
  await db.close();
});

test('the worker hands over all clients before its time ends, and accepts no new ones', async () => {
  const org = await createKey(db.sql, 'pro');
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const raw = await openRawConnection(url);
      raw.send({ id: 1, connect: { data: { t: (await mintTicket(db.sql, org)).ticket } } });
      await raw.reply(1);
      return raw;
    }),
  );
  await db.sql`select stream.append_publication('markets:all', array['{"type":"price"}'])`;
  for (const raw of sockets) {
    await waitUntil(() => raw.lines.some((line) => line.includes('"price"')), { what: 'the frame' });
    expect(await raw.untilClosed()).toEqual({ code: 3001, reason: expect.stringMatching(/Reconnect/) });
  }
  expect(await db.sql`select from stream.connections`).toHaveLength(0);
  await expect(openRawConnection(url)).rejects.toThrow(/503/);
}, 30_000);
