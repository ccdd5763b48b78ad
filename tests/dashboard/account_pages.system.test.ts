import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import {
  describeInChromium,
  installClock,
  press,
  runClockUntil,
  settle,
  textsOf,
  type WatchedPage,
  waitForPath,
  waitForText,
} from './support/page.ts';
import { CODE, defaultAnswers, keyRows, org, PASSWORD, StubError, user } from './support/stub_api.ts';

const factor = {
  id: org,
  status: 'verified',
  factor_type: 'totp',
  friendly_name: 'Authenticator app 1',
  created_at: '2026-11-20T05:14:50.370Z',
};

/** Adds an authenticator app on the account page. */
async function addFactor(page: WatchedPage): Promise<void> {
  await press(page, 'Add authenticator app');
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.qr')?.naturalWidth ?? 0) > 0);
  await page.getByLabel('Code of your authenticator app').fill('000000');
  await page.keyboard.press('Enter');
  await waitForText(page, 'The code is wrong or too old.');
  await page.getByLabel('Code of your authenticator app').fill(CODE);
  await page.keyboard.press('Enter');
  await waitForText(page, 'Two-step sign-in is on.');
  await page.locator('dialog').first().waitFor({ state: 'detached' });
}

/** How often the page reads the usage. */
const USAGE_EVERY_MS = 5_000;

/**
 * States of the account pages in Chromium, with a stub of the database. keys.suite.ts uses the real
 * stack.
 */
