import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { axeViolations } from './support/axe.ts';
import { openPage, type Viewport, type WatchedPage, waitForTop } from './support/page.ts';

const wide: Viewport = { width: 1440, height: 900 };
type Hit = { title: string; where: string; kind: string; href: string };

/** The search over guides and reference, from a page of the documentation. */
export const searchSuite = (base: () => string) =>
  describe('the search of the documentation', () => {
    const opened = async (path: string, viewport = wide): Promise<WatchedPage> => {
      const page = await openPage(viewport);
      await page.goto(base() + path);
      await page.locator('.endpoint, .guide h2').first().waitFor();
      // A key pressed before the page listens has no effect, so it is pressed again.
      await waitUntil(
        async () => {
          await page.keyboard.press('/');
          return page.locator('[type=search]:focus').isVisible();
        },
        { what: 'the key opens the search', timeoutMs: 120_000, everyMs: 100 },
      );
      return page;
    };
    const hitsOf = async (page: WatchedPage, query: string): Promise<Hit[]> => {
      await page.locator('.search-dialog input').fill(query);
      await page.locator('.found', { hasText: `for “${query}”` }).waitFor();
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
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowDown');
      await page.locator(`a:focus[href="${second?.href}"]`).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(base() + second?.href);
      expect(await page.locator('dialog[open]').count()).toBe(0);
      await page.keyboard.press('/');
      await page.locator('dialog[open]').first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').first().waitFor({ state: 'detached' });
    });

    test('opens the first result with Enter in the field, at its place on the page', async () => {
      const page = await opened('/docs/');
      const [first] = await hitsOf(page, 'token_id');
      await page.keyboard.press('Enter');
      const hash = `#${first?.href.split('#')[1]}`;
      await page.waitForURL((url) => url.hash === hash);
      await waitForTop(page, hash, 0, 300);
      await page.locator(`a[aria-current=location][href$="${hash}"]`).first().waitFor();
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
      const page = await openPage(wide);
      await page.goto(`${base()}/docs/webhooks/`);
      await page.locator('.guide h2').first().waitFor();
      expect(page.requested.filter((url) => url.includes('search_index'))).toEqual([]);
      await page.locator('.search-button').first().click();
      await hitsOf(page, 'signature');
      expect(page.requested.filter((url) => url.includes('search_index'))).toHaveLength(1);
      expect(page.requested.filter((url) => !url.startsWith(`${base()}/`))).toEqual([]);
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
