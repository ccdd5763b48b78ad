import { expect, test } from 'vitest';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { openPage, picture } from './support/page.ts';

/** The page Track record with settled opportunities. `base`: the site. */
export const trackRecordLayoutSuite = (scope: Scope, base: () => string) =>
  test.each(
    passesOf(scope, {
      wide: { width: 1440, height: 1500 },
      narrow: { width: 390, height: 2300 },
      others: [{ width: 2560, height: 1700 }],
    }),
  )('%s: fits its width, does not shift, passes axe and contacts no other host', async (name, lookAt) => {
    const look = lookAt(1);
    const page = await openPage(look.opened);
    await page.goto(`${base()}/track-record`);
    await page.locator('[aria-label="The track record by market type and competition"] tbody tr').first().waitFor();
    expect([await faultsOf(page, look, { shift: 0.1 }), page.errors]).toEqual([{}, []]);
    await picture(page, `track-record-${name}`);
    expect(page.requested.filter((url) => !url.startsWith(`${base()}/`))).toEqual([]);
  });
