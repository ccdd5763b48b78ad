import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { createMcpFixture, idOf } from './support/fixture.ts';
import { jsonAccept, type Message, mcpPath, request } from './support/post.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key();
});
afterAll(() => world.close());

async function send(query: string, body: string): Promise<{ status: number; message: Message }> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: jsonAccept };
  const answer = await fetch(`${world.api.base}${mcpPath}${query}`, { method: 'POST', headers, body });
  return { status: answer.status, message: (await answer.json()) as Message };
}
async function listed(query: string): Promise<string[]> {
  const { message } = await send(query, request('tools/list'));
  return (message.result as { tools: { name: string }[] }).tools.map((tool) => tool.name).sort();
}
const all = tools.map((tool) => tool.name).sort();

describe('the address of the server', () => {
  test.each<[string, string[]]>([
    ['', all],
    ['?read_only=false', all],
    ['?read_only=true', all.filter((name) => name !== 'report_bad_arb')],
    ['?toolsets=arbitrage', ['explain_market', 'find_arbitrage', 'get_spreads']],
    ['?toolsets=Live,%20reports', ['report_bad_arb', 'watch_markets']],
    ['?read_only=true&toolsets=live&toolsets=reports', ['watch_markets']],
    ['?toolsets=markets&other=1', ['find_markets', 'get_market', 'list_categories', 'list_markets']],
  ])('%j lists the tools that it chooses', async (query, expected) => {
    expect(await listed(query)).toEqual(expected);
  });

  test('switches a tool off for calls too, with the tools that are left', async () => {
    const call = request('tools/call', { name: 'report_bad_arb', arguments: { reason: 'x' } });
    const { message } = await send('?read_only=true&toolsets=reports,live', call);
    expect(message.error?.message).toBe(
      'The address of this server switches the tool off by read_only or toolsets. Tools: watch_markets.',
    );
    const other = request('tools/call', { name: 'get_market', arguments: { market_id: idOf(1) } });
    expect((await send('?toolsets=markets', other)).message.result).toHaveProperty('structuredContent');
  });

  test.each([
    ['?toolsets=market', "toolsets in the address: Input should be 'markets', 'arbitrage', 'live' or 'reports'."],
    ['?toolsets=', 'toolsets in the address: Input should be'],
    ['?read_only=perhaps', 'read_only in the address: Input should be a valid boolean'],
  ])('%j is an error that names the allowed values', async (query, part) => {
    const { status, message } = await send(query, request('tools/list', {}, 7));
    expect([status, message.id, message.error?.code]).toEqual([400, 7, -32602]);
    expect(message.error?.message).toContain(part);
  });

  test('asks for a key before it reports a mistake in itself', async () => {
    const answer = await fetch(`${world.api.base}${mcpPath}?toolsets=x`, { method: 'POST', body: request('ping') });
    expect(answer.status).toBe(401);
  });
});
