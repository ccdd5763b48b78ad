import { guides } from 'virtual:guides';
import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../router.ts';
import { contentsOf, type Entry, searchContents } from './contents.ts';
import type { Reference } from './document.ts';
import type { GuideEntry } from './guide.ts';

type NavigationProps = {
  reference: Reference | undefined;
  /** The open guide; undefined on the reference. */
  guide: GuideEntry | undefined;
  /** Id of the section at the scroll position. */
  current: string;
};

/**
 * The left column: a search over guides and reference, and the contents with the current section.
 */
export function Navigation({ reference, guide, current }: NavigationProps) {
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const isSearching = search.trim() !== '';
  const groups = isSearching
    ? searchContents(guides, reference, search, { guide, current })
    : contentsOf(guides, reference, { guide, current });
  const found = groups.reduce((sum, group) => sum + group.entries.length, 0);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setOpen(true);
      // A visible field takes the next key at once. On a narrow page the next render shows it.
      field.current?.focus();
      requestAnimationFrame(() => field.current?.focus());
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const openFirst = (event: SubmitEvent) => {
    event.preventDefault();
    const first = groups[0]?.entries[0];
    if (!first) return;
    if (first.href.startsWith('#')) location.hash = first.href;
    else go(first.href);
    setOpen(false);
  };

  return (
    <nav class={open ? 'contents is-open' : 'contents'} aria-label="Contents">
      <button class="toggle" type="button" aria-expanded={open} aria-controls="contents" onClick={() => setOpen(!open)}>
        Contents
      </button>
      <div id="contents" class="list">
        <search>
          <form onSubmit={openFirst}>
            <input
              ref={field}
              type="search"
              value={search}
              placeholder="Search guides and API"
              aria-label="Search guides, paths, parameters and fields"
              aria-keyshortcuts="/"
              onInput={(event) => setSearch(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                setSearch('');
                setOpen(false);
                event.currentTarget.blur();
              }}
            />
            <span class="hint" aria-hidden="true">
              /
            </span>
          </form>
        </search>
        <p class="found" role="status">
          {!isSearching ? '' : found === 0 ? 'No results' : `${found} found`}
        </p>
        {groups.map((group) => (
          <div key={group.title} class="group">
            <h2>{group.title}</h2>
            <ul>
              {group.entries.map((entry) => (
                <li key={entry.href}>
                  <EntryLink entry={entry} onFollow={() => setOpen(false)} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function EntryLink({ entry, onFollow }: { entry: Entry; onFollow(): void }) {
  const { href, title, method, context, isNested, isCurrent } = entry;
  const current = href.startsWith('#') ? 'location' : 'page';
  return (
    <a
      href={href}
      class={isNested ? 'nested-entry' : ''}
      aria-current={isCurrent ? current : undefined}
      onClick={onFollow}
    >
      <span>
        {title}
        {context && <span class="context"> {context}</span>}
      </span>
      {method && <span class={`method is-${method.toLowerCase()}`}>{method}</span>}
    </a>
  );
}
