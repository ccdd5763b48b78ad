import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Command, matching, movedBy } from '../../dashboard/src/palette/palette.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { describeInChromium, picture, press, type WatchedPage, waitForPath, waitForText } from './support/page.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

test('each typed word begins a word of a command, and titles that begin with the text are first', () => {
  const command = (title: string, words = ''): Command => ({
    ...{ id: title, kind: 'Page', icon: 'keys', title, words, run: () => {} },
  });
  const commands = [command('New key', 'create API'), command('Keys'), command('Track record'), command('Record')];
  const found = (text: string) => matching(commands, text).map((one) => one.title);
  expect(found('')).toHaveLength(4);
  expect(found('key')).toEqual(['Keys', 'New key']);
  expect(found('rec tr')).toEqual(['Track record']);
  expect(found('api create')).toEqual(['New key']);
  expect(found('eys')).toEqual([]);
});

test('the arrow keys move in a circle', () => {
  expect([
    movedBy('ArrowDown', 2, 3),
    movedBy('ArrowUp', 0, 3),
    movedBy('ArrowDown', 0, 0),
    movedBy('a', 1, 3),
  ]).toEqual([...[0, 2], ...[undefined, undefined]]);
});

describeInChromium('the command palette', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  }, 60_000);
  afterAll(() => site?.close());
  beforeEach(() => {
    site.api.answers = {
      ...defaultAnswers(),
      search_markets: ({ p_q }) => [
        { id: 'mkt_1', title: `Found by ${String(p_q)} <i>`, status: 'open', competition: 'NBA', category: 'sports' },
      ],
    };
  });

  const openPalette = async (page: WatchedPage) => {
    await page.keyboard.press('Control+k');
    await page.locator('dialog.palette[open]').waitFor();
  };
  const chosen = (page: WatchedPage, text: string) => page.locator('[aria-selected=true]', { hasText: text });
  const closed = (page: WatchedPage) => page.locator('dialog').waitFor({ state: 'detached' });

  test.each([
    ['390', { width: 390, height: 800 }],
    ['1440-dark', { width: 1440, height: 900, dark: true }],
    ['2560', { width: 2560, height: 1300 }],
  ])('opens by keyboard, keeps the focus and passes axe at %s', async (name, viewport) => {
    const page = await site.signedIn(viewport, '/usage');
    await openPalette(page);
    await page.keyboard.insertText('tea');
    await waitForText(page, 'Found by tea <i>');
    expect(await page.locator('[aria-selected=true] .palette-title').innerText()).toBe('Team');
    for (let times = 0; times < 4; times += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement.closest('dialog.palette') !== null || document.activeElement === document.body`,
        ),
      ).toBe(true);
    }
    await picture(page, `palette-${name}`);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await closed(page);
    expect(page.errors).toEqual([]);
  });

  test('opens a page, a market and the form of a new key with the keyboard alone', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    await openPalette(page);
    await page.keyboard.insertText('team');
    await waitForText(page, 'Found by team');
    await page.keyboard.press('ArrowDown');
    await chosen(page, 'Found by').waitFor();
    await page.keyboard.press('ArrowUp');
    await chosen(page, 'Team').waitFor();
    await page.keyboard.press('Enter');
    await waitForPath(page, '/team');
    await page.locator('main h1:focus').waitFor();
    await openPalette(page);
    await page.keyboard.insertText('new key');
    await page.keyboard.press('Enter');
    await page.locator('dialog [name=name]:focus').waitFor();
    expect(await page.evaluate('location.pathname + location.search')).toBe('/keys');
    await page.keyboard.press('Escape');
    await closed(page);
    await openPalette(page);
    await page.keyboard.insertText('sign out');
    await page.keyboard.press('Enter');
    await waitForPath(page, '/sign-in');
  });

  test('a failed search names its reason and keeps pages and actions', async () => {
    site.api.answers.search_markets = new StubError(429, 'rate.window', 'The window of 600 requests is full.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    await press(page, /^Search/);
    await page.locator('dialog.palette[open]').waitFor();
    await page.keyboard.insertText('dark');
    await waitForText(page, 'The window of 600 requests is full.');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      `document.documentElement.dataset.theme === 'dark' && !document.querySelector('dialog')`,
    );
  });
});
