import { expect, test } from 'vitest';
import { describeInChromium, openPage, press, textsOf, type WatchedPage } from '../dashboard/support/page.ts';
import { legsOf, legsSuite } from './legs.suite.ts';
import { servedHarness } from './support/browser.ts';
import recorded from './support/recorded.json' with { type: 'json' };

// Checks the buy instructions that the pages render in Chromium. tests/api checks the same
// instructions over REST, stream and MCP.

describeInChromium('the buy instructions on the pages', () => {
  const live = servedHarness();

  const opened = async (): Promise<WatchedPage> => {
    const page = await openPage({ width: 1440, height: 1000 });
    await page.goto(`${live.base}/?page=opportunities`);
    return page;
  };

  // layout.slow.test.ts opens the pages in every width and theme.
  legsSuite('some', () => live.base);

  test('every leg shows the instruction of the service unchanged, for YES, NO and neither', async () => {
    const page = await opened();
    for (const { title, legs } of recorded.opportunities) {
      const sentences = (await legsOf(page, title)).map(([sentence]) => sentence);
      expect(sentences).toEqual(legs.map((leg) => leg.instruction));
    }
    expect(recorded.opportunities.flatMap(({ legs }) => legs.map((leg) => leg.side))).toEqual(
      expect.arrayContaining(['yes', 'no', null]),
    );
  });

  test('each leg has the same instruction in the cost bar and in the report dialog', async () => {
    const page = await opened();
    await legsOf(page, 'Seattle Kraken vs New Jersey Devils');
    const sentences = recorded.opportunities[1]?.legs.map((leg) => leg.instruction) ?? [];
    const dollar = await page.locator('.cost-bar .bar').first().getAttribute('aria-label');
    for (const sentence of sentences) expect(dollar).toContain(sentence);
    await press(page, 'Report a problem');
    await page.locator('dialog[open]').first().waitFor();
    expect(await textsOf(page, 'dialog li')).toEqual(sentences);
  });
});
