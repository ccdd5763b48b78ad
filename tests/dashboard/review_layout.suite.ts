import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountSite } from './support/account_site.ts';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { picture, press, resize, waitForCount } from './support/page.ts';
import { addressOf, BESTA, HOSTILE, NAMES, RACE, reviewAnswers } from './support/review_world.ts';

/** The list, each kind of entry and a dialog of the page Review. */
export const reviewLayoutSuite = (scope: Scope, at: () => AccountSite) =>
  describe('its layout', () => {
    let site: AccountSite;
    beforeEach(() => {
      site = at();
      site.api.answers = reviewAnswers();
    });

    const passes = passesOf(scope, {
      wide: { width: 1440, height: 900 },
      narrow: { width: 390, height: 844 },
      others: [
        { width: 960, height: 900 },
        { width: 2560, height: 1440 },
      ],
    });

    test.each(passes)(
      '%s: list, entries and a dialog fit their width, do not shift and pass axe',
      async (name, lookAt) => {
        const page = await site.signedIn(lookAt(0).opened, '/keys');
        let look = lookAt(0);
        const check = async (what: string, part?: Locator) => {
          expect(await faultsOf(page, look, part && { part }), what).toEqual({});
          await picture(page, `review_${what}_${name}`);
        };
        await page.goto(`${site.base}/review`);
        await waitForCount(page, '.review-item', 4);
        await check('list');
        const entries = [
          ['race', RACE],
          ['names', NAMES],
          ['hostile', HOSTILE],
          ['league', BESTA],
        ] as const;
        for (const [place, [what, subject]] of entries.entries()) {
          look = lookAt(place + 1);
          await resize(page, look.opened);
          await page.goto(site.base + addressOf(subject));
          await page.locator('.review-head h2').waitFor();
          await check(what);
        }
        await check('names_of_league', page.locator('.review-names'));
        await check('games', page.locator('.review-pair').nth(2));
        await press(page, 'Confirm');
        await page.locator('dialog').waitFor();
        await check('dialog');
        expect(page.errors).toEqual([]);
      },
    );
  });
