/** Path of the API reference. */
export const REFERENCE_PATH = '/docs/';

export const guidePath = (slug: string): string => `/docs/${slug}/`;

/** The slug in an address without its trailing slash: `/docs/rest` → `rest`, `/docs` → ''. */
export const slugOf = (path: string): string => /^\/docs\/([\w-]+)$/.exec(path)?.[1] ?? '';
