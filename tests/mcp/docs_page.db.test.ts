import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { mcpPath } from './support/post.ts';

const page = readFileSync(join(repository, 'docs/mcp.md'), 'utf8');

// People copy these lines. One that does not parse, or lacks the slash, costs them an hour.
test('the configurations in docs/mcp.md parse and contain the address with its slash', () => {
  const blocks = [...page.matchAll(/```(json|toml|sh)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBeGreaterThanOrEqual(8);
  for (const [, language, text = ''] of blocks) {
    if (language === 'json') expect(() => JSON.parse(text), text).not.toThrow();
    expect(text).toMatch(new RegExp(`/functions/v1/api${mcpPath}["\\s]`));
  }
});

test('docs/mcp.md names exactly the tools that exist', () => {
  const named = [...page.matchAll(/^\| `(\w+)` \| (?!address)/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(tools.map((tool) => tool.name).sort());
});
