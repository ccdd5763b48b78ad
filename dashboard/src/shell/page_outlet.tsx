import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { PageHead } from '../components/page_head.tsx';
import type { PageEntry } from '../pages.ts';
import { useSession } from '../session/session.tsx';

const loaded = new Map<string, ComponentType>();

/** The page of an address: loaded when first opened, its room kept while it comes, its failure told in words. */
export function PageOutlet({ path, page, waits }: { path: string; page: PageEntry | undefined; waits: boolean }) {
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

  if (path === '/') return <Waiting />;
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
      <span class="unseen">Loading…</span>
    </div>
  );
}

function Nowhere() {
  return (
    <>
      <PageHead title="There is no such page" />
      <EmptyState icon="search" title="Nothing lives at this address">
        The link may be old or mistyped. The navigation leads to every page there is.
      </EmptyState>
    </>
  );
}

function Unreached({ text }: { text: string }) {
  return (
    <>
      <PageHead title="Parallax cannot be reached" />
      <EmptyState icon="offline" title="No answer">
        {text} This page tries again every few seconds.
      </EmptyState>
    </>
  );
}

/** Most often a file of an older build that is no longer there. */
function Broken() {
  return (
    <>
      <PageHead title="This page broke" />
      <EmptyState
        icon="warning"
        title="Something on this page went wrong"
        action={
          <button type="button" class="button" onClick={() => location.reload()}>
            Load it anew
          </button>
        }
      >
        Nothing of yours is lost. If it happens again, tell us the address and the time.
      </EmptyState>
    </>
  );
}
