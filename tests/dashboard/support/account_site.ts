import { openPage, pagesOfRun, type Viewport, type WatchedPage } from './page.ts';
import { serveDocument, serveSite } from './site.ts';
import { StubApi } from './stub_api.ts';

/** What happens before a page loads. */
type Prepare = (page: WatchedPage) => Promise<void>;

export type AccountSite = {
  base: string;
  api: StubApi;
  /** The documents of the function api by path, such as `/v2/sample`; all others are /health. */
  documents: Map<string, object | undefined>;
  /** Opens a page without a session. The end of the test closes it. */
  open(viewport: Viewport, path: string, prepare?: Prepare): Promise<WatchedPage>;
  /** Opens a page as a user who has signed in before. */
  signedIn(viewport: Viewport, path: string, prepare?: Prepare): Promise<WatchedPage>;
  /** The same in a page that is open. */
  signIn(page: WatchedPage, path: string): Promise<WatchedPage>;
  close(): Promise<void>;
};

/** The built pages in Chromium, served by the real gateway, with a stub for Auth and PostgREST. */
export async function openAccountSite(): Promise<AccountSite> {
  const pages = await pagesOfRun('dashboard');
  const documents: AccountSite['documents'] = new Map();
  const health = await serveDocument((url) => {
    const path = url.replace(/^\/api/, '').split('?')[0] ?? '';
    return documents.has(path) ? documents.get(path) : twoFeeds();
  });
  const api = new StubApi();
  const site = await serveSite(pages.folder, health.port, await api.listen());

  const show = async (page: WatchedPage, path: string) => {
    await page.goto(site.base + path);
    await page.locator('h1').first().waitFor();
    return page;
  };
  const signIn = async (page: WatchedPage, path: string) => {
    // The entry that @supabase/supabase-js writes when a person signs in.
    const entry = ['sb-127-auth-token', JSON.stringify(api.session())] as const;
    const script = await page.addInitScript(([name, session]) => localStorage.setItem(name, session), entry);
    await show(page, path);
    await script.dispose();
    return page;
  };
  return {
    base: site.base,
    api,
    documents,
    async open(viewport, path, prepare) {
      const page = await openPage(viewport);
      await prepare?.(page);
      return show(page, path);
    },
    async signedIn(viewport, path, prepare) {
      const page = await openPage(viewport);
      await prepare?.(page);
      return signIn(page, path);
    },
    signIn,
    async close() {
      await site.close();
      await api.close();
      await health.close();
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
