import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { axeViolations } from '../dashboard/support/axe.ts';
import type { Page, Viewport } from '../dashboard/support/chromium.ts';
import { recordLayoutShifts } from '../dashboard/support/layout_shift.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { chromiumOrSkip, harnessInChromium } from './support/browser.ts';
import { mainThreadTasks } from './support/tasks.ts';

const program = chromiumOrSkip('tests/live/pages.test.ts');

const pictures = join(import.meta.dirname, '../../test-results/live');
const looks: [string, Viewport][] = [
  ['wide', { width: 1440, height: 1000 }],
  ['wide_dark', { width: 1440, height: 1000, dark: true }],
  ['narrow', { width: 360, height: 800 }],
  ['narrow_dark', { width: 360, height: 800, dark: true }],
  ['huge', { width: 3840, height: 2160 }],
];

describe.skipIf(!program)('the live pages in a real Chromium, on recorded frames', () => {
  const live = harnessInChromium(program, pictures);

  const opened = async (query: string, look: Viewport = { width: 1440, height: 1000 }, before = ''): Promise<Page> => {
    const page = await live.browser.page(look);
    if (before) await page.addScript(before);
    await page.goto(`${live.base}/?${query}`);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  };
  const ticked = async (page: Page, times: number, every = 100): Promise<void> => {
    await page.evaluate(`(async () => {
      for (let turn = 0; turn < ${times}; turn++) {
        recording.moveAllPrices();
        await new Promise((resolve) => setTimeout(resolve, ${every}));
      }
    })()`);
  };

  const ready: Record<string, string> = {
    'page=markets&rows=300': `document.querySelector('.market-row .title')`,
    'page=markets&state=empty': `document.querySelector('.empty')`,
    'page=markets&state=connecting': `document.querySelector('.market-row .wait')`,
    'page=market': `document.querySelectorAll('.plot canvas').length > 1 && document.querySelector('.untrusted')`,
    'page=opportunities': `document.querySelector('.legs') && document.querySelector('.edge-chart')`,
    'page=opportunities&state=empty': `document.querySelector('.empty')`,
    'page=webhooks': `document.querySelectorAll('.webhook').length === 2`,
    'page=webhooks&state=missing': `document.querySelector('.empty')`,
    'page=webhooks&state=failing': `document.querySelector('.empty')`,
  };
  const cases = Object.keys(ready).flatMap((query) => looks.map(([name, look]) => [query, name, look] as const));
  test.each(cases)(
    '%s, %s: axe finds no serious fault, nothing runs off the side, nothing fails',
    async (query, name, look) => {
      const page = await opened(query, look);
      await page.waitFor(ready[query] ?? 'true');
      if (query === 'page=market') await ticked(page, 3, 1100);
      await page.screenshot(join(pictures, `${query.replace(/page=|&.*?=/g, '_').slice(1)}_${name}.png`));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.width);
      expect(await axeViolations(page)).toEqual([]);
      expect(page.errors).toEqual([]);
    },
  );

  test('a thousand rows at ten updates a second: no task of 100 ms once loaded, and nothing jumps', async () => {
    const page = await opened(
      'page=markets&rows=1000',
      { width: 1440, height: 1000, motion: true },
      recordLayoutShifts,
    );
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
    await ticked(page, 5);
    await page.evaluate('window.shifts = 0; window.shifted.length = 0;');
    const tasks = mainThreadTasks(await page.traced(['toplevel'], () => ticked(page, 50)));
    const [shifts, shifted] = await page.evaluate<[number, string[]]>('[window.shifts, window.shifted]');
    const drawn = await page.evaluate<number>(`document.querySelectorAll('.market-row .title').length`);
    const whole = tasks.reduce((sum, task) => sum + task, 0);
    const figures = `longest task ${Math.max(...tasks).toFixed(1)} ms, ${(whole / 50).toFixed(1)} ms an update`;
    console.log(
      `1,000 rows, 50 updates of all of them: ${drawn} rows drawn, ${figures} of the main thread, shift ${shifts}`,
    );
    expect(tasks.length).toBeGreaterThan(50);
    expect(Math.max(...tasks)).toBeLessThan(100);
    expect(shifts, shifted.join('; ')).toBeLessThan(0.001);
    // Rows that nobody sees are not drawn.
    expect(drawn).toBeLessThan(60);
    expect(await page.evaluate('live.store.markets.size')).toBeGreaterThan(900);
  });

  test('shows each price that came, and rows stay where they are until the reader sorts', async () => {
    const page = await opened('page=markets&rows=100');
    const titles = `[...document.querySelectorAll('.market-row .title')].slice(0, 12).map((a) => a.href)`;
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
    const before = await page.evaluate<string[]>(titles);
    await ticked(page, 10);
    expect(await page.evaluate(titles)).toEqual(before);
    const gaps = `[...document.querySelectorAll('.rows .spread .flashing-value')].slice(0, 12).map((one) => Number(one.textContent))`;
    const known = `[...document.querySelectorAll('.market-row .title')].slice(0, 12).map((a) => live.store.markets.get(new URL(a.href).searchParams.get('id')).spread_pts)`;
    expect(await page.evaluate(gaps)).toEqual(await page.evaluate(known));
    await page.waitFor(`!document.querySelector('.sorting button').disabled`);
    await new PageUser(page).press('Sort again');
    await page.waitFor(`document.querySelector('.sorting button').disabled`);
    const sorted = await page.evaluate<number[]>(gaps);
    expect(sorted).toEqual([...sorted].sort((one, other) => other - one));
  });

  test('a lost broadcast is noticed by the next and read again, without a jump in the list', async () => {
    const page = await opened('page=markets&rows=40');
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
    await page.evaluate(`(() => { const [id] = live.store.markets.keys(); const market = live.store.markets.get(id);
      recording.publish('markets:all', [{ type: 'price', id, priced_at: market.priced_at, books_read_at: market.books_read_at, spread_pts: 99, potential_arb_pct: null, signal: 'spread', outcomes: [] }], true);
      recording.publish('markets:all', []); })()`);
    expect(await page.evaluate(`live.store.hasGap('markets:all')`)).toBe(true);
    await page.waitFor(`!live.store.hasGap('markets:all')`);
    expect(await page.evaluate(`live.store.position('markets:all').offset`)).toBe(1);
  });

  test('filters narrow the list, live in the address, and an empty list says how to go on', async () => {
    const page = await opened('page=markets&rows=60');
    const person = new PageUser(page);
    await person.fill('Search markets', 'bitcoin');
    await page.waitFor(`document.querySelectorAll('.market-row .title').length === 2`);
    expect(await page.evaluate('location.search')).toContain('search=bitcoin');
    await person.fill('Search markets', 'no such thing');
    await person.waitForText('No market passes these filters');
    await person.press('Show all');
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
  });

  test('the connection’s states are words: lost, refused, offline, sample', async () => {
    const page = await opened('page=markets&rows=20');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.market-row .title')`);
    await page.evaluate(`recording.loseConnection('markets:all')`);
    await person.waitForText('Connecting again');
    expect(await page.evaluate(`document.querySelector('.market-table').classList.contains('is-outdated')`)).toBe(true);
    await page.setOffline(true);
    await person.waitForText('Offline');
    await new PageUser(await opened('page=markets&state=denied')).waitForText('does not carry this feed');
    await new PageUser(await opened('page=markets&tier=free&rows=20')).waitForText('Free hears a sample');
  });

  test('the list is walked by keyboard alone, from row to row, and Enter opens the market', async () => {
    const page = await opened('page=markets&rows=100');
    await page.waitFor(`document.querySelectorAll('.market-row .title').length > 10`);
    await page.evaluate(`document.querySelector('.market-row .title').focus()`);
    const first = await page.evaluate('document.activeElement.href');
    await ticked(page, 3);
    expect(await page.evaluate('document.activeElement.href')).toBe(first);
    await page.press('Tab');
    expect(await page.evaluate(`document.activeElement.className`)).toBe('title');
    expect(await page.evaluate('document.activeElement.href')).not.toBe(first);
  });

  test('markup in a rule text, a name or a link stays text', async () => {
    const page = await opened('page=market&state=hostile');
    await page.waitFor(`document.querySelectorAll('.untrusted').length === 2`);
    expect(await page.evaluate(`document.querySelectorAll('main img, main script').length`)).toBe(0);
    expect(await page.evaluate('window.ran ?? null')).toBeNull();
    expect(await page.evaluate(`document.querySelector('.untrusted').textContent`)).toContain('onerror');
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('main a')].filter((a) => !/^https?:$/.test(a.protocol)).length`,
      ),
    ).toBe(0);
  });

  test('a window that closes while it is read stays where it is and says so', async () => {
    const page = await opened('page=opportunities');
    await page.waitFor(`document.querySelector('.legs')`);
    const count = await page.evaluate<number>(`document.querySelectorAll('.opportunity').length`);
    await page.evaluate('recording.closeFirstOpportunity()');
    await new PageUser(page).waitForText('This window has closed');
    expect(await page.evaluate(`document.querySelectorAll('.opportunity').length`)).toBe(count);
    await new PageUser(page).press('Clear 1 closed');
    await page.waitFor(`document.querySelectorAll('.opportunity').length === ${count - 1}`);
  });

  /** With wider letters: the smallest gap, in px, between a row's mark and the ages of its books. */
  const narrowestGap = `(() => {
    document.body.style.letterSpacing = '0.06em';
    return Math.min(...[...document.querySelectorAll('.rows .market-row')]
      .filter((row) => row.querySelector('.mark .state'))
      .map((row) => row.querySelector('.books').getBoundingClientRect().left
        - row.querySelector('.mark .state').getBoundingClientRect().right));
  })()`;

  test.each(looks)(
    '%s: no row of the list is green over a medium risk, and each says how many there are',
    async (_name, look) => {
      const page = await opened('page=markets&rows=30', look);
      await page.waitFor(`document.querySelectorAll('.market-row .title').length > 3`);
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
      // Words do not run into the ages of the books, nor where the system's font is a tenth wider.
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
    },
  );

  test('the head of a market names its risks beside its grade', async () => {
    const page = await opened('page=market');
    await page.waitFor(`document.querySelector('.facts .state')`);
    const risks = await page.evaluate<{ text: string; kind: string }>(`(() => {
      const mark = document.querySelector('.facts .state');
      return { text: mark.innerText, kind: mark.className };
    })()`);
    expect(risks).toEqual({ text: '1 high risk', kind: 'state is-down' });
    await new PageUser(page).waitForText('the whole stake on venue_b is lost');
  });

  test.each(looks)(
    '%s: a card says how it can still lose, with the money and the record of its rule',
    async (_name, look) => {
      const page = await opened('page=opportunities', look);
      await page.waitFor(`document.querySelector('.can-lose')`);
      const heads = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.opportunity-head')].map((head) => head.querySelector('.state')?.innerText ?? 'none')`,
      );
      expect(heads).toContain('2 medium risks');
      expect(heads).toContain('none');
      const told = await page.evaluate<string>(`document.querySelector('.can-lose').innerText`);
      expect(told).toContain('How this can still lose');
      expect(told).toMatch(/a \$1 pair can lose its whole stake on venue_b/);
      expect(told).toMatch(/1,240 settled alike, 0 not: at most 0\.24% differ/);
      expect(told).toContain('1.21 pts');
    },
  );

  test('a contract’s whole id is copied, whatever of it there was room for', async () => {
    const page = await opened('page=opportunities');
    await page.allowClipboard();
    await page.waitFor(`document.querySelector('.legs code')`);
    await page.evaluate(`document.querySelector('.legs .contract button').click()`);
    await page.waitFor(`document.querySelector('.legs .contract button').textContent.startsWith('Copied')`);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await page.evaluate(`document.querySelector('.legs code').title`),
    );
  });

  test.each(looks)('%s: the log of deliveries shows what came of each, and keeps nobody out', async (name, look) => {
    const page = await opened('page=webhooks', look, recordLayoutShifts);
    const person = new PageUser(page);
    await page.waitFor(`document.querySelectorAll('.webhook').length === 2`);
    await page.evaluate(`document.querySelector('.webhook [aria-expanded]').click()`);
    await page.waitFor(`document.querySelectorAll('.deliveries tbody tr').length === 100`);
    const rows = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.deliveries tbody tr')].slice(0, 6).map((one) => one.innerText.replace(/\\s+/g, ' '))`,
    );
    for (const [row, ...words] of [
      [rows[0], 'Waiting', 'next in', '3 of 4', 'HTTP 503', '503 Service Temporarily Unavailable'],
      [rows[1], 'Waiting', '0 of 4', 'Not yet'],
      [rows[2], 'Failed', '4 of 4', 'HTTP 500', 'no such table', 'Replay'],
      [rows[3], 'ping', 'Delivered', 'HTTP 204'],
      [rows[4], 'Failed', 'No whole answer in five seconds', '5,003 ms'],
      [rows[5], 'Dropped', 'Not sent: the endpoint was disabled', 'Replay'],
    ])
      for (const word of words) expect(row).toContain(word);
    // What a receiver answered is text, whatever it holds.
    expect(await page.evaluate(`document.querySelector('.deliveries center')`)).toBeNull();
    await page.evaluate(`document.querySelector('.deliveries summary').click()`);
    await person.waitForText('"threshold_pts": 3');
    await page.screenshot(join(pictures, `webhooks_log_${name}.png`));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.width);
    expect(await axeViolations(page)).toEqual([]);
    expect(page.errors).toEqual([]);
  });

  test('a test is sent and seen, the failed are found and sent again, the older ones are reached', async () => {
    const page = await opened('page=webhooks');
    const person = new PageUser(page);
    const rows = (word = '') =>
      `[...document.querySelectorAll('.deliveries tbody tr')].filter((one) => one.innerText.includes('${word}')).length`;
    await person.press('Send test to https://hooks.example.com/parallax/pairs');
    await person.waitForText('A test is on its way.');
    await page.waitFor(`${rows('ping')} === 2`);
    await person.press('Send test to https://hooks.example.com/parallax/pairs');
    await person.waitForText('still under way');
    await person.press('Show older');
    await page.waitFor(`${rows()} === 137`);
    await person.press('Failed');
    await page.waitFor(`${rows()} === 2 && ${rows('Failed')} === 2`);
    await person.press('Replay');
    await person.waitForText('It is sent again, with the same id and body.');
    await page.waitFor(`${rows()} === 1`);
    await person.press('All');
    await page.waitFor(`${rows('Waiting')} === 4`);
    // One that is disabled receives no test and nothing again; what was sent to it can still be read.
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.webhook:last-child button')].map((one) => one.firstChild.data)`,
      ),
    ).toEqual(['Deliveries', 'Delete']);
    await page.evaluate(`document.querySelector('.webhook:last-child [aria-expanded]').click()`);
    await person.waitForText('Nothing has been sent in seven days');
  });

  test('a log that cannot be read says so, and tries again', async () => {
    const page = await opened('page=webhooks&state=logless');
    const person = new PageUser(page);
    await page.waitFor(`document.querySelector('.webhook [aria-expanded]')`);
    await page.evaluate(`document.querySelector('.webhook [aria-expanded]').click()`);
    await person.waitForText('This could not be read');
  });

  test('an endpoint is registered, its secret shown once, and deleted after a question', async () => {
    const page = await opened('page=webhooks');
    const person = new PageUser(page);
    await person.press('Register an endpoint');
    await person.fill('Address', 'http://example.com');
    await page.evaluate(`document.querySelector('dialog form').noValidate = true`);
    await person.press('Register');
    await person.waitForText('must begin with https');
    await person.fill('Address', 'https://example.com/hook');
    await person.press('Register');
    await person.waitForText('You will not see it again');
    expect(await page.evaluate(`document.querySelector('dialog').innerText`)).toContain('whsec_');
    await person.press('I have kept it');
    await page.waitFor(`document.querySelectorAll('.webhook').length === 3`);
    expect(await page.evaluate(`document.body.innerText`)).not.toContain('whsec_MfKQ');
    await page.evaluate(`[...document.querySelectorAll('.webhook')].at(-1).querySelector('.danger').click()`);
    await person.waitForText('receives nothing from then on');
    await page.evaluate(`document.querySelector('dialog .danger').click()`);
    await page.waitFor(`document.querySelectorAll('.webhook').length === 2`);
  });
});
