import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { mcpPath } from './support/post.ts';

const page = readFileSync(join(repository, 'docs/mcp.md'), 'utf8');

// People paste these lines: one that does not parse, or lacks the slash, is an hour of somebody's life.
test('what the page tells to paste can be pasted', () => {
  const blocks = [...page.matchAll(/```(json|toml|sh)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBeGreaterThanOrEqual(8);
  for (const [, language, text = ''] of blocks) {
    if (language === 'json') expect(() => JSON.parse(text), text).not.toThrow();
    expect(text).toMatch(new RegExp(`/functions/v1/api${mcpPath}["\\s]`));
  }
});

test('it names every tool, and none that is not there', () => {
  const named = [...page.matchAll(/^\| `(\w+)` \| (?!address)/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(tools.map((tool) => tool.name).sort());
});
