/** The address of every page. vite.config.ts makes a file of each, so that any static host opens it. */
export const addresses = [
  '/markets',
  '/market',
  '/opportunities',
  '/keys',
  '/usage',
  '/webhooks',
  '/team',
  '/organization',
  '/status',
  '/sign-in',
] as const;

export type PagePath = (typeof addresses)[number];

/** Where one starts who names no page. */
export const HOME_PATH: PagePath = '/keys';
