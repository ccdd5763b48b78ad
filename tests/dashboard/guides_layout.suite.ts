import { describe, expect, test } from 'vitest';
import { guideFiles } from '../../dashboard/guides/table.ts';
import { type ApiDocument, withSomePaths } from './support/api_document.ts';
import { faultsOf, passesOf, type Scope } from './support/looks.ts';
import { openPage, picture, resize } from './support/page.ts';

/**
 * Every guide, or every third one, and the API reference with the guides in its navigation. `base`:
 * the site.
 */
export const guidesLayoutSuite = (scope: Scope, base: () => string) =>
  describe('their layout', () => {
    const guides = guideFiles.filter((_, place) => scope === 'all' || place % 3 === 0);
    const passes = passesOf(scope, {
      wide: { width: 1440, height: 900 },
      narrow: { width: 360, height: 740 },
      others: [],
    });

    test.each(passes)(
      '%s: each guide fits its width, does not shift, logs no error and passes axe',
      async (name, lookAt) => {
        const page = await openPage(lookAt().opened);
        for (const [place, { slug }] of guides.entries()) {
          const look = lookAt(place);
          await resize(page, look.opened);
          await page.goto(`${base()}/docs/${slug}/`);
          await page.locator('.guide h2').first().waitFor();
          expect(await faultsOf(page, look, { shift: 0.1 }), slug).toEqual({});
        }
        await picture(page, `guide-${name}`);
        expect(page.errors).toEqual([]);
        expect(page.requested.filter((url) => !url.startsWith(`${base()}/`))).toEqual([]);
      },
    );

    test.each(passes)('%s: the API reference with guides in its navigation passes axe', async (_, lookAt) => {
      const look = lookAt(0);
      const page = await openPage(look.opened);
      if (scope === 'some') {
        await page.route('**/openapi.json', async (route) => {
          const document: ApiDocument = await (await route.fetch()).json();
          await route.fulfill({ json: withSomePaths(document) });
        });
      }
      await page.goto(`${base()}/docs/`);
      await page.locator('.endpoint').first().waitFor();
      expect(await faultsOf(page, look)).toEqual({});
    });
  });
