import { guides } from 'virtual:guides';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { Brand } from '../components/brand.tsx';
import { addressOf, go, targetOf, useAddress } from '../router.ts';
import { toReference } from './document.ts';
import { GuidePage } from './guide_page.tsx';
import { Navigation } from './navigation.tsx';
import { slugOf } from './paths.ts';
import { ReferencePage } from './reference_page.tsx';
import { useScrollPosition } from './scroll_position.ts';
import { DOCUMENT_URL, useApiDocument } from './use_api_document.ts';

const isDocsPath = (path: string): boolean => path === '/docs' || guides.some(({ slug }) => slug === slugOf(path));

/** The documentation: guides and API reference, with one navigation. */
export function DocsPage() {
  const { path, hash } = useAddress();
  const { api, error } = useApiDocument();
  const guide = guides.find(({ slug }) => slug === slugOf(path));
  const reference = useMemo(() => api && toReference(api), [api]);
  const ids = useMemo(() => {
    if (guide) return guide.sections.filter(({ level }) => level === 2).map(({ id }) => id);
    return [...(reference?.chapters ?? []), ...(reference?.sections.flatMap(({ endpoints }) => endpoints) ?? [])].map(
      ({ id }) => id,
    );
  }, [guide, reference]);
  const current = useScrollPosition(ids);

  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const to = targetOf(event, isDocsPath);
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    };
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, []);

  // The section of the address exists only after the page has rendered.
  const scrollToHash = useCallback(() => {
    const { hash: id } = addressOf(location);
    if (id) document.getElementById(decodeURIComponent(id))?.scrollIntoView();
  }, []);
  useEffect(scrollToHash, [hash, path]);

  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <Brand />
        <p class="side">
          {api && <span class="version">Version {api.info.version}</span>}
          <a href={DOCUMENT_URL}>openapi.json</a>
          <a href="/status">Status</a>
        </p>
      </header>
      <div class="book">
        <Navigation api={api} reference={reference} guide={guide} current={current} />
        <main id="content" tabIndex={-1}>
          {guide ? (
            <GuidePage guide={guide} onRendered={scrollToHash} />
          ) : (
            <ReferencePage api={api} reference={reference} error={error} onRendered={scrollToHash} />
          )}
        </main>
      </div>
    </>
  );
}
