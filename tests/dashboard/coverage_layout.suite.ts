import { expect, test } from 'vitest';
import type { AccountSite } from './support/account_site.ts';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { picture, press } from './support/page.ts';

/** The map, the table and an open series of the page Coverage. */
export const coverageLayoutSuite = (scope: Scope, at: () => AccountSite) =>
  test.each(
    passesOf(scope, {
      wide: { width: 1440, height: 1500 },
      narrow: { width: 390, height: 2400 },
      others: [
        { width: 960, height: 1200 },
        { width: 2560, height: 1700 },
      ],
    }),
  )('%s: the map, the table and an open series fit their width, do not shift and pass axe', async (name, lookAt) => {
    const look = lookAt(0);
    const page = await at().signedIn(look.opened, '/keys');
    await page.goto(`${at().base}/coverage`);
    await page.locator('.series-table .rows .series-row').first().waitFor();
    expect(await faultsOf(page, look)).toEqual({});
    await picture(page, `coverage_${name}`);
    await press(page, 'KXNHLGAME');
    await page.locator('dialog[open] .codes').waitFor();
    expect([await faultsOf(page, look), page.errors]).toEqual([{}, []]);
    await picture(page, `coverage_open_${name}`);
  });
