import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountSite, openAccountSite } from '../dashboard/support/account_site.ts';
import type { Page } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { pause } from '../support/wait_until.ts';
import { chromiumOrSkip, harnessInChromium } from './support/browser.ts';

/** Guarantee: nothing on a page is false while the service, its HTTP interface or the network is away, or after it is back. */

const program = chromiumOrSkip('tests/live/outage.test.ts');

const pictures = join(import.meta.dirname, '../../test-results/live');
const wide = { width: 1440, height: 1000 };
/** HTTP requests fail while `away` is true, as when the API cannot be reached; sockets stay. */
const failing = `{ const real = window.fetch; window.away = false;
  window.fetch = (...request) => window.away ? Promise.reject(new TypeError('Failed to fetch')) : real(...request); }`;
const words = (page: Page) => page.evaluate<string>('document.body.innerText');
/** An age that lies in the future, as "in 31 s". */
const ahead = /\bin \d+ (s|min)\b/;

describe.skipIf(!program)('a live page', () => {
  const live = harnessInChromium(program, pictures);
  const opened = async (query: string): Promise<Page> => {
    const page = await live.browser.page(wide);
    await page.addScript(failing);
    await page.goto(`${live.base}/?${query}`);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  };

  test('shows no age in the future after an outage of HTTP with a live socket, on it or on the next page', async () => {
    const page = await opened('page=markets&rows=20');
    await page.waitFor(`document.querySelector('.market-row .title')`);
    await page.waitFor(`live.clock.now() > 0`);
    await page.evaluate(`window.away = true`);
    for (let turn = 0; turn < 12; turn++) {
      await page.evaluate('recording.moveAllPrices()');
      await pause(500);
    }
    const before = await page.evaluate<number>('live.clock.now()');
    // The next page begins with the answer of /health that the last page had.
    await page.evaluate(`go('market')`);
    await page.waitFor(`document.querySelector('.outcomes-table')`);
    await page.evaluate(`go('markets')`);
    await page.waitFor(`document.querySelector('.market-row .title')`);
    await pause(1_200);
    expect(await page.evaluate<number>('live.clock.now()')).toBeGreaterThan(before);
    expect(await words(page)).not.toMatch(ahead);
    await page.screenshot(join(pictures, 'outage_markets.png'));
    await page.evaluate(`window.away = false`);
    await pause(3_500);
    expect(await words(page)).not.toMatch(ahead);
    expect(Math.abs((await page.evaluate<number>('live.clock.now()')) - Date.now())).toBeLessThan(2_000);
  }, 60_000);

  test('that cannot load its rows says so offline, and after ten seconds of waiting, instead of skeletons', async () => {
    const page = await opened('page=markets&state=connecting');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.market-row .wait')`);
    await page.setOffline(true);
    await person.waitForText('as soon as the network is back');
    expect(await page.evaluate(`document.querySelectorAll('.wait').length`)).toBe(0);
    expect(await words(page)).not.toContain('What you see');
    await page.screenshot(join(pictures, 'outage_offline_markets.png'));
    await page.setOffline(false);
    await person.waitForText('as soon as the service answers');
    await page.evaluate(`go('opportunities')`);
    await person.waitForText('as soon as the service answers');
    await page.screenshot(join(pictures, 'outage_opportunities.png'));
  }, 60_000);

  test('of a market says from when its bids and sizes are, and that asks are live only where they are', async () => {
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
    const unheard = await opened('page=market&rows=0');
    await new PageUser(unheard).waitForText('This market is not in your live feed');
    expect(await unheard.evaluate(`document.querySelector('.connection-status .is-up')`)).toBeNull();
    expect(await words(unheard)).not.toContain('Asks are live');
    expect(await words(unheard)).toContain('Asks, bids and sizes as of');
    await unheard.screenshot(join(pictures, 'market_delayed.png'));
  });

  test('of opportunities says for how long each one has been open', async () => {
    const page = await opened('page=opportunities');
    await page.waitFor(`document.querySelector('.opportunity .subtitle')`);
    const abouts = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.opportunity .subtitle')].map((one) => one.textContent)`,
    );
    for (const about of abouts) expect(about).toMatch(/open for \d+ (s|min|h|d)$/);
  });
});

describe.skipIf(!program)('the page of the service’s status', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
  }, 180_000);
  afterAll(() => site?.close());

  test('shows nothing green while the service does not answer, says how old its last answer is, and recovers', async () => {
    const page = await site.open(wide, '/status');
    const person = new PageUser(page);
    await page.evaluate(failing);
    await person.waitForText('Fresh');
    expect(await page.evaluate<number>(`document.querySelectorAll('.is-up').length`)).toBeGreaterThan(0);
    await page.evaluate(`window.away = true`);
    await person.waitForText('The service cannot be reached.');
    await person.waitForText('Last known');
    expect(await page.evaluate(`document.querySelectorAll('.is-up').length`)).toBe(0);
    const text = await words(page);
    expect(text).not.toContain('Failed to fetch');
    expect(text).not.toContain('News within the last minute');
    const age = `Number(/Last known (\\d+) s ago/.exec(document.querySelector('.feed .age').textContent)?.[1])`;
    const first = await page.evaluate<number>(age);
    await pause(2_500);
    expect(await page.evaluate<number>(age)).toBeGreaterThan(first);
    await page.screenshot(join(pictures, 'outage_status.png'));
    await page.evaluate(`window.away = false`);
    await person.waitForText('Fresh');
    expect(await words(page)).not.toContain('Last known');
  }, 60_000);

  test('keeps the names of the venues in the strip where they are, whatever the ages and states beside them', async () => {
    const page = await site.open(wide, '/status');
    await new PageUser(page).waitForText('Fresh');
    const lefts = await page.evaluate<number[]>(`(() => {
      const strip = document.querySelector('.strip');
      const lefts = new Set();
      for (const state of ['Fresh', 'Quiet', 'Not read', 'No answer'])
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
