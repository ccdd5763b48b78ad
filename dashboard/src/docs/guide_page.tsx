import { guides } from 'virtual:guides';
import { useEffect, useRef, useState } from 'preact/hooks';
import { takeFocus } from '../router.ts';
import type { Block } from './guide.ts';
import { Blocks } from './guide_blocks.tsx';
import { guidePath } from './paths.ts';

type GuideModule = (typeof guides)[number];

/** One guide, with links to the previous and the next one. */
export function GuidePage({ guide, onRendered }: { guide: GuideModule; onRendered(): void }) {
  const { blocks, failed, retry } = useBlocks(guide);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${guide.title} · Parallax`;
    if (takeFocus()) heading.current?.focus({ preventScroll: true });
  }, [guide]);
  useEffect(() => {
    if (blocks) onRendered();
  }, [blocks]);
  return (
    <article class="guide">
      <h1 ref={heading} tabIndex={-1}>
        {guide.title}
      </h1>
      {blocks && <Blocks blocks={blocks} />}
      {!blocks && !failed && <p role="status">Loading…</p>}
      {failed && (
        <p class="problem" role="alert">
          The guide could not be loaded.{' '}
          <button type="button" class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <Neighbours guide={guide} />
    </article>
  );
}

function Neighbours({ guide }: { guide: GuideModule }) {
  const index = guides.indexOf(guide);
  const [previous, next] = [guides[index - 1], guides[index + 1]];
  return (
    <nav class="neighbours" aria-label="Previous and next guide">
      {previous && <a href={guidePath(previous.slug)}>← {previous.title}</a>}
      {next && (
        <a class="next" href={guidePath(next.slug)}>
          {next.title} →
        </a>
      )}
    </nav>
  );
}

function useBlocks(guide: GuideModule): { blocks: Block[] | undefined; failed: boolean; retry(): void } {
  const [state, setState] = useState<{ guide: GuideModule; blocks?: Block[]; failed?: boolean }>({ guide });
  const load = (): (() => void) => {
    let isCurrent = true;
    setState({ guide });
    guide.load().then(
      (blocks) => isCurrent && setState({ guide, blocks }),
      () => isCurrent && setState({ guide, failed: true }),
    );
    return () => {
      isCurrent = false;
    };
  };
  useEffect(load, [guide]);
  const isCurrent = state.guide === guide;
  return { blocks: isCurrent ? state.blocks : undefined, failed: isCurrent && state.failed === true, retry: load };
}
