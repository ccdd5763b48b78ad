import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { axeViolations } from '../dashboard/support/axe.ts';
import type { Page } from '../dashboard/support/chromium.ts';
import { chromiumOrSkip, harnessInChromium } from './support/browser.ts';

const program = chromiumOrSkip('tests/live/gates_card.test.ts');
const pictures = join(import.meta.dirname, '../../test-results/live');

/** Guarantee: no page says that nothing is open where it cannot know, and the market page names all four gates and what came after. */
describe.skipIf(!program)('why there is no opportunity, in a real Chromium', () => {
  const live = harnessInChromium(program, pictures);

  const opened = async (query: string, ready: string): Promise<Page> => {
    const page = await live.browser.page({ width: 1440, height: 1000 });
    await page.goto(`${live.base}/?${query}`);
    await page.waitFor(ready);
    return page;
  };
  const textOf = (page: Page, selector: string) =>
    page.evaluate<string>(
      `document.querySelector(${JSON.stringify(selector)}).innerText.replace(/\\s+/g, ' ').replaceAll('’', "'")`,
    );

  test.each([
    [0, 'No opportunity was open in the whole catalog 2 min ago.'],
    [1, '1 opportunity was open in the whole catalog 2 min ago.'],
    [4, '4 opportunities were open in the whole catalog 2 min ago.'],
  ])('a Free account reads what its sample has, and that %i are open in the catalog', async (count, words) => {
    const page = await opened(
      `page=opportunities&tier=free&state=empty-${count}`,
      `document.querySelector('.empty time')`,
    );
    const text = await textOf(page, '.empty');
    expect(text).toContain('None among the 20 sample markets');
    expect(text).toContain(words);
    expect(text).not.toMatch(/No arbitrage is open|normal state/);
    await page.screenshot(join(pictures, `opportunities_free_${count}.png`));
    expect([await axeViolations(page), page.errors]).toEqual([[], []]);
  });

  test('a paying account without an opportunity reads that none is open', async () => {
    const page = await opened('page=opportunities&state=empty', `document.querySelector('.empty')`);
    expect(await textOf(page, '.empty')).toContain('No arbitrage is open now');
  });

  const gates = `[...document.querySelectorAll('.gates li')].map((li) => li.innerText.replace(/\\s+/g, ' '))`;

  test('a market with a closed gate names all four, and why that one is closed', async () => {
    const page = await opened('page=market', `document.querySelector('.gates')`);
    expect(await page.evaluate<string[]>(gates)).toEqual([
      'Open It is the same question',
      'Closed The rule has settled alike before Too few settled pairs of this rule have been seen to agree.',
      'Open No serious settlement risk',
      'Open Both venues priced on every outcome',
    ]);
    const card = await textOf(page, '[aria-labelledby=gates]');
    expect(card).toContain('Why this is not an arb');
    expect(card).toContain('1 of 4 gates is closed, as of 2 min ago.');
    expect(card).toContain('The last opportunity closed 10 min ago: The books moved: nothing is left after fees.');
  });

  test('a market with four open gates names the rejection that stands, and the ones before it with their times', async () => {
    const page = await opened('page=market&state=gates-open', `document.querySelector('.gates')`);
    expect((await page.evaluate<string[]>(gates)).every((gate) => gate.startsWith('Open '))).toBe(true);
    const card = await textOf(page, '[aria-labelledby=gates]');
    expect(card).toContain('Why no opportunity was open');
    expect(card).toContain('All four gates are open');
    const after = await textOf(page, '.after-gates');
    expect(after).toMatch(/^What is offered is less than a venue's smallest order\./);
    expect(after).toContain('Rejected 2 h ago: The fee of a contract that is needed is not known.');
    expect(after.match(/smallest order/g)).toHaveLength(1);
    await page.screenshot(join(pictures, 'market_gates_open.png'));
    expect([await axeViolations(page), page.errors]).toEqual([[], []]);
  });
});
