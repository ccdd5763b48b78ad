import { useEffect, useRef, useState } from 'preact/hooks';
import type { Reference } from './document.ts';

type Entry = { id: string; title: string; method?: string; searchText: string };
type Group = { title: string; entries: Entry[] };

function groupsOf({ chapters, sections }: Reference): Group[] {
  return [
    { title: 'Guide', entries: chapters },
    ...sections.map((section) => ({
      title: section.title,
      entries: section.endpoints.map(({ id, method, operation, searchText }) => ({
        id,
        title: operation.summary,
        method,
        searchText,
      })),
    })),
  ];
}

/** Keeps the entries that contain every search term, in any order. */
function filterGroups(groups: Group[], sought: string): Group[] {
  const terms = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry: Entry) =>
    terms.every((term) => `${entry.title.toLowerCase()} ${entry.searchText}`.includes(term));
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(fits) }))
    .filter((group) => group.entries.length > 0);
}

/**
 * The left column: a search over paths, parameters and fields, and the contents with the current
 * section.
 */
export function Navigation({ reference, here }: { reference: Reference; here: string }) {
  const [sought, setSought] = useState('');
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const groups = filterGroups(groupsOf(reference), sought);
  const found = groups.reduce((sum, group) => sum + group.entries.length, 0);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setOpen(true);
      // A visible field takes the next key at once. On a narrow page the render after this shows
      // it.
      field.current?.focus();
      requestAnimationFrame(() => field.current?.focus());
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const first = groups[0]?.entries[0];
    if (!first) return;
    location.hash = first.id;
    setOpen(false);
  };

  return (
    <nav class={open ? 'contents is-open' : 'contents'} aria-label="Contents">
      <button class="toggle" type="button" aria-expanded={open} aria-controls="contents" onClick={() => setOpen(!open)}>
        Contents
      </button>
      <div id="contents" class="list">
        <search>
          <form onSubmit={go}>
            <input
              ref={field}
              type="search"
              value={sought}
              placeholder="Search paths and fields"
              aria-label="Search paths, parameters and fields"
              aria-keyshortcuts="/"
              onInput={(event) => setSought(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                setSought('');
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
          {sought.trim() === '' ? '' : found === 0 ? 'No results' : `${found} found`}
        </p>
        {groups.map((group) => (
          <div key={group.title} class="group">
            <h2>{group.title}</h2>
            <ul>
              {group.entries.map((entry) => (
                <li key={entry.id}>
                  <a
                    href={`#${entry.id}`}
                    aria-current={entry.id === here ? 'location' : undefined}
                    onClick={() => setOpen(false)}
                  >
                    {entry.title}
                    {entry.method && <span class={`method is-${entry.method.toLowerCase()}`}>{entry.method}</span>}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}
