import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { PageHead } from '../components/page_head.tsx';
import type { PageEntry } from '../pages.ts';
import { useSession } from '../session/session.tsx';

const loaded = new Map<string, ComponentType>();

type LoadedPage = Pick<PageEntry, 'load'>;

/**
 * Renders the page of an address. Loads its script on first use and reserves its space meanwhile.
 */
export function PageOutlet({ path, page, waits }: { path: string; page: LoadedPage | undefined; waits: boolean }) {
  const { state } = useSession();
  const [, drawn] = useState(0);
  const [error, setError] = useState<Error>();

  useEffect(() => {
    setError(undefined);
    if (!page || loaded.has(path)) return;
    page.load().then(
      (component) => {
        loaded.set(path, component);
        drawn((times) => times + 1);
      },
      (error: Error) => setError(error),
    );
  }, [path, page]);

  if (!page) return <Nowhere />;
  const Page = loaded.get(path);
  if (error) return <Broken />;
  if (waits && state.name === 'unknown' && state.problem) return <Unreached text={state.problem} />;
  if (waits || !Page) return <Waiting />;
  return <Guarded key={path} page={Page} />;
}

function Guarded({ page: Page }: { page: ComponentType }) {
  const [error] = useErrorBoundary((error: Error) => console.error(error));
  return error ? <Broken /> : <Page />;
}

function Waiting() {
  return (
    <div class="waiting" role="status">
      <span class="visually-hidden">Loading…</span>
    </div>
  );
}

function Nowhere() {
  return (
    <>
      <PageHead title="Page not found" />
      <EmptyState icon="search" title="There is no page at this address">
        The link may be old or mistyped. The navigation lists all pages.
      </EmptyState>
    </>
  );
}

function Unreached({ text }: { text: string }) {
  return (
    <>
      <PageHead title="Parallax cannot be reached" />
      <EmptyState icon="offline" title="No response">
        {text} This page retries every few seconds.
      </EmptyState>
    </>
  );
}

/** Most often caused by a script of an older build that no longer exists. */
function Broken() {
  return (
    <>
      <PageHead title="This page failed" />
      <EmptyState
        icon="warning"
        title="An error occurred on this page"
        action={
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload
          </button>
        }
      >
        No data was lost. If it happens again, report the address of the page and the time.
      </EmptyState>
    </>
  );
}