describeInChromium('the account pages', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  });
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = defaultAnswers();
    site.api.factors = [];
  });

  test('a list of 1,000 keys renders only visible rows, scrolls to the last and finds a key by name', async () => {
    site.api.answers.my_keys = keyRows(1000);
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const drawn = page.locator('.rows .key-row');
    await drawn.nth(10).waitFor();
    expect(await drawn.count()).toBeLessThan(60);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('858');
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.waitForFunction(
      () => Number(document.querySelector('[aria-rowindex="858"]')?.getBoundingClientRect().bottom) <= innerHeight,
    );
    expect(await drawn.count()).toBeLessThan(60);
    await page.getByLabel('Find a key by name or prefix').fill('report 41');
    await drawn.filter({ hasText: 'nightly report 41' }).first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.rows .key-row').length < 12);
  });

  test('a member sees keys and team but no action of an owner', async () => {
    const [mine] = defaultAnswers().my_organizations as { role: string }[];
    site.api.answers.my_organizations = [{ ...mine, role: 'member' }];
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.locator('.rows .key-row').first().waitFor();
    const actions = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main button')].map((one) => one.ariaLabel ?? one.innerText)`,
    );
    expect(actions.filter((action) => !/inactive$/.test(action))).toEqual([]);
    await press(page, 'Team');
    await page.locator('.person').first().waitFor();
    expect(await page.locator('main select').count()).toBe(0);
    expect(await textsOf(page, '.person button')).toEqual(['Leave']);
  });

  test('an organization without keys shows the next step; a failed query shows an error and a retry button', async () => {
    site.api.answers.my_keys = [];
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await waitForText(page, 'No keys yet');
    site.api.answers.my_keys = new StubError(500, 'XX000', 'internal words of a database');
    await page.goto(`${site.base}/keys`);
    await waitForText(page, 'The service failed.');
    expect(await page.locator('body').innerText()).not.toContain('internal words');
    site.api.answers.my_keys = keyRows(2);
    await press(page, 'Try again');
    await waitForText(page, '2 active keys');
  });

  test('the first steps are done by data, lead to their pages, and end for good when dismissed', async () => {
    const keys = keyRows(1) as { last_used_at: string | null }[];
    site.api.answers.my_keys = keys.map((key) => ({ ...key, last_used_at: null }));
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await waitForText(page, '1 of 4 done');
    const open = `[...document.querySelectorAll('.first-steps a')].map((one) => one.pathname)`;
    expect(await page.evaluate(open)).toEqual(['/docs/', '/webhooks', '/account']);
    site.api.answers.my_webhooks = [{ org_id: org, id: org, last_success_at: '2026-11-20T05:14:50Z' }];
    await page.goto(`${site.base}/keys`);
    await waitForText(page, '2 of 4 done');
    await press(page, 'Dismiss the first steps');
    await page.locator('.first-steps').first().waitFor({ state: 'detached' });
    await page.goto(`${site.base}/keys`);
    await waitForText(page, '1 active key');
    expect(await page.locator('.first-steps').count()).toBe(0);
  });

  test('an error of an RPC is shown with its message, and the form keeps its input', async () => {
    site.api.answers.accept_invitation = new StubError(404, 'invitation.not_found', 'There is no such invitation.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/team?join');
    await page.locator('[name=code]:focus').waitFor();
    await page.keyboard.insertText('x'.repeat(32));
    await page.keyboard.press('Enter');
    await waitForText(page, 'There is no such invitation.');
    expect(await page.locator('[name=code]').inputValue()).toBe('x'.repeat(32));
  });

  test('an offline page keeps its data, shows that it is offline, and reloads when it is online again', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.locator('.rows .key-row').first().waitFor();
    await page.context().setOffline(true);
    await waitForText(page, 'You are offline');
    expect(await page.locator('.rows .key-row').count()).toBeGreaterThan(0);
    site.api.answers.my_keys = keyRows(2);
    await page.context().setOffline(false);
    await waitForText(page, '2 active keys');
    await page.getByText('You are offline').first().waitFor({ state: 'hidden' });
  });

  test('hover and focus show a time exactly in UTC and in the zone of the browser, and Escape hides it', async () => {
    const at = '2026-11-20T05:14:50.370Z';
    site.api.answers.my_keys = (keyRows(1) as object[]).map((key) => ({ ...key, created_at: at, last_used_at: at }));
    const page = await site.signedIn({ width: 1280, height: 800, timezoneId: 'Asia/Kolkata' }, '/keys');
    const time = page.locator(`.key-row time[datetime="${at}"]`).first();
    await time.focus();
    await waitForText(page, '2026-11-20 05:14:50 UTC');
    await waitForText(page, '2026-11-20 10:44:50 GMT+5:30, your time');
    expect(await time.getAttribute('aria-describedby')).toBe('exact-time');
    await page.keyboard.press('Escape');
    await page.locator('.exact-time').first().waitFor({ state: 'detached' });
    await time.hover();
    await waitForText(page, '2026-11-20 10:44:50 GMT+5:30, your time');
    await page.locator('h1').hover();
    await page.locator('.exact-time').first().waitFor({ state: 'detached' });
  });

  test('data that could not be read again is marked as old, with its time, until it is current', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage', installClock);
    await page.locator('.figures').first().waitFor();
    site.api.answers.my_usage = new StubError(500, 'XX000', 'internal words');
    await runClockUntil(page, 'What follows is old: it was read');
    expect(await page.locator('.figures').first().innerText()).toContain('512');
    site.api.answers = defaultAnswers();
    await page.clock.runFor(USAGE_EVERY_MS);
    await page.locator('.old-data').first().waitFor({ state: 'detached' });
  });

  test('an expired session opens the sign-in page with the reason and returns to the page after it', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage', installClock);
    await page.locator('.figures').first().waitFor();
    site.api.answers.my_usage = new StubError(401, 'PGRST301', 'JWT expired');
    await runClockUntil(page, 'Your session has expired');
    await waitForPath(page, '/sign-in');
    site.api.answers = defaultAnswers();
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForPath(page, '/usage');
  });

  test('an address of another site after sign-in is replaced by the default page', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.goto(`${site.base}/sign-in?next=/.//evil.example/x`);
    await page.getByRole('heading', { name: /^(Keys|This page failed)$/ }).waitFor();
    expect([new URL(page.url()).pathname, await page.locator('main h1').innerText()]).toEqual(['/keys', 'Keys']);
    expect(page.errors).toEqual([]);
    expect(page.requested.filter((url) => url.includes('evil'))).toEqual([
      `${site.base}/sign-in?next=/.//evil.example/x`,
    ]);
  });

  test('a page of another origin cannot frame the dashboard', async () => {
    const framing = createServer((request, response) => {
      const what =
        request.url === '/' ? `<iframe src="${site.base}/keys"></iframe><iframe src="/inner"></iframe>` : 'inner';
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>another site</h1>${what}`);
    });
    await new Promise<void>((resolve) => framing.listen(0, '127.0.0.1', resolve));
    try {
      const page = await site.open({ width: 1280, height: 800 }, '/status');
      const port = (framing.address() as AddressInfo).port;
      page.requested.length = 0;
      await page.goto(`http://127.0.0.1:${port}/`);
      // The second frame loads, so the first one had its turn too.
      await page.frameLocator('iframe >> nth=1').getByText('another site').waitFor();
      await waitUntil(() => page.errors.length > 0, { what: 'the refusal of the frame' });
      expect(page.errors.join('; ')).toContain("frame-ancestors 'none'");
      expect(page.requested.filter((url) => url.startsWith(site.base))).toEqual([`${site.base}/keys`]);
    } finally {
      framing.closeAllConnections();
      framing.close();
    }
  });

  test('a removed member is switched to another of their organizations', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys', installClock);
    await page.locator('.figures').first().waitFor();
    const [, other] = defaultAnswers().my_organizations as object[];
    site.api.answers.my_organizations = [other as never];
    site.api.answers.my_usage = [];
    await runClockUntil(page, 'Keys call the API for Difference Club');
    // The missing usage row must not cause a loop of requests.
    const countRequests = () => page.requested.filter((url) => url.includes('my_organizations')).length;
    const before = countRequests();
    await page.clock.runFor(1000);
    await settle(page);
    expect(countRequests() - before).toBeLessThan(3);
  });

  test('the page shows that the database is unavailable, and loads when it is available again', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys', installClock);
    site.api.answers.my_organizations = new StubError(
      503,
      'PGRST002',
      'Could not query the database for the schema cache',
    );
    await page.goto(`${site.base}/keys`);
    await runClockUntil(page, 'retries every few seconds');
    expect(new URL(page.url()).pathname).toBe('/keys');
    site.api.answers = defaultAnswers();
    await runClockUntil(page, /active keys/);
    await page.locator('.rows .key-row').first().waitFor();
  });

  test('signing out shows a message, and going back in history shows no data', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, 'Usage');
    await waitForPath(page, '/usage');
    await press(page, `Account: ${user.email}`);
    await press(page, 'Sign out on all devices');
    await waitForPath(page, '/sign-in');
    await waitForText(page, 'You are signed out');
    await page.evaluate('history.back()');
    await page.waitForURL((url) => url.search.includes('next=%2Fkeys'));
    await waitForPath(page, '/sign-in');
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('sb-'))`)).toEqual([]);
  });

  test('a wrong password shows an error, and disabled sign-in methods are not offered', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in');
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await waitForText(page, 'The e-mail address or the password is wrong.');
    expect(await page.locator('body').innerText()).not.toMatch(/GitHub|Send sign-in link/);
    site.api.settings = {
      external: { email: true, github: true },
      disable_signup: true,
      mailer_autoconfirm: false,
    };
    await page.goto(`${site.base}/sign-in`);
    await waitForText(page, 'Continue with GitHub');
    await waitForText(page, 'Send sign-in link');
    expect(await page.locator('body').innerText()).not.toContain('New account');
    site.api.settings = { external: { email: true }, mailer_autoconfirm: true };
  });

  test('the skip link is first in tab order, and a navigation moves the focus and sets the title', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.locator('.rows .key-row').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.keyboard.press('Enter');
    await page.locator('#page:focus').waitFor();
    await press(page, 'Usage');
    await page.locator('h1:focus', { hasText: 'Usage' }).waitFor();
    expect(await page.title()).toBe('Usage · Parallax');
    await page.evaluate('history.back()');
    await page.locator('h1:focus', { hasText: 'Keys' }).waitFor();
    expect(page.requested.filter((url) => url === `${site.base}/keys`)).toHaveLength(1);
  });

  test('a chosen organization is shown and remembered after a reload', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, /^Organization: Analytical Engines/);
    await press(page, 'Difference Club');
    await waitForText(page, 'Keys call the API for Difference Club');
    await page.goto(`${site.base}/usage`);
    await waitForText(page, 'Requests of all keys of Difference Club');
  });

  test('a chosen theme overrides the system setting, also on the documentation', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, `Account: ${user.email}`);
    await press(page, 'Dark');
    const waitForDark = () =>
      page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === 'rgb(14, 17, 22)');
    await waitForDark();
    await page.goto(`${site.base}/docs/`);
    await waitForDark();
  });

  test('a new key takes a name, a scope and a day through which it works', async () => {
    const minted: unknown[] = [];
    site.api.answers.mint_key = (args) => {
      minted.push(args);
      return { key_id: org, prefix: 'sk_live_AbCdEfGh', key: `sk_live_AbCdEfGh_${'x7'.repeat(19)}` };
    };
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, 'Create key');
    await page.locator('dialog [name=name]').fill('nightly job');
    await page.locator('dialog [name=scope]').nth(1).click();
    await page.locator('dialog select').selectOption('date');
    await page.locator('dialog [type=submit]:disabled').waitFor();
    const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await page.locator('dialog [type=date]').fill(date);
    await waitForText(page, 'It stops working');
    await page.locator('dialog [type=submit]').click();
    await waitForText(page, 'you will not see it again');
    const end = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString();
    expect(minted).toEqual([{ p_org_id: org, p_name: 'nightly job', p_expires_at: end, p_scope: 'read_only' }]);
  });

  test('a rejected expiry is shown in the dialog, which keeps its input', async () => {
    site.api.answers.mint_key = new StubError(400, 'key.expiry', 'A key must expire in the future, within 10 years.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, 'Create key');
    await page.locator('dialog [name=name]').fill('kept');
    await page.keyboard.press('Enter');
    await waitForText(page, 'A key must expire in the future');
    expect(await page.locator('dialog [name=name]').inputValue()).toBe('kept');
  });

  test('a recovery link is requested with the same answer for a known and an unknown address', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in');
    await press(page, 'Forgot password?');
    await waitForPath(page, '/reset-password');
    const answerTo = async (answer: typeof site.api.recover) => {
      site.api.recover = answer;
      await page.getByLabel('E-mail').fill('who@example.com');
      await page.keyboard.press('Enter');
      await waitForText(page, 'If who@example.com has an account, a link is on its way.');
      return await page.locator('form').first().innerText();
    };
    const unknown = await answerTo({ status: 200, json: {} });
    // Auth returns this for registered addresses only.
    const tooSoon = { code: 429, error_code: 'over_email_send_rate_limit', msg: 'Only after 58 seconds.' };
    expect(await answerTo({ status: 429, json: tooSoon })).toBe(unknown);
    const asked = site.api.authRequests.filter(([request]) => request.includes('/recover'));
    expect(asked.at(-1)?.[0]).toBe(`POST /recover?redirect_to=${encodeURIComponent(`${site.base}/reset-password`)}`);
    site.api.recover = { status: 404, json: { code: 404, msg: 'not found' } };
    await page.keyboard.press('Enter');
    await waitForText(page, 'This installation sends no e-mail.');
    site.api.recover = { status: 200, json: {} };
  });

  test('a recovery link opens the page that sets the password and ends the other sessions', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/status');
    const token = site.api.accessToken();
    const fragment = new URLSearchParams({
      access_token: token,
      refresh_token: 'again',
      expires_in: '3600',
      token_type: 'bearer',
      type: 'recovery',
    });
    // Auth opens its own address of the site where it does not allow the one that was asked for.
    await page.goto(`${site.base}/?x#${fragment}`);
    await waitForPath(page, '/reset-password');
    await waitForText(page, 'Set a new password');
    expect(new URL(page.url()).hash).toBe('');
    await page.reload();
    await waitForText(page, 'Set a new password');
    site.api.authRequests.length = 0;
    await page.getByLabel('New password').fill('a new battery');
    await page.keyboard.press('Enter');
    await waitForPath(page, '/keys');
    const changes = site.api.authRequests.filter(([request]) => /^PUT|logout/.test(request));
    expect(changes).toMatchObject([
      ['PUT /user', { password: 'a new battery' }],
      ['POST /logout?scope=others', {}],
    ]);
    await page.goto(`${site.base}/reset-password`);
    await waitForText(page, 'Enter the e-mail address of your account');
  });

  test('a recovery link that has expired opens the page with the reason and a form for a new one', async () => {
    const page = await site.open(
      { width: 1280, height: 800 },
      '/reset-password#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    );
    await waitForText(page, 'This link was used or has expired. Request a new one.');
    await waitForText(page, 'Send link');
  });

  test('a password is changed only with the current one, and ends the other sessions', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    site.api.authRequests.length = 0;
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('a new battery');
    await page.keyboard.press('Enter');
    await waitForText(page, 'The current password is wrong.');
    expect(site.api.authRequests.filter(([request]) => request.startsWith('PUT'))).toEqual([]);
    expect(new URL(page.url()).pathname).toBe('/account');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForText(page, 'Your password is changed. Your other sessions have ended.');
    expect(site.api.authRequests.filter(([request]) => /^PUT|logout/.test(request))).toMatchObject([
      ['POST /logout?scope=local', {}],
      ['PUT /user', { password: 'a new battery', current_password: PASSWORD }],
      ['POST /logout?scope=others', {}],
    ]);
  });

  test('another session is ended, and all of them at once', async () => {
    const ended: unknown[] = [];
    site.api.answers.end_session = (args) => {
      ended.push(args.p_session);
      site.api.answers.list_sessions = [];
      return null;
    };
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    await waitForText(page, 'Safari on iOS');
    expect(await page.locator('.person').first().innerText()).toContain('this session');
    await page.getByRole('button', { name: 'End session' }).last().click();
    await waitForText(page, 'That session has ended.');
    expect(ended).toHaveLength(1);
    site.api.authRequests.length = 0;
    await press(page, 'Sign out everywhere');
    await waitForPath(page, '/sign-in');
    await waitForText(page, 'You are signed out');
    expect(site.api.authRequests.map(([request]) => request)).toContain('POST /logout?scope=global');
  });

  test('an account is deleted after the address, the password and, with an app, a code', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    await addFactor(page);
    await press(page, 'Delete account…');
    await waitForText(page, 'Analytical Engines, 1 member, 4 active keys');
    const button = page.locator('dialog footer .danger');
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${user.email} to confirm`).fill(user.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
    await button.click();
    await page.getByLabel('Code of your authenticator app').fill('000000');
    await button.click();
    await waitForText(page, 'The code is wrong or too old.');
    await page.getByLabel('Code of your authenticator app').fill(CODE);
    await button.click();
    await waitForPath(page, '/sign-in');
    await waitForText(page, 'Your account is deleted.');
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('sb-'))`)).toEqual([]);
  });

  test('an account is not deleted while its owner is the last one of an organization with members', async () => {
    const [account] = [defaultAnswers().read_account as Record<string, unknown>];
    const shared = { org_id: org, name: 'Shared Ltd', outcome: 'blocks', members: 3, keys: 1 };
    site.api.answers.read_account = { ...account, organizations: [shared] } as never;
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    await press(page, 'Delete account…');
    await waitForText(page, 'Shared Ltd, 3 members, 1 active key');
    expect(await page.locator('dialog footer .danger').count()).toBe(0);
  });

  test('an authenticator app is added with its first code and removed', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    await addFactor(page);
    await waitForText(page, 'Authenticator app 1');
    await press(page, 'Remove');
    await press(page, 'Remove app');
    await waitForText(page, 'The authenticator app is removed.');
    await page.getByText('Authenticator app 1').first().waitFor({ state: 'hidden' });
    expect(site.api.factors).toEqual([]);
  });

  test('two-step sign-in is not offered where Auth does not know it or has it turned off', async () => {
    const account = defaultAnswers().read_account as Record<string, unknown>;
    site.api.answers.read_account = { ...account, has_factors: false } as never;
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    await waitForText(page, 'Change password');
    expect(await page.locator('body').innerText()).not.toContain('Two-step');
    site.api.answers = defaultAnswers();
    site.api.enrollError = { status: 422, json: { code: 422, error_code: 'mfa_totp_enroll_not_enabled', msg: 'off' } };
    await page.goto(`${site.base}/account`);
    await press(page, 'Add authenticator app');
    await waitForText(page, 'Two-step sign-in is turned off on this installation.');
    await page.locator('main').getByText('Two-step').first().waitFor({ state: 'hidden' });
    site.api.enrollError = undefined;
  });

  test('a sign-in with a second factor asks for the code before any page', async () => {
    site.api.factors = [factor];
    site.api.answers.my_organizations = [];
    site.api.answers.start_session = new StubError(403, 'session.second_factor', 'Enter the code first.');
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in?next=/usage');
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForText(page, 'Enter your code');
    await page.locator('[name=code]:focus').waitFor();
    await page.keyboard.insertText('000000');
    await page.keyboard.press('Enter');
    await waitForText(page, 'The code is wrong or too old.');
    site.api.answers = defaultAnswers();
    await page.getByLabel('Code of your authenticator app').fill(CODE);
    await page.keyboard.press('Enter');
    await waitForPath(page, '/usage');
  });

  test('a session that ended elsewhere opens the sign-in page when it tries to create a key', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await press(page, 'Create key');
    site.api.answers.mint_key = new StubError(401, 'session.ended', 'This session has ended. Sign in again.');
    await page.keyboard.press('Enter');
    await waitForPath(page, '/sign-in');
    await waitForText(page, 'Your session has expired. Sign in to continue');
  });
});
