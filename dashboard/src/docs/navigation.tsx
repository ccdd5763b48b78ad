import { guides } from 'virtual:guides';
import { useRef, useState } from 'preact/hooks';
import { contentsOf, type Entry } from './contents.ts';
import type { ApiDocument, Reference } from './document.ts';
import type { GuideEntry } from './guide.ts';
import { openSearch, SearchDialog, useSearchKey } from './search_dialog.tsx';

type NavigationProps = {
  api: ApiDocument | undefined;
  reference: Reference | undefined;
  /** The open guide; undefined on the reference. */
  guide: GuideEntry | undefined;
  /** Id of the section at the scroll position. */
  current: string;
};

/** The left column: the search, and the contents with the current section. */
export function Navigation({ api, reference, guide, current }: NavigationProps) {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useSearchKey(dialog);
  return (
    <nav class={open ? 'contents is-open' : 'contents'} aria-label="Contents">
      <div class="bar">
        <button
          class="toggle"
          type="button"
          aria-expanded={open}
          aria-controls="contents"
          onClick={() => setOpen(!open)}
        >
          Contents
        </button>
        <button class="search-button" type="button" aria-keyshortcuts="/" onClick={() => openSearch(dialog)}>
          Search <kbd>/</kbd>
        </button>
      </div>
      <SearchDialog dialog={dialog} api={api} reference={reference} />
      <div id="contents" class="list">
        {contentsOf(guides, reference, { guide, current }).map((group) => (
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
  const { href, title, method, isNested, isCurrent } = entry;
  const current = href.startsWith('#') ? 'location' : 'page';
  return (
    <a
      href={href}
      class={isNested ? 'nested-entry' : ''}
      aria-current={isCurrent ? current : undefined}
      onClick={onFollow}
    >
      <span>{title}</span>
      {method && <span class={`method is-${method.toLowerCase()}`}>{method}</span>}
    </a>
  );
}
