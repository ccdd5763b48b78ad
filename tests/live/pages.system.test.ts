import { expect, test } from 'vitest';
import {
  describeInChromium,
  openPage,
  press,
  textsOf,
  type WatchedPage,
  waitForCount,
  waitForText,
} from '../dashboard/support/page.ts';
import { waitUntil } from '../support/wait_until.ts';
import { liveLayoutSuite } from './layout.suite.ts';
import { servedHarness } from './support/browser.ts';
import { moveTenTimesASecond } from './support/moves.ts';

describeInChromium('the live pages in Chromium, on recorded frames', () => {
  const live = servedHarness();

  const opened = async (query: string): Promise<WatchedPage> => {
    const page = await openPage({ width: 1440, height: 1000 });
    await page.goto(`${live.base}/?${query}`);
    await page.locator('h1').first().waitFor();
    return page;
  };
  // layout.slow.test.ts opens the pages in every width and theme.
  liveLayoutSuite('some', () => live.base);

  test('the list shows every new price and keeps its order until the user sorts it', async () => {
    const page = await opened('page=markets&rows=100&sort=-gap');
    const titles = `[...document.querySelectorAll('.market-row .title')].slice(0, 12).map((a) => a.href)`;
    await page.locator('.market-row .title').nth(10).waitFor();
    const before = await page.evaluate<string[]>(titles);
    await moveTenTimesASecond(page, 10);
    expect(await page.evaluate(titles)).toEqual(before);
    const gaps = `[...document.querySelectorAll('.rows .spread .flashing-value')].slice(0, 12).map((one) => Number(one.textContent))`;
    const known = `[...document.querySelectorAll('.market-row .title')].slice(0, 12).map((a) => live.store.markets.get(new URL(a.href).searchParams.get('id')).spread_pts)`;
    expect(await page.evaluate(gaps)).toEqual(await page.evaluate(known));
    await press(page, 'Sort again');
    await page.locator('.sorting button:disabled').waitFor();
    const sorted = await page.evaluate<number[]>(gaps);
    expect(sorted).toEqual([...sorted].sort((one, other) => other - one));
  });

  test('a lost broadcast is detected by the next one and repaired from the channel state', async () => {
    const page = await opened('page=markets&rows=40');
    await page.locator('.market-row .title').nth(10).waitFor();
    await page.evaluate(`(() => { const [id] = live.store.markets.keys(); const market = live.store.markets.get(id);
      recording.publish('markets:all', [{ type: 'price', id, priced_at: market.priced_at, books_read_at: market.books_read_at, spread_pts: 99, potential_arb_pct: null, signal: 'spread', outcomes: [] }], true);
      recording.publish('markets:all', []); })()`);
    expect(await page.evaluate(`live.store.hasGap('markets:all')`)).toBe(true);
    await waitUntil(() => page.evaluate(`!live.store.hasGap('markets:all')`), { what: 'the gap is repaired' });
    expect(await page.evaluate(`live.store.position('markets:all').offset`)).toBe(1);
  });

  test('filters narrow the list, are stored in the address, and can be cleared when no market matches', async () => {
    const page = await opened('page=markets&rows=60');
    await page.getByLabel('Search markets').fill('bitcoin');
    await waitForCount(page, '.market-row .title', 2);
    expect(new URL(page.url()).search).toContain('search=bitcoin');
    await page.getByLabel('Search markets').fill('no such thing');
    await waitForText(page, 'No market matches these filters');
    await press(page, 'Clear filters');
    await page.locator('.market-row .title').nth(10).waitFor();
  });

  test('a star puts a market on the watch list, which a reload keeps and the filter Watched shows', async () => {
    const page = await opened('page=markets&rows=40');
    const row = page.locator('.rows .market-row').nth(2);
    const href = await row.locator('.title').getAttribute('href');
    await row.locator('.watch').click();
    await row.locator('.watch[aria-pressed=true]').waitFor();
    await page.reload();
    await press(page, 'Watched');
    await waitForCount(page, '.market-row .title', 1);
    expect(await page.locator('.market-row .title').getAttribute('href')).toBe(href);
    expect(new URL(page.url()).search).toContain('watched=1');
    await page.locator('.rows .watch').click();
    await press(page, 'Sort again');
    await waitForText(page, 'No watched market matches these filters');
  });

  test('titles sort the list, and each row has its edge after fees or the reason why it has none', async () => {
    const page = await opened('page=markets&rows=30');
    const edges = `[...document.querySelectorAll('.rows .edge')].map((one) => one.querySelector('.edge-value')?.innerText ?? one.querySelector('.no-edge').title)`;
    // The open opportunities have an edge before the fees are read.
    await page.waitForFunction(
      () =>
        document.querySelector('.edge-value') &&
        [...document.querySelectorAll<HTMLElement>('.no-edge')].every(({ title }) => !/fees/.test(title)),
    );
    const shown = await page.evaluate<string[]>(edges);
    const known = shown.map(Number).filter((edge) => !Number.isNaN(edge));
    expect(known).toEqual([...known].sort((one, other) => other - one));
    expect(shown.slice(known.length).every((why) => /cover every result|no ask/.test(why))).toBe(true);
    await press(page, 'Market');
    await page.locator('[aria-sort=ascending]', { hasText: 'Market' }).waitFor();
    const names = (await textsOf(page, '.rows .title')).map((name) => name.toLowerCase());
    expect(names).toEqual([...names].sort());
    expect(new URL(page.url()).search).toContain('sort=market');
  });

  test('the connection status is shown as text when lost, offline, denied and on the sample channel', async () => {
    const page = await opened('page=markets&rows=20');
    await page.locator('.market-row .title').first().waitFor();
    await page.evaluate(`recording.loseConnection('markets:all')`);
    await waitForText(page, 'Reconnecting');
    await page.locator('.market-table.is-outdated').waitFor();
    await page.context().setOffline(true);
    await waitForText(page, 'Offline');
    await waitForText(await opened('page=markets&state=denied'), 'does not include this channel');
    await waitForText(await opened('page=markets&tier=free&rows=20'), 'The Free plan includes a sample');
  });

  test('Tab moves from row to row, and the focus stays on its row while prices move', async () => {
    const page = await opened('page=markets&rows=100');
    await page.locator('.market-row .title').nth(10).waitFor();
    await page.locator('.market-row .title').first().focus();
    const first = await page.evaluate('document.activeElement.href');
    await moveTenTimesASecond(page, 3);
    expect(await page.evaluate('document.activeElement.href')).toBe(first);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toContain('watch');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('title');
    expect(await page.evaluate('document.activeElement.href')).not.toBe(first);
  });

  test('markup in a rule text, a name or a link is rendered as text', async () => {
    const page = await opened('page=market&state=hostile');
    await waitForCount(page, '.untrusted', 2);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate('window.ran ?? null')).toBeNull();
    expect(await page.locator('.untrusted').first().textContent()).toContain('onerror');
    const protocols = await page.evaluate<string[]>(`[...document.querySelectorAll('main a')].map((a) => a.protocol)`);
    expect(protocols.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([]);
  });

  test('an opportunity that closes keeps its card, marked as closed, until the user clears it', async () => {
    const page = await opened('page=opportunities');
    await page.locator('.legs').first().waitFor();
    const count = await page.locator('.opportunity').count();
    await page.evaluate('recording.closeFirstOpportunity()');
    await waitForText(page, 'Do not trade it.');
    expect(await page.locator('.opportunity').count()).toBe(count);
    await press(page, 'Clear 1 closed');
    await waitForCount(page, '.opportunity', count - 1);
  });

  test('a market page shows the depth of both venues, the best quotes, the edge over time and what differs in the rules', async () => {
    const page = await opened('page=market');
    await page.locator('.plot canvas').nth(3).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/Settles in|Settlement due/);
    expect(text).toMatch(/From -?\d+\.\d\d pts to -?\d+\.\d\d pts; above zero for/);
    expect(text).toMatch(/1 opportunity closed within 7 days/);
    expect(await textsOf(page.locator('.ladder').first(), 'tbody tr')).toEqual([
      'ask 4,583 49.0¢',
      'bid – 46.0¢',
      '40.0¢ ask 2,156',
      '37.0¢ bid –',
    ]);
    expect((await textsOf(page, '.best-table tbody tr'))[0]).toMatch(/venue_b 41\.25¢ 40¢ plus 1\.25¢ fee/);
    expect((await textsOf(page, '.rule mark')).join(' | ')).toMatch(/48 hours away/);
    await page.locator('.mark-choice input').click();
    await waitForCount(page, '.rule mark', 0);
  });

  test('the head of a market page names its settlement risks', async () => {
    const page = await opened('page=market');
    const mark = page.locator('.facts .state').first();
    expect([await mark.innerText(), await mark.getAttribute('class')]).toEqual(['1 high risk', 'state is-down']);
    await waitForText(page, 'the whole stake on venue_b is lost');
  });

  test('the stake sets contracts, cost, profit and the year of each card, and is kept; what closed today has its reasons', async () => {
    const page = await opened('page=opportunities');
    const line = page.locator('.stake-line').first();
    await page.getByLabel('Stake in dollars').fill('100');
    await line.getByText('With $100.00').waitFor();
    // 274 contracts cost $270.01843 at the best asks.
    expect((await textsOf(page, '.stake-line'))[0]).toMatch(
      /101 contracts, \$99\.53 Profit \$1\.47 \(1\.45 pts\) For a year \d+\.\d pts/,
    );
    await page.getByLabel('Stake in dollars').fill('5');
    await waitForText(page, 'Enter an amount from $10 to $1,000,000.');
    await page.locator('.stake-slider input').first().press('End');
    await page.locator('.stake-line', { hasText: '577 contracts, $571.70 · more would lower the profit' }).waitFor();
    await page.reload();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('.stake-field input')?.value === '750000',
    );
    const closed = await page.locator('.closed-today').first().innerText();
    expect(closed).toMatch(/The prices moved: there is no edge after fees\./);
    expect(closed).toMatch(/An order book is too old\./);
  });

  test('the copy button of a leg copies the whole contract id', async () => {
    const page = await opened('page=opportunities');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.legs .contract button').first().click();
    await page.locator('.legs .contract button', { hasText: /^\s*Copied/ }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await page.locator('.legs code').first().getAttribute('title'),
    );
  });

  test('a test delivery appears, failed deliveries can be filtered and replayed, older ones can be loaded', async () => {
    const page = await opened('page=webhooks');
    const waitForRows = (many: number, word = '') =>
      page.waitForFunction(
        ([many, word]) => {
          const rows = [...document.querySelectorAll<HTMLElement>('.deliveries tbody tr')];
          return rows.filter((row) => row.innerText.includes(word)).length === many;
        },
        [many, word] as const,
      );
    await press(page, 'Send test to https://hooks.example.com/parallax/pairs');
    await waitForText(page, 'Test queued.');
    await waitForRows(2, 'ping');
    await press(page, 'Send test to https://hooks.example.com/parallax/pairs');
    await waitForText(page, 'still under way');
    await press(page, 'Show older');
    await waitForRows(137);
    await page.getByRole('button', { name: 'Failed' }).click();
    await waitForRows(2);
    await waitForRows(2, 'Failed');
    await page
      .getByRole('button', { name: /^Replay/ })
      .first()
      .click();
    await waitForText(page, 'Replay queued, with the same id and body.');
    await waitForRows(1);
    await press(page, 'All');
    await waitForRows(4, 'Waiting');
    // A disabled endpoint offers no test and no replay; its delivery history stays readable.
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.webhook:last-child button')].map((one) => one.firstChild.data)`,
      ),
    ).toEqual(['Enable again', 'Deliveries', 'Edit', 'Roll secret', 'Delete']);
    await page.locator('.webhook:last-child [aria-expanded]').first().click();
    await waitForText(page, 'No deliveries in the last 7 days');
  });

  test('a delivery history that fails to load shows an error', async () => {
    const page = await opened('page=webhooks&state=logless');
    await page.locator('.webhook [aria-expanded]').first().click();
    await waitForText(page, 'Loading failed');
  });

  test('an endpoint is registered, shows its secret once, and is deleted after a confirmation', async () => {
    const page = await opened('page=webhooks');
    await press(page, 'Register endpoint');
    await page.getByLabel('URL').fill('http://example.com');
    await page.evaluate(`document.querySelector('dialog form').noValidate = true`);
    await press(page, 'Register');
    await waitForText(page, 'must use https');
    await page.getByLabel('URL').fill('https://example.com/hook');
    await press(page, 'Register');
    await waitForText(page, 'You will not see it again');
    expect(await page.locator('dialog').innerText()).toContain('whsec_');
    await press(page, 'I have saved it');
    await waitForCount(page, '.webhook', 3);
    expect(await page.locator('body').innerText()).not.toContain('whsec_MfKQ');
    await page.locator('.webhook').last().locator('.danger').click();
    await waitForText(page, 'receives no more deliveries');
    await page.locator('dialog .danger').first().click();
    await waitForCount(page, '.webhook', 2);
  });
});
