import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { defaultAnswers, org } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/endpoints.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');
const url = 'https://hooks.example.com/in';
const endpoint = {
  ...{ org_id: org, id: org, url, events: ['pair.created'], min_spread_pts: null, min_edge_pct: null },
  ...{ min_profit_usd: null, secret_preview: 'whsec_AbCd', previous_secret_until: null as string | null },
  ...{ status: 'disabled', disabled_reason: 'delivery_failures', failure_count: 20, pending: 0 },
  ...{ last_success_at: null, last_failure_at: '2026-11-20T05:14:50Z', created_at: '2026-11-01T05:14:50Z' },
};

/** The actions on an endpoint, with a stub of the database. webhooks.test.ts has the real stack. */
describe.skipIf(!program)('the actions on a webhook endpoint', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
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
    const person = new PageUser(page);
    await person.waitForText('Fix the receiver, then enable the endpoint again.');
    const look = async (what: string) => {
      expect(await axeViolations(page), what).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), what).toBe(viewport.width);
      await page.screenshot(join(pictures, `endpoints-${what}-${name}.png`));
    };
    await look('disabled');
    await person.press(`Edit ${url}`);
    await person.click(`document.querySelector('input[name="opportunity.opened"]')`);
    await person.fill('Smallest edge in %, optional', '101');
    await look('edit');
    await page.press('Escape');
    await page.waitFor(`!document.querySelector('dialog')`);
    await person.press(`Roll secret of ${url}`);
    await person.press('Roll secret');
    await person.waitForText('Deliveries have two signatures for a day');
    await look('rolled');
    expect(page.errors).toEqual([]);
  });

  test('saves a change, and enables the endpoint', async () => {
    const page = await site.signedIn({ width: 1280, height: 900 }, '/webhooks');
    const person = new PageUser(page);
    await person.press(`Edit ${url}`);
    await person.fill('URL', 'http://hooks.example.com/in');
    await person.press('Save');
    await person.waitForText('The URL must use https.');
    await person.fill('URL', 'https://hooks.example.com/new');
    site.api.answers.my_webhooks = [{ ...endpoint, url: 'https://hooks.example.com/new' }];
    await person.press('Save');
    await person.waitForText('Endpoint saved.');
    await person.press('Enable again https://hooks.example.com/new');
    await person.waitForText('Endpoint enabled.');
    expect(page.errors).toEqual([]);
  });
});
