import { describe, expect, test } from 'vitest';
import { faultsOf, passesOf, type Scope } from '../dashboard/support/looks.ts';
import {
  installClock,
  openPage,
  picture,
  resize,
  settle,
  type WatchedPage,
  waitForCount,
  waitForText,
} from '../dashboard/support/page.ts';
import { moveAllPrices } from './support/moves.ts';

/** Each page, and what it shows when it is ready. */
const pages: [query: string, ready: (page: WatchedPage) => Promise<void>][] = [
  ['page=markets&rows=300', (page) => page.locator('.market-row .title').first().waitFor()],
  ['page=markets&state=empty', (page) => page.locator('.empty').waitFor()],
  ['page=markets&state=connecting', (page) => page.locator('.market-row .wait').first().waitFor()],
  [
    'page=market',
    async (page) => {
      await page.locator('.plot canvas').nth(1).waitFor();
      await page.locator('.untrusted').first().waitFor();
      // The charts take one point a second.
      for (let second = 0; second < 3; second += 1) {
        await moveAllPrices(page);
        await page.clock.runFor(1_100);
      }
    },
  ],
  [
    'page=opportunities',
    async (page) => {
      for (const part of ['.legs', '.edge-chart', '.closed-table']) await page.locator(part).first().waitFor();
    },
  ],
  ['page=opportunities&state=empty', (page) => page.locator('.empty').first().waitFor()],
  ['page=webhooks', (page) => waitForCount(page, '.webhook', 2)],
  ['page=webhooks&state=missing', (page) => page.locator('.empty').waitFor()],
  ['page=webhooks&state=failing', (page) => page.locator('.empty').waitFor()],
];

