import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';

test('a port that is wanted and taken is not given, and others are none that outgoing connections get', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const given = await Promise.all(Array.from({ length: 50 }, () => freePort(port)));
  expect(given).not.toContain(port);
  expect(Math.max(...given)).toBeLessThan(32_768);
  await new Promise((resolve) => taken.close(resolve));
  expect(await freePort(port)).toBe(port);
});
