/**
 * The path of every page. vite.config.ts writes a file for each, so any static host can serve it.
 */
export const addresses = [
  '/markets',
  '/market',
  '/opportunities',
  '/insights',
  '/record',
  '/coverage',
  '/track-record',
  '/keys',
  '/usage',
  '/webhooks',
  '/team',
  '/organization',
  '/review',
  '/status',
  '/account',
  '/sign-in',
  '/reset-password',
] as const;

export type PagePath = (typeof addresses)[number];

/** The page that `/` opens for a signed-in user. */
export const HOME_PATH: PagePath = '/keys';
