import type { ComponentType } from 'preact';
import type { PagePath } from './addresses.ts';
import type { IconName } from './components/icon.tsx';

export type PageEntry = {
  path: PagePath | '/';
  title: string;
  /** Shows the page in the navigation with this icon. */
  icon?: IconName;
  /** Whether the page opens without a session. */
  open?: boolean;
  /** Whether only members of the operators' organization see it in the navigation. */
  operators?: boolean;
  load(): Promise<ComponentType>;
};

/**
 * Every page in navigation order. A page's script loads when the page is first opened. addresses.ts
 * lists the paths.
 */
export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Parallax',
    open: true,
    load: async () => (await import('./landing/landing_page.tsx')).LandingPage,
  },
  {
    path: '/markets',
    title: 'Markets',
    icon: 'markets',
    load: async () => (await import('./live/markets_page.tsx')).MarketsPage,
  },
  { path: '/market', title: 'Market', load: async () => (await import('./live/market_page.tsx')).MarketPage },
  {
    path: '/opportunities',
    title: 'Opportunities',
    icon: 'opportunities',
    load: async () => (await import('./live/opportunities_page.tsx')).OpportunitiesPage,
  },
  {
    path: '/insights',
    title: 'Insights',
    icon: 'insights',
    load: async () => (await import('./insights/insights_page.tsx')).InsightsPage,
  },
  {
    path: '/record',
    title: 'Record',
    icon: 'record',
    load: async () => (await import('./record/record_page.tsx')).RecordPage,
  },
  {
    path: '/coverage',
    title: 'Coverage',
    icon: 'coverage',
    load: async () => (await import('./coverage/coverage_page.tsx')).CoveragePage,
  },
  {
    path: '/track-record',
    title: 'Track record',
    icon: 'track_record',
    open: true,
    load: async () => (await import('./track_record/track_record_page.tsx')).TrackRecordPage,
  },
  { path: '/keys', title: 'Keys', icon: 'keys', load: async () => (await import('./account/keys_page.tsx')).KeysPage },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    load: async () => (await import('./account/usage_page.tsx')).UsagePage,
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    load: async () => (await import('./webhooks/webhooks_page.tsx')).WebhooksPage,
  },
  { path: '/team', title: 'Team', icon: 'team', load: async () => (await import('./account/team_page.tsx')).TeamPage },
  {
    path: '/organization',
    title: 'Organization',
    icon: 'settings',
    load: async () => (await import('./account/organization_page.tsx')).OrganizationPage,
  },
  {
    path: '/review',
    title: 'Review',
    icon: 'review',
    operators: true,
    load: async () => (await import('./review/review_page.tsx')).ReviewPage,
  },
  {
    path: '/status',
    title: 'Status',
    icon: 'status',
    open: true,
    load: async () => (await import('./status/status_page.tsx')).StatusPage,
  },
  {
    path: '/account',
    title: 'Your account',
    load: async () => (await import('./account/account_page.tsx')).AccountPage,
  },
  {
    path: '/sign-in',
    title: 'Sign in',
    open: true,
    load: async () => (await import('./session/sign_in_page.tsx')).SignInPage,
  },
  {
    path: '/reset-password',
    title: 'Reset password',
    open: true,
    load: async () => (await import('./session/reset_password_page.tsx')).ResetPasswordPage,
  },
];

/** Takes the place of every page that requires a session until the second factor is given. */
export const secondFactorPage: Pick<PageEntry, 'load'> = {
  load: async () => (await import('./session/second_factor_page.tsx')).SecondFactorPage,
};

export const pageAt = (path: string): PageEntry | undefined => pages.find((page) => page.path === path);

export const isPage = (path: string): boolean => pageAt(path) !== undefined;
