import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, findChromium, type Page } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { buildPages, serveDocument, serveSite } from '../dashboard/support/site.ts';
import { defaultAnswers, PASSWORD, StubApi, user } from '../dashboard/support/stub_api.ts';
import recorded from './support/recorded.json' with { type: 'json' };

const program = findChromium();
if (!program)
  console.log('tests/live/shell.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(import.meta.dirname, '../../test-results/live');

/**
 * Results of the RPCs of the live pages, from the recording. Without Realtime the pages poll the
 * channel state.
 */
const answers = {
  ...defaultAnswers(),
  get_channel_state: ({ p_channel }: Record<string, unknown>) =>
    p_channel === 'markets:all'
      ? {
          channel: 'markets:all',
          epoch: 'e',
          offset: 3,
          markets: recorded.markets,
          opportunities: recorded.opportunities,
        }
      : { channel: 'status', epoch: 'e', offset: 1, markets: [], opportunities: [], feeds: null },
  get_market_detail: ({ p_id }: Record<string, unknown>) =>
    p_id === 'mkt_gone' ? null : { ...recorded.pair, id: String(p_id) },
  get_market_history: ({ p_id }: Record<string, unknown>) => ({
    id: String(p_id),
    bucket_seconds: 60,
    delay_seconds: 120,
    from: 0,
    to: 60_000,
    series: [],
  }),
} as unknown as StubApi['answers'];

/** The built pages in their shell, for a signed-in user: they call the RPCs that exist. */
describe.skipIf(!program)('the live pages in the dashboard', () => {
  const api = new StubApi();
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof buildPages>>;
  let health: Awaited<ReturnType<typeof serveDocument>>;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    api.answers = answers;
    browser = new Browser(program ?? '');
    pages = await buildPages();
    // An installation without webhooks.
    delete api.answers.my_webhooks;
    const feed = { state: 'up', source: 'simulated', last_message_at: new Date().toISOString() };
    health = await serveDocument({
      status: 'ok',
      version: '2.0.0',
      time: new Date().toISOString(),
      venues: { venue_a: feed, venue_b: { ...feed, state: 'down' } },
    });
    site = await serveSite(pages.folder, health.port, await api.listen());
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await api.close();
    await health?.close();
    pages?.remove();
  });

  const signedIn = async (path: string): Promise<Page> => {
    const page = await browser.page({ width: 1440, height: 1000 });
    const person = new PageUser(page);
    await page.goto(`${site.base}/sign-in?next=${encodeURIComponent(path)}`);
    await person.fill('E-mail', user.email);
    await person.fill('Password', PASSWORD);
    await page.press('Enter');
    await person.waitForPath(path.split('?')[0] ?? path);
    return page;
  };

  test('a user goes from the list to a market and its opportunities without Realtime', async () => {
    const page = await signedIn('/markets');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
    await person.waitForText('Prices may be stale');
    await page.screenshot(join(pictures, 'shell_markets.png'));
    // A venue whose feed is down is named next to the prices.
    await page.waitFor(`document.querySelector('.freshness .venue_b')?.textContent.includes('Down')`);
    await page.evaluate(`document.querySelector('.market-row .title').click()`);
    await person.waitForPath('/market');
    await page.waitFor(
      `document.querySelectorAll('.outcomes-table tbody tr').length === ${recorded.pair.outcomes.length}`,
    );
    expect(await page.evaluate('document.title')).toContain(recorded.pair.title);
    await page.evaluate(`document.querySelector('a[href="/opportunities"]').click()`);
    await person.waitForPath('/opportunities');
    await page.waitFor(`document.querySelectorAll('.opportunity').length === ${recorded.opportunities.length}`);
    await page.screenshot(join(pictures, 'shell_opportunities.png'));
    await page.evaluate(`document.querySelector('a[href="/webhooks"]').click()`);
    await person.waitForText('Webhooks are not available');
    await page.goto(`${site.base}/market?id=mkt_gone`);
    await person.waitForText('There is no market with this id');
    // The console reports only the missing WebSocket.
    expect(page.errors.filter((fault) => !/WebSocket|404/.test(fault))).toEqual([]);
  }, 60_000);
});
