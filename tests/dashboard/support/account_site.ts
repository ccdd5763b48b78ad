import { Browser, type Page, type Viewport } from './chromium.ts';
import { recordLayoutShifts } from './layout_shift.ts';
import { PageUser } from './page_user.ts';
import { buildPages, serveDocument, serveSite } from './site.ts';
import { PASSWORD, StubApi, user } from './stub_api.ts';

export const viewports: [string, Viewport][] = [
  ['wide', { width: 1440, height: 900 }],
  ['wide-dark', { width: 1440, height: 900, dark: true }],
  ['narrow', { width: 360, height: 740 }],
  ['narrow-dark', { width: 360, height: 740, dark: true }],
  ['4k', { width: 3840, height: 2160 }],
];

export type AccountSite = {
  base: string;
  api: StubApi;
  /** The documents of the function api by path, such as `/v2/sample`; all others are /health. */
  documents: Map<string, object | undefined>;
  /** Opens a page without a session, in a new browser context. */
  open(viewport: Viewport, path: string): Promise<Page>;
  /** Opens a page as the signed-in user. */
  signedIn(viewport: Viewport, path: string): Promise<Page>;
  close(): Promise<void>;
};

/** The built pages in Chromium, served by the real gateway, with a stub for Auth and PostgREST. */
export async function openAccountSite(program: string): Promise<AccountSite> {
  const browser = new Browser(program);
  const pages = await buildPages();
  const documents: AccountSite['documents'] = new Map();
  const health = await serveDocument((url) => {
    const path = url.replace(/^\/api/, '').split('?')[0] ?? '';
    return documents.has(path) ? documents.get(path) : twoFeeds();
  });
  const api = new StubApi();
  const site = await serveSite(pages.folder, health.port, await api.listen());

  const openPage = async (viewport: Viewport, path: string): Promise<Page> => {
    const page = await browser.page(viewport, true);
    await page.addScript(recordLayoutShifts);
    await page.goto(site.base + path);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  };
  return {
    base: site.base,
    api,
    documents,
    open: openPage,
    async signedIn(viewport, path) {
      const page = await openPage(viewport, `/sign-in?next=${encodeURIComponent(path)}`);
      const person = new PageUser(page);
      await person.fill('E-mail', user.email);
      await person.fill('Password', PASSWORD);
      await page.press('Enter');
      await person.waitForPath(path.split('?')[0] ?? path);
      return page;
    },
    async close() {
      await browser.close();
      await site.close();
      await api.close();
      await health.close();
      pages.remove();
    },
  };
}

/** A /health response: one venue up, one stale, both simulated. */
function twoFeeds(): object {
  const feed = (state: string, seconds: number) => ({
    state,
    source: 'simulated',
    last_message_at: new Date(Date.now() - seconds * 1000).toISOString(),
  });
  const time = new Date().toISOString();
  return { status: 'degraded', version: '2.0.0', time, venues: { venue_a: feed('up', 2), venue_b: feed('stale', 75) } };
}
