import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountSite } from './support/account_site.ts';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { picture, press, resize, waitForText } from './support/page.ts';
import { defaultAnswers, org, StubError, user } from './support/stub_api.ts';

const places = [
  ['/keys', '.key-row .key-actions button'],
  ['/usage', '.key-days tbody td'],
  ['/team', '.people .person + .person'],
  ['/organization', '.audit tbody tr'],
  ['/status', '.feed .is-stale'],
  ['/account', '.person .chip'],
  ['/reset-password', 'input[name=email]'],
] as const;

/** Every account page and its dialogs: width, layout shift and accessibility. */
export const accountLayoutSuite = (scope: Scope, at: () => AccountSite) =>
  describe('the layout of the account pages', () => {
    let site: AccountSite;
    beforeEach(() => {
      site = at();
      site.api.answers = defaultAnswers();
    });

    const passes = passesOf(scope, {
      wide: { width: 1440, height: 900 },
      narrow: { width: 360, height: 740 },
      others: [{ width: 3840, height: 2160 }],
    });

    test.each(passes)('%s: every account page fits its width, does not shift and passes axe', async (name, lookAt) => {
      const page = await site.signedIn(lookAt().opened, '/keys');
      for (const [place, [path, sign]] of places.entries()) {
        const look = lookAt(place);
        await resize(page, look.opened);
        await page.goto(site.base + path);
        await page.locator(sign).first().waitFor();
        expect(await faultsOf(page, look), path).toEqual({});
        await picture(page, `account${path.replace('/', '-')}-${name}`);
      }
      expect(page.errors).toEqual([]);
      expect(page.requested.filter((url) => !url.startsWith(`${site.base}/`))).toEqual([]);
    });

    test.each(passes)('%s: the sign-in page fits its width, does not shift and passes axe', async (name, lookAt) => {
      const look = lookAt(0);
      const page = await site.open(look.opened, '/sign-in?why=expired&next=%2Fusage');
      await waitForText(page, 'Your session has expired');
      expect(await faultsOf(page, look, { shift: 0.1 })).toEqual({});
      await picture(page, `account-sign-in-${name}`);
    });

    test.each(passes)('%s: the dialog of a new key passes axe and has the focus', async (name, lookAt) => {
      const look = lookAt(0);
      site.api.answers.mint_key = {
        key_id: org,
        prefix: 'sk_live_AbCdEfGh',
        key: `sk_live_AbCdEfGh_${'x7'.repeat(19)}`,
      };
      const page = await site.signedIn(look.opened, '/keys');
      await press(page, 'Create key');
      await page.locator('[name=name]:focus').waitFor();
      await page.locator('dialog select').selectOption('90');
      await waitForText(page, 'It stops working');
      expect(await faultsOf(page, look, { shift: 0.1 })).toEqual({});
      await picture(page, `account-new-key-${name}`);
      await page.locator('[name=name]').press('Enter');
      await waitForText(page, 'you will not see it again');
      expect(await faultsOf(page, look, { shift: 0.1 })).toEqual({});
      await page.locator('dialog :focus').waitFor();
      await picture(page, `account-minted-${name}`);
    });

    test.each(passes)('%s: the dialogs of the account page and the second step pass axe', async (name, lookAt) => {
      const look = lookAt(1);
      const page = await site.signedIn(look.opened, '/account');
      const check = async (what: string) => {
        expect(await faultsOf(page, look, { shift: 0.1 }), what).toEqual({});
        await picture(page, `account-${what}-${name}`);
      };
      await press(page, 'Add authenticator app');
      await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.qr')?.naturalWidth ?? 0) > 0);
      await check('enroll');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await press(page, 'Delete account…');
      await waitForText(page, 'These organizations are deleted');
      await check('delete');
      await page.keyboard.press('Escape');
      site.api.answers.my_organizations = [];
      site.api.answers.start_session = new StubError(403, 'session.second_factor', 'Enter the code first.');
      await page.goto(`${site.base}/keys`);
      await waitForText(page, 'Enter your code');
      await check('second-step');
    });

    test.each(passes)('%s: the organization and account menus pass axe', async (name, lookAt) => {
      const look = lookAt(1);
      const page = await site.signedIn(look.opened, '/keys');
      await page.locator('.rows .key-row').first().waitFor();
      if (look.opened.width < 860) await press(page, 'Menu');
      await press(page, /^Organization: Analytical Engines/);
      expect(await faultsOf(page, look, { shift: 0.1 })).toEqual({});
      await picture(page, `account-switcher-${name}`);
      await page.keyboard.press('Escape');
      await page.locator('.panel').waitFor({ state: 'detached' });
      await page.locator('.switch:focus').waitFor();
      await press(page, `Account: ${user.email}`);
      await page.locator('.theme-choice').waitFor();
      expect(await faultsOf(page, look, { shift: 0.1 })).toEqual({});
      await picture(page, `account-menu-${name}`);
    });
  });
