import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { LimitedFunctions } from '../../local/platform/limits/limited_functions.ts';
import { platformLimits } from '../../local/platform/limits/limits.ts';
import { connectClient, createStreamClient, ticketSource } from '../stream/function/fixture.ts';
import { createKey } from '../stream/function/minted.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { discardOutput } from '../support/discard_output.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

// The real stream function with one worker per WebSocket, without Realtime, and with so little CPU
// that it is used up long before the wall clock.
let db: TestDatabase;
const stops: (() => Promise<unknown>)[] = [];
const sockets = temporaryFolder('sockets');
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await db.close();
  rmSync(sockets, { recursive: true, force: true });
});

/** The function behind the gateway. */
async function served(cpuMs: number, env: Record<string, string>) {
  const hosted = new LimitedFunctions({
    limits: { ...platformLimits, cpuMs },
    env: () => ({ DB_URL_STREAM: db.url('parallax_stream'), ...env }),
    sockets: mkdtempSync(join(sockets, 's')),
    log: discardOutput,
    changed: () => {},
    printLine: () => {},
  });
  const functions = new Map([['stream', hosted.backend('stream')]]);
  const gateway = new Gateway({ port: 0, functions, auth: undefined, dashboard: '', notice: '' });
  const url = `ws://127.0.0.1:${await gateway.listen()}/functions/v1/stream`;
  const line = () => hosted.report().functions[0];
  stops.push(() => Promise.all([gateway.close(), hosted.stop()]));
  return { url, line };
}

test.each([
  // The estimate counts more than thousands of frames at once take: it is for a few at a time.
  ['by its own estimate', 900, { STREAM_CPU_SECONDS: '0.9' }, [0.15, 0.9]],
  ['by the platform’s warning only', 1_200, {}, [0.85, 1]],
] as const)(
  'the stream function hands over before its CPU is used up, %s, and each offset arrives once and in order',
  async (_, cpuMs, env, [least, most]) => {
    const { url, line } = await served(cpuMs, env);
    const org = await createKey(db.sql, 'pro');
    const client = await connectClient(createStreamClient(url, ticketSource(db.sql, org)));
    const began = client.received('markets:all').frames.length;
    let written = 0;
    const ended = () => client.ends.some(({ code }) => code === 3001);
    // Thousands of frames per second of typical size.
    for (let more = 5; more > 0; more -= ended() ? 1 : 0) {
      const frames = Array.from({ length: 250 }, () =>
        JSON.stringify({ type: 'price', n: ++written, pad: 'x'.repeat(600) }),
      );
      await db.sql`select stream.append_publication('markets:all', ${frames})`;
      await pause(50);
    }
    const received = client.received('markets:all');
    await waitUntil(() => received.frames.at(-1)?.n === written, { what: 'the last frame', timeoutMs: 30_000 });
    const ends = new Set(client.ends.map(({ code }) => code));
    client.centrifuge.disconnect();

    expect(began).toBe(0);
    expect(received.frames.map(({ n }) => n)).toEqual(Array.from({ length: written }, (_, n) => n + 1));
    expect(received.offsets).toEqual(received.offsets.map((_, n) => (received.offsets[0] ?? 0) + n));
    expect(ends).toEqual(new Set([3001]));
    // The last worker ends as well when its client has disconnected, and holds no slot.
    await waitUntil(() => line()?.living === 0, { what: 'no running worker' });
    expect(line()).toMatchObject({ killed: { cpu: 0, memory: 0, wall: 0 }, broken: 0 });
    expect(await db.sql`select from stream.connections`).toHaveLength(0);
    // The worker ended because of its CPU, early enough.
    const { max } = line()?.cpu_ms ?? { max: 0 };
    expect(max).toBeGreaterThan(least * cpuMs);
    expect(max).toBeLessThan(most * cpuMs);
    expect(line()?.wall_s?.max).toBeLessThan(platformLimits.wallSeconds / 2);
  },
  90_000,
);
