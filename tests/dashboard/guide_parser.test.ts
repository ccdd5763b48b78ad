import { describe, expect, test } from 'vitest';
import { anchorOf, parseGuide, titleOf } from '../../dashboard/guides/parse.ts';
import { readGuides } from '../../dashboard/guides/plugin.ts';
import type { Block, Inline } from '../../dashboard/src/docs/guide.ts';

const links = new Map([['rest.md', { path: '/docs/rest/', title: 'REST' }]]);
const blocksOf = (markdown: string): Block[] => parseGuide('test', `# Title\n\n${markdown}`, links).blocks;
const paragraph = (markdown: string): Inline[] => {
  const [block] = blocksOf(markdown);
  if (block?.type !== 'paragraph') throw new Error(`Not a paragraph: ${JSON.stringify(block)}`);
  return block.content;
};
/** All text of a value, in order. */
const textIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value && typeof value === 'object'
      ? Object.values(value).map(textIn).join('')
      : '';

describe('untrusted Markdown in a guide', () => {
  test('HTML becomes text', () => {
    expect(paragraph('a <b onclick="x()">bold</b> word')).toEqual(['a ', '<b onclick="x()">', 'bold', '</b>', ' word']);
    const block = '<script>window.ran = 1</script>';
    expect(blocksOf(block)).toEqual([{ type: 'paragraph', content: [block] }]);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://example.com', 'vbscript:x', '//example.com'])(
    'a link to %s becomes text',
    (href) => {
      const content = paragraph(`[click](${href})`);
      expect(JSON.stringify(content)).not.toContain('"link"');
      expect(textIn(content)).toContain('click');
    },
  );

  test('an image becomes its alternative text', () => {
    expect(paragraph('![a chart](https://example.com/x.png)')).toEqual(['a chart']);
  });
});

describe('links of a guide', () => {
  test('a link to another guide leads to its page, with its anchor', () => {
    expect(paragraph('see [limits](rest.md#limits)')).toEqual([
      'see ',
      { type: 'link', href: '/docs/rest/#limits', content: ['limits'] },
    ]);
  });

  test('a link whose text is the file name of a guide shows the title of the guide', () => {
    expect(paragraph('[rest.md](rest.md)')).toEqual([{ type: 'link', href: '/docs/rest/', content: ['REST'] }]);
  });

  test('a link to a file that is not a guide becomes its path in the repository', () => {
    expect(paragraph('[guards.md](guards.md)')).toEqual([{ type: 'code', text: 'docs/guards.md' }]);
    expect(paragraph('[the policy](../SECURITY.md#keys)')).toEqual([
      'the policy',
      ' (',
      { type: 'code', text: 'SECURITY.md' },
      ')',
    ]);
  });

  test('an https link and an anchor stay links', () => {
    expect(paragraph('[a](https://example.com) [b](#b)')).toEqual([
      { type: 'link', href: 'https://example.com', content: ['a'] },
      ' ',
      { type: 'link', href: '#b', content: ['b'] },
    ]);
  });
});

describe('blocks of a guide', () => {
  test('adjacent code blocks in different languages become one group of samples', () => {
    const markdown = '```sh\na\n```\n\n```ts\nb\n```\n\n```python\nc\n```\n\n```json\n{}\n```\n\n```sh\nd\n```';
    expect(blocksOf(markdown)).toEqual([
      {
        type: 'samples',
        samples: [
          { type: 'code', language: 'sh', text: 'a' },
          { type: 'code', language: 'ts', text: 'b' },
          { type: 'code', language: 'python', text: 'c' },
        ],
      },
      { type: 'code', language: 'json', text: '{}' },
      { type: 'code', language: 'sh', text: 'd' },
    ]);
  });

  test('two adjacent code blocks in the same language stay separate', () => {
    expect(blocksOf('```sh\na\n```\n\n```sh\nb\n```').map(({ type }) => type)).toEqual(['code', 'code']);
  });

  test('tables, lists and character references are parsed', () => {
    expect(blocksOf('| a | b |\n|---|---|\n| `x` | 1 &lt; 2 |')).toEqual([
      { type: 'table', head: [['a'], ['b']], rows: [[[{ type: 'code', text: 'x' }], ['1 < 2']]] },
    ]);
    const [list] = blocksOf('3. three\n4. four');
    expect(list).toMatchObject({ type: 'list', start: 3 });
    expect(paragraph('&#x41;&#66; &unknown; AT&amp;T')).toEqual(['AB &unknown; AT&T']);
  });

  test('headings have the anchors of GitHub, and a repeated heading has a suffix', () => {
    expect(anchorOf('`markets:all`, `sample`')).toBe('marketsall-sample');
    expect(anchorOf('Errors of the stream’s address')).toBe('errors-of-the-streams-address');
    const ids = blocksOf('## Limits\n\n## Limits').flatMap((block) => (block.type === 'heading' ? [block.id] : []));
    expect(ids).toEqual(['limits', 'limits-1']);
  });

  test('the texts for the search have a line for each paragraph, item, row and line of code', () => {
    const text = [
      '# T',
      'One *two*.',
      '## A',
      '- x',
      '- y `z`',
      '',
      '|a|b|',
      '|-|-|',
      '|1|2|',
      '```sh',
      'curl',
      '```',
    ].join('\n');
    expect(parseGuide('test', text, links).texts).toEqual([
      { slug: 'test', guide: 'T', id: '', title: 'T', lines: ['One two.'] },
      { slug: 'test', guide: 'T', id: 'a', title: 'A', lines: ['x', 'y z', 'a · b', '1 · 2', 'curl'] },
    ]);
  });

  test('a guide without a title is rejected', () => {
    expect(() => parseGuide('test', 'text', links)).toThrow(/title/);
    expect(() => titleOf('text')).toThrow(/heading/);
  });
});

describe('the guides in docs/', () => {
  const guides = readGuides();

  test('each link between guides leads to a heading that exists', () => {
    const anchors = new Map(
      guides.map((guide) => [
        `/docs/${guide.slug}/`,
        new Set(guide.blocks.flatMap((block) => (block.type === 'heading' ? [block.id] : []))),
      ]),
    );
    const broken = guides.flatMap((guide) =>
      hrefsIn(guide.blocks).filter((href) => {
        if (href.startsWith('https:')) return false;
        const [path = '', anchor] = href.split('#');
        return anchor !== undefined && !anchors.get(path || `/docs/${guide.slug}/`)?.has(anchor);
      }),
    );
    expect(broken).toEqual([]);
  });

  test('no heading has the id of an element of the page', () => {
    const ids = guides.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'heading' ? [block.id] : [])));
    expect(ids.filter((id) => ['app', 'content', 'contents', ''].includes(id))).toEqual([]);
  });
});

function hrefsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'href' in value ? [String(value.href)] : [];
  return [...own, ...Object.values(value).flatMap(hrefsIn)];
}
