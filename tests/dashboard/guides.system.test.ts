import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guideFiles } from '../../dashboard/guides/table.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { serveApi } from '../api/support/server.ts';
import { axeViolations } from './support/axe.ts';
import { Browser, findChromium, type Page, type Viewport } from './support/chromium.ts';
import { buildPages, serveDocument, serveSite } from './support/site.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/guides.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');
const wide: Viewport = { width: 1440, height: 900 };
const viewports: [string, Viewport][] = [
  ['wide', wide],
  ['wide-dark', { ...wide, dark: true }],
  ['narrow', { width: 360, height: 740 }],
  ['narrow-dark', { width: 360, height: 740, dark: true }],
];

describe.skipIf(!program)('the guides of the documentation in Chromium', () => {
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof buildPages>>;
  let api: Awaited<ReturnType<typeof serveApi>>;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = new Browser(program ?? '');
    pages = await buildPages();
    api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
    site = await serveSite(pages.folder, Number(new URL(api.base).port));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await api?.close();
    pages?.remove();
  });

  const opened = async (address: string, viewport: Viewport = wide): Promise<Page> => {
    const page = await browser.page(viewport, true);
    await page.goto(site.base + address);
    await page.waitFor(`document.querySelector('.guide h2')`);
    return page;
  };
  const selectedTabs = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('[role=tab][aria-selected=true]')].map((tab) => tab.innerText)`,
    );

  test.each(viewports)('%s: every guide fits its width, logs no error and passes axe', async (name, viewport) => {
    const page = await opened(`/docs/${guideFiles[0].slug}/`, viewport);
    for (const { slug } of guideFiles) {
      await page.goto(`${site.base}/docs/${slug}/`);
      await page.waitFor(`document.querySelector('.guide h2') && location.pathname === '/docs/${slug}/'`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), slug).toBe(viewport.width);
      expect(await axeViolations(page), slug).toEqual([]);
    }
    await page.screenshot(join(pictures, `guide-${name}.png`));
    expect(page.errors).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith(`${site.base}/`))).toEqual([]);
  });

  test.each(viewports)('%s: the API reference with guides in its navigation passes axe', async (_, viewport) => {
    const page = await browser.page(viewport, true);
    await page.goto(`${site.base}/docs/`);
    await page.waitFor(`document.querySelector('.endpoint')`);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('a link to another guide opens its section without a reload, and Back returns', async () => {
    const page = await opened('/docs/stream-clients/');
    await page.evaluate(`window.sameDocument = true`);
    const href = await page.evaluate<string>(
      `[...document.querySelectorAll('.guide > :not(nav) a[href^="/docs/"]')].find((a) => a.hash)?.getAttribute('href')`,
    );
    const { pathname, hash } = new URL(href, site.base);
    await page.evaluate(`document.querySelector('.guide a[href="${href}"]').click()`);
    await page.waitFor(`location.pathname === '${pathname}' && location.hash === '${hash}'`);
    await page.waitFor(
      `(({ top }) => top >= 0 && top < innerHeight)(document.querySelector('${hash}')?.getBoundingClientRect() ?? { top: -1 })`,
    );
    expect(await page.evaluate(`document.title`)).toMatch(/ · Parallax$/);
    expect(await page.evaluate(`window.sameDocument`)).toBe(true);
    await page.evaluate('history.back()');
    await page.waitFor(`location.pathname === '/docs/stream-clients/' && document.querySelector('.guide h2')`);
  });

  test('a link of the navigation opens an endpoint of the reference from a guide', async () => {
    const page = await opened('/docs/rest/');
    await page.waitFor(`document.querySelector('.contents a[href="/docs/#get_pair"]')`);
    await page.evaluate(`document.querySelector('.contents a[href="/docs/#get_pair"]').click()`);
    await page.waitFor(`document.querySelector('#get_pair')?.getBoundingClientRect().top < innerHeight / 3`);
    expect(await page.evaluate(`document.title`)).toBe('API reference · Parallax');
    expect(await page.evaluate(`document.activeElement.tagName`)).toBe('H1');
  });

  test('an address with a hash opens the guide at that section, marked in the navigation', async () => {
    const page = await opened('/docs/rest/#limits');
    await page.waitFor(`Math.abs(document.querySelector('#limits').getBoundingClientRect().top - 57) < 3`);
    await page.waitFor(`document.querySelector('.contents a[aria-current=location]')?.hash === '#limits'`);
    expect(await page.evaluate(`document.querySelector('.contents a[aria-current=page]').innerText`)).toBe('REST');
  });

  test('the arrow keys switch the language of all samples, and the choice is kept after a reload', async () => {
    const page = await opened('/docs/rest/');
    await page.evaluate(`document.querySelector('[role=tab][aria-selected=true]').focus()`);
    expect(await selectedTabs(page)).toEqual(expect.arrayContaining(['curl']));
    const top = `document.querySelector('[role=tablist]').getBoundingClientRect().top`;
    const before = await page.evaluate<number>(top);
    await page.press('ArrowRight');
    await page.waitFor(
      `document.activeElement.innerText === 'TypeScript' && document.activeElement.ariaSelected === 'true'`,
    );
    expect(Math.abs((await page.evaluate<number>(top)) - before)).toBeLessThan(2);
    await page.press('End');
    await page.waitFor(`document.activeElement.innerText === 'Python'`);
    expect(await page.evaluate(`document.querySelector('[role=tabpanel]').innerText`)).toContain('urllib.request');
    expect(await page.evaluate(`document.querySelectorAll('[role=tab][tabindex="0"]').length`)).toBe(
      await page.evaluate(`document.querySelectorAll('[role=tablist]').length`),
    );
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${site.base}/docs/`);
    await page.waitFor(`document.querySelector('.endpoint')`);
    expect(new Set(await selectedTabs(page))).toEqual(new Set(['Python']));
    await page.screenshot(join(pictures, 'reference-python.png'));
  });

  test('a guide is readable while the API does not respond', async () => {
    const away = await serveDocument({});
    await away.close();
    const offline = await serveSite(pages.folder, away.port);
    try {
      const page = await browser.page(wide, true);
      await page.goto(`${offline.base}/docs/webhooks/`);
      await page.waitFor(`document.querySelectorAll('.guide h2').length > 3`);
      expect(await page.evaluate(`document.querySelector('.problem')`)).toBeNull();
    } finally {
      await offline.close();
    }
  });
});
