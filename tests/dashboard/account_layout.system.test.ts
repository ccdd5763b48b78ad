import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { pause } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite, viewports } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { defaultAnswers, org, StubError, user } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log(
    'tests/dashboard/account_layout.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.',
  );

const pictures = join(repository, 'test-results');
const places = [
  ['/keys', '.key-row .key-actions button'],
  ['/usage', '.key-days tbody td'],
  ['/team', '.people .person + .person'],
  ['/organization', '.audit tbody tr'],
  ['/status', '.feed .is-stale'],
  ['/account', '.person .chip'],
  ['/reset-password', 'input[name=email]'],
] as const;

/**
 * Every account page in five viewports: screenshots in test-results/, width, layout shift and
 * accessibility.
 */
describe.skipIf(!program)('the layout of the account pages', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
  });
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = defaultAnswers();
  });

  test.each(viewports)(
    '%s: every account page fits its width, does not shift and passes axe',
    async (name, viewport) => {
      const page = await site.signedIn(viewport, '/keys');
      const wrong: Record<string, unknown> = {};
      for (const [path, sign] of places) {
        await page.goto(site.base + path);
        await page.waitFor(`document.querySelector(${JSON.stringify(sign)})`);
        // Layout shifts happen soon after the page has loaded.
        await pause(400);
        const [width, shifts] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.shifts]',
        );
        const violations = await axeViolations(page);
        if (width !== viewport.width || shifts > 0.02 || violations.length > 0) {
          wrong[path] = { width, shifts, violations, shifted: await page.evaluate('window.shifted') };
        }
        await page.screenshot(join(pictures, `account${path.replace('/', '-')}-${name}.png`));
      }
      expect(wrong).toEqual({});
      expect(page.errors).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(site.base) && !url.startsWith('data:'))).toEqual([]);
    },
  );

  test.each(viewports)('%s: the sign-in page fits its width, does not shift and passes axe', async (name, viewport) => {
    const page = await site.open(viewport, '/sign-in?why=expired&next=%2Fusage');
    await new PageUser(page).waitForText('Your session has expired');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await page.evaluate('window.shifts')).toBeLessThan(0.1);
    await page.screenshot(join(pictures, `account-sign-in-${name}.png`));
  });

  test.each(viewports.slice(0, 4))(
    '%s: the dialog of a new key passes axe and has the focus',
    async (name, viewport) => {
      site.api.answers.mint_key = {
        key_id: org,
        prefix: 'sk_live_AbCdEfGh',
        key: `sk_live_AbCdEfGh_${'x7'.repeat(19)}`,
      };
      const page = await site.signedIn(viewport, '/keys');
      const person = new PageUser(page);
      await person.press('Create key');
      await page.waitFor(`document.activeElement?.name === 'name'`);
      await page.evaluate(
        `(() => { const one = document.querySelector('dialog select'); one.value = '90'; one.dispatchEvent(new Event('change', { bubbles: true })); })()`,
      );
      await person.waitForText('It stops working');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      await page.screenshot(join(pictures, `account-new-key-${name}.png`));
      await page.press('Enter');
      await person.waitForText('you will not see it again');
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate(`document.querySelector('dialog').contains(document.activeElement)`)).toBe(true);
      await page.screenshot(join(pictures, `account-minted-${name}.png`));
    },
  );

  test.each(viewports.slice(0, 4))(
    '%s: the dialogs of the account page and the second step pass axe',
    async (name, viewport) => {
      const page = await site.signedIn(viewport, '/account');
      const person = new PageUser(page);
      const look = async (what: string) => {
        expect(await axeViolations(page), what).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), what).toBe(viewport.width);
        await page.screenshot(join(pictures, `account-${what}-${name}.png`));
      };
      await person.press('Add authenticator app');
      await page.waitFor(`document.querySelector('.qr')?.naturalWidth > 0`);
      await look('enroll');
      await page.press('Escape');
      await page.waitFor(`!document.querySelector('dialog')`);
      await person.press('Delete account…');
      await person.waitForText('These organizations are deleted');
      await look('delete');
      await page.press('Escape');
      site.api.answers.my_organizations = [];
      site.api.answers.start_session = new StubError(403, 'session.second_factor', 'Enter the code first.');
      await page.goto(`${site.base}/keys`);
      await person.waitForText('Enter your code');
      await look('second-step');
    },
  );

  test.each(viewports.slice(0, 4))('%s: the organization and account menus pass axe', async (name, viewport) => {
    const page = await site.signedIn(viewport, '/keys');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.rows .key-row')`);
    if (viewport.width < 860) await person.press('Menu');
    await person.press('Organization: Analytical Engines');
    await page.screenshot(join(pictures, `account-switcher-${name}.png`));
    expect(await axeViolations(page)).toEqual([]);
    await page.press('Escape');
    await page.waitFor(
      `document.querySelectorAll('.panel').length === 0 && document.activeElement.className === 'switch'`,
    );
    await person.press(`Account: ${user.email}`);
    await page.waitFor(`document.querySelector('.theme-choice')`);
    await page.screenshot(join(pictures, `account-menu-${name}.png`));
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
  });
});
