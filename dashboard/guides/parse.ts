import { lexer, type Token, type Tokens } from 'marked';
import type { Block, CodeBlock, Guide, Inline, SectionText } from '../src/docs/guide.ts';

/** Path and title of each guide's page, by the name of its Markdown file. */
export type GuideLinks = ReadonlyMap<string, { path: string; title: string }>;

/** Languages of a group of samples: adjacent code blocks in different ones become tabs. */
const SAMPLE_LANGUAGES = new Set(['sh', 'ts', 'js', 'python']);

/** Named character references that the guides may use. Numeric references are decoded too. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/**
 * Parses the Markdown of a guide into data. HTML becomes text. A link is kept only if it is https,
 * an anchor, or another guide; any other becomes text with the path of the file.
 */
export function parseGuide(slug: string, markdown: string, links: GuideLinks): Guide {
  const [heading, ...rest] = lexer(markdown);
  if (heading?.type !== 'heading') throw new Error(`The guide ${slug} must begin with its title.`);
  const title = textOf(inlines(heading.tokens, links));
  const blocks = groupSamples(new BlockParser(links).parse(rest));
  const sections = blocks.flatMap((block) =>
    block.type === 'heading' && block.level <= 3
      ? [{ id: block.id, title: textOf(block.content), level: block.level }]
      : [],
  );
  return { slug, title, sections, blocks, texts: textsOf(slug, title, blocks) };
}

/** The title of a guide: its first line. */
export function titleOf(markdown: string): string {
  const title = /^# (.+)/.exec(markdown)?.[1];
  if (title === undefined) throw new Error('A guide must begin with a heading of level 1.');
  return title.trim();
}

/** The anchor of a heading as GitHub writes it, so that links work in both places. */
export function anchorOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

class BlockParser {
  readonly #links: GuideLinks;
  readonly #anchors = new Map<string, number>();

  constructor(links: GuideLinks) {
    this.#links = links;
  }

  parse(tokens: readonly Token[] = []): Block[] {
    return tokens.flatMap((token) => this.#block(token) ?? []);
  }

  #block(token: Token): Block | undefined {
    switch (token.type) {
      case 'space':
      case 'def':
        return undefined;
      case 'heading': {
        const content = inlines(token.tokens, this.#links);
        const { depth } = token as Tokens.Heading;
        return { type: 'heading', level: depth, id: this.#uniqueAnchor(textOf(content)), content };
      }
      case 'code': {
        const { lang = '', text } = token as Tokens.Code;
        return { type: 'code', language: lang, text };
      }
      case 'list': {
        const { ordered, start, items } = token as Tokens.List;
        const first = ordered ? Number(start) || 1 : null;
        return { type: 'list', start: first, items: items.map((item) => this.parse(item.tokens)) };
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        const cells = (row: Tokens.TableCell[]) => row.map((cell) => inlines(cell.tokens, this.#links));
        return { type: 'table', head: cells(header), rows: rows.map(cells) };
      }
      case 'blockquote':
        return { type: 'quote', content: this.parse(token.tokens) };
      case 'hr':
        return { type: 'rule' };
      case 'html':
        return { type: 'paragraph', content: [token.raw.trim()] };
      default:
        return {
          type: 'paragraph',
          content: inlines('tokens' in token && token.tokens ? token.tokens : [token], this.#links),
        };
    }
  }

  #uniqueAnchor(title: string): string {
    const anchor = anchorOf(title);
    const count = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

function inlines(tokens: readonly Token[] = [], links: GuideLinks): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    switch (token.type) {
      case 'codespan':
        return [{ type: 'code', text: (token as Tokens.Codespan).text }];
      case 'strong':
      case 'em':
      case 'del':
        return [{ type: token.type, content: inlines(token.tokens, links) }];
      case 'br':
        return [{ type: 'break' }];
      case 'link':
        return link((token as Tokens.Link).href, inlines(token.tokens, links), links);
      case 'image':
        return [(token as Tokens.Image).text];
      case 'html':
        return [token.raw];
      case 'text':
        return token.tokens ? inlines(token.tokens, links) : [decodeEntities((token as Tokens.Text).text)];
      default:
        return ['text' in token ? String(token.text) : token.raw];
    }
  });
}

/**
 * A link as content. Files that are not guides have no page here, so their path is shown as text.
 */
function link(href: string, content: Inline[], links: GuideLinks): Inline[] {
  if (/^https:\/\//.test(href) || href.startsWith('#')) return [{ type: 'link', href, content }];
  const [, file = '', anchor = ''] = /^(?:\.\/)?([\w./-]+?)(#[\w-]*)?$/.exec(href) ?? [];
  if (file === '') return content;
  const guide = links.get(file);
  if (guide) {
    const isFileName = textOf(content) === file;
    return [{ type: 'link', href: guide.path + anchor, content: isFileName ? [guide.title] : content }];
  }
  const shown: Inline = { type: 'code', text: repositoryPath(file) };
  return textOf(content) === file || textOf(content) === shown.text ? [shown] : [...content, ' (', shown, ')'];
}

/**
 * The path of a file from the root of the repository. Links of the guides are relative to docs/.
 */
function repositoryPath(file: string): string {
  return new URL(file, 'file:///docs/').pathname.slice(1);
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#\d+|#x[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Turns adjacent code blocks in different sample languages into one group. */
function groupSamples(blocks: readonly Block[]): Block[] {
  const grouped: Block[] = [];
  for (const block of blocks) {
    const last = grouped.at(-1);
    const group = last?.type === 'samples' ? last.samples : last?.type === 'code' ? [last] : [];
    if (canJoin(group, block)) grouped.splice(-1, 1, { type: 'samples', samples: [...group, block] });
    else grouped.push(block);
  }
  return grouped;
}

function canJoin(group: readonly CodeBlock[], block: Block): block is CodeBlock {
  if (block.type !== 'code' || group.length === 0) return false;
  return [...group, block].every(
    ({ language }, index, all) =>
      SAMPLE_LANGUAGES.has(language) && all.findIndex((one) => one.language === language) === index,
  );
}

/**
 * Texts by headings of level 2 and 3. The first is the introduction.
 */
function textsOf(slug: string, guide: string, blocks: readonly Block[]): SectionText[] {
  const texts: SectionText[] = [{ slug, guide, id: '', title: guide, lines: [] }];
  for (const block of blocks) {
    if (block.type === 'heading' && block.level <= 3) {
      texts.push({ slug, guide, id: block.id, title: textOf(block.content), lines: [] });
    } else {
      texts.at(-1)?.lines.push(...linesOf(block));
    }
  }
  return texts;
}

function linesOf(block: Block): string[] {
  switch (block.type) {
    case 'code':
      return block.text.split('\n').filter((line) => line.trim() !== '');
    case 'samples':
      return block.samples.flatMap(linesOf);
    case 'list':
      return block.items.map((item) => item.flatMap(linesOf).join(' '));
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(textOf).join(' · '));
    case 'quote':
      return block.content.flatMap(linesOf);
    case 'rule':
      return [];
    default:
      return [textOf(block.content)];
  }
}

function textOf(content: readonly Inline[]): string {
  return content
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.type === 'break') return ' ';
      return part.type === 'code' ? part.text : textOf(part.content);
    })
    .join('');
}
