import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { findChromium, type Page } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { CODE, defaultAnswers, keyRows, org, PASSWORD, StubError, user } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log(
    'tests/dashboard/account_pages.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.',
  );

const factor = {
  id: org,
  status: 'verified',
  factor_type: 'totp',
  friendly_name: 'Authenticator app 1',
  created_at: '2026-11-20T05:14:50.370Z',
};

/** Adds an authenticator app on the account page. */
async function addFactor(page: Page, person: PageUser): Promise<void> {
  await person.press('Add authenticator app');
  await page.waitFor(`document.querySelector('.qr')?.naturalWidth > 0`);
  await person.fill('Code of your authenticator app', '000000');
  await page.press('Enter');
  await person.waitForText('The code is wrong or too old.');
  await person.fill('Code of your authenticator app', CODE);
  await page.press('Enter');
  await person.waitForText('Two-step sign-in is on.');
  await page.waitFor(`!document.querySelector('dialog')`);
}

/** Sets the value of a field that text cannot be typed into, as a choice by hand does. */
const setValue = (page: Page, field: string, value: string, event = 'input') =>
  page.evaluate(`(() => {
    const field = document.querySelector(${JSON.stringify(field)});
    field.value = ${JSON.stringify(value)};
    field.dispatchEvent(new Event(${JSON.stringify(event)}, { bubbles: true }));
  })()`);
const choose = (page: Page, field: string, value: string) => setValue(page, field, value, 'change');

/**
 * States of the account pages in Chromium, with a stub of the database. keys.suite.ts uses the real
 * stack.
 */
