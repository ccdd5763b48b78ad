import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeSocket } from '../../soak/load/node_socket.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { until } from './simulator.ts';

// A customer of `npm start`: a key, a ticket over REST, the stream through the gateway, prices that come by themselves.

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack({ env: { REST_DELAY_SECONDS: '10' } });
}, 150_000);
afterAll(() => stack?.stop());

test('hears prices moments after they were read, each once and in order, also when the stream’s and Realtime’s processes are killed', async () => {
  expect(stack.lines.some((line) => /^functions\/stream +\/functions\/v1\/stream/.test(line))).toBe(true);
  const key = stack.key('basic');
  const mint = async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${stack.baseUrl}/v1/stream/token`, { method: 'POST', headers });
    return (await answer.json()) as { ticket: string; ws_url: string; realtime: { topics: string[] } | null };
  };
  const { ws_url, realtime } = await mint();
  expect(ws_url).toBe(`ws://127.0.0.1:${stack.port}/functions/v1/stream`);
  expect(realtime?.topics).toContain('markets:all');
  const offsets: number[] = [];
  const lateness: number[] = [];
  const stream = new Centrifuge(ws_url, { websocket: NodeSocket, getData: async () => ({ t: (await mint()).ticket }) });
  stream.on('publication', ({ channel, offset, data }) => {
    if (channel !== 'markets:all') return;
    offsets.push(offset ?? 0);
    const read = Object.values(data.books_read_at ?? {}).map((at) => Date.parse(String(at)));
    if (data.type === 'price' && !data.void) lateness.push(Date.now() - Math.max(...read));
  });
  stream.connect();
  await until('prices', async () => offsets.length > 50);
  for (const pattern of [/deno run .*f-stream/, /local\/realtime\/main\.ts/]) {
    const dead = stack.kill(pattern);
    await until('a successor', async () => ![undefined, dead].includes(stack.find(pattern)));
    // The lease of what the dead one served: 40 seconds that this test need not wait, since Basic has three.
    const heard = offsets.length;
    await until('more prices', async () => offsets.length > heard + 50, 90_000);
  }
  expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
  const sorted = lateness.sort((a, b) => a - b);
  console.log(`books read to heard: median ${sorted[Math.floor(sorted.length / 2)]} ms over ${sorted.length} prices`);
  stream.disconnect();
}, 240_000);
