import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountSite, openAccountSite } from '../dashboard/support/account_site.ts';
import {
  describeInChromium,
  installClock,
  openPage,
  picture,
  runClockUntil,
  settle,
  textsOf,
  type WatchedPage,
  waitForText,
} from '../dashboard/support/page.ts';
import { waitUntil } from '../support/wait_until.ts';
import { servedHarness } from './support/browser.ts';
import { moveAllPrices } from './support/moves.ts';

/**
 * Guarantee: no page shows false data during or after an outage of the service, of HTTP or of the
 * network.
 */

const wide = { width: 1440, height: 1000 };

/** While `isAway`, HTTP requests fail as if the API were unreachable. Sockets stay open. */
type Service = { isAway: boolean };

/** From now on, /health answers in the time of the page, whose clock the test moves. */
async function serveHealth(page: WatchedPage): Promise<Service> {
  const service = { isAway: false };
  await installClock(page);
  await page.route('**/health', async (route) => {
    if (service.isAway) return route.abort();
    const time = new Date(await page.evaluate<number>('Date.now()')).toISOString();
    const feed = { state: 'up', source: 'simulated', last_message_at: time };
    await route.fulfill({ json: { status: 'ok', version: '2.0.0', time, venues: { venue_a: feed, venue_b: null } } });
  });
  return service;
}

const words = (page: WatchedPage) => page.locator('body').innerText();
/** An age in the future, such as "in 31 s". A start or a settlement may be in the future. */
const FUTURE_AGE = /(?<!Starts |Settles )\bin \d+ (s|min)\b/;

describeInChromium('a live page during an outage', () => {
  const live = servedHarness();
  const opened = async (query: string, page: WatchedPage): Promise<WatchedPage> => {
    await page.goto(`${live.base}/?${query}`);
    await page.locator('h1').first().waitFor();
    return page;
  };

  test('shows no age in the future after an HTTP outage with an open socket, nor on the next page', async () => {
    const page = await openPage(wide);
    const service = await serveHealth(page);
    const now = () => page.evaluate<number>('live.clock.now()');
    await opened('page=markets&rows=20', page);
    await page.locator('.market-row .title').first().waitFor();
    await waitUntil(async () => (await now()) > 0, { what: 'the page knows the time of the service' });
    service.isAway = true;
    for (let turn = 0; turn < 12; turn++) {
      await moveAllPrices(page);
      await page.clock.runFor(500);
    }
    const before = await now();
    // The next page starts with the last /health response of this page.
    await page.evaluate(`go('market')`);
    await page.locator('.outcomes-table').waitFor();
    await page.evaluate(`go('markets')`);
    await page.locator('.market-row .title').first().waitFor();
    await page.clock.runFor(1_200);
    expect(await now()).toBeGreaterThan(before);
    expect(await words(page)).not.toMatch(FUTURE_AGE);
    await picture(page, 'live/outage_markets');
    service.isAway = false;
    await page.clock.runFor(3_500);
    await settle(page);
    expect(await words(page)).not.toMatch(FUTURE_AGE);
    expect(Math.abs((await now()) - (await page.evaluate<number>('Date.now()')))).toBeLessThan(2_000);
  });

  test('replaces its placeholders with an error when offline, and after ten seconds without rows', async () => {
    const page = await openPage(wide);
    await installClock(page);
    await opened('page=markets&state=connecting', page);
    await page.locator('.market-row .wait').first().waitFor();
    await page.context().setOffline(true);
    await waitForText(page, 'when the network is back');
    expect(await page.locator('.wait').count()).toBe(0);
    expect(await words(page)).not.toContain('last known prices');
    await picture(page, 'live/outage_offline_markets');
    await page.context().setOffline(false);
    expect(await runClockUntil(page, 'when the service responds')).toBeLessThanOrEqual(10);
    await page.evaluate(`go('opportunities')`);
    expect(await runClockUntil(page, 'when the service responds')).toBeLessThanOrEqual(10);
    await picture(page, 'live/outage_opportunities');
  });

  test('states the age of bids and sizes of a market, and calls asks live only when they are', async () => {
    const page = await opened('page=market', await openPage(wide));
    await waitForText(page, 'Bids and sizes as of');
    await waitForText(page, 'Asks are live.');
    const text = await words(page);
    expect(text).toMatch(/Starts in \d|Started \d+ \w+ ago/);
    expect(text).not.toMatch(/Starts \d|Starts just|since \d/);
    await picture(page, 'live/market_as_of');
    await page.evaluate(`recording.loseConnection('markets:all')`);
    await waitForText(page, 'Asks as of');
    expect(await words(page)).not.toContain('Asks are live');
    await opened('page=market&rows=0', page);
    await waitForText(page, 'This market is not in your live channel');
    expect(await page.locator('.connection-status .is-up').count()).toBe(0);
    expect(await words(page)).not.toContain('Asks are live');
    expect(await words(page)).toContain('Asks, bids and sizes as of');
    await picture(page, 'live/market_delayed');
  });

  test('shows for how long each opportunity has been open', async () => {
    const page = await opened('page=opportunities', await openPage(wide));
    await page.locator('.opportunity .subtitle').first().waitFor();
    for (const subtitle of await textsOf(page, '.opportunity .subtitle'))
      expect(subtitle).toMatch(/open for \d+ (s|min|h|d)$/);
  });
});

describeInChromium('the Status page', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  });
  afterAll(() => site?.close());

  test('shows no green state and the age of the last response during an outage, and recovers after it', async () => {
    let service: Service = { isAway: false };
    const page = await site.open(wide, '/status', async (page) => {
      service = await serveHealth(page);
    });
    await waitForText(page, 'Data within the last minute');
    expect(await page.locator('.is-up').count()).toBeGreaterThan(0);
    service.isAway = true;
    await runClockUntil(page, 'The service cannot be reached.');
    await waitForText(page, 'Last known');
    expect(await page.locator('.is-up').count()).toBe(0);
    const text = await words(page);
    expect(text).not.toContain('Failed to fetch');
    expect(text).not.toContain('Data within the last minute');
    const age = async () => Number(/Last known (\d+) s ago/.exec((await textsOf(page, '.feed .age'))[0] ?? '')?.[1]);
    const first = await age();
    await page.clock.runFor(2_500);
    expect(await age()).toBeGreaterThan(first);
    await picture(page, 'live/outage_status');
    service.isAway = false;
    await runClockUntil(page, 'Data within the last minute');
    expect(await words(page)).not.toContain('Last known');
  });

  test('does not move the venue names in the strip when ages and states change', async () => {
    const page = await site.open(wide, '/status');
    await waitForText(page, 'Data within the last minute');
    const lefts = await page.evaluate<number[]>(`(() => {
      const strip = document.querySelector('.strip');
      const lefts = new Set();
      for (const state of ['Up', 'Stale', 'Down', 'Unknown', 'No response'])
        for (const age of ['just now', '89 s ago', '35 h ago', 'for 89 s', '']) {
          for (const one of strip.querySelectorAll('.state')) one.textContent = state;
          for (const one of strip.querySelectorAll('.age')) one.textContent = age;
          lefts.add(Math.round(strip.querySelector('.name').getBoundingClientRect().left));
        }
      return [...lefts];
    })()`);
    expect(lefts).toHaveLength(1);
  });
});
