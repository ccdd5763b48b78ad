import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf } from '../api/support/catalog.ts';
import { calls } from './support/calls.ts';
import type { Agent, Progress } from './support/clients.ts';

export const toolNames = [
  'explain_market',
  ...['find_arbitrage', 'find_markets', 'get_market', 'get_spreads'],
  ...['list_categories', 'list_markets', 'report_bad_arb', 'watch_markets'],
];

/** A client in all that it can do. `connect` resolves with it. */
export const clientSuite = (name: string, revision: string, connect: () => Promise<Agent>) =>
  describe(name, () => {
    let agent: Agent;
    beforeAll(async () => {
      agent = await connect();
      // The clients validate structured content against the listed output schema and throw where it
      // does not match.
      await agent.listTools();
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

    test.each(calls)('calls $name with $args and gets structured content', async ({ name, args }) => {
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
