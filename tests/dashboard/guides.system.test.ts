import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi } from '../api/support/server.ts';
import { guidesLayoutSuite } from './guides_layout.suite.ts';
import { axeViolations } from './support/axe.ts';
import type { BuiltPages } from './support/build.ts';
import {
  describeInChromium,
  openPage,
  pagesOfRun,
  picture,
  textsOf,
  type Viewport,
  type WatchedPage,
  waitForTop,
} from './support/page.ts';
import { serveDocument, serveSite } from './support/site.ts';

const wide: Viewport = { width: 1440, height: 900 };
describeInChromium('the guides of the documentation in Chromium', () => {
  let pages: BuiltPages;
  let api: Awaited<ReturnType<typeof serveApi>>;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    pages = await pagesOfRun('dashboard');
    api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
    site = await serveSite(pages.folder, Number(new URL(api.base).port));
  });
  afterAll(async () => {
    await site?.close();
    await api?.close();
  });

  const opened = async (address: string): Promise<WatchedPage> => {
    const page = await openPage(wide);
    await page.goto(site.base + address);
    await page.locator('.guide h2').first().waitFor();
    return page;
  };
  const selectedTabs = (page: WatchedPage) => textsOf(page, '[role=tab][aria-selected=true]');

  // layout.slow.test.ts opens the guides in every width and theme.
  guidesLayoutSuite('some', () => site.base);

  test('a link to another guide opens its section without a reload, and Back returns', async () => {
    const page = await opened('/docs/stream-clients/');
    await page.evaluate(`window.sameDocument = true`);
    const link = page.locator('.guide > :not(nav) a[href^="/docs/"][href*="#"]').first();
    const { href, hash } = new URL((await link.getAttribute('href')) ?? '', site.base);
    await link.click();
    await page.waitForURL(href);
    await page.waitForFunction((hash) => {
      const top = document.querySelector(hash)?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < innerHeight;
    }, hash);
    expect(await page.title()).toMatch(/ · Parallax$/);
    expect(await page.evaluate(`window.sameDocument`)).toBe(true);
    await page.evaluate('history.back()');
    await page.waitForURL(`${site.base}/docs/stream-clients/`);
    await page.locator('.guide h2').first().waitFor();
  });

  test('a link of the navigation opens an endpoint of the reference from a guide', async () => {
    const page = await opened('/docs/rest/');
    await page.locator('.contents a[href="/docs/#get_pair"]').first().click();
    await waitForTop(page, '#get_pair', 0, 300);
    expect(await page.title()).toBe('API reference · Parallax');
    expect(await page.locator('h1:focus').count()).toBe(1);
  });

  test('an address with a hash opens the guide at that section, marked in the navigation', async () => {
    const page = await opened('/docs/rest/#limits');
    await waitForTop(page, '#limits', 54, 60);
    await page.locator('.contents a[aria-current=location][href$="#limits"]').waitFor();
    expect(await page.locator('.contents a[aria-current=page]').first().innerText()).toBe('REST');
  });

  test('the arrow keys switch the language of all samples, and the choice is kept after a reload', async () => {
    const page = await opened('/docs/rest/');
    await page.locator('[role=tab][aria-selected=true]').first().focus();
    expect(await selectedTabs(page)).toEqual(expect.arrayContaining(['curl']));
    const top = () =>
      page
        .locator('[role=tablist]')
        .first()
        .evaluate((tabs) => tabs.getBoundingClientRect().top);
    const before = await top();
    await page.keyboard.press('ArrowRight');
    await page.locator('[aria-selected=true]:focus', { hasText: 'TypeScript' }).waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
    await page.keyboard.press('End');
    await page.locator(':focus', { hasText: 'Python' }).waitFor();
    expect(await page.locator('[role=tabpanel]').first().innerText()).toContain('urllib.request');
    expect(await page.locator('[role=tab][tabindex="0"]').count()).toBe(await page.locator('[role=tablist]').count());
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${site.base}/docs/`);
    await page.locator('.endpoint').first().waitFor();
    expect(new Set(await selectedTabs(page))).toEqual(new Set(['Python']));
    await picture(page, 'reference-python');
  });

  test('a guide is readable while the API does not respond', async () => {
    const away = await serveDocument({});
    await away.close();
    const offline = await serveSite(pages.folder, away.port);
    try {
      const page = await openPage(wide);
      await page.goto(`${offline.base}/docs/webhooks/`);
      await page.locator('.guide h2').nth(3).waitFor();
      expect(await page.locator('.problem').count()).toBe(0);
    } finally {
      await offline.close();
    }
  });
});
