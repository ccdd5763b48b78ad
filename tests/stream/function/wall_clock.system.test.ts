import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoProgram, repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { createKey, mintTicket, type OrganizationKey } from './minted.ts';
import { openRawConnection, type RawConnection } from './raw.ts';

// Runs the Edge Function itself as a worker with a short wall-clock limit. It runs without Realtime
// and reads the log instead.
let db: TestDatabase;
let worker: ChildProcess | undefined;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(async () => {
  worker?.kill('SIGKILL');
  await db.close();
});

/** Starts a worker with this wall clock, and resolves with its address when it serves. */
async function startWorker(seconds: number): Promise<string> {
  worker?.kill('SIGKILL');
  const port = await freePort();
  const rights = ['serve', '--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-env'];
  const args = [
    ...rights,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    join(repository, 'functions/stream/index.ts'),
  ];
  worker = spawn(denoProgram(), args, {
    cwd: repository,
    env: { ...process.env, DB_URL_STREAM: db.url('parallax_stream'), STREAM_WALL_CLOCK_SECONDS: String(seconds) },
    stdio: 'ignore',
  });
  const address = `http://127.0.0.1:${port}/stream`;
  await waitUntil(async () => [426, 503].includes((await fetch(address)).status), { what: 'it serves' });
  return address.replace('http', 'ws');
}

async function connect(url: string, org: OrganizationKey): Promise<RawConnection> {
  const raw = await openRawConnection(url);
  raw.send({ id: 1, connect: { data: { t: (await mintTicket(db.sql, org)).ticket } } });
  await raw.reply(1);
  return raw;
}

/** A worker with four clients that receive a frame. On a busy machine its time may end before. */
async function connectFour(org: OrganizationKey, seconds = 4): Promise<{ url: string; sockets: RawConnection[] }> {
  const url = await startWorker(seconds);
  try {
    const sockets = await Promise.all([1, 2, 3, 4].map(() => connect(url, org)));
    await db.sql`select stream.append_publication('markets:all', array['{"type":"price"}'])`;
    for (const raw of sockets)
      await waitUntil(() => raw.lines.some((line) => line.includes('"price"')), {
        what: 'the frame',
        failed: () => raw.end !== undefined && 'The worker closed the connection',
      });
    return { url, sockets };
  } catch (error) {
    if (seconds > 100) throw error;
    await db.sql`delete from stream.connections`;
    return await connectFour(org, 2 * seconds);
  }
}

test('the worker hands over all clients before its time ends, and accepts no new ones', async () => {
  const { url, sockets } = await connectFour(await createKey(db.sql, 'pro'));
  for (const raw of sockets) {
    expect(await raw.untilClosed()).toEqual({ code: 3001, reason: expect.stringMatching(/Reconnect/) });
  }
  expect(await db.sql`select from stream.connections`).toHaveLength(0);
  await expect(openRawConnection(url)).rejects.toThrow(/503/);
});
