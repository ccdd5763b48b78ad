import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { describeInChromium, picture, press, waitForText } from './support/page.ts';
import { defaultAnswers, org } from './support/stub_api.ts';

const url = 'https://hooks.example.com/in';
const endpoint = {
  ...{ org_id: org, id: org, url, events: ['pair.created'], min_spread_pts: null, min_edge_pct: null },
  ...{ min_profit_usd: null, secret_preview: 'whsec_AbCd', previous_secret_until: null as string | null },
  ...{ status: 'disabled', disabled_reason: 'delivery_failures', failure_count: 20, pending: 0 },
  ...{ last_success_at: null, last_failure_at: '2026-11-20T05:14:50Z', created_at: '2026-11-01T05:14:50Z' },
};

/** The actions on an endpoint, with a stub of the database. webhooks.test.ts has the real stack. */
describeInChromium('the actions on a webhook endpoint', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  }, 60_000);
  afterAll(() => site?.close());
  beforeEach(() => {
    const rolled = { id: org, secret: `whsec_${'Q'.repeat(44)}`, previous_secret_until: '2026-11-21T05:14:50Z' };
    site.api.answers = { ...defaultAnswers(), my_webhooks: [endpoint], roll_webhook: rolled };
    site.documents.set(`/v1/webhooks/${org}`, {});
  });

  test.each([
    ['390-dark', { width: 390, height: 1100, dark: true }],
    ['1440', { width: 1440, height: 900 }],
    ['2560', { width: 2560, height: 1300 }],
  ])('a disabled endpoint offers to enable it again, and its dialogs pass axe at %s', async (name, viewport) => {
    const page = await site.signedIn(viewport, '/webhooks');
    await waitForText(page, 'Fix the receiver, then enable the endpoint again.');
    const look = async (what: string) => {
      expect(await axeViolations(page), what).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), what).toBe(viewport.width);
      await picture(page, `endpoints-${what}-${name}`);
    };
    await look('disabled');
    await press(page, `Edit ${url}`);
    await page.locator('input[name="opportunity.opened"]').click();
    await page.getByLabel('Smallest edge in %, optional').fill('101');
    await look('edit');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await press(page, `Roll secret of ${url}`);
    await press(page, 'Roll secret');
    await waitForText(page, 'Deliveries have two signatures for a day');
    await look('rolled');
    expect(page.errors).toEqual([]);
  });

  test('saves a change, and enables the endpoint', async () => {
    const page = await site.signedIn({ width: 1280, height: 900 }, '/webhooks');
    await press(page, `Edit ${url}`);
    await page.getByLabel('URL').fill('http://hooks.example.com/in');
    await press(page, 'Save');
    await waitForText(page, 'The URL must use https.');
    await page.getByLabel('URL').fill('https://hooks.example.com/new');
    site.api.answers.my_webhooks = [{ ...endpoint, url: 'https://hooks.example.com/new' }];
    await press(page, 'Save');
    await waitForText(page, 'Endpoint saved.');
    await press(page, 'Enable again https://hooks.example.com/new');
    await waitForText(page, 'Endpoint enabled.');
    expect(page.errors).toEqual([]);
  });
});
