import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { listenOnFreePort } from '../support/listening.ts';

test('freePort returns another port when the wanted one is in use, and never one of the ephemeral range', async () => {
  const taken = createServer();
  const port = await listenOnFreePort(taken);
  const given = await Promise.all(Array.from({ length: 50 }, () => freePort(port)));
  expect(given).not.toContain(port);
  expect(Math.max(...given)).toBeLessThan(32_768);
  await new Promise((resolve) => taken.close(resolve));
  expect(await freePort(port)).toBe(port);
});
