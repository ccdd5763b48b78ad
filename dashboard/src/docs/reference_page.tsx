import { useEffect, useRef } from 'preact/hooks';
import { takeFocus } from '../router.ts';
import type { ApiDocument, Reference } from './document.ts';
import { EndpointSection } from './endpoint_section.tsx';
import { Prose } from './prose.tsx';
import { DOCUMENT_URL } from './use_api_document.ts';

type ReferenceProps = {
  api: ApiDocument | undefined;
  reference: Reference | undefined;
  /** Why openapi.json is not loaded yet. */
  error: string;
  onRendered(): void;
};

/** The API reference, generated in the browser from openapi.json. */
export function ReferencePage({ api, reference, error, onRendered }: ReferenceProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = 'API reference · Parallax';
    if (takeFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (reference) onRendered();
  }, [reference]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        API reference
      </h1>
      {api && reference ? <Body api={api} reference={reference} /> : <Waiting error={error} />}
    </>
  );
}

function Waiting({ error }: { error: string }) {
  return error ? (
    <p class="problem" role="status">
      {error} This page is generated from <code>{DOCUMENT_URL}</code> and retries every three seconds.
    </p>
  ) : (
    <p role="status">Loading the API description…</p>
  );
}

function Body({ api, reference }: { api: ApiDocument; reference: Reference }) {
  return (
    <>
      {reference.chapters.map((chapter) => (
        <section key={chapter.id} class="chapter" id={chapter.id} aria-labelledby={`${chapter.id}-title`}>
          <h2 id={`${chapter.id}-title`}>
            <a href={`#${chapter.id}`}>{chapter.title}</a>
          </h2>
          <Prose text={chapter.text} />
        </section>
      ))}
      {reference.sections.map((section) => (
        <div key={section.title} class="part">
          <h2>{section.title}</h2>
          <Prose text={section.description} />
          {section.endpoints.map((endpoint) => (
            <EndpointSection key={endpoint.id} api={api} endpoint={endpoint} />
          ))}
        </div>
      ))}
    </>
  );
}
