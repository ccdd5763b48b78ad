import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountSite, openAccountSite } from '../dashboard/support/account_site.ts';
import type { Page } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { pause } from '../support/wait_until.ts';
import { chromiumOrSkip, harnessInChromium } from './support/browser.ts';

/**
 * Guarantee: no page shows false data during or after an outage of the service, of HTTP or of the
 * network.
 */

const program = chromiumOrSkip('tests/live/outage.system.test.ts');

const pictures = join(import.meta.dirname, '../../test-results/live');
const wide = { width: 1440, height: 1000 };
/**
 * HTTP requests fail while `window.away` is true, as if the API were unreachable. Sockets stay
 * open.
 */
const failing = `{ const real = window.fetch; window.away = false;
  window.fetch = (...request) => window.away ? Promise.reject(new TypeError('Failed to fetch')) : real(...request); }`;
const words = (page: Page) => page.evaluate<string>('document.body.innerText');
/** An age in the future, such as "in 31 s". A start or a settlement may be in the future. */
const FUTURE_AGE = /(?<!Starts |Settles )\bin \d+ (s|min)\b/;

describe.skipIf(!program)('a live page during an outage', () => {
  const live = harnessInChromium(program, pictures);
  const opened = async (query: string): Promise<Page> => {
    const page = await live.browser.page(wide);
    await page.addScript(failing);
    await page.goto(`${live.base}/?${query}`);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  };

  test('shows no age in the future after an HTTP outage with an open socket, nor on the next page', async () => {
    const page = await opened('page=markets&rows=20');
    await page.waitFor(`document.querySelector('.market-row .title')`);
    await page.waitFor(`live.clock.now() > 0`);
    await page.evaluate(`window.away = true`);
    for (let turn = 0; turn < 12; turn++) {
      await page.evaluate('recording.moveAllPrices()');
      await pause(500);
    }
    const before = await page.evaluate<number>('live.clock.now()');
    // The next page starts with the last /health response of this page.
    await page.evaluate(`go('market')`);
    await page.waitFor(`document.querySelector('.outcomes-table')`);
    await page.evaluate(`go('markets')`);
    await page.waitFor(`document.querySelector('.market-row .title')`);
    await pause(1_200);
    expect(await page.evaluate<number>('live.clock.now()')).toBeGreaterThan(before);
    expect(await words(page)).not.toMatch(FUTURE_AGE);
    await page.screenshot(join(pictures, 'outage_markets.png'));
    await page.evaluate(`window.away = false`);
    await pause(3_500);
    expect(await words(page)).not.toMatch(FUTURE_AGE);
    expect(Math.abs((await page.evaluate<number>('live.clock.now()')) - Date.now())).toBeLessThan(2_000);
  }, 60_000);

  test('replaces its placeholders with an error when offline, and after ten seconds without rows', async () => {
    const page = await opened('page=markets&state=connecting');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.market-row .wait')`);
    await page.setOffline(true);
    await person.waitForText('when the network is back');
    expect(await page.evaluate(`document.querySelectorAll('.wait').length`)).toBe(0);
    expect(await words(page)).not.toContain('last known prices');
    await page.screenshot(join(pictures, 'outage_offline_markets.png'));
    await page.setOffline(false);
    await person.waitForText('when the service responds');
    await page.evaluate(`go('opportunities')`);
    await person.waitForText('when the service responds');
    await page.screenshot(join(pictures, 'outage_opportunities.png'));
  }, 60_000);

  test('states the age of bids and sizes of a market, and calls asks live only when they are', async () => {
    const page = await opened('page=market');
    const person = new PageUser(page);
    await page.waitFor(
      `live.store.markets.has(new URL(location).searchParams.get('id') ?? [...live.store.markets.keys()][0])`,
    );
    await person.waitForText('Bids and sizes as of');
    await person.waitForText('Asks are live.');
    const text = await words(page);
    expect(text).toMatch(/Starts in \d|Started \d+ \w+ ago/);
    expect(text).not.toMatch(/Starts \d|Starts just|since \d/);
    await page.screenshot(join(pictures, 'market_as_of.png'));
    await page.evaluate(`recording.loseConnection('markets:all')`);
    await person.waitForText('Asks as of');
    expect(await words(page)).not.toContain('Asks are live');
    const delayed = await opened('page=market&rows=0');
    await new PageUser(delayed).waitForText('This market is not in your live channel');
    expect(await delayed.evaluate(`document.querySelector('.connection-status .is-up')`)).toBeNull();
    expect(await words(delayed)).not.toContain('Asks are live');
    expect(await words(delayed)).toContain('Asks, bids and sizes as of');
    await delayed.screenshot(join(pictures, 'market_delayed.png'));
  });

  test('shows for how long each opportunity has been open', async () => {
    const page = await opened('page=opportunities');
    await page.waitFor(`document.querySelector('.opportunity .subtitle')`);
    const subtitles = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.opportunity .subtitle')].map((one) => one.textContent)`,
    );
    for (const subtitle of subtitles) expect(subtitle).toMatch(/open for \d+ (s|min|h|d)$/);
  });
});

describe.skipIf(!program)('the Status page', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
  }, 180_000);
  afterAll(() => site?.close());

  test('shows no green state and the age of the last response during an outage, and recovers after it', async () => {
    const page = await site.open(wide, '/status');
    const person = new PageUser(page);
    await page.evaluate(failing);
    await person.waitForText('Data within the last minute');
    expect(await page.evaluate<number>(`document.querySelectorAll('.is-up').length`)).toBeGreaterThan(0);
    await page.evaluate(`window.away = true`);
    await person.waitForText('The service cannot be reached.');
    await person.waitForText('Last known');
    expect(await page.evaluate(`document.querySelectorAll('.is-up').length`)).toBe(0);
    const text = await words(page);
    expect(text).not.toContain('Failed to fetch');
    expect(text).not.toContain('Data within the last minute');
    const age = `Number(/Last known (\\d+) s ago/.exec(document.querySelector('.feed .age').textContent)?.[1])`;
    const first = await page.evaluate<number>(age);
    await pause(2_500);
    expect(await page.evaluate<number>(age)).toBeGreaterThan(first);
    await page.screenshot(join(pictures, 'outage_status.png'));
    await page.evaluate(`window.away = false`);
    await person.waitForText('Data within the last minute');
    expect(await words(page)).not.toContain('Last known');
  }, 60_000);

  test('does not move the venue names in the strip when ages and states change', async () => {
    const page = await site.open(wide, '/status');
    await new PageUser(page).waitForText('Data within the last minute');
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
