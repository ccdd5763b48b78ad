import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Coverage } from '../../dashboard/src/coverage/coverage.ts';
import { coverageLayoutSuite } from './coverage_layout.suite.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { coverageAnswers, noCensus } from './support/coverage_world.ts';
import { describeInChromium, press, textsOf, type WatchedPage, waitForCount, waitForText } from './support/page.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';
import { openTracedPage, taskTimes } from './support/tasks.ts';

const WIDE = { width: 1440, height: 1500 };
const ROWS = '.series-table .rows .series-row';
/**
 * The page Coverage on the results of the real SQL functions, with a stub of Auth and PostgREST.
 */
describeInChromium('the page Coverage', () => {
  let site: AccountSite;
  let answers: AccountSite['api']['answers'];
  let coverage: Coverage;
  beforeAll(async () => {
    [site, answers] = await Promise.all([openAccountSite(), coverageAnswers()]);
    coverage = answers.read_coverage as unknown as Coverage;
    site.api.answers = { ...defaultAnswers(), ...answers };
  }, 120_000);
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = { ...defaultAnswers(), ...answers };
  });

  const opened = async (): Promise<WatchedPage> => {
    const page = await site.signedIn(WIDE, '/coverage');
    await page.locator(ROWS).first().waitFor();
    return page;
  };
  const names = (page: WatchedPage) => textsOf(page, '.series-name');
  const rowOf = async (page: WatchedPage, name: string) =>
    (await textsOf(page, ROWS)).find((text) => text.startsWith(`${name} `));

  // layout.slow.test.ts opens the page in every width and theme.
  coverageLayoutSuite('some', () => site);

  test('lists every series and tag with its states, codes and volume, also one that no parser reads', async () => {
    const page = await opened();
    expect(coverage.events_by_series.length).toBe(14);
    expect((await names(page)).length).toBe(14);
    expect(await rowOf(page, 'KXNFLGAME')).toBe(
      'KXNFLGAME venue_a series · Sports · football 96 84 87 % 4 8 no_counterpart 0 7.8M contracts',
    );
    expect(await rowOf(page, 'swedish-hockey')).toBe(
      'swedish-hockey venue_b series · Sports · hockey 22 0 18 18 waiting 4 unknown_alias 0 $19.8K USD',
    );
    expect(await rowOf(page, 'KXMENTION')).toBe(
      'KXMENTION venue_a series · Mentions 210 0 0 0 210 no_parser 3.9K contracts',
    );
    expect(await rowOf(page, 'btc-hourly')).toContain('9 legs_differ 40 not_read –');
    expect(await rowOf(page, 'weather')).toContain('weather venue_b tag · Weather 30 12 40 %');
  });

  test('states the sentence of each code on hover, and all of them when a series is opened', async () => {
    const page = await opened();
    expect(
      await page
        .locator('.code', { hasText: /^no_parser$/ })
        .first()
        .getAttribute('title'),
    ).toMatch(/^\d+ no_parser: No parser made a question of any event of this series\.$/);
    await press(page, 'KXNHLGAME');
    await page.locator('dialog[open]').first().waitFor();
    expect(await textsOf(page, 'dialog .codes > div')).toEqual([
      'no_counterpart 20 The other venue lists no question with the same key.',
      'contradictory 4 The parts of the listing contradict each other.',
    ]);
    await waitForText(page, '1,092,000 contracts of $1 traded since the listing.');
    await press(page, 'Close');
    await page.locator('dialog').first().waitFor({ state: 'detached' });
    expect(await page.locator(':focus').innerText()).toBe('KXNHLGAME');
  });

  test('sorts by a column in both directions, and keeps order and filters in the address', async () => {
    const page = await opened();
    expect((await names(page))[0]).toBe('KXMENTION');
    await press(page, 'Paired');
    expect((await names(page)).slice(0, 2)).toEqual(['KXNHLGAME', 'nhl']);
    expect(new URL(page.url()).search).toBe('?sort=paired');
    await press(page, 'Paired');
    expect((await names(page)).at(-1)).toBe('nhl');
    expect(await textsOf(page, '[aria-sort=ascending]')).toEqual(['Paired']);
    await press(page, 'Series or tag');
    const sorted = await names(page);
    expect(sorted).toEqual([...sorted].sort((one, other) => one.localeCompare(other)));
    await page.getByLabel('Search series').fill('no_parser');
    await waitForText(page, '4 of 14 series and tags');
    await page.reload();
    await waitForText(page, '4 of 14 series and tags');
    expect(await names(page)).toContain('KXMENTION');
  });

  test.each([
    ['Venue', 'venue_b', 7],
    ['Category', 'sports', 6],
    ['State', 'waiting', 2],
    ['State', 'candidate', 4],
    ['State', 'unread', 7],
  ])('the filter %s with %s leaves %i series', async (label, value, many) => {
    const page = await opened();
    await page.getByRole('combobox', { name: label, exact: true }).selectOption(value);
    await waitForText(page, `${many} of 14 series and tags`);
    expect((await names(page)).length).toBe(many);
  });

  test('a filter that no series passes is explained and can be cleared', async () => {
    const page = await opened();
    await page.getByLabel('Search series').fill('nothing like it');
    await waitForText(page, 'No series matches these filters');
    await press(page, 'Clear filters');
    await waitForCount(page, ROWS, 14);
  });

  test('the map has a number in each cell, its counts on hover, and all counts in a table', async () => {
    const page = await opened();
    const sports = coverage.events_by_week.find((one) => one.category === 'sports' && one.week === '2026-W47');
    if (!sports) throw new Error('no sports this week');
    const events = sports.paired + sports.candidate + sports.other;
    const share = Math.floor((sports.paired * 100) / events);
    const cell = page.locator('.heat td[title^="Sports, week of 16 Nov 2026"]');
    expect(await cell.innerText()).toMatch(new RegExp(`^${share}\\b`));
    const text = `Sports, week of 16 Nov 2026: ${sports.paired} of ${events} events paired (${share} %), ${sports.candidate} candidates, ${sports.other} others`;
    expect(await cell.getAttribute('title')).toBe(text);
    await cell.click();
    expect(await textsOf(page, '.heat-shown')).toEqual([text]);
    await page.locator('.as-table summary').click();
    await page.locator('.as-table tbody tr').first().waitFor();
    const shown = await textsOf(page, '.as-table tbody td:nth-child(3)');
    const all = coverage.events_by_series.reduce((sum, one) => sum + one.events, 0);
    expect(shown.reduce((sum, one) => sum + Number(one), 0)).toBe(all);
    expect((await textsOf(page, '.state-totals .value'))[0]).toBe(all.toLocaleString('en-US'));
  });

  test('shows hostile names as text', async () => {
    const page = await opened();
    expect(
      await page.evaluate(
        '[window.pwned, document.querySelectorAll(".series-table img, .series-table .rows b b").length]',
      ),
    ).toEqual([undefined, 0]);
  });

  test('thousands of series render only the visible rows, and scroll without an empty area or a long task', async () => {
    site.api.answers = { ...defaultAnswers(), ...(await coverageAnswers(5_000)) };
    const page = await site.signIn(await openTracedPage(WIDE), '/coverage');
    await waitForText(page, '4,000 series and tags. These are the ones with the most events of all 5,014.');
    expect(await page.locator(ROWS).count()).toBeLessThan(60);
    const scrolling = await taskTimes(page, 2, async () => {
      await page.evaluate('scrollTo(0, 0)');
      for (let at = 0; at < 20; at++) {
        await page.evaluate('scrollBy(0, 4000)');
        await page.waitForFunction((rows) => {
          const places = [...document.querySelectorAll(rows)].map((row) => row.getBoundingClientRect());
          return places.filter(({ top, bottom }) => top < innerHeight && bottom > 0).length > 18;
        }, ROWS);
      }
    });
    console.log('4,000 series, 20 scrolls:', scrolling);
    expect(scrolling.tasks).toBeGreaterThan(20);
    expect(scrolling.longest).toBeLessThan(2 * scrolling.yardstick);
    const typing = await taskTimes(page, 2, async () => {
      await page.getByLabel('Search series').fill('');
      await page.getByLabel('Search series').fill('no_parser KXMANY39');
      await waitForText(page, ' of 4,000 series and tags');
    });
    console.log('4,000 series, a search:', typing);
    expect(typing.longest).toBeLessThan(2 * typing.yardstick);
  });

  test('states before the first census when it will be taken, and shows the error of a failed read', async () => {
    site.api.answers = { ...defaultAnswers(), ...(await noCensus()) };
    const page = await site.signedIn({ width: 390, height: 844 }, '/coverage');
    await waitForText(page, 'No census yet');
    expect(await axeViolations(page)).toEqual([]);
    site.api.answers = { ...defaultAnswers(), read_coverage: new StubError(500, 'XX000', 'relation "x"') };
    await page.goto(`${site.base}/coverage`);
    await waitForText(page, 'Loading failed');
    expect(await textsOf(page, '.empty button')).toEqual(['Try again']);
  });
});
