import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { findChromium } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { defaultAnswers, keyRows, PASSWORD, StubError, user } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/account_pages.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

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
});
