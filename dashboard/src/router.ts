import { useEffect, useState } from 'preact/hooks';

/**
 * Addresses are real paths (/keys): a link can be opened, copied and sent. Each page is built as a file of its own, so any static host
 * serves it; what a page shows of many (one market) is in the query (/market?id=…), which no host has to know about.
 */
export type Address = { path: string; query: URLSearchParams; hash: string };

/** An address without the slash at its end that some hosts add, and without /index.html. */
export function addressOf(url: URL | Location): Address {
  const path = url.pathname.replace(/\/(index\.html)?$/, '');
  return { path: path || '/', query: new URLSearchParams(url.search), hash: url.hash.slice(1) };
}

const listeners = new Set<() => void>();
let focusIsDue = false;

/** Goes to a page of ours without loading the document anew. `instead` leaves no step to come back to. */
export function go(to: string, instead = false): void {
  const before = addressOf(location).path;
  history[instead ? 'replaceState' : 'pushState'](null, '', to);
  if (addressOf(location).path !== before) {
    focusIsDue = true;
    scrollTo(0, 0);
  }
  for (const listener of listeners) listener();
}

/** True once after each change of page: the new page's heading takes the focus, as a loaded document would. */
export function takeFocus(): boolean {
  const due = focusIsDue;
  focusIsDue = false;
  return due;
}

/** Where the reader is. `mine` says which paths are pages of this document; a link to any other loads as usual. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location));
  useEffect(() => {
    const look = () => setAddress(addressOf(location));
    const back = () => {
      focusIsDue = true;
      look();
    };
    listeners.add(look);
    addEventListener('popstate', back);
    return () => {
      listeners.delete(look);
      removeEventListener('popstate', back);
    };
  }, []);
  return address;
}

/** The page of ours that a click leads to, or nothing: another host, a new tab, a download, a file, a place on this page. */
export function targetOf(event: MouseEvent, isPage: (path: string) => boolean): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  const here = link.pathname === location.pathname && link.search === location.search;
  if (here && link.hash) return undefined;
  return isPage(addressOf(new URL(link.href)).path) ? link.pathname + link.search + link.hash : undefined;
}
