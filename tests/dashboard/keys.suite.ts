import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { RunningStack } from '../support/stack.ts';
import { Browser, findChromium, type Page } from './support/chromium.ts';
import { recordLayoutShifts } from './support/layout_shift.ts';
import { PageUser } from './support/page_user.ts';

const program = findChromium();

const pictures = join(repository, 'test-results');
const email = 'ada@example.com';
const password = 'correct horse battery';
const newPassword = 'another horse battery';

/**
 * The steps of a new customer on the real stack: sign up, create a key, call the API, rotate the
 * key and revoke it. `at` returns the running stack.
 */
export const keysSuite = (at: () => RunningStack) =>
  describe.skipIf(!program)('the Keys page on the real stack', () => {
    let browser: Browser;
    let stack: RunningStack;
    let site: string;
    let page: Page;
    let person: PageUser;
    let first: string;
    let second: string;

    beforeAll(async () => {
      mkdirSync(pictures, { recursive: true });
      stack = at();
      site = new URL(stack.baseUrl).origin;
      browser = new Browser(program ?? '');
      page = await browser.page({ width: 1280, height: 860 });
      await page.addScript(recordLayoutShifts);
      await page.allowClipboard();
      person = new PageUser(page);
    }, 150_000);
    afterAll(() => browser?.close());

    const status = async (key: string): Promise<number> => {
      const answer = await fetch(`${stack.baseUrl}/v2/markets?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const picture = (name: string) => page.screenshot(join(pictures, `keys-${name}.png`));
    const shownCommands = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('dialog .copyable code')].map((one) => one.textContent)`);

    test('a visitor is sent to the sign-in page, creates an account and returns to the requested page', async () => {
      await page.goto(`${site}/keys`);
      await person.waitForPath('/sign-in');
      await picture('1-sign-in');
      await person.press('New account');
      await person.fill('E-mail', email);
      await person.fill('Password', password);
      await person.press('Create account');
      await person.waitForPath('/keys');
      await person.waitForText('No keys yet');
      await person.waitForText('Simulated venues');
      await picture('2-none');
    });

    test('a key is created without typing, shown once, copied, and its curl command works as pasted', async () => {
      await person.press('Create key');
      await page.waitFor(`document.activeElement?.name === 'name'`);
      await page.press('Enter');
      await person.waitForText('you will not see it again');
      await picture('3-minted');
      const [key = '', curl = ''] = await shownCommands();
      first = key;
      expect(first).toMatch(/^sk_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
      await person.click(`document.querySelector('dialog .copyable button')`);
      await page.waitFor(`document.querySelector('dialog .copyable button').innerText.startsWith('Copied')`);
      expect(await page.evaluate(`navigator.clipboard.readText()`)).toBe(first);
      const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
      expect(JSON.parse(stdout)).toHaveProperty('markets');
      // Escape must not close the dialog, because the key is shown once.
      await page.press('Escape');
      await page.press('Escape');
      expect(await shownCommands()).toHaveLength(2);
      await person.press('I have saved it');
      expect(await page.evaluate(`document.documentElement.outerHTML.includes(${JSON.stringify(first)})`)).toBe(false);
      await person.waitForText(first.slice(0, 16));
      await picture('4-listed');
    });

    test('requests with the key are counted on the Usage page', async () => {
      expect(await status(first)).toBe(200);
      await person.press('Usage');
      await person.waitForPath('/usage');
      await page.waitFor(`Number(document.querySelectorAll('.figures strong')[1]?.innerText) >= 2`);
      await picture('5-usage');
      await person.press('Keys');
      await person.waitForPath('/keys');
    });

    test('after a rotation the new key works and the old one keeps working for the overlap', async () => {
      await person.press('Rotate Key 1');
      await person.press('1 h');
      await picture('6-rotate');
      await person.press('Create new key');
      await person.waitForText('The old key works for 1 more hour');
      second = (await shownCommands())[0] ?? '';
      expect([await status(first), await status(second)]).toEqual([200, 200]);
      await person.press('I have saved it');
      await person.waitForText('Expiring');
    });

    test('a key is renamed in the list', async () => {
      await person.press('Rename Key 1');
      await person.fill('Key name', 'research');
      await page.press('Enter');
      await person.waitForText('research');
    });

    test('a request with a revoked key fails with 401', async () => {
      await page.waitFor(`document.querySelectorAll('.key-row .key-actions .danger').length === 2`);
      for (const prefix of [first, second].map((key) => key.slice(0, 16))) {
        await person.click(
          `[...document.querySelectorAll('.key-row')].find((row) => row.innerText.includes('${prefix}')).querySelector('.danger')`,
        );
        await page.waitFor(`document.querySelector('dialog')?.innerText.includes('${prefix}')`);
        await picture('7-revoke');
        await person.click(`document.querySelector('dialog footer .danger')`);
        await page.waitFor(`!document.querySelector('dialog')`);
      }
      expect([await status(first), await status(second)]).toEqual([401, 401]);
      await person.waitForText('No active keys');
      await picture('8-revoked');
    });

    test('an invited member sees the keys, can change none, and loses access when removed', async () => {
      await person.press('Team');
      await person.press('Invite member');
      await person.press('Create code');
      await person.waitForText('You will not see it again');
      const [code = ''] = await shownCommands();
      await person.press('I have copied it');

      const other = new PageUser(await browser.page({ width: 1280, height: 860 }, true));
      await other.page.goto(`${site}/team?join`);
      await other.waitForPath('/sign-in');
      await other.press('New account');
      await other.fill('E-mail', 'charles@example.com');
      await other.fill('Password', password);
      await other.press('Create account');
      await other.waitForPath('/team');
      await other.fill('Invitation code', code);
      await other.press('Join');
      await other.waitForText('Who has access to ada');
      await other.press('Keys');
      await other.waitForText(first.slice(0, 16));
      expect(
        await other.page.evaluate(`/Create key|Rotate|Revoke /.test(document.querySelector('main').innerText)`),
      ).toBe(false);

      await person.press('Status');
      await person.press('Team');
      await person.press('Remove charles@example.com');
      await person.click(`document.querySelector('dialog footer .danger')`);
      await person.waitForText('Removed charles@example.com.');
      await other.waitForText('Keys call the API for charles');
      expect(await other.page.evaluate(`document.body.innerText.includes('${first.slice(0, 16)}')`)).toBe(false);
      await person.press('Keys');
      await person.waitForPath('/keys');
    });

    test('the keys of a deleted organization stop working', async () => {
      await person.press('Create key');
      await page.waitFor(`document.activeElement?.name === 'name'`);
      await page.press('Enter');
      await person.waitForText('you will not see it again');
      const [key = ''] = await shownCommands();
      await person.press('I have saved it');
      expect(await status(key)).toBe(200);
      await person.press('Organization');
      await person.waitForPath('/organization');
      await person.press('Delete organization…');
      await page.waitFor(`document.querySelector('dialog footer .danger').disabled`);
      await person.fill('Type ada to confirm', 'ada');
      await picture('9-delete');
      await person.press('Delete permanently');
      await person.waitForText('Deleted ada.');
      expect(await status(key)).toBe(401);
    });

    test('a password is changed with the current one, and ends the session of another device', async () => {
      const other = new PageUser(await browser.page({ width: 1280, height: 860 }, true));
      const signIn = async (secret: string) => {
        await other.page.goto(`${site}/sign-in?next=/account`);
        await other.fill('E-mail', email);
        await other.fill('Password', secret);
        await other.page.press('Enter');
        await other.waitForPath('/account');
      };
      await signIn(password);
      await other.waitForText('this session');
      // Only Supabase Auth itself knows second factors.
      const [factors] = await stack.sql`select to_regclass('auth.mfa_factors') is not null as known`;
      expect(await other.page.evaluate(`document.body.innerText.includes('Two-step')`)).toBe(factors?.known);
      await person.press(`Account: ${email}`);
      await person.press('Your account');
      await page.waitFor(`document.querySelectorAll('.person').length === 2`);
      await person.fill('Current password', password);
      await person.fill('New password', newPassword);
      await person.press('Change password');
      await person.waitForText('Your password is changed');
      await page.waitFor(`document.querySelectorAll('.person').length === 1`);
      await picture('11-account');
      // The other session has ended. The page finds no usage, reads the organizations again, and is
      // refused.
      await other.press('Keys');
      await other.waitForPath('/sign-in');
      await signIn(newPassword);
      // The message about the password may cover the link in the text of the page.
      await person.click(`document.querySelector('nav a[href="/keys"]')`);
      await person.waitForPath('/keys');
    });

    test('a deleted account is gone with its organization, and its address can sign up again', async () => {
      const other = new PageUser(await browser.page({ width: 1280, height: 860 }, true));
      const address = 'charles@example.com';
      await other.page.goto(`${site}/sign-in?next=/account`);
      await other.fill('E-mail', address);
      await other.fill('Password', password);
      await other.page.press('Enter');
      await other.waitForPath('/account');
      await other.press('Delete account…');
      await other.fill(`Type ${address} to confirm`, address);
      await other.fill('Password', password);
      await other.press('Delete permanently');
      await other.waitForText('Your account is deleted.');
      await other.press('New account');
      await other.fill('E-mail', address);
      await other.fill('Password', password);
      await other.press('Create account');
      await other.waitForPath('/account');
      await other.press('Keys');
      await other.waitForText('No keys yet');
    });

    test('these steps cause no error, no request to another host and no layout shift', async () => {
      expect(page.errors).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([]);
      expect([await page.evaluate('window.shifts < 0.1'), await page.evaluate('window.shifted')]).toEqual([
        true,
        expect.anything(),
      ]);
    });

    test('a deleted user is sent to the sign-in page with the reason', async () => {
      await page.goto(`${site}/usage`);
      await page.waitFor(`document.querySelector('.figures')`);
      await stack.sql`delete from auth.users where email = ${email}`;
      await person.waitForPath('/sign-in');
      await person.waitForText('Your session has expired');
      expect(await page.evaluate(`new URLSearchParams(location.search).get('next')`)).toBe('/usage');
      await picture('10-ended');
    });
  });
