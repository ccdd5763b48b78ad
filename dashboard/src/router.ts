import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Addresses are real paths (/keys), so a link can be opened, copied and sent. The build writes a
 * file for each path. The id of one item is in the query (/market?id=…), so no host needs rewrite
 * rules.
 */
export type Address = { path: string; query: URLSearchParams; hash: string };

/** Parses a URL, without a trailing slash or /index.html, which some hosts add. */
export function addressOf(url: URL | Location): Address {
  const path = url.pathname.replace(/\/(index\.html)?$/, '');
  return { path: path || '/', query: new URLSearchParams(url.search), hash: url.hash.slice(1) };
}

const listeners = new Set<() => void>();
let focusIsDue = false;

/**
 * Navigates to a page of the dashboard without reloading the document. `replace` adds no history
 * entry.
 */
export function go(to: string, replace = false): void {
  const before = addressOf(location).path;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  if (addressOf(location).path !== before) {
    focusIsDue = true;
    scrollTo(0, 0);
  }
  for (const listener of listeners) listener();
}

/** Returns true once after each navigation: the new page's heading then takes the focus. */
export function takeFocus(): boolean {
  const due = focusIsDue;
  focusIsDue = false;
  return due;
}

/** The current address; renders again on navigation. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location));
  const href = useRef(location.href);
  useEffect(() => {
    const update = () => {
      href.current = location.href;
      setAddress(addressOf(location));
    };
    const onPopState = () => {
      focusIsDue = true;
      update();
    };
    listeners.add(update);
    addEventListener('popstate', onPopState);
    // A navigation between the first rendering and this effect reached no listener.
    if (href.current !== location.href) update();
    return () => {
      listeners.delete(update);
      removeEventListener('popstate', onPopState);
    };
  }, []);
  return address;
}

/**
 * The dashboard page that a click opens. Undefined for another host, a new tab, a download, a file
 * or an anchor on the same page.
 */
export function targetOf(event: MouseEvent, isPage: (path: string) => boolean): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  const isSamePage = link.pathname === location.pathname && link.search === location.search;
  if (isSamePage && link.hash) return undefined;
  return isPage(addressOf(new URL(link.href)).path) ? link.pathname + link.search + link.hash : undefined;
}
