import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeSocket } from '../../client/src/node_socket.ts';
import { centrifugoOrSkip } from '../support/centrifugo.ts';
import { type RunningStack, readLogs, startStack } from '../support/stack.ts';
import { mintTicket } from '../support/stream_ticket.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

// `npm start -- --carrier centrifugo --nodes 2`, and the same data folder with the function stream.

const binary = centrifugoOrSkip('tests/carrier/stack.slow.test.ts');
const home = temporaryFolder('carrier');
const folder = join(home, 'data');
const env = { REST_DELAY_SECONDS: '10' };
let stack: RunningStack;
let key: string;
beforeAll(async () => {
  if (!binary) return;
  stack = await startStack({ args: ['--carrier', 'centrifugo', '--nodes', '2'], env, folder });
  key = await stack.key('basic');
});
afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

const nodes = () => stack.facts.carrier?.nodes ?? [];
/** Clients of a node, from its metrics. */
async function clientsOf({ internal }: { internal: string }): Promise<number> {
  const text = await fetch(`${internal}/metrics`).then((answer) => answer.text());
  return Number(/^centrifugo_node_num_clients (\d+)/m.exec(text)?.[1] ?? 0);
}
/** The node that alone has the client. The metric follows after some seconds. */
const nodeWithClient = () =>
  waitUntil(
    async () => {
      const counts = await Promise.all(nodes().map(clientsOf));
      return counts.toSorted().join() === '0,1' && nodes()[counts.indexOf(1)];
    },
    { what: 'one node has the client', timeoutMs: 60_000 },
  );

/** A client of the gateway, and every offset of the markets that it has received. */
function listen() {
  const offsets: number[] = [];
  const recovered: boolean[] = [];
  const client = new Centrifuge(`ws://127.0.0.1:${stack.port}/functions/v1/stream`, {
    websocket: NodeSocket,
    getData: async () => ({ t: (await mintTicket(stack.baseUrl, key)).ticket }),
    minReconnectDelay: 50,
    maxReconnectDelay: 500,
  });
  client.on('publication', ({ channel, offset }) => channel === 'markets:all' && offsets.push(offset ?? 0));
  client.on('subscribed', ({ channel, wasRecovering, recovered: yes }) => {
    if (channel === 'markets:all' && wasRecovering) recovered.push(yes);
  });
  client.on('error', () => {});
  client.connect();
  return { client, offsets, recovered };
}

/** Waits for `count` more offsets, and checks that none is missing or twice. */
async function untilMore({ offsets }: { offsets: number[] }, count: number): Promise<void> {
  const before = offsets.length;
  await waitUntil(() => offsets.length >= before + count, {
    what: `${count} more prices`,
    timeoutMs: 90_000,
    evidence: () => stack.lines.slice(-20).join('\n'),
  });
  expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
}

describe.skipIf(!binary)('npm start with Centrifugo', () => {
  test('runs two nodes in place of the function stream, and names them in stack.json', async () => {
    expect(stack.facts.carrier).toMatchObject({ kind: 'centrifugo', broker: 'postgres' });
    expect(nodes().map(({ name }) => name)).toEqual(['node-1', 'node-2']);
    const commands = stack.processes().map(({ command }) => command);
    expect(commands.filter((command) => /^\S*centrifugo --config/.test(command))).toHaveLength(2);
    expect(commands.filter((command) => command.includes('f-stream'))).toEqual([]);
    expect(stack.lines.filter((line) => line.startsWith('centrifugo/node-'))).toHaveLength(2);
    // The server API needs its key, and is not behind the gateway.
    for (const { internal } of nodes())
      expect((await fetch(`${internal}/api/info`, { method: 'POST' })).status).toBe(401);
    const { ws } = nodes()[0] ?? { ws: '' };
    expect((await fetch(`${ws.replace('ws', 'http').replace('/stream', '')}/health`)).status).toBe(404);
  });

  test('a client receives each price once and in order, over the death of each node and a change of the carrier', async () => {
    const listener = listen();
    await untilMore(listener, 50);
    for (let kills = 1; kills <= 2; kills += 1) {
      const from = await nodeWithClient();
      stack.kill(new RegExp(`centrifugo --config .*--http_server.port=${new URL(from.ws).port} `));
      await waitUntil(() => listener.recovered.length === kills, { what: 'the client is back', timeoutMs: 60_000 });
      await untilMore(listener, 50);
      expect(listener.recovered).toEqual(Array(kills).fill(true));
      await waitUntil(() => stack.lines.some((line) => line.startsWith(`centrifugo/${from.name}: up again`)), {
        what: 'the node is up again',
        timeoutMs: 60_000,
      });
    }
    await stack.stop();
    stack = await startStack({ env, folder, port: stack.port });
    expect(stack.facts.carrier).toEqual({ kind: 'embedded', nodes: [] });
    await untilMore(listener, 50);
    listener.client.disconnect();
  });

  test('no log and no process list has a secret', () => {
    const secrets = Object.values(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).filter(
      (secret): secret is string => typeof secret === 'string',
    );
    const texts = [...readLogs(folder)];
    expect(texts.map(([name]) => name)).toContain('centrifugo-node-1.log');
    texts.push([
      'processes',
      stack
        .processes()
        .map(({ command }) => command)
        .join('\n'),
    ]);
    const found = texts.flatMap(([name, text]) => secrets.filter((secret) => text.includes(secret)).map(() => name));
    expect(found).toEqual([]);
  });
});
