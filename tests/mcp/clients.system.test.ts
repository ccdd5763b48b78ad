import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { idOf } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { calls } from './support/calls.ts';
import { type Agent, newAgent, oldAgent, type Progress } from './support/clients.ts';
import { createMcpFixture } from './support/fixture.ts';
import { mcpPath } from './support/post.ts';

const toolNames = [
  'explain_market',
  ...['find_arbitrage', 'find_markets', 'get_market', 'get_spreads'],
  ...['list_categories', 'list_markets', 'report_bad_arb', 'watch_markets'],
];

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key('pro');
});
afterAll(() => world.close());

const bearer = () => ({ Authorization: `Bearer ${key}` });
const agents: [string, string, () => Promise<Agent>][] = [
  ['@modelcontextprotocol/sdk', '2025-11-25', () => oldAgent(world, bearer())],
  ['@modelcontextprotocol/client with a handshake', '2025-11-25', () => newAgent(world, bearer(), 'legacy')],
  ['@modelcontextprotocol/client with automatic negotiation', '2026-07-28', () => newAgent(world, bearer(), 'auto')],
  [
    '@modelcontextprotocol/client by X-API-Key',
    '2026-07-28',
    () => newAgent(world, { 'X-API-Key': key }, { pin: '2026-07-28' }),
  ],
];

describe.each(agents)('%s', (_, revision, connect) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connect();
  });
  afterAll(() => agent.close());

  test('agrees on its newest revision and receives the instructions', () => {
    expect(agent.revision()).toBe(revision);
    expect(agent.instructions()).toContain('find_arbitrage');
  });

  test('lists the nine tools, each with a title, a description, schemas and annotations', async () => {
    const listed = await agent.listTools();
    expect(listed.tools.map((tool) => tool.name).sort()).toEqual(toolNames);
    for (const tool of listed.tools) {
      expect(tool, tool.name).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: 'object', additionalProperties: false, examples: expect.any(Array) },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: tool.name !== 'report_bad_arb', openWorldHint: expect.any(Boolean) },
      });
    }
  });

  // The clients validate structured content against the listed output schema and throw where it
  // does not match.
  test.each(calls)('calls $name with $args and gets structured content', async ({ name, args }) => {
    await agent.listTools();
    const result = await agent.callTool(name, args);
    expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
    expect(result.structuredContent).toEqual(expect.any(Object));
    expect(result.content).toEqual([{ type: 'text', text: expect.any(String) }]);
  });

  test('receives the progress of watch_markets in order and to the end', async () => {
    const received: Progress[] = [];
    const result = await agent.callTool('watch_markets', { market_ids: [idOf(21)], seconds: 2 }, (one) =>
      received.push(one),
    );
    expect(result.structuredContent).toMatchObject({ mode: 'frames', market_ids: [idOf(21)] });
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect(received.at(-1)).toMatchObject({ progress: 2, total: 2, message: expect.any(String) });
    const steps = received.map((one) => one.progress);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  });

  test('reads every resource and gets every prompt', async () => {
    const { resources } = await agent.listResources();
    expect(resources.map((one) => one.uri).sort()).toEqual([
      'parallax://glossary/bands',
      'parallax://glossary/risks',
      'parallax://glossary/signals',
    ]);
    for (const { uri } of resources) {
      const { contents } = await agent.readResource(uri);
      expect(contents[0]).toMatchObject({ uri, text: expect.stringMatching(/^# .+\n- `/) });
    }
    const { prompts } = await agent.listPrompts();
    expect(prompts.map((one) => one.name)).toEqual(['explain_gap', 'is_arbitrage_safe']);
    for (const { name } of prompts) {
      const { messages } = await agent.getPrompt(name, { market_id: idOf(21) });
      expect(JSON.stringify(messages)).toContain(idOf(21));
    }
  });
});

describe('the command line of the MCP Inspector', () => {
  const inspect = (...args: string[]) =>
    run([
      '--cli',
      world.api.base + mcpPath,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${key}`,
      ...args,
    ]);

  test('lists the nine tools', async () => {
    const { tools: listed } = await inspect('--method', 'tools/list');
    expect((listed as { name: string }[]).map((tool) => tool.name).sort()).toEqual(toolNames);
  });

  test.each(tools.map((tool) => tool.name))('calls the tool %s', { timeout: 60_000 }, async (name) => {
    const args = calls.find((call) => call.name === name)?.args ?? {};
    const given = Object.entries(args).flatMap(([argument, value]) => [
      '--tool-arg',
      `${argument}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
    const result = await inspect('--method', 'tools/call', '--tool-name', name, ...given);
    expect(result.isError, JSON.stringify(result)).toBeFalsy();
    expect(result.structuredContent).toEqual(expect.any(Object));
  });
});

function run(args: string[]): Promise<Record<string, unknown>> {
  // The Inspector looks for its package.json in the working directory.
  const folder = join(repository, 'node_modules/@modelcontextprotocol/inspector-cli/build');
  const inspector = spawn(process.execPath, ['cli.js', ...args], { cwd: folder });
  let output = '';
  let failed = '';
  inspector.stdout.on('data', (chunk) => {
    output += chunk;
  });
  inspector.stderr.on('data', (chunk) => {
    failed += chunk;
  });
  return new Promise((resolve, reject) => {
    inspector.on('error', reject);
    inspector.on('exit', (code) => {
      if (code === 0) resolve(JSON.parse(output.slice(output.indexOf('{'))));
      else reject(new Error(`the Inspector ended with ${code}: ${failed}${output}`));
    });
  });
}