/** Every live page on recorded frames: width, accessibility, and what must not overlap. */
export const liveLayoutSuite = (scope: Scope, base: () => string) =>
  describe('their layout', () => {
    const passes = passesOf(scope, {
      wide: { width: 1440, height: 1000 },
      narrow: { width: 360, height: 800 },
      others: [{ width: 3840, height: 2160 }],
    });

    const cases = pages.flatMap(([query, ready], place) =>
      passes.map(([name, lookAt]) => ({ query, name, look: lookAt(place), ready })),
    );
    test.each(cases)(
      '$query, $name: axe finds no serious violation, the page fits its width and logs no error',
      async ({ query, name, look, ready }) => {
        const page = await openPage(look.opened);
        if (query === 'page=market') await installClock(page);
        await page.goto(`${base()}/?${query}`);
        await ready(page);
        expect([await faultsOf(page, look, { shift: Number.POSITIVE_INFINITY }), page.errors]).toEqual([{}, []]);
        await picture(page, `live/${query.replace(/page=|&.*?=/g, '_').slice(1)}_${name}`);
      },
    );

    test.each(passes)(
      '%s: no row with a medium risk is green, and every row states the number of risks',
      async (_, lookAt) => {
        const look = lookAt(0);
        const page = await openPage(look.opened);
        await page.goto(`${base()}/?page=markets&rows=30`);
        await page.locator('.market-row .title').nth(3).waitFor();
        for (const { viewport } of [{ viewport: look.opened }, ...look.again]) {
          await resize(page, viewport);
          await settle(page);
          const rows = await page.evaluate<
            { signal: string; medium: number; worse: number; free: number; kind: string; text: string; title: string }[]
          >(`
        [...document.querySelectorAll('.rows .market-row')].filter((row) => row.querySelector('.title')).map((row) => {
          const market = live.store.markets.get(new URL(row.querySelector('.title').href).searchParams.get('id'));
          const of = (...severities) => market.settlement.risks.filter((one) => severities.includes(one.severity)).length;
          const mark = row.querySelector('.mark .state');
          return {
            signal: market.signal, medium: of('medium'), worse: of('high', 'critical'),
            free: row.querySelector('.books').getBoundingClientRect().left - mark.getBoundingClientRect().right,
            kind: mark.className, text: mark.innerText.replace(/\\s+/g, ' '), title: mark.title,
          };
        })`);
          const arbs = rows.filter((row) => row.signal === 'arb' && row.medium > 0);
          expect(arbs.length).toBeGreaterThan(0);
          // The text does not overlap the book ages, also in a wider font.
          expect(Math.min(...rows.map((row) => row.free))).toBeGreaterThan(4);
          expect(await page.evaluate<number>(narrowestGap)).toBeGreaterThan(4);
          for (const row of arbs) {
            expect(row.kind).toContain('is-stale');
            expect(row.text).toMatch(new RegExp(`^Arb-grade (· )?${row.medium} medium risks?$`));
          }
          for (const row of rows.filter((one) => one.medium + one.worse > 0)) {
            expect(row.kind).not.toContain('is-up');
            expect(row.title).not.toMatch(/settle alike/);
            expect(row.title).toMatch(/\$/);
          }
        }
      },
    );

    test.each(passes)(
      '%s: an opportunity card shows its settlement risks, their cost and the record of its rule',
      async (_, lookAt) => {
        const look = lookAt(1);
        const page = await openPage(look.opened);
        await page.goto(`${base()}/?page=opportunities`);
        await page.locator('.can-lose').first().waitFor();
        for (const { viewport } of [{ viewport: look.opened }, ...look.again]) {
          await resize(page, viewport);
          const heads = await page.evaluate<string[]>(
            `[...document.querySelectorAll('.opportunity-head')].map((head) => head.querySelector('.state')?.innerText ?? 'none')`,
          );
          expect(heads).toContain('2 medium risks');
          expect(heads).toContain('none');
          const risks = await page.locator('.can-lose').first().innerText();
          expect(risks).toContain('How this can lose');
          expect(risks).toMatch(/a \$1 pair can lose its whole stake on venue_b/);
          expect(risks).toMatch(/1,240 pairs settled alike, 0 differently: at most 0\.24% diverge/);
          expect(risks).toContain('1.21 pts');
        }
      },
    );

    test.each(passes)(
      '%s: the delivery history shows the result of each delivery and passes axe',
      async (name, lookAt) => {
        const look = lookAt(0);
        const page = await openPage(look.opened);
        await page.goto(`${base()}/?page=webhooks`);
        await waitForCount(page, '.webhook', 2);
        await page.locator('.webhook [aria-expanded]').first().click();
        await waitForCount(page, '.deliveries tbody tr', 100);
        const rows = (await page.locator('.deliveries tbody tr').allInnerTexts()).map((text) =>
          text.replace(/\s+/g, ' '),
        );
        for (const [row, ...words] of [
          [rows[0], 'Waiting', 'next in', '3 of 4', 'HTTP 503', '503 Service Temporarily Unavailable'],
          [rows[1], 'Waiting', '0 of 4', 'Not yet'],
          [rows[2], 'Failed', '4 of 4', 'HTTP 500', 'no such table', 'Replay'],
          [rows[3], 'ping', 'Delivered', 'HTTP 204'],
          [rows[4], 'Failed', 'No complete response within five seconds', '5,003 ms'],
          [rows[5], 'Dropped', 'Not sent: the endpoint was disabled', 'Replay'],
        ])
          for (const word of words) expect(row).toContain(word);
        // The response of a receiver is rendered as text.
        expect(await page.locator('.deliveries center').count()).toBe(0);
        await page.locator('.deliveries summary').first().click();
        await waitForText(page, '"threshold_pts": 3');
        expect([await faultsOf(page, look, { shift: Number.POSITIVE_INFINITY }), page.errors]).toEqual([{}, []]);
        await picture(page, `live/webhooks_log_${name}`);
      },
    );
  });

/** The smallest distance in px between a row's risk badge and its book ages, with wider letters. */
const narrowestGap = `(() => {
  document.body.style.letterSpacing = '0.06em';
  const gap = Math.min(...[...document.querySelectorAll('.rows .market-row')]
    .filter((row) => row.querySelector('.mark .state'))
    .map((row) => row.querySelector('.books').getBoundingClientRect().left
      - row.querySelector('.mark .state').getBoundingClientRect().right));
  document.body.style.letterSpacing = '';
  return gap;
})()`;