describe.skipIf(!program)('the account pages', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite(program ?? '');
  });
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = defaultAnswers();
  });

  test('a list of 1,000 keys renders only visible rows, scrolls to the last and finds a key by name', async () => {
    site.api.answers.my_keys = keyRows(1000);
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const drawn = `document.querySelectorAll('.rows .key-row').length`;
    await page.waitFor(`${drawn} > 10`);
    expect(await page.evaluate(drawn)).toBeLessThan(60);
    expect(await page.evaluate(`document.querySelector('[role=table]').ariaRowCount`)).toBe('858');
    await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight)`);
    await page.waitFor(
      `document.querySelector('[aria-rowindex="858"]')?.getBoundingClientRect().bottom <= innerHeight`,
    );
    expect(await page.evaluate(drawn)).toBeLessThan(60);
    await new PageUser(page).fill('Find a key by name or prefix', 'report 41');
    await page.waitFor(`${drawn} < 12 && document.querySelector('.rows').innerText.includes('nightly report 41')`);
  });

  test('a member sees keys and team but no action of an owner', async () => {
    const [mine] = defaultAnswers().my_organizations as { role: string }[];
    site.api.answers.my_organizations = [{ ...mine, role: 'member' }];
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.waitFor(`document.querySelector('.rows .key-row')`);
    const actions = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main button')].map((one) => one.ariaLabel ?? one.innerText)`,
    );
    expect(actions.filter((action) => !/inactive$/.test(action))).toEqual([]);
    await new PageUser(page).press('Team');
    await page.waitFor(`document.querySelector('.person')`);
    expect(await page.evaluate(`document.querySelectorAll('main select').length`)).toBe(0);
    expect(await page.evaluate(`[...document.querySelectorAll('.person button')].map((one) => one.innerText)`)).toEqual(
      ['Leave'],
    );
  });

  test('an organization without keys shows the next step; a failed query shows an error and a retry button', async () => {
    site.api.answers.my_keys = [];
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.waitForText('No keys yet');
    site.api.answers.my_keys = new StubError(500, 'XX000', 'internal words of a database');
    await page.goto(`${site.base}/keys`);
    await person.waitForText('The service failed.');
    expect(await page.evaluate(`document.body.innerText.includes('internal words')`)).toBe(false);
    site.api.answers.my_keys = keyRows(2);
    await person.press('Try again');
    await person.waitForText('2 active keys');
  });

  test('the first steps are done by data, lead to their pages, and end for good when dismissed', async () => {
    const keys = keyRows(1) as { last_used_at: string | null }[];
    site.api.answers.my_keys = keys.map((key) => ({ ...key, last_used_at: null }));
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.waitForText('1 of 4 done');
    const open = `[...document.querySelectorAll('.first-steps a')].map((one) => one.pathname)`;
    expect(await page.evaluate(open)).toEqual(['/docs/', '/webhooks', '/account']);
    site.api.answers.my_webhooks = [{ org_id: org, id: org, last_success_at: '2026-11-20T05:14:50Z' }];
    await page.goto(`${site.base}/keys`);
    await person.waitForText('2 of 4 done');
    await person.press('Dismiss the first steps');
    await page.waitFor(`!document.querySelector('.first-steps')`);
    await page.goto(`${site.base}/keys`);
    await person.waitForText('1 active key');
    expect(await page.evaluate(`document.querySelector('.first-steps')`)).toBe(null);
  });

  test('an error of an RPC is shown with its message, and the form keeps its input', async () => {
    site.api.answers.accept_invitation = new StubError(404, 'invitation.not_found', 'There is no such invitation.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/team?join');
    const person = new PageUser(page);
    await page.waitFor(`document.activeElement?.name === 'code'`);
    await page.type('x'.repeat(32));
    await page.press('Enter');
    await person.waitForText('There is no such invitation.');
    expect(await page.evaluate(`document.querySelector('[name=code]').value.length`)).toBe(32);
  });

  test('an offline page keeps its data, shows that it is offline, and reloads when it is online again', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.rows .key-row')`);
    await page.setOffline(true);
    await person.waitForText('You are offline');
    expect(await page.evaluate(`document.querySelectorAll('.rows .key-row').length`)).toBeGreaterThan(0);
    site.api.answers.my_keys = keyRows(2);
    await page.setOffline(false);
    await person.waitForText('2 active keys');
    await page.waitFor(`!document.body.innerText.includes('You are offline')`);
  });

  test('hover and focus show a time exactly in UTC and in the zone of the browser, and Escape hides it', async () => {
    const at = '2026-11-20T05:14:50.370Z';
    site.api.answers.my_keys = (keyRows(1) as object[]).map((key) => ({ ...key, created_at: at, last_used_at: at }));
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.setTimeZone('Asia/Kolkata');
    const person = new PageUser(page);
    const time = `document.querySelector('.key-row time[datetime="${at}"]')`;
    await page.waitFor(time);
    await page.evaluate(`${time}.focus()`);
    await person.waitForText('2026-11-20 05:14:50 UTC');
    await person.waitForText('2026-11-20 10:44:50 GMT+5:30, your time');
    expect(await page.evaluate(`${time}.getAttribute('aria-describedby')`)).toBe('exact-time');
    await page.press('Escape');
    await page.waitFor(`!document.querySelector('.exact-time')`);
    await page.evaluate(`${time}.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))`);
    await person.waitForText('2026-11-20 10:44:50 GMT+5:30, your time');
    await page.evaluate(`document.body.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))`);
    await page.waitFor(`!document.querySelector('.exact-time')`);
  });

  test('data that could not be read again is marked as old, with its time, until it is current', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.figures')`);
    site.api.answers.my_usage = new StubError(500, 'XX000', 'internal words');
    await person.waitForText('What follows is old: it was read');
    expect(await page.evaluate(`document.querySelector('.figures').innerText.includes('512')`)).toBe(true);
    site.api.answers = defaultAnswers();
    await page.waitFor(`!document.querySelector('.old-data')`);
  });

  test('an expired session opens the sign-in page with the reason and returns to the page after it', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/usage');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.figures')`);
    site.api.answers.my_usage = new StubError(401, 'PGRST301', 'JWT expired');
    await person.waitForPath('/sign-in');
    await person.waitForText('Your session has expired');
    site.api.answers = defaultAnswers();
    await person.fill('E-mail', user.email);
    await person.fill('Password', PASSWORD);
    await page.press('Enter');
    await person.waitForPath('/usage');
  });

  test('an address of another site after sign-in is replaced by the default page', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    await page.goto(`${site.base}/sign-in?next=/.//evil.example/x`);
    await page.waitFor(`/^(Keys|This page failed)$/.test(document.querySelector('main h1')?.innerText)`);
    expect(await page.evaluate(`location.pathname + ' ' + document.querySelector('main h1').innerText`)).toBe(
      '/keys Keys',
    );
    expect(page.errors).toEqual([]);
    expect(page.requests.filter((url) => url.includes('evil'))).toEqual([
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
      page.requests.length = 0;
      await page.goto(`http://127.0.0.1:${port}/`);
      // The second frame loads, so the first one had its turn too.
      await page.waitFor(`frames[1]?.document.body.innerText.includes('another site')`);
      await waitUntil(() => page.errors.length > 0, { what: 'the refusal of the frame' });
      expect(page.errors.join('; ')).toContain("frame-ancestors 'none'");
      expect(page.requests.filter((url) => url.startsWith(site.base))).toEqual([`${site.base}/keys`]);
    } finally {
      framing.closeAllConnections();
      framing.close();
    }
  });

  test('a removed member is switched to another of their organizations', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.figures')`);
    const [, other] = defaultAnswers().my_organizations as object[];
    site.api.answers.my_organizations = [other as never];
    site.api.answers.my_usage = [];
    await person.waitForText('Keys call the API for Difference Club');
    // The missing usage row must not cause a loop of requests.
    const countRequests = () => page.requests.filter((url) => url.includes('my_organizations')).length;
    const before = countRequests();
    await pause(1000);
    expect(countRequests() - before).toBeLessThan(3);
  });

  test('the page shows that the database is unavailable, and loads when it is available again', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    site.api.answers.my_organizations = new StubError(
      503,
      'PGRST002',
      'Could not query the database for the schema cache',
    );
    await page.goto(`${site.base}/keys`);
    await person.waitForText('retries every few seconds');
    expect(await page.evaluate('location.pathname')).toBe('/keys');
    site.api.answers = defaultAnswers();
    await page.waitFor(`document.querySelector('.rows .key-row')`);
  });

  test('signing out shows a message, and going back in history shows no data', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press('Usage');
    await person.waitForPath('/usage');
    await person.press(`Account: ${user.email}`);
    await person.press('Sign out on all devices');
    await person.waitForPath('/sign-in');
    await person.waitForText('You are signed out');
    await page.evaluate('history.back()');
    await page.waitFor(`location.search.includes('next=%2Fkeys')`);
    await person.waitForPath('/sign-in');
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('sb-'))`)).toEqual([]);
  });

  test('a wrong password shows an error, and disabled sign-in methods are not offered', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in');
    const person = new PageUser(page);
    await person.fill('E-mail', user.email);
    await person.fill('Password', 'wrong');
    await page.press('Enter');
    await person.waitForText('The e-mail address or the password is wrong.');
    expect(await page.evaluate(`/GitHub|Send sign-in link/.test(document.body.innerText)`)).toBe(false);
    site.api.settings = {
      external: { email: true, github: true },
      disable_signup: true,
      mailer_autoconfirm: false,
    };
    await page.goto(`${site.base}/sign-in`);
    await person.waitForText('Continue with GitHub');
    await person.waitForText('Send sign-in link');
    expect(await page.evaluate(`document.body.innerText.includes('New account')`)).toBe(false);
    site.api.settings = { external: { email: true }, mailer_autoconfirm: true };
  });

  test('the skip link is first in tab order, and a navigation moves the focus and sets the title', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await page.goto(`${site.base}/keys`);
    await page.waitFor(`document.querySelector('.rows .key-row')`);
    await page.press('Tab');
    expect(await page.evaluate(`document.activeElement.className`)).toBe('skip');
    await page.press('Enter');
    await page.waitFor(`document.activeElement.id === 'page'`);
    await person.press('Usage');
    await page.waitFor(`document.activeElement.tagName === 'H1' && document.activeElement.innerText === 'Usage'`);
    expect(await page.evaluate(`document.title`)).toBe('Usage · Parallax');
    await page.evaluate('history.back()');
    await page.waitFor(`document.activeElement.tagName === 'H1' && document.activeElement.innerText === 'Keys'`);
    expect(page.requests.filter((url) => url === `${site.base}/keys`)).toHaveLength(1);
  });

  test('a chosen organization is shown and remembered after a reload', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press('Organization: Analytical Engines');
    await person.press('Difference Club');
    await person.waitForText('Keys call the API for Difference Club');
    await page.goto(`${site.base}/usage`);
    await person.waitForText('Requests of all keys of Difference Club');
  });

  test('a chosen theme overrides the system setting, also on the documentation', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press(`Account: ${user.email}`);
    await person.press('Dark');
    const background = `getComputedStyle(document.body).backgroundColor`;
    await page.waitFor(`${background} === 'rgb(14, 17, 22)'`);
    await page.goto(`${site.base}/docs/`);
    await page.waitFor(`${background} === 'rgb(14, 17, 22)'`);
  });

  test('a new key takes a name, a scope and a day through which it works', async () => {
    const minted: unknown[] = [];
    site.api.answers.mint_key = (args) => {
      minted.push(args);
      return { key_id: org, prefix: 'sk_live_AbCdEfGh', key: `sk_live_AbCdEfGh_${'x7'.repeat(19)}` };
    };
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press('Create key');
    await person.fill('Name', 'nightly job');
    await person.click(`document.querySelectorAll('dialog [name=scope]')[1]`);
    await choose(page, 'dialog select', 'date');
    await page.waitFor(`document.querySelector('dialog [type=submit]').disabled`);
    const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await setValue(page, 'dialog [type=date]', date);
    await person.waitForText('It stops working');
    await person.click(`document.querySelector('dialog [type=submit]')`);
    await person.waitForText('you will not see it again');
    const end = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString();
    expect(minted).toEqual([{ p_org_id: org, p_name: 'nightly job', p_expires_at: end, p_scope: 'read_only' }]);
  });

  test('a rejected expiry is shown in the dialog, which keeps its input', async () => {
    site.api.answers.mint_key = new StubError(400, 'key.expiry', 'A key must expire in the future, within 10 years.');
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press('Create key');
    await person.fill('Name', 'kept');
    await page.press('Enter');
    await person.waitForText('A key must expire in the future');
    expect(await page.evaluate(`document.querySelector('dialog [name=name]').value`)).toBe('kept');
  });

  test('a recovery link is requested with the same answer for a known and an unknown address', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in');
    const person = new PageUser(page);
    await person.press('Forgot password?');
    await person.waitForPath('/reset-password');
    const answerTo = async (answer: typeof site.api.recover) => {
      site.api.recover = answer;
      await person.fill('E-mail', 'who@example.com');
      await page.press('Enter');
      await person.waitForText('If who@example.com has an account, a link is on its way.');
      return await page.evaluate<string>(`document.querySelector('form').innerText`);
    };
    const unknown = await answerTo({ status: 200, json: {} });
    // Auth returns this for registered addresses only.
    const tooSoon = { code: 429, error_code: 'over_email_send_rate_limit', msg: 'Only after 58 seconds.' };
    expect(await answerTo({ status: 429, json: tooSoon })).toBe(unknown);
    const asked = site.api.authRequests.filter(([request]) => request.includes('/recover'));
    expect(asked.at(-1)?.[0]).toBe(`POST /recover?redirect_to=${encodeURIComponent(`${site.base}/reset-password`)}`);
    site.api.recover = { status: 404, json: { code: 404, msg: 'not found' } };
    await page.press('Enter');
    await person.waitForText('This installation sends no e-mail.');
    site.api.recover = { status: 200, json: {} };
  });

  test('a recovery link opens the page that sets the password and ends the other sessions', async () => {
    const page = await site.open({ width: 1280, height: 800 }, '/status');
    const person = new PageUser(page);
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
    await person.waitForPath('/reset-password');
    await person.waitForText('Set a new password');
    expect(await page.evaluate('location.hash')).toBe('');
    await page.evaluate('location.reload()');
    await person.waitForText('Set a new password');
    site.api.authRequests.length = 0;
    await person.fill('New password', 'a new battery');
    await page.press('Enter');
    await person.waitForPath('/keys');
    const changes = site.api.authRequests.filter(([request]) => /^PUT|logout/.test(request));
    expect(changes).toMatchObject([
      ['PUT /user', { password: 'a new battery' }],
      ['POST /logout?scope=others', {}],
    ]);
    await page.goto(`${site.base}/reset-password`);
    await person.waitForText('Enter the e-mail address of your account');
  });

  test('a recovery link that has expired opens the page with the reason and a form for a new one', async () => {
    const page = await site.open(
      { width: 1280, height: 800 },
      '/reset-password#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    );
    const person = new PageUser(page);
    await person.waitForText('This link was used or has expired. Request a new one.');
    await person.waitForText('Send link');
  });

  test('a password is changed only with the current one, and ends the other sessions', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    const person = new PageUser(page);
    site.api.authRequests.length = 0;
    await person.fill('Current password', 'wrong');
    await person.fill('New password', 'a new battery');
    await page.press('Enter');
    await person.waitForText('The current password is wrong.');
    expect(site.api.authRequests.filter(([request]) => request.startsWith('PUT'))).toEqual([]);
    expect(await page.evaluate('location.pathname')).toBe('/account');
    await person.fill('Current password', PASSWORD);
    await page.press('Enter');
    await person.waitForText('Your password is changed. Your other sessions have ended.');
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
    const person = new PageUser(page);
    await person.waitForText('Safari on iOS');
    expect(await page.evaluate(`document.querySelector('.person').innerText.includes('this session')`)).toBe(true);
    await person.press('End session');
    await person.waitForText('That session has ended.');
    expect(ended).toHaveLength(1);
    site.api.authRequests.length = 0;
    await person.press('Sign out everywhere');
    await person.waitForPath('/sign-in');
    await person.waitForText('You are signed out');
    expect(site.api.authRequests.map(([request]) => request)).toContain('POST /logout?scope=global');
  });

  test('an account is deleted after the address, the password and, with an app, a code', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    const person = new PageUser(page);
    await addFactor(page, person);
    await person.press('Delete account…');
    await person.waitForText('Analytical Engines, 1 member, 4 active keys');
    const button = `document.querySelector('dialog footer .danger')`;
    expect(await page.evaluate(`${button}.disabled`)).toBe(true);
    await person.fill(`Type ${user.email} to confirm`, user.email);
    await person.fill('Password', PASSWORD);
    await person.click(button);
    await person.fill('Code of your authenticator app', '000000');
    await person.click(button);
    await person.waitForText('The code is wrong or too old.');
    await person.fill('Code of your authenticator app', CODE);
    await person.click(button);
    await person.waitForPath('/sign-in');
    await person.waitForText('Your account is deleted.');
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('sb-'))`)).toEqual([]);
    site.api.factors = [];
  });

  test('an account is not deleted while its owner is the last one of an organization with members', async () => {
    const [account] = [defaultAnswers().read_account as Record<string, unknown>];
    const shared = { org_id: org, name: 'Shared Ltd', outcome: 'blocks', members: 3, keys: 1 };
    site.api.answers.read_account = { ...account, organizations: [shared] } as never;
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    const person = new PageUser(page);
    await person.press('Delete account…');
    await person.waitForText('Shared Ltd, 3 members, 1 active key');
    expect(await page.evaluate(`document.querySelector('dialog footer .danger')`)).toBeNull();
  });

  test('an authenticator app is added with its first code and removed', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    const person = new PageUser(page);
    await addFactor(page, person);
    await person.waitForText('Authenticator app 1');
    await person.press('Remove');
    await person.press('Remove app');
    await person.waitForText('The authenticator app is removed.');
    await page.waitFor(`!document.body.innerText.includes('Authenticator app 1')`);
    expect(site.api.factors).toEqual([]);
  });

  test('two-step sign-in is not offered where Auth does not know it or has it turned off', async () => {
    const account = defaultAnswers().read_account as Record<string, unknown>;
    site.api.answers.read_account = { ...account, has_factors: false } as never;
    const page = await site.signedIn({ width: 1280, height: 800 }, '/account');
    const person = new PageUser(page);
    await person.waitForText('Change password');
    expect(await page.evaluate(`document.body.innerText.includes('Two-step')`)).toBe(false);
    site.api.answers = defaultAnswers();
    site.api.enrollError = { status: 422, json: { code: 422, error_code: 'mfa_totp_enroll_not_enabled', msg: 'off' } };
    await page.goto(`${site.base}/account`);
    await person.press('Add authenticator app');
    await person.waitForText('Two-step sign-in is turned off on this installation.');
    await page.waitFor(`!document.querySelector('main').innerText.includes('Two-step')`);
    site.api.enrollError = undefined;
  });

  test('a sign-in with a second factor asks for the code before any page', async () => {
    site.api.factors = [factor];
    site.api.answers.my_organizations = [];
    site.api.answers.start_session = new StubError(403, 'session.second_factor', 'Enter the code first.');
    const page = await site.open({ width: 1280, height: 800 }, '/sign-in?next=/usage');
    const person = new PageUser(page);
    await person.fill('E-mail', user.email);
    await person.fill('Password', PASSWORD);
    await page.press('Enter');
    await person.waitForText('Enter your code');
    await page.waitFor(`document.activeElement?.name === 'code'`);
    await page.type('000000');
    await page.press('Enter');
    await person.waitForText('The code is wrong or too old.');
    site.api.answers = defaultAnswers();
    await person.fill('Code of your authenticator app', CODE);
    await page.press('Enter');
    await person.waitForPath('/usage');
    site.api.factors = [];
  });

  test('a session that ended elsewhere opens the sign-in page when it tries to create a key', async () => {
    const page = await site.signedIn({ width: 1280, height: 800 }, '/keys');
    const person = new PageUser(page);
    await person.press('Create key');
    site.api.answers.mint_key = new StubError(401, 'session.ended', 'This session has ended. Sign in again.');
    await page.press('Enter');
    await person.waitForPath('/sign-in');
    await person.waitForText('Your session has expired. Sign in to continue');
  });
});
