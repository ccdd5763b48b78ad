import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountSite, openAccountSite } from '../dashboard/support/account_site.ts';
import { describeInChromium, picture, waitForCount, waitForPath, waitForText } from '../dashboard/support/page.ts';
import { defaultAnswers, type StubApi } from '../dashboard/support/stub_api.ts';
import recorded from './support/recorded.json' with { type: 'json' };

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
describeInChromium('the live pages in the dashboard', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
    site.api.answers = answers;
    // An installation without webhooks.
    delete site.api.answers.my_webhooks;
    const time = new Date().toISOString();
    const feed = { state: 'up', source: 'simulated', last_message_at: time };
    const venues = { venue_a: feed, venue_b: { ...feed, state: 'down' } };
    site.documents.set('/health', { status: 'ok', version: '2.0.0', time, venues });
  });
  afterAll(() => site?.close());

  test('a user goes from the list to a market and its opportunities without Realtime', async () => {
    const page = await site.signedIn({ width: 1440, height: 1000 }, '/markets');
    await page.locator('.market-row .title').nth(10).waitFor();
    await waitForText(page, 'Prices may be stale');
    await picture(page, 'live/shell_markets');
    // A venue whose feed is down is named next to the prices.
    await page.locator('.freshness .venue_b', { hasText: 'Down' }).waitFor();
    await page.locator('.market-row .title').first().click();
    await waitForPath(page, '/market');
    await waitForCount(page, '.outcomes-table tbody tr', recorded.pair.outcomes.length);
    expect(await page.title()).toContain(recorded.pair.title);
    await page.locator('a[href="/opportunities"]').first().click();
    await waitForPath(page, '/opportunities');
    await waitForCount(page, '.opportunity', recorded.opportunities.length);
    await picture(page, 'live/shell_opportunities');
    await page.locator('a[href="/webhooks"]').first().click();
    await waitForText(page, 'Webhooks are not available');
    await page.goto(`${site.base}/market?id=mkt_gone`);
    await waitForText(page, 'There is no market with this id');
    // The console reports only the missing WebSocket.
    expect(page.errors.filter((fault) => !/WebSocket|404/.test(fault))).toEqual([]);
  });
});
