import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningStack } from '../support/stack.ts';
import { layoutShifts } from './support/layout_shift.ts';
import {
  describeInChromium,
  newPage,
  openPage,
  picture,
  press,
  type WatchedPage,
  waitForCount,
  waitForPath,
  waitForText,
} from './support/page.ts';
import { signIn, signUp } from './support/sign_up.ts';

const viewport = { width: 1280, height: 860 };
const email = 'ada@example.com';
const password = 'correct horse battery';
const newPassword = 'another horse battery';

/**
 * The steps of a new customer on the real stack: sign up, create a key, call the API, rotate the
 * key and revoke it. `at` returns the running stack.
 */
export const keysSuite = (at: () => RunningStack) =>
  describeInChromium('the Keys page on the real stack', () => {
    let stack: RunningStack;
    let site: string;
    let page: WatchedPage;
    let first: string;
    let second: string;

    beforeAll(async () => {
      stack = at();
      site = new URL(stack.baseUrl).origin;
      page = await newPage(viewport);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    });
    afterAll(() => page?.context().close());

    const status = async (key: string): Promise<number> => {
      const answer = await fetch(`${stack.baseUrl}/v2/markets?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const take = (name: string) => picture(page, `keys-${name}`);
    const shownCommands = () => page.locator('dialog .copyable code').allTextContents();

    test('a visitor is sent to the sign-in page, creates an account and returns to the requested page', async () => {
      await page.goto(`${site}/keys`);
      await waitForPath(page, '/sign-in');
      await take('1-sign-in');
      await signUp(page, email, password);
      await waitForPath(page, '/keys');
      await waitForText(page, 'No keys yet');
      await waitForText(page, 'Simulated venues');
      await take('2-none');
    });

    test('a key is created without typing, shown once, copied, and its curl command works as pasted', async () => {
      await press(page, 'Create key');
      await page.locator('[name=name]:focus').waitFor();
      await page.keyboard.press('Enter');
      await waitForText(page, 'you will not see it again');
      await take('3-minted');
      const [key = '', curl = ''] = await shownCommands();
      first = key;
      expect(first).toMatch(/^sk_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
      await page.locator('dialog .copyable button').first().click();
      await page.locator('dialog .copyable button', { hasText: /^\s*Copied/ }).waitFor();
      expect(await page.evaluate(`navigator.clipboard.readText()`)).toBe(first);
      const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
      expect(JSON.parse(stdout)).toHaveProperty('markets');
      // Escape must not close the dialog, because the key is shown once.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      expect(await shownCommands()).toHaveLength(2);
      await press(page, 'I have saved it');
      expect(await page.content()).not.toContain(first);
      await waitForText(page, first.slice(0, 16));
      await take('4-listed');
    });

    test('requests with the key are counted on the Usage page', async () => {
      expect(await status(first)).toBe(200);
      await press(page, 'Usage');
      await waitForPath(page, '/usage');
      await page.waitForFunction(() => Number(document.querySelectorAll('.figures strong')[1]?.textContent) >= 2);
      await take('5-usage');
      await press(page, 'Keys');
      await waitForPath(page, '/keys');
    });

    test('after a rotation the new key works and the old one keeps working for the overlap', async () => {
      await press(page, 'Rotate Key 1');
      await press(page, '1 h');
      await take('6-rotate');
      await press(page, 'Create new key');
      await waitForText(page, 'The old key works for 1 more hour');
      second = (await shownCommands())[0] ?? '';
      expect([await status(first), await status(second)]).toEqual([200, 200]);
      await press(page, 'I have saved it');
      await waitForText(page, 'Expiring');
    });

    test('a key is renamed in the list', async () => {
      await press(page, 'Rename Key 1');
      await page.getByLabel('Key name').fill('research');
      await page.keyboard.press('Enter');
      await waitForText(page, 'research');
    });

    test('a request with a revoked key fails with 401', async () => {
      await waitForCount(page, '.key-row .key-actions .danger', 2);
      for (const prefix of [first, second].map((key) => key.slice(0, 16))) {
        await page.locator('.key-row', { hasText: prefix }).locator('.danger').click();
        await page.locator('dialog', { hasText: prefix }).waitFor();
        await take('7-revoke');
        await page.locator('dialog footer .danger').click();
        await page.locator('dialog').first().waitFor({ state: 'detached' });
      }
      expect([await status(first), await status(second)]).toEqual([401, 401]);
      await waitForText(page, 'No active keys');
      await take('8-revoked');
    });

    test('an invited member sees the keys, can change none, and loses access when removed', async () => {
      await press(page, 'Team');
      await press(page, 'Invite member');
      await press(page, 'Create code');
      await waitForText(page, 'You will not see it again');
      const [code = ''] = await shownCommands();
      await press(page, 'I have copied it');

      const other = await openPage(viewport);
      await other.goto(`${site}/team?join`);
      await waitForPath(other, '/sign-in');
      await signUp(other, 'charles@example.com', password);
      await waitForPath(other, '/team');
      await other.getByLabel('Invitation code').fill(code);
      await press(other, 'Join');
      await waitForText(other, 'Who has access to ada');
      await press(other, 'Keys');
      await waitForText(other, first.slice(0, 16));
      expect(await other.locator('main').innerText()).not.toMatch(/Create key|Rotate|Revoke /);

      await press(page, 'Status');
      await press(page, 'Team');
      await press(page, 'Remove charles@example.com');
      await page.locator('dialog footer .danger').click();
      await waitForText(page, 'Removed charles@example.com.');
      await waitForText(other, 'Keys call the API for charles');
      expect(await other.locator('body').innerText()).not.toContain(first.slice(0, 16));
      await press(page, 'Keys');
      await waitForPath(page, '/keys');
    });

    test('the keys of a deleted organization stop working', async () => {
      await press(page, 'Create key');
      await page.locator('[name=name]:focus').waitFor();
      await page.keyboard.press('Enter');
      await waitForText(page, 'you will not see it again');
      const [key = ''] = await shownCommands();
      await press(page, 'I have saved it');
      expect(await status(key)).toBe(200);
      await press(page, 'Organization');
      await waitForPath(page, '/organization');
      await press(page, 'Delete organization…');
      await page.locator('dialog footer .danger:disabled').waitFor();
      await page.getByLabel('Type ada to confirm').fill('ada');
      await take('9-delete');
      await press(page, 'Delete permanently');
      await waitForText(page, 'Deleted ada.');
      expect(await status(key)).toBe(401);
    });

    test('a password is changed with the current one, and ends the session of another device', async () => {
      const other = await openPage(viewport);
      const enter = async (secret: string) => {
        await other.goto(`${site}/sign-in?next=/account`);
        await signIn(other, email, secret);
        await waitForPath(other, '/account');
      };
      await enter(password);
      await waitForText(other, 'this session');
      // Only Supabase Auth itself knows second factors.
      const [factors] = await stack.sql`select to_regclass('auth.mfa_factors') is not null as known`;
      expect((await other.locator('body').innerText()).includes('Two-step')).toBe(factors?.known);
      await press(page, `Account: ${email}`);
      await press(page, 'Your account');
      await waitForCount(page, '.person', 2);
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password').fill(newPassword);
      await press(page, 'Change password');
      await waitForText(page, 'Your password is changed');
      await waitForCount(page, '.person', 1);
      await take('11-account');
      // The other session has ended. The page finds no usage, reads the organizations again, and is
      // refused.
      await press(other, 'Keys');
      await waitForPath(other, '/sign-in');
      await enter(newPassword);
      // The message about the password may cover the link in the text of the page.
      await page.locator('nav a[href="/keys"]').click();
      await waitForPath(page, '/keys');
    });

    test('a deleted account is gone with its organization, and its address can sign up again', async () => {
      const other = await openPage(viewport);
      const address = 'charles@example.com';
      await other.goto(`${site}/sign-in?next=/account`);
      await signIn(other, address, password);
      await waitForPath(other, '/account');
      await press(other, 'Delete account…');
      await other.getByLabel(`Type ${address} to confirm`).fill(address);
      await other.locator('dialog [name=password]').fill(password);
      await press(other, 'Delete permanently');
      await waitForText(other, 'Your account is deleted.');
      await signUp(other, address, password);
      await waitForPath(other, '/account');
      await press(other, 'Keys');
      await waitForText(other, 'No keys yet');
    });

    test('these steps cause no error, no request to another host and no layout shift', async () => {
      expect(page.errors).toEqual([]);
      expect(page.requested.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([]);
      const shifts = await layoutShifts(page);
      expect(shifts.largest, shifts.parts.join('; ')).toBeLessThan(0.1);
    });

    test('a deleted user is sent to the sign-in page with the reason', async () => {
      await page.goto(`${site}/usage`);
      await page.locator('.figures').first().waitFor();
      await stack.sql`delete from auth.users where email = ${email}`;
      await waitForPath(page, '/sign-in');
      await waitForText(page, 'Your session has expired');
      expect(new URL(page.url()).searchParams.get('next')).toBe('/usage');
      await take('10-ended');
    });
  });
