import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeSocket } from '../../client/src/node_socket.ts';
import { verify } from '../../local/deploy/verify.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { mintTicket } from '../support/stream_ticket.ts';
import { waitUntil } from '../support/wait_until.ts';
import { logsSuite } from './logs.suite.ts';

// These tests break their stack. It reaches no venue, so that it starts soon; they publish frames
// themselves.

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack({ venues: 'none', env: { LOG_LEVEL: 'debug' } });
});
afterAll(() => stack?.stop());

test('a client receives each frame once and in order, also after kills of the stream function and Realtime', async () => {
  expect(stack.lines.some((line) => /^functions\/stream +\/functions\/v1\/stream/.test(line))).toBe(true);
  const key = await stack.key('basic');
  const { ws_url, realtime } = await mintTicket(stack.baseUrl, key);
  expect(ws_url).toBe(`ws://127.0.0.1:${stack.port}/functions/v1/stream`);
  expect(realtime?.topics).toContain('markets:all');
  const offsets: number[] = [];
  const stream = new Centrifuge(ws_url, {
    websocket: NodeSocket,
    getData: async () => ({ t: (await mintTicket(stack.baseUrl, key)).ticket }),
  });
  stream.on('publication', ({ channel, offset = 0 }) => {
    if (channel === 'markets:all') offsets.push(offset);
  });
  stream.connect();
  const publish = () => stack.sql`
    with published as (
      select stream.append_publication('markets:all', array['{"type":"price","id":"one"}', '{"type":"price","id":"two"}'])
    )
    select stream.broadcast_pending() from published`;
  /** Publishes until the client has received as many frames more. */
  const untilMore = async (frames: number) => {
    const before = offsets.length;
    await waitUntil(
      async () => {
        await publish();
        return offsets.length >= before + frames;
      },
      { what: `${frames} more frames` },
    );
  };
  await untilMore(50);
  for (const pattern of [/deno run .*f-stream/, /local\/platform\/realtime\/main\.ts/]) {
    const dead = stack.kill(pattern);
    await publish();
    await waitUntil(() => ![undefined, dead].includes(stack.findPid(pattern)), { what: 'the process runs again' });
    // The lease of the dead connection lasts 40 s. The client need not wait: Basic has three
    // connections.
    await untilMore(50);
  }
  expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
  stream.disconnect();
});

logsSuite(
  () => stack,
  async ({ sql }) =>
    void (await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'parallax %'`),
);

describe('npm run deploy -- --verify', () => {
  const wrong = async () => {
    const key = await stack.key('pro', 'deploy verify');
    const findings = await verify({ baseUrl: stack.baseUrl, key, databaseUrl: stack.facts.database_url });
    return findings
      .filter(({ state, subject }) => state === 'wrong' && subject !== 'health')
      .map(({ subject, message }) => `${subject}: ${message}`);
  };

  test('reports the policy of Realtime when it was dropped', async () => {
    // Jobs and alerts come and go on a machine that is late.
    const aboutRealtime = async () => (await wrong()).filter((text) => text.includes('Realtime'));
    expect(await aboutRealtime()).toEqual([]);
    await stack.sql`drop policy "organizations read the channels of their plan" on realtime.messages`;
    try {
      const text = (await aboutRealtime()).join('\n');
      expect(text).toContain('policy of Realtime: realtime.messages has 0 policies instead of one for select');
      expect(text).toMatch(/channels of Realtime: .* is refused/);
    } finally {
      await stack.sql`select stream.install_realtime_policy()`;
    }
    expect(await aboutRealtime()).toEqual([]);
  });

  test('reports a job that was unscheduled', async () => {
    await stack.sql`select cron.unschedule('parallax_deliver')`;
    try {
      expect((await wrong()).join('\n')).toContain(
        'parallax_deliver is not scheduled: select jobs.install_schedules()',
      );
    } finally {
      await stack.sql`select jobs.install_schedules()`;
    }
  });
});
