import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { axeViolations } from './support/axe.ts';
import type { Browser, Page, Viewport } from './support/chromium.ts';

const wide: Viewport = { width: 1440, height: 900 };
type Hit = { title: string; where: string; kind: string; href: string };

/** The search over guides and reference, from a page of the documentation. */
export const searchSuite = (at: () => { browser: Browser; base: string }) =>
  describe('the search of the documentation', () => {
    const opened = async (path: string, viewport = wide): Promise<Page> => {
      const page = await at().browser.page(viewport, true);
      await page.goto(at().base + path);
      await page.waitFor(`document.querySelector('.endpoint, .guide h2')`);
      // A key pressed before the page listens has no effect, so it is pressed again.
      await waitUntil(
        async () => {
          await page.press('/', 'Slash');
          return page.evaluate<boolean>(`document.activeElement?.type === 'search'`);
        },
        { what: 'the key opens the search', timeoutMs: 15_000, everyMs: 100 },
      );
      return page;
    };
    const hitsOf = async (page: Page, query: string): Promise<Hit[]> => {
      await page.evaluate(`document.querySelector('.search-dialog input').select()`);
      await page.type(query);
      await page.waitFor(`document.querySelector('.found').innerText.endsWith(${JSON.stringify(`for “${query}”`)})`);
      return page.evaluate<Hit[]>(`[...document.querySelectorAll('.hits a')].map((a) => ({
        title: a.querySelector('.hit-title').innerText,
        where: a.querySelector('.hit-where').innerText,
        kind: a.querySelector('.hit-kind').innerText,
        href: a.getAttribute('href'),
      }))`);
    };

    test('finds endpoints, parameters, fields, error codes, headings and paragraphs, each with its place', async () => {
      const page = await opened('/docs/');
      expect((await hitsOf(page, 'read one market'))[0]).toEqual({
        title: 'Read one market',
        where: '/v2/pairs/{market_id}',
        kind: 'GET',
        href: '/docs/#get_pair',
      });
      const tokens = await hitsOf(page, 'token_id');
      expect(tokens.filter(({ kind }) => kind === 'Field').map(({ title }) => title)).toContain('token_id');
      expect(tokens.map(({ href }) => href)).not.toContain('/docs/#get_health');
      expect(await hitsOf(page, 'updated_since')).toContainEqual(
        expect.objectContaining({ kind: 'Parameter', title: 'updated_since', href: '/docs/#get_markets' }),
      );
      expect(await hitsOf(page, 'webhook.not_found')).toContainEqual(
        expect.objectContaining({
          kind: 'Error',
          title: 'webhook.not_found',
          where: expect.stringMatching(/^Status 404 · /),
        }),
      );
      const malformed = (await hitsOf(page, 'auth.malformed_key')).map(({ href }) => href);
      expect(malformed).toContain('/docs/rest/#errors-of-the-api');
      expect(malformed.every((href) => !href.startsWith('/docs/matching/'))).toBe(true);
      const headings = await hitsOf(page, 'follow a channel');
      expect(headings[0]).toMatchObject({ kind: 'Guide', title: 'Follow a channel', where: /TypeScript|Python/ });
      expect(await hitsOf(page, 'webhoks')).toContainEqual(
        expect.objectContaining({ kind: 'Guide', title: 'Webhooks' }),
      );
      expect(await hitsOf(page, 'qqqqq')).toEqual([]);
      expect(page.errors).toEqual([]);
    });

    test('opens a result of a guide with the arrow keys and Enter, and closes with Escape', async () => {
      const page = await opened('/docs/');
      const [, second] = await hitsOf(page, 'verify secret');
      await page.press('ArrowDown');
      await page.press('ArrowDown');
      await page.press('ArrowUp');
      await page.press('ArrowDown');
      await page.waitFor(`document.activeElement.getAttribute('href') === ${JSON.stringify(second?.href)}`);
      await page.press('Enter');
      await page.waitFor(`location.pathname + location.hash === ${JSON.stringify(second?.href)}`);
      expect(await page.evaluate(`document.querySelector('dialog[open]')`)).toBeNull();
      await page.press('/', 'Slash');
      await page.waitFor(`document.querySelector('dialog[open]')`);
      await page.press('Escape');
      await page.waitFor(`!document.querySelector('dialog[open]')`);
    });

    test('opens the first result with Enter in the field, at its place on the page', async () => {
      const page = await opened('/docs/');
      const [first] = await hitsOf(page, 'token_id');
      await page.press('Enter');
      const section = `document.getElementById('${first?.href.split('#')[1]}')`;
      await page.waitFor(`location.hash === '#${first?.href.split('#')[1]}'`);
      await page.waitFor(`${section}.getBoundingClientRect().top < innerHeight / 3`);
      await page.waitFor(`document.querySelector('a[aria-current=location]')?.hash === location.hash`);
    });

    test('receives the key that follows the one that opens it', async () => {
      const page = await opened('/docs/');
      // In one task, without an animation frame between the two keys.
      const had = await page.evaluate<boolean>(`(() => {
        document.querySelector('.search-dialog').close();
        dispatchEvent(new KeyboardEvent('keydown', { key: '/' }));
        return document.activeElement.type === 'search';
      })()`);
      expect(had).toBe(true);
    });

    test('loads its index only when it is opened, from its own host', async () => {
      const page = await at().browser.page(wide, true);
      await page.goto(`${at().base}/docs/webhooks/`);
      await page.waitFor(`document.querySelector('.guide h2')`);
      expect(page.requests.filter((url) => url.includes('search_index'))).toEqual([]);
      await page.evaluate(`document.querySelector('.search-button').click()`);
      await hitsOf(page, 'signature');
      expect(page.requests.filter((url) => url.includes('search_index'))).toHaveLength(1);
      expect(page.requests.filter((url) => !url.startsWith(`${at().base}/`))).toEqual([]);
    });

    test.each([
      [390, false],
      [390, true],
      [2560, true],
    ])('fits a width of %i and passes axe, dark: %s', async (width, dark) => {
      const page = await opened('/docs/webhooks/', { width, height: 900, dark });
      expect((await hitsOf(page, 'limit')).length).toBeGreaterThan(5);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const box = await page.evaluate<{ left: number; right: number; bottom: number }>(
        `document.querySelector('dialog').getBoundingClientRect().toJSON()`,
      );
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect([box.right <= width, box.bottom <= 900]).toEqual([true, true]);
      expect(await axeViolations(page, 'dialog')).toEqual([]);
    });
  });
