import { useEffect, useMemo, useState } from 'preact/hooks';
import { Brand } from '../components/brand.tsx';
import { type ApiDocument, DOCUMENT_URL, readDocument, toReference } from './document.ts';
import { EndpointSection } from './endpoint_section.tsx';
import { Navigation } from './navigation.tsx';
import { Prose } from './prose.tsx';
import { useScrollPosition } from './scroll_position.ts';

const RETRY_MS = 3000;

/** The API reference, generated in the browser from openapi.json. */
export function ReferencePage() {
  const [api, setApi] = useState<ApiDocument>();
  const [error, setError] = useState('');

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        setApi(await readDocument());
        setError('');
      } catch (wrong) {
        setError((wrong as Error).message);
        timer = setTimeout(read, RETRY_MS);
      }
    };
    void read();
    return () => clearTimeout(timer);
  }, []);

  return (
    <>
      <a class="skip" href="#reference">
        Skip to the reference
      </a>
      <header class="top">
        <Brand />
        <p class="side">
          {api && <span class="version">Version {api.info.version}</span>}
          <a href={DOCUMENT_URL}>openapi.json</a>
          <a href="/status">Status</a>
        </p>
      </header>
      {api ? <Body api={api} /> : <Waiting error={error} />}
    </>
  );
}

function Waiting({ error }: { error: string }) {
  return (
    <main id="reference" class="waiting">
      {error ? (
        <p class="problem" role="status">
          {error} This page is made of <code>{DOCUMENT_URL}</code> and tries again every three seconds.
        </p>
      ) : (
        <p role="status">Loading the API description…</p>
      )}
    </main>
  );
}

function Body({ api }: { api: ApiDocument }) {
  const reference = useMemo(() => toReference(api), [api]);
  const ids = useMemo(
    () => [...reference.chapters, ...reference.sections.flatMap((section) => section.endpoints)].map((one) => one.id),
    [reference],
  );
  const here = useScrollPosition(ids);

  // The address may name a section that did not exist until now.
  useEffect(() => {
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, []);

  return (
    <div class="book">
      <Navigation reference={reference} here={here} />
      <main id="reference">
        <h1>API reference</h1>
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
      </main>
    </div>
  );
}
