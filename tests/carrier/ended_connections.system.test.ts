import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { CarrierNodes } from '../../functions/api/carrier/nodes.ts';
import { listenOnFreePort } from '../support/listening.ts';

// Which connections functions/api takes for ended, by the answers of the server API of two nodes.

type Answers = { clients: string[]; cluster: string[] };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server API with these answers, and the questions that it got. */
async function startNode({ clients, cluster }: Answers): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const method = request.url?.replace('/api/', '') ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { channel } = JSON.parse(String(Buffer.concat(chunks)));
    asked.push(channel ? `${method} ${channel}` : method);
    const result =
      method === 'info'
        ? { nodes: cluster.map((name) => ({ name })) }
        : { presence: Object.fromEntries(clients.map((id) => [id, {}])) };
    response.end(JSON.stringify({ result }));
  });
  servers.push(server);
  return { url: `http://127.0.0.1:${await listenOnFreePort(server)}`, asked };
}

const nodesAt = (...urls: string[]) =>
  new CarrierNodes({
    proxySecret: 'the secret of the nodes in this test',
    apiKey: 'the key of the server API in this test',
    nodes: urls.map((url, n) => ({ name: `node-${n + 1}`, url })),
  });

const counted = [
  { id: 'alive', node: 'node-1' },
  { id: 'ended', node: 'node-1' },
  { id: 'of a dead node', node: 'node-2' },
];

test('a connection has ended when its node answers without it, or has left the cluster', async () => {
  const one = await startNode({ clients: ['alive'], cluster: ['node-1'] });
  const nodes = nodesAt(one.url, 'http://127.0.0.1:9');
  expect(await nodes.ended('org', counted)).toEqual(['ended', 'of a dead node']);
});

test('a node that does not answer keeps its connections while the cluster has it', async () => {
  const one = await startNode({ clients: ['alive'], cluster: ['node-1', 'node-2'] });
  expect(await nodesAt(one.url, 'http://127.0.0.1:9').ended('org', counted)).toEqual(['ended']);
  expect(await nodesAt('http://127.0.0.1:9').ended('org', counted)).toEqual([]);
});

test('connects that come together ask each node once for an organization, and once for the cluster', async () => {
  const one = await startNode({ clients: ['alive'], cluster: ['node-1'] });
  const two = await startNode({ clients: [], cluster: ['node-1'] });
  const nodes = nodesAt(one.url, two.url);
  const results = await Promise.all(
    ['a', 'a', 'a', 'b', 'b'].map((org) => nodes.ended(org, [{ id: 'ended', node: 'node-1' }])),
  );
  expect(results).toEqual(Array.from({ length: 5 }, () => ['ended']));
  for (const { asked } of [one, two]) expect(asked.toSorted()).toEqual(['info', 'presence org:a', 'presence org:b']);
  // The next connect of an organization asks again.
  await nodes.ended('a', []);
  expect(one.asked.slice(3).toSorted()).toEqual(['info', 'presence org:a']);
});
