import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWorld, type World } from './support/world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let world: World;
let worker: ChildProcess;
let base: string;

beforeAll(async () => {
  world = await makeWorld();
  const port = await freePort();
  base = `http://127.0.0.1:${port}/api`;
  const program = join(root, 'node_modules', 'deno', 'bin.cjs');
  worker = spawn(
    process.execPath,
    [
      program,
      'serve',
      '--no-prompt',
      '--allow-net',
      '--allow-env',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      'functions/api/index.ts',
    ],
    {
      cwd: root,
      env: { ...process.env, DO_NOT_TRACK: '1', DB_URL_API: world.db.url('parallax_api'), FEED_SOURCE: 'live' },
      detached: true,
    },
  );
  const words: string[] = [];
  worker.stderr?.on('data', (chunk) => words.push(String(chunk)));
  for (let tries = 0; ; tries++) {
    if (
      await fetch(`${base}/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
    if (tries > 150 || worker.exitCode !== null) throw new Error(`deno does not serve: ${words.join('')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
afterAll(async () => {
  if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
  await world.close();
});

test('the deployed entry serves under Deno what the app serves under Node, to the byte', async () => {
  const key = await world.key();
  for (const path of [
    '/v2/markets?include=ids,depth,settlement&market_type=all',
    '/v2/markets?limit=0',
    '/nowhere',
    '/openapi.json',
  ]) {
    const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'same' };
    const [deno, node] = await Promise.all([
      fetch(base + path, { headers }),
      fetch(world.api.base + path, { headers }),
    ]);
    expect(await deno.text()).toBe(await node.text());
    for (const name of [
      'ETag',
      'Vary',
      'X-As-Of',
      'Content-Type',
      'RateLimit-Policy',
      'Access-Control-Expose-Headers',
    ]) {
      expect([name, deno.headers.get(name)]).toEqual([name, node.headers.get(name)]);
    }
  }
  expect(await (await fetch(`${base}/health`)).json()).toMatchObject({ venues: { venue_a: { source: 'live' } } });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
