import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { axeViolations } from '../dashboard/support/axe.ts';
import type { Page, Viewport } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { chromiumOrSkip, harnessInChromium } from './support/browser.ts';
import recorded from './support/recorded.json' with { type: 'json' };

// Checks the buy instructions that the pages render in Chromium. tests/api checks the same
// instructions over REST, stream and MCP.

const program = chromiumOrSkip('tests/live/legs.system.test.ts');

const pictures = join(import.meta.dirname, '../../test-results/legs');
const viewports: [string, Viewport][] = [
  ['1440', { width: 1440, height: 1000 }],
  ['1440_dark', { width: 1440, height: 1000, dark: true }],
  ['390', { width: 390, height: 844 }],
  ['390_dark', { width: 390, height: 844, dark: true }],
];

describe.skipIf(!program)('the buy instructions on the pages', () => {
  const live = harnessInChromium(program, pictures);

  const opened = async (query: string, viewport: Viewport = { width: 1440, height: 1000 }): Promise<Page> => {
    const page = await live.browser.page(viewport);
    await page.goto(`${live.base}/?${query}`);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  };
  /** Opens the card of one opportunity and returns the lines of each leg, without the buttons. */
  const legsOf = async (page: Page, title: string): Promise<string[][]> => {
    const card = `[...document.querySelectorAll('.opportunity')].find((one) => one.getAttribute('aria-label') === ${JSON.stringify(title)})`;
    await page.waitFor(card);
    await page.evaluate(
      `document.querySelectorAll('.opportunity-head[aria-expanded=true]').forEach((one) => one.click())`,
    );
    await page.evaluate(`${card}.querySelector('.opportunity-head').click()`);
    await page.waitFor(`${card}.querySelector('.legs li')`);
    return await page.evaluate<string[][]>(
      `[...${card}.querySelectorAll('.legs li')].map((leg) => [...leg.querySelectorAll('p:not(.contract), .contract code')].map((one) => one.innerText.trim()))`,
    );
  };

  test.each(viewports)('%s: a card names the contract, its side and the outcome that pays', async (name, viewport) => {
    const page = await opened('page=opportunities', viewport);
    // NO on the contract about Seattle pays if New Jersey wins.
    expect(await legsOf(page, 'Seattle Kraken vs New Jersey Devils')).toEqual([
      [
        'Buy Kraken on "Kraken vs. Devils" (token 94895824…4595). Pays $1 if Seattle Kraken wins',
        '46¢ + 1.24¢ fee',
        'venue_b · 2,911.54 available · orders wait 1 s before they match',
        recorded.opportunities[1]?.legs[0]?.contract_id,
      ],
      [
        'Buy NO on KXNHLGAME-26NOV21SEANJ-SEA (Seattle). Pays $1 if New Jersey Devils wins',
        '50¢ + 1.75¢ fee',
        'venue_a · 231 available',
        'KXNHLGAME-26NOV21SEANJ-SEA',
      ],
    ]);
    await page.screenshot(join(pictures, `no_${name}.png`));
    expect(await legsOf(page, 'Ipswich Town vs Sunderland: total 2.5 goals')).toEqual([
      [
        'Buy YES on KXEPLTOTAL-26NOV22IPSSUN-2 (Over 2.5 goals scored). Pays $1 if the total is over 2.5',
        '67¢ + 1.55¢ fee',
        'venue_a · 756 available',
        'KXEPLTOTAL-26NOV22IPSSUN-2',
      ],
      [
        'Buy Under on "Ipswich Town FC vs. Sunderland AFC: O/U 2.5" (token 33534122…5138). Pays $1 if the total is under 2.5',
        '30¢ + 1.05¢ fee',
        'venue_b · 376 available · orders wait 1 s before they match',
        recorded.opportunities[2]?.legs[1]?.contract_id,
      ],
    ]);
    await page.screenshot(join(pictures, `yes_${name}.png`));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect(await axeViolations(page)).toEqual([]);
    expect(page.errors).toEqual([]);
  });

  test('every leg shows the instruction of the service unchanged, for YES, NO and neither', async () => {
    const page = await opened('page=opportunities');
    for (const { title, legs } of recorded.opportunities) {
      const sentences = (await legsOf(page, title)).map(([sentence]) => sentence);
      expect(sentences).toEqual(legs.map((leg) => leg.instruction));
    }
    expect(recorded.opportunities.flatMap(({ legs }) => legs.map((leg) => leg.side))).toEqual(
      expect.arrayContaining(['yes', 'no', null]),
    );
  });

  test('each leg has the same instruction in the cost bar and in the report dialog', async () => {
    const page = await opened('page=opportunities');
    await legsOf(page, 'Seattle Kraken vs New Jersey Devils');
    const sentences = recorded.opportunities[1]?.legs.map((leg) => leg.instruction) ?? [];
    const dollar = await page.evaluate<string>(`document.querySelector('.cost-bar .bar').getAttribute('aria-label')`);
    for (const sentence of sentences) expect(dollar).toContain(sentence);
    await new PageUser(page).press('Report a problem');
    await page.waitFor(`document.querySelector('dialog[open]')`);
    expect(
      await page.evaluate<string[]>(`[...document.querySelectorAll('dialog li')].map((one) => one.innerText)`),
    ).toEqual(sentences);
  });

  test.each(viewports)(
    '%s: a market page names the venue_a contract and side (YES or NO) of each outcome',
    async (name, viewport) => {
      const page = await opened('page=market&state=total&rows=0', viewport);
      await page.waitFor(`document.querySelectorAll('.outcomes-table .contract-of').length === 2`);
      expect(
        await page.evaluate<string[]>(
          `[...document.querySelectorAll('.outcomes-table tbody th')].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())`,
        ),
      ).toEqual([
        'Over 2.5 venue_a: YES on KXEPLTOTAL-26NOV22IPSSUN-2',
        'Under 2.5 venue_a: NO on KXEPLTOTAL-26NOV22IPSSUN-2',
      ]);
      await page.screenshot(join(pictures, `market_${name}.png`));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(await axeViolations(page)).toEqual([]);
    },
  );
});
