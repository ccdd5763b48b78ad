import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { Receiver } from '../webhook/support/receiver.ts';
import {
  describeInChromium,
  newPage,
  picture,
  press,
  type WatchedPage,
  waitForPath,
  waitForText,
} from './support/page.ts';
import { signUp } from './support/sign_up.ts';

/** The Webhooks page on the real stack, with a local receiver: register, test, fail and replay. */
describeInChromium('the Webhooks page on the real stack', () => {
  const shared = useSharedStack();
  let stack: RunningStack;
  let receiver: Receiver;
  let page: WatchedPage;

  beforeAll(async () => {
    stack = shared();
    const allowed = shared().receiver;
    receiver = await Receiver.listen({ issue: () => allowed }, allowed.port);
    page = await newPage({ width: 1280, height: 860 });
  });
  afterAll(async () => {
    await page?.context().close();
    await receiver?.close();
  });

  /** Waits for a row of the delivery history that contains all these texts. */
  const logged = (...words: string[]) =>
    words
      .reduce((rows, word) => rows.filter({ hasText: word }), page.locator('.deliveries tbody tr'))
      .first()
      .waitFor();

  test('registers an endpoint, and the secret verifies the signature of a test delivery', async () => {
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await waitForPath(page, '/sign-in');
    await signUp(page, 'grace@example.com', 'correct horse battery');
    await waitForPath(page, '/webhooks');
    await waitForText(page, 'Webhooks require the Basic plan');
    await stack.sql`select account.set_plan(account.find_organization('grace'), 'basic', 'active', 'test')`;
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await press(page, 'Register endpoint');
    // An error of the URL is shown at the URL field.
    await page.getByLabel('URL').fill('https://10.0.0.1/in');
    await press(page, 'Register');
    await waitForText(page, 'URL host should be public');
    expect(
      await page.evaluate(
        `(({ ariaInvalid, parentElement }) => [ariaInvalid, parentElement.querySelector('[role=alert]').textContent !== ''])(document.querySelector('input[name=url]'))`,
      ),
    ).toEqual(['true', true]);
    await picture(page, 'webhooks-0-refused');
    expect(page.errors.splice(0)).toEqual([expect.stringContaining('422')]);
    await page.getByLabel('URL').fill(receiver.url('/in'));
    // An event that the shared stack never fires, so that the deliveries are those of this test.
    await page.locator('input[name="pair.created"]').uncheck();
    await page.locator('input[name="opportunity.opened"]').check();
    await page.getByLabel('Smallest edge in %, optional').fill('100');
    await press(page, 'Register');
    await waitForText(page, 'You will not see it again');
    const secret = (await page.locator('dialog .copyable code').textContent()) ?? '';
    await press(page, 'I have saved it');
    await press(page, `Send test to ${receiver.url('/in')}`);
    await logged('ping', 'Delivered', 'HTTP 200', 'thanks', '1 of 4');
    const [ping] = receiver.requestsTo('/in');
    expect(ping?.headers['x-svc-event']).toBe('ping');
    const [, t, v1] = /^t=(\d+),v1=(\w+)$/.exec(String(ping?.headers['x-svc-signature'])) ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${ping?.body}`).digest('hex'));
    await picture(page, 'webhooks-1-tested');
  });

  test('shows the response of a failing receiver and replays the delivery with the same id', async () => {
    receiver.behaviours.set('/in', { status: 500, body: '{"error":"no such table: pairs"}' });
    const [made] = await stack.sql<{ id: string }[]>`
      insert into webhook.deliveries (endpoint_id, event, body, attempts)
      select e.endpoint_id, 'pair.created', '{"event":"pair.created"}', 3 from webhook.endpoints e
      where e.org_id = account.find_organization('grace')
      returning delivery_id as id`;
    await stack.sql`select webhook.wake_sender()`;
    await logged('pair.created', 'Failed', '4 of 4', 'HTTP 500', 'no such table: pairs');
    await picture(page, 'webhooks-2-failed');
    receiver.behaviours.set('/in', { status: 204 });
    await press(page, `Replay ${made?.id}`);
    await waitForText(page, 'Replay queued, with the same id and body.');
    await logged('pair.created', 'Delivered', 'HTTP 204', '1 of 4');
    const ids = receiver.requestsTo('/in').map((one) => one.headers['x-svc-delivery']);
    expect(ids.filter((id) => id === made?.id)).toHaveLength(2);
    expect(page.errors).toEqual([]);
    await picture(page, 'webhooks-3-replayed');
  });

  test('edits an endpoint, rolls its secret with two signatures, and enables it again', async () => {
    const url = receiver.url('/in');
    await press(page, `Edit ${url}`);
    await page.locator('input[name="pair.created"]').check();
    await page.getByLabel('Smallest edge in %, optional').fill('1.5');
    await press(page, 'Save');
    await waitForText(page, 'opportunity.opened ≥ 1.5 %');
    await press(page, `Roll secret of ${url}`);
    await waitForText(page, 'For 24 hours they have two signatures');
    await press(page, 'Roll secret');
    await waitForText(page, 'You will not see it again');
    const secret = (await page.locator('dialog .copyable code').textContent()) ?? '';
    await press(page, 'I have saved it');
    await waitForText(page, 'Two signatures');
    await stack.sql`
      update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures', failure_count = 20
      where org_id = account.find_organization('grace')`;
    await page.goto(`${new URL(stack.baseUrl).origin}/webhooks`);
    await waitForText(page, 'Disabled after 20 failed deliveries in a row.');
    await picture(page, 'webhooks-5-disabled');
    await press(page, `Enable again ${url}`);
    await waitForText(page, 'Endpoint enabled.');
    const pings = () => receiver.requestsTo('/in').filter((one) => one.headers['x-svc-event'] === 'ping');
    const before = pings().length;
    await press(page, `Send test to ${url}`);
    const ping = await waitUntil(async () => pings()[before], { what: 'a test delivery' });
    const [, t, first, second] = /^t=(\d+),v1=(\w+),v1=(\w+)$/.exec(String(ping.headers['x-svc-signature'])) ?? [];
    expect([first, second]).toContain(createHmac('sha256', secret).update(`${t}.${ping.body}`).digest('hex'));
    expect(page.errors).toEqual([]);
  });

  test('registers the local inbox, which receives a test without TLS', async () => {
    const origin = new URL(stack.baseUrl).origin;
    await press(page, 'Register endpoint');
    await press(page, 'Use the inbox');
    await press(page, 'Register');
    await waitForText(page, 'You will not see it again');
    await press(page, 'I have saved it');
    await press(page, `Send test to ${origin}/inbox/first`);
    await waitUntil(async () => (await (await fetch(`${origin}/inbox/first`)).json()).count === 1, {
      what: 'a delivery in the inbox',
    });
    expect(page.errors).toEqual([]);
  });

  test('a phone does not scroll sideways either', async () => {
    await page.setViewportSize({ width: 360, height: 1500 });
    expect(
      await page.evaluate<boolean[]>(
        `[document.documentElement, document.querySelector('.delivery-history .scroll-table')].map((one) => one.scrollWidth <= one.clientWidth)`,
      ),
    ).toEqual([true, true]);
    await picture(page, 'webhooks-4-phone');
  });
});
