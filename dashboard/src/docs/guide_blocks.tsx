import { Fragment } from 'preact';
import { CopyableText } from '../components/copyable_text.tsx';
import { CodeTabs } from './code_tabs.tsx';
import type { Block, CodeBlock, Inline } from './guide.ts';
import type { Sample } from './sample_language.ts';

/** Renders the blocks of a guide. Every text is a text node. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Inlines content={block.content} />
        </p>
      );
    case 'heading':
      return <Heading {...block} />;
    case 'code':
      return <CopyableText text={block.text} label="the example" />;
    case 'samples':
      return <CodeTabs label="the example" samples={block.samples.map(toSample)} />;
    case 'list':
      return <List start={block.start} items={block.items} />;
    case 'table':
      return <Table head={block.head} rows={block.rows} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.content} />
        </blockquote>
      );
    case 'rule':
      return <hr />;
  }
}

/** A heading with a link to itself. */
function Heading({ level, id, content }: { level: number; id: string; content: readonly Inline[] }) {
  const Tag = level <= 2 ? 'h2' : level === 3 ? 'h3' : 'h4';
  return (
    <Tag id={id}>
      <Inlines content={content} />{' '}
      <a class="anchor" href={`#${id}`} aria-label="Link to this section">
        #
      </a>
    </Tag>
  );
}

function List({ start, items }: { start: number | null; items: readonly Block[][] }) {
  const children = items.map((blocks, index) => (
    <li key={index}>
      {/* A single paragraph needs no margins of its own. */}
      {blocks.length === 1 && blocks[0]?.type === 'paragraph' ? (
        <Inlines content={blocks[0].content} />
      ) : (
        <Blocks blocks={blocks} />
      )}
    </li>
  ));
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>;
}

function Table({ head, rows }: { head: readonly Inline[][]; rows: readonly Inline[][][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
    <div class="guide-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Inlines content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inlines content={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Inlines({ content }: { content: readonly Inline[] }) {
  return (
    <>
      {content.map((part, index) => (
        <Fragment key={index}>
          <InlineView part={part} />
        </Fragment>
      ))}
    </>
  );
}

function InlineView({ part }: { part: Inline }) {
  if (typeof part === 'string') return <>{part}</>;
  switch (part.type) {
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return (
        <strong>
          <Inlines content={part.content} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inlines content={part.content} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inlines content={part.content} />
        </del>
      );
    case 'link':
      return (
        <a href={part.href} {...(part.href.startsWith('https:') && { rel: 'noopener noreferrer' })}>
          <Inlines content={part.content} />
        </a>
      );
    case 'break':
      return <br />;
  }
}

function toSample({ language, text }: CodeBlock): Sample {
  switch (language) {
    case 'python':
      return { language: 'python', label: 'Python', text };
    case 'sh':
      return { language: 'curl', label: text.startsWith('curl') ? 'curl' : 'Shell', text };
    default:
      return { language: 'typescript', label: language === 'js' ? 'JavaScript' : 'TypeScript', text };
  }
}
