import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Command, matching, movedBy } from '../../dashboard/src/palette/palette.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium, type Page } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/palette.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');

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

describe.skipIf(!program)('the command palette', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
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

  const openPalette = async (page: Page) => {
    await page.evaluate(
      `dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))`,
    );
    await page.waitFor(`document.querySelector('dialog.palette[open]')`);
  };
  const chosen = (page: Page) =>
    page.evaluate(`document.querySelector('[aria-selected=true] .palette-title').innerText`);

  test.each([
    ['390', { width: 390, height: 800 }],
    ['1440-dark', { width: 1440, height: 900, dark: true }],
    ['2560', { width: 2560, height: 1300 }],
  ])('opens by keyboard, keeps the focus and passes axe at %s', async (name, viewport) => {
    const page = await site.signedIn(viewport, '/usage');
    const person = new PageUser(page);
    await openPalette(page);
    await page.type('tea');
    await person.waitForText('Found by tea <i>');
    expect(await chosen(page)).toBe('Team');
    for (let times = 0; times < 4; times += 1) {
      await page.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement.closest('dialog.palette') !== null || document.activeElement === document.body`,
        ),
      ).toBe(true);
    }
    await page.screenshot(join(pictures, `palette-${name}.png`));
    expect(await axeViolations(page)).toEqual([]);
    await page.press('Escape');
    await page.waitFor(`!document.querySelector('dialog')`);
    expect(page.errors).toEqual([]);
  });

  test('opens a page, a market and the form of a new key with the keyboard alone', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    const person = new PageUser(page);
    await openPalette(page);
    await page.type('team');
    await person.waitForText('Found by team');
    await page.press('ArrowDown');
    await page.waitFor(`document.querySelector('[aria-selected=true]').innerText.includes('Found by')`);
    await page.press('ArrowUp');
    await page.waitFor(`document.querySelector('[aria-selected=true] .palette-title').innerText === 'Team'`);
    await page.press('Enter');
    await person.waitForPath('/team');
    await page.waitFor(`document.activeElement === document.querySelector('main h1')`);
    await openPalette(page);
    await page.type('new key');
    await page.press('Enter');
    await page.waitFor(
      `document.querySelector('dialog h2')?.innerText === 'Create a key' || document.activeElement?.name === 'name'`,
    );
    expect(await page.evaluate('location.pathname + location.search')).toBe('/keys');
    await page.press('Escape');
    await page.waitFor(`!document.querySelector('dialog')`);
    await openPalette(page);
    await page.type('sign out');
    await page.press('Enter');
    await person.waitForPath('/sign-in');
  });

  test('a failed search names its reason and keeps pages and actions', async () => {
    site.api.answers.search_markets = new StubError(429, 'rate.window', 'The window of 600 requests is full.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    const person = new PageUser(page);
    await person.press('Search');
    await page.waitFor(`document.querySelector('dialog.palette[open]')`);
    await page.type('dark');
    await person.waitForText('The window of 600 requests is full.');
    await page.press('Enter');
    await page.waitFor(`document.documentElement.dataset.theme === 'dark' && !document.querySelector('dialog')`);
  });
});
