/** Why the sign-in page opened; the page shows it as a sentence. */
export type SignInReason = 'expired' | 'left' | 'deleted';

/** The address of the sign-in page, with the page to return to and the reason. */
export function signInAddress(from: { pathname: string; search: string; hash: string }, why?: SignInReason): string {
  const query = new URLSearchParams({ next: from.pathname + from.search + from.hash });
  if (why) query.set('why', why);
  return `/sign-in?${query}`;
}

/**
 * The page to open after sign-in. Only a path of this site is accepted, else `fallback`. The path
 * is checked after normalization, because `/.//host` and `/a/..//host` become `//host`, which is
 * another site. Browsers read a backslash as a slash and remove tabs and newlines.
 */
export function returnUrlOf(query: URLSearchParams, fallback: string): string {
  const next = query.get('next') ?? '';
  if (!next.startsWith('/') || /[\\\p{Cc}]/u.test(next)) return fallback;
  const url = URL.canParse(next, 'https://here.invalid') ? new URL(next, 'https://here.invalid') : undefined;
  if (url?.host !== 'here.invalid' || url.pathname === '/sign-in' || url.pathname.includes('//')) return fallback;
  return url.pathname + url.search + url.hash;
}
