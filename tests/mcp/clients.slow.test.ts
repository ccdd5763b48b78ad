import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { clientSuite, toolNames } from './clients.suite.ts';
import { calls } from './support/calls.ts';
import { newAgent } from './support/clients.ts';
import { createMcpFixture } from './support/fixture.ts';
import { mcpPath } from './support/post.ts';

// The clients that npm test does not have.

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key('pro');
});
afterAll(() => world.close());

clientSuite('@modelcontextprotocol/client with a handshake', '2025-11-25', () =>
  newAgent(world, { Authorization: `Bearer ${key}` }, 'legacy'),
);
clientSuite('@modelcontextprotocol/client by X-API-Key', '2026-07-28', () =>
  newAgent(world, { 'X-API-Key': key }, { pin: '2026-07-28' }),
);

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

  test.each(tools.map((tool) => tool.name))('calls the tool %s', async (name) => {
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
