/** Why somebody stands at the sign-in: said there in words. */
export type SignInReason = 'expired' | 'left';

/** The sign-in's address, which remembers where one was and why one is there. */
export function signInAddress(from: { pathname: string; search: string; hash: string }, why?: SignInReason): string {
  const query = new URLSearchParams({ next: from.pathname + from.search + from.hash });
  if (why) query.set('why', why);
  return `/sign-in?${query}`;
}

/** Where to go after signing in: a path of this site, never another's (//host, https:, a backslash), else `otherwise`. */
export function returnUrlOf(query: URLSearchParams, otherwise: string): string {
  const next = query.get('next') ?? '';
  if (!/^\/(?![/\\])/.test(next)) return otherwise;
  const url = URL.canParse(next, 'https://here.invalid') ? new URL(next, 'https://here.invalid') : undefined;
  if (url?.host !== 'here.invalid' || url.pathname === '/sign-in') return otherwise;
  return url.pathname + url.search + url.hash;
}
