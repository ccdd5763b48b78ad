import { expect, test } from 'vitest';
import { axeViolations } from '../dashboard/support/axe.ts';
import { describeInChromium, openPage, picture, textsOf, type WatchedPage } from '../dashboard/support/page.ts';
import { servedHarness } from './support/browser.ts';

/**
 * Guarantee: no page states that no opportunity is open when it cannot know, and the market page
 * names all four gates and the result after them.
 */
describeInChromium('the explanation of a missing opportunity, in Chromium', () => {
  const live = servedHarness();

  const opened = async (query: string, ready: string): Promise<WatchedPage> => {
    const page = await openPage({ width: 1440, height: 1000 });
    await page.goto(`${live.base}/?${query}`);
    await page.locator(ready).first().waitFor();
    return page;
  };
  const textOf = async (page: WatchedPage, selector: string) =>
    ((await textsOf(page, selector))[0] ?? '').replaceAll('’', "'");

  test.each([
    [0, 'No opportunity was open in all markets 2 min ago.'],
    [1, '1 opportunity was open in all markets 2 min ago.'],
    [4, '4 opportunities were open in all markets 2 min ago.'],
  ])(
    'a Free account sees an empty sample and the count of %i open opportunities in all markets',
    async (count, words) => {
      const page = await opened(`page=opportunities&tier=free&state=empty-${count}`, '.empty time');
      const text = await textOf(page, '.empty');
      expect(text).toContain('No open opportunity in the sample markets');
      expect(text).toContain(words);
      expect(text).not.toMatch(/usual state/);
      await picture(page, `live/opportunities_free_${count}`);
      expect([await axeViolations(page), page.errors]).toEqual([[], []]);
    },
  );

  test('a paid account sees that no opportunity is open', async () => {
    const page = await opened('page=opportunities&state=empty', '.empty');
    expect(await textOf(page, '.empty')).toContain('This is the usual state');
  });

  test('a market with a closed gate names all four gates and why that gate is closed', async () => {
    const page = await opened('page=market', '.gates');
    expect(await textsOf(page, '.gates li')).toEqual([
      'Open Both venues ask the same question',
      'Closed Settled pairs of this rule agreed Too few settled pairs of this rule are known to confirm it.',
      'Open No high or critical settlement risk',
      'Open Both venues have a price for every outcome',
    ]);
    const card = await textOf(page, '[aria-labelledby=gates]');
    expect(card).toContain('Why this is not an opportunity');
    expect(card).toContain('1 of 4 gates is closed, as of 2 min ago.');
    expect(card).toContain('The last opportunity closed 10 min ago: The prices moved: there is no edge after fees.');
  });

  test('a market with four open gates names the current rejection once and earlier ones with their times', async () => {
    const page = await opened('page=market&state=gates-open', '.gates');
    expect((await textsOf(page, '.gates li')).every((gate) => gate.startsWith('Open '))).toBe(true);
    const card = await textOf(page, '[aria-labelledby=gates]');
    expect(card).toContain('Why no opportunity was open');
    expect(card).toContain('All four gates are open');
    const after = await textOf(page, '.after-gates');
    expect(after).toMatch(/^The available size is below the minimum order of a venue\./);
    expect(after).toContain('Rejected 2 h ago: The fee of a required contract is unknown.');
    expect(after.match(/minimum order/g)).toHaveLength(1);
    await picture(page, 'live/market_gates_open');
    expect([await axeViolations(page), page.errors]).toEqual([[], []]);
  });
});
