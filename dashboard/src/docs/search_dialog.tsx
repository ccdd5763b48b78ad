import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go } from '../router.ts';
import type { ApiDocument, Reference } from './document.ts';
import { Marked, snippetOf } from './marked.tsx';
import type { Hit } from './search_index.ts';

/** The index and the texts of the guides: scripts that are loaded when the dialog first opens. */
type Loaded = Pick<typeof import('./search_index.ts'), 'indexOf'> & typeof import('virtual:guide_texts');

type SearchDialogProps = {
  dialog: RefObject<HTMLDialogElement | null>;
  api: ApiDocument | undefined;
  reference: Reference | undefined;
};

/**
 * The search over guides and reference. The dialog is always in the page, so that `showModal` gives
 * the field the focus at once. The results are links; the arrow keys move between them.
 */
export function SearchDialog({ dialog, api, reference }: SearchDialogProps) {
  const [query, setQuery] = useState('');
  const { loaded, failed, load } = useLoaded();
  const find = useMemo(() => loaded?.indexOf(loaded.texts, api, reference), [loaded, api, reference]);
  const hits = useMemo(() => (query.trim() === '' ? [] : (find?.(query) ?? [])), [find, query]);
  const list = useRef<HTMLUListElement>(null);

  const follow = (href: string) => {
    dialog.current?.close();
    go(href);
    // The page scrolls to a new address; this one may be the same.
    document.getElementById(href.split('#')[1] ?? '')?.scrollIntoView();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(dialog.current, step);
  };
  return (
    <dialog
      ref={dialog}
      class="search-dialog"
      aria-label="Search guides and API"
      onKeyDown={onKeyDown}
      onFocusIn={load}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      onClose={() => setQuery('')}
    >
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (hits[0]) follow(hits[0].href);
          }}
        >
          <input
            type="search"
            value={query}
            placeholder="Search guides and API"
            aria-label="Search guides, endpoints, parameters, fields and error codes"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <button type="button" class="button plain" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </form>
      </search>
      <p class="found" role="status">
        {stateText(query, hits, find !== undefined, failed)}
      </p>
      <ul ref={list} class="hits">
        {hits.map((hit) => (
          <li key={hit.id}>
            <HitLink hit={hit} onFollow={follow} />
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function stateText(query: string, hits: readonly Hit[], isReady: boolean, failed: boolean): string {
  if (failed) return 'The search could not be loaded. Type again to retry.';
  if (query.trim() === '') return 'Endpoints, parameters, fields, error codes and the text of all guides.';
  if (!isReady) return 'Loading the search…';
  return `${hits.length === 0 ? 'No results' : `${hits.length} found`} for “${query}”`;
}

function HitLink({ hit, onFollow }: { hit: Hit; onFollow(href: string): void }) {
  const { kind, title, where, href, lines, terms, method } = hit;
  const isName = kind === 'Parameter' || kind === 'Field' || kind === 'Error';
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onFollow(href);
      }}
    >
      <span class="hit-head">
        <span class={isName ? 'hit-title is-name' : 'hit-title'}>
          <Marked text={title} terms={terms} />
        </span>
        <span class="hit-kind">
          {method ? <span class={`method is-${method.toLowerCase()}`}>{method}</span> : kind}
        </span>
      </span>
      <span class="hit-where">{where}</span>
      <span class="hit-text">
        <Marked text={snippetOf(lines, terms)} terms={terms} />
      </span>
    </a>
  );
}

/** From the field to the first result, between results, and from the first back to the field. */
function moveFocus(dialog: HTMLDialogElement | null, step: number): void {
  const stops = [...(dialog?.querySelectorAll<HTMLElement>('input, .hits a') ?? [])];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(stops.length - 1, Math.max(0, at + step))]?.focus();
}

function useLoaded(): { loaded: Loaded | undefined; failed: boolean; load(): void } {
  const [loaded, setLoaded] = useState<Loaded>();
  const [failed, setFailed] = useState(false);
  const isLoading = useRef(false);
  const load = () => {
    if (loaded || isLoading.current) return;
    isLoading.current = true;
    setFailed(false);
    Promise.all([import('./search_index.ts'), import('virtual:guide_texts')])
      .then(
        ([{ indexOf }, { texts }]) => setLoaded({ indexOf, texts }),
        () => setFailed(true),
      )
      .finally(() => {
        isLoading.current = false;
      });
  };
  return { loaded, failed, load };
}

/** Opens the dialog with the key `/`, at once, so that the field receives the next key. */
export function useSearchKey(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      openSearch(dialog);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

export function openSearch(dialog: RefObject<HTMLDialogElement | null>): void {
  dialog.current?.showModal();
  dialog.current?.querySelector('input')?.focus();
}
