import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import { buildDocument } from '../../functions/api/contract/document.ts';
import { serveApi } from '../api/support/server.ts';
import { searchSuite } from './search.suite.ts';
import type { ApiDocument } from './support/api_document.ts';
import type { BuiltPages } from './support/build.ts';
import {
  describeInChromium,
  openPage,
  pagesOfRun,
  resize,
  type Viewport,
  type WatchedPage,
  waitForTop,
} from './support/page.ts';
import { serveDocument, serveSite } from './support/site.ts';
import { tryItSuite } from './try_it.suite.ts';

describeInChromium('the API reference in Chromium', () => {
  let pages: BuiltPages;
  let api: Awaited<ReturnType<typeof serveApi>>;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let document: ApiDocument;
  beforeAll(async () => {
    document = (await buildDocument(routes, undefined)) as ApiDocument;
    pages = await pagesOfRun('dashboard');
    api = await serveApi('postgres://parallax_api:x@127.0.0.1:1/nowhere');
    site = await serveSite(pages.folder, Number(new URL(api.base).port));
  });
  afterAll(async () => {
    await site?.close();
    await api?.close();
  });

  tryItSuite(() => ({ folder: pages.folder, document }));

  const opened = async (viewport: Viewport, address = `${site.base}/docs`): Promise<WatchedPage> => {
    const page = await openPage(viewport);
    await page.goto(address);
    await page.locator('.endpoint').first().waitFor();
    return page;
  };

  test.each([
    ['wide', { width: 1440, height: 900 }],
    ['narrow', { width: 360, height: 740 }],
  ])(
    '%s: the reference lists every endpoint, fits its width and has enough contrast in both themes',
    async (_, size) => {
      const page = await opened(size);
      const shown = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.endpoint .address')].map((p) => p.querySelector('.method').textContent + ' ' + p.querySelector('code').textContent)`,
      );
      expect(shown.sort()).toEqual(
        routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
      );
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true; 0`);
      await page.locator('.nested .fields').first().waitFor();
      for (const dark of [false, true]) {
        await resize(page, { ...size, dark });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
        expect(await page.evaluate(faintText), dark ? 'dark' : 'light').toEqual([]);
      }
      expect(page.errors).toEqual([]);
    },
  );

  test('the reference sends requests to its own host only', async () => {
    const page = await opened({ width: 1440, height: 900 });
    expect(page.requested).toContain(`${site.base}/functions/v1/api/openapi.json`);
    expect(page.requested.filter((url) => !url.startsWith(`${site.base}/`))).toEqual([]);
  });

  searchSuite(() => site.base);

  test('on a narrow page the contents open and close with their button', async () => {
    const page = await opened({ width: 360, height: 740 });
    const contents = page.locator('#contents');
    expect(await contents.isVisible()).toBe(false);
    await page.locator('.toggle').click();
    await contents.waitFor();
    await contents.locator('a[href="#limits"]').click();
    await page.waitForURL((url) => url.hash === '#limits');
    await contents.waitFor({ state: 'hidden' });
  });

  test('an address with a hash opens at that section', async () => {
    const page = await opened({ width: 1440, height: 900 }, `${site.base}/docs#get_pair`);
    await waitForTop(page, '#get_pair', 54, 60);
  });

  test('each endpoint shows a curl sample for this API, without a key', async () => {
    const page = await opened({ width: 1440, height: 900 });
    const curls = await page.locator('.samples .copyable code').allTextContents();
    expect(curls).toHaveLength(routes.length);
    for (const curl of curls) expect(curl).toContain(`curl -s '${site.base}/functions/v1/api/`);
    expect(curls.filter((curl) => curl.includes('Bearer YOUR_KEY'))).toHaveLength(
      routes.filter((route) => !route.isPublic).length,
    );
  });

  test('the label of a copy button is for screen readers only', async () => {
    const page = await opened({ width: 1440, height: 900 });
    await page.locator('.samples .copyable button .visually-hidden').first().waitFor();
    const hidden = `[...document.querySelectorAll('.visually-hidden')].map((one) => one.getBoundingClientRect())`;
    expect(await page.evaluate<number>(`${hidden}.length`)).toBeGreaterThan(0);
    expect(await page.evaluate<number>(`Math.max(...${hidden}.map(({ width, height }) => width * height))`)).toBe(1);
  });

  test('markup in openapi.json is rendered as text', async () => {
    const evil = `</code><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
    const api2 = await serveDocument(hostile(evil));
    const site2 = await serveSite(pages.folder, api2.port);
    try {
      const page = await opened({ width: 1440, height: 900 }, `${site2.base}/docs`);
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true; 0`);
      await page.locator('.example .json').first().waitFor();
      expect(await page.evaluate('document.querySelectorAll("main img, main script, nav img").length')).toBe(0);
      expect(await page.evaluate('window.ran ?? null')).toBeNull();
      expect(await page.locator('.example .json').first().textContent()).toContain('onerror');
      const leading = await page.evaluate<string[]>(`[...document.querySelectorAll('a')].map((a) => a.protocol)`);
      expect(leading.filter((protocol) => protocol !== 'http:')).toEqual([]);
    } finally {
      await site2.close();
      await api2.close();
    }
  });

  test('the reference shows that the API does not respond, and loads when it does', async () => {
    const away = await serveDocument({});
    await away.close();
    const site2 = await serveSite(pages.folder, away.port);
    try {
      const page = await openPage({ width: 1440, height: 900 });
      await page.goto(`${site2.base}/docs`);
      await page.locator('.problem', { hasText: 'retries' }).waitFor();
      const back = await serveDocument(hostile('evil'), away.port);
      await page
        .locator('.endpoint')
        .first()
        .waitFor()
        .finally(() => back.close());
    } finally {
      await site2.close();
    }
  });
});

/** A document in which every text that the page shows tries to be markup. */
function hostile(evil: string): object {
  const schema = {
    type: 'object',
    description: evil,
    properties: { [evil]: { type: 'string', description: evil, enum: [evil] } },
  };
  return {
    info: { title: evil, version: evil, description: `${evil}\n\n## ${evil}\n\n- ${evil}\n\n\`${evil}\` **${evil}**` },
    tags: [{ name: evil, description: evil }],
    paths: {
      [`/${evil}`]: {
        get: {
          operationId: 'javascript:window.ran=1',
          tags: [evil],
          summary: evil,
          description: evil,
          parameters: [
            { name: evil, in: 'query', description: evil, schema: { type: evil, default: evil, enum: [evil] } },
          ],
          responses: {
            200: {
              description: evil,
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/Evil' }, example: { [evil]: evil } },
              },
            },
            401: { description: evil, content: { 'application/json': { examples: { [evil]: { value: evil } } } } },
          },
          'x-example-request': { path: `/${evil}` },
        },
      },
    },
    components: { schemas: { Evil: schema } },
  };
}

/**
 * Text on the page whose contrast with what is behind it is under 4.5 (WCAG AA). Runs on the page.
 */
const faintText = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = new Set();
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 20));
  }
  return [...faint];
})()`;
