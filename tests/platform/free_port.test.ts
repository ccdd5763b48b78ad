import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { listenOnFreePort } from '../support/listening.ts';

test('a port that is wanted and taken is not given, and others are none that outgoing connections get', async () => {
  const taken = createServer();
  const port = await listenOnFreePort(taken);
  const given = await Promise.all(Array.from({ length: 50 }, () => freePort(port)));
  expect(given).not.toContain(port);
  expect(Math.max(...given)).toBeLessThan(32_768);
  await new Promise((resolve) => taken.close(resolve));
  expect(await freePort(port)).toBe(port);
});
