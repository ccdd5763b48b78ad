import { expect, test } from 'vitest';
import type { AccountSite } from './support/account_site.ts';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { picture, resize, waitForCount } from './support/page.ts';
import { addressOf, superBowl } from './support/rule_world.ts';

/** The list and an open rule of the page Record. */
export const recordLayoutSuite = (scope: Scope, at: () => AccountSite) =>
  test.each(
    passesOf(scope, {
      wide: { width: 1440, height: 900 },
      narrow: { width: 390, height: 844 },
      others: [
        { width: 960, height: 900 },
        { width: 2560, height: 1440 },
      ],
    }),
  )('%s: the list and an open rule fit their width, do not shift and pass axe', async (name, lookAt) => {
    const page = await at().signedIn(lookAt(0).opened, '/keys');
    await page.goto(`${at().base}/record`);
    await waitForCount(page, '.rule-item', 13);
    expect(await faultsOf(page, lookAt(0))).toEqual({});
    await picture(page, `record_list_${name}`);
    await resize(page, lookAt(1).opened);
    await page.goto(at().base + addressOf(superBowl));
    await page.locator('.divergence details').nth(1).locator('summary').click();
    await waitForCount(page, '.venue-text', 3);
    await page.locator('.rule-item.is-open').evaluate((item) => item.scrollIntoView());
    expect([await faultsOf(page, lookAt(1)), page.errors]).toEqual([{}, []]);
    await picture(page, `record_open_${name}`);
  });
