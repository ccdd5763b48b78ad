import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createAuthority } from '../webhook/support/certificate.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import { Browser, findChromium, type Page } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/webhooks.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');

/** The Webhooks page on the real stack, with a local receiver: register, test, fail and replay. */
describe.skipIf(!program)('the Webhooks page on the real stack', () => {
  let browser: Browser;
  let stack: RunningStack;
  let receiver: Receiver;
  let page: Page;
  let person: PageUser;
  const home = mkdtempSync(join(tmpdir(), 'parallax-webhooks-'));

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    const ca = createAuthority();
    writeFileSync(join(home, 'ca.pem'), ca.certificate);
    receiver = await Receiver.listen(ca);
    stack = await startStack({
      args: ['--games', '20', '--webhook-allow', `localhost:${receiver.port}`, '--webhook-ca', join(home, 'ca.pem')],
    });
    browser = new Browser(program ?? '');
    page = await browser.page({ width: 1280, height: 860 });
    person = new PageUser(page);
  }, 150_000);
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Waits for a row of the delivery history that contains all these texts. */
  const logged = (...words: string[]) =>
    waitUntil(
      () =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll('.deliveries tbody tr')].some((row) => ${JSON.stringify(words)}.every((word) => row.innerText.includes(word)))`,
        ),
      { what: 'a row of the delivery history', timeoutMs: 60_000 },
    );

  test('registers an endpoint, and the secret verifies the signature of a test delivery', async () => {
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await person.waitForPath('/sign-in');
    await person.press('New account');
    await person.fill('E-mail', 'ada@example.com');
    await person.fill('Password', 'correct horse battery');
    await person.press('Create account');
    await person.waitForPath('/webhooks');
    await person.waitForText('Webhooks require the Basic plan');
    await stack.sql`select account.set_plan(o.org_id, 'basic', 'active', 'test') from account.organizations o join account.members m using (org_id)`;
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await person.press('Register endpoint');
    // An error of the URL is shown at the URL field.
    await person.fill('URL', 'https://10.0.0.1/in');
    await person.press('Register');
    await person.waitForText('URL host should be public');
    expect(
      await page.evaluate(
        `(({ ariaInvalid, parentElement }) => [ariaInvalid, parentElement.querySelector('[role=alert]').textContent !== ''])(document.querySelector('input[name=url]'))`,
      ),
    ).toEqual(['true', true]);
    await page.screenshot(join(pictures, 'webhooks-0-refused.png'));
    expect(page.errors.splice(0)).toEqual([expect.stringContaining('422')]);
    await person.fill('URL', receiver.url('/in'));
    await person.press('Register');
    await person.waitForText('You will not see it again');
    const secret = await page.evaluate<string>(`document.querySelector('dialog .copyable code').textContent`);
    await person.press('I have saved it');
    await person.press(`Send test to ${receiver.url('/in')}`);
    await logged('ping', 'Delivered', 'HTTP 200', 'thanks', '1 of 4');
    const [ping] = receiver.requestsTo('/in');
    expect(ping?.headers['x-svc-event']).toBe('ping');
    const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(String(ping?.headers['x-svc-signature'])) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${ping?.body}`).digest('hex'));
    await page.screenshot(join(pictures, 'webhooks-1-tested.png'));
  }, 120_000);

  test('shows the response of a failing receiver and replays the delivery with the same id', async () => {
    receiver.behaviours.set('/in', { status: 500, body: '{"error":"no such table: pairs"}' });
    const [made] = await stack.sql<{ id: string }[]>`
      insert into webhook.deliveries (endpoint_id, event, body, attempts)
      select e.endpoint_id, 'pair.created', '{"event":"pair.created"}', 3 from webhook.endpoints e
      returning delivery_id as id`;
    await stack.sql`select webhook.wake_sender()`;
    await logged('pair.created', 'Failed', '4 of 4', 'HTTP 500', 'no such table: pairs');
    await page.screenshot(join(pictures, 'webhooks-2-failed.png'));
    receiver.behaviours.set('/in', { status: 204 });
    await person.press('Replay');
    await person.waitForText('Replay queued, with the same id and body.');
    await logged('pair.created', 'Delivered', 'HTTP 204', '1 of 4');
    const ids = receiver.requestsTo('/in').filter((one) => one.headers['x-svc-event'] === 'pair.created');
    expect(ids.map((one) => one.headers['x-svc-delivery'])).toEqual([made?.id, made?.id]);
    expect(page.errors).toEqual([]);
    await page.screenshot(join(pictures, 'webhooks-3-replayed.png'));
  }, 120_000);

  test('edits an endpoint, rolls its secret with two signatures, and enables it again', async () => {
    const url = receiver.url('/in');
    await person.press(`Edit ${url}`);
    await person.click(`document.querySelector('input[name="opportunity.opened"]')`);
    await person.fill('Smallest edge in %, optional', '1.5');
    await person.press('Save');
    await person.waitForText('opportunity.opened ≥ 1.5 %');
    await person.press(`Roll secret of ${url}`);
    await person.waitForText('For 24 hours they have two signatures');
    await person.press('Roll secret');
    await person.waitForText('You will not see it again');
    const secret = await page.evaluate<string>(`document.querySelector('dialog .copyable code').textContent`);
    await person.press('I have saved it');
    await person.waitForText('Two signatures');
    await stack.sql`
      update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures', failure_count = 20`;
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await person.waitForText('Disabled after 20 failed deliveries in a row.');
    await page.screenshot(join(pictures, 'webhooks-5-disabled.png'));
    await person.press(`Enable again ${url}`);
    await person.waitForText('Endpoint enabled.');
    const before = receiver.requestsTo('/in').length;
    await person.press(`Send test to ${url}`);
    const ping = await waitUntil(async () => receiver.requestsTo('/in')[before], { what: 'a test delivery' });
    const [, t, first, second] = /^t=(\d+),v1=(\w+),v1=(\w+)$/.exec(String(ping.headers['x-svc-signature'])) ?? [];
    expect([first, second]).toContain(createHmac('sha256', secret).update(`${t}.${ping.body}`).digest('hex'));
    expect(page.errors).toEqual([]);
  }, 120_000);

  test('registers the local inbox, which receives a test without TLS', async () => {
    const origin = new URL(stack.baseUrl).origin;
    await person.press('Register endpoint');
    await person.press('Use the inbox');
    await person.press('Register');
    await person.waitForText('You will not see it again');
    await person.press('I have saved it');
    await person.press(`Send test to ${origin}/inbox/first`);
    await waitUntil(async () => (await (await fetch(`${origin}/inbox/first`)).json()).count === 1, {
      what: 'a delivery in the inbox',
      timeoutMs: 30_000,
    });
    expect(page.errors).toEqual([]);
  }, 120_000);

  test('a phone does not scroll sideways either', async () => {
    await page.resize(360, 1500);
    expect(
      await page.evaluate<boolean[]>(
        `[document.documentElement, document.querySelector('.delivery-history .scroll-table')].map((one) => one.scrollWidth <= one.clientWidth)`,
      ),
    ).toEqual([true, true]);
    await page.screenshot(join(pictures, 'webhooks-4-phone.png'));
  }, 120_000);
});
