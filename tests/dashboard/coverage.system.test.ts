import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Coverage } from '../../dashboard/src/coverage/coverage.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { mainThreadTasks } from '../live/support/tasks.ts';
import { pause } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium, type Page, type Viewport } from './support/chromium.ts';
import { coverageAnswers, noCensus } from './support/coverage_world.ts';
import { PageUser } from './support/page_user.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/coverage.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');
const WIDE = { width: 1440, height: 1500 };
const viewports: [string, Viewport][] = [
  ['wide', WIDE],
  ['wide_dark', { ...WIDE, dark: true }],
  ['middle', { width: 960, height: 1200 }],
  ['narrow', { width: 390, height: 2400 }],
  ['narrow_dark', { width: 390, height: 2400, dark: true }],
  ['huge', { width: 2560, height: 1700 }],
];
const rows = `document.querySelectorAll('.series-table .rows .series-row').length`;

/**
 * The page Coverage on the results of the real SQL functions, with a stub of Auth and PostgREST.
 */
describe.skipIf(!program)('the page Coverage', () => {
  let site: AccountSite;
  let answers: AccountSite['api']['answers'];
  let coverage: Coverage;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    [site, answers] = await Promise.all([openAccountSite(program ?? ''), coverageAnswers()]);
    coverage = answers.read_coverage as unknown as Coverage;
    site.api.answers = { ...defaultAnswers(), ...answers };
  }, 120_000);
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = { ...defaultAnswers(), ...answers };
  });

  const opened = async (viewport: Viewport = WIDE, path = '/coverage'): Promise<[Page, PageUser]> => {
    const page = await site.signedIn(viewport, path);
    await page.waitFor(rows);
    return [page, new PageUser(page)];
  };
  const texts = (page: Page, selector: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())`,
    );
  const names = (page: Page) => texts(page, '.series-name');
  const rowOf = async (page: Page, name: string) =>
    (await texts(page, '.series-table .rows .series-row')).find((text) => text.startsWith(`${name} `));

  test.each(viewports)(
    '%s: the map, the table and an open series fit their width, do not shift and pass axe',
    async (name, viewport) => {
      const [page, person] = await opened(viewport);
      await page.goto(`${site.base}/coverage`);
      await page.waitFor(rows);
      await pause(300);
      await page.screenshot(join(pictures, `coverage_${name}.png`));
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      expect([await width(), await axeViolations(page)]).toEqual([viewport.width, []]);
      expect(await page.evaluate('window.shifts'), String(await page.evaluate('window.shifted'))).toBeLessThan(0.02);
      await person.press('KXNHLGAME');
      await page.waitFor(`document.querySelector('dialog[open] .codes')`);
      await page.screenshot(join(pictures, `coverage_open_${name}.png`));
      expect([await width(), await axeViolations(page), page.errors]).toEqual([viewport.width, [], []]);
    },
  );

  test('lists every series and tag with its states, codes and volume, also one that no parser reads', async () => {
    const [page] = await opened();
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
    const [page, person] = await opened();
    await page.waitFor(rows);
    expect(
      await page.evaluate(`[...document.querySelectorAll('.code')].find((one) => one.innerText === 'no_parser').title`),
    ).toMatch(/^\d+ no_parser: No parser made a question of any event of this series\.$/);
    await person.press('KXNHLGAME');
    await page.waitFor(`document.querySelector('dialog[open]')`);
    expect(await texts(page, 'dialog .codes > div')).toEqual([
      'no_counterpart 20 The other venue lists no question with the same key.',
      'contradictory 4 The parts of the listing contradict each other.',
    ]);
    await person.waitForText('1,092,000 contracts of $1 traded since the listing.');
    await person.press('Close');
    await page.waitFor(`!document.querySelector('dialog')`);
    expect(await page.evaluate(`document.activeElement.innerText`)).toBe('KXNHLGAME');
  });

  test('sorts by a column in both directions, and keeps order and filters in the address', async () => {
    const [page, person] = await opened();
    expect((await names(page))[0]).toBe('KXMENTION');
    await person.press('Paired');
    expect((await names(page)).slice(0, 2)).toEqual(['KXNHLGAME', 'nhl']);
    expect(await page.evaluate('location.search')).toBe('?sort=paired');
    await person.press('Paired');
    expect((await names(page)).at(-1)).toBe('nhl');
    expect(await page.evaluate(`document.querySelector('[aria-sort="ascending"]').innerText.trim()`)).toBe('Paired');
    await person.press('Series or tag');
    const sorted = await names(page);
    expect(sorted).toEqual([...sorted].sort((one, other) => one.localeCompare(other)));
    await person.fill('Search series', 'no_parser');
    await person.waitForText('4 of 14 series and tags');
    await page.goto(site.base + (await page.evaluate<string>('location.pathname + location.search')));
    await person.waitForText('4 of 14 series and tags');
    expect(await names(page)).toContain('KXMENTION');
  });

  test.each([
    ['Venue', 'venue_b', 7],
    ['Category', 'sports', 6],
    ['State', 'waiting', 2],
    ['State', 'candidate', 4],
    ['State', 'unread', 7],
  ])('the filter %s with %s leaves %i series', async (label, value, many) => {
    const [page, person] = await opened();
    await page.evaluate(`(() => {
      const choice = document.querySelector('select[aria-label=${JSON.stringify(label)}]');
      choice.value = ${JSON.stringify(value)};
      choice.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await person.waitForText(`${many} of 14 series and tags`);
    expect((await names(page)).length).toBe(many);
  });

  test('a filter that no series passes is explained and can be cleared', async () => {
    const [page, person] = await opened();
    await person.fill('Search series', 'nothing like it');
    await person.waitForText('No series matches these filters');
    await person.press('Clear filters');
    await page.waitFor(`${rows} === 14`);
  });

  test('the map has a number in each cell, its counts on hover, and all counts in a table', async () => {
    const [page, person] = await opened();
    const sports = coverage.events_by_week.find((one) => one.category === 'sports' && one.week === '2026-W47');
    if (!sports) throw new Error('no sports this week');
    const events = sports.paired + sports.candidate + sports.other;
    const share = Math.floor((sports.paired * 100) / events);
    const cell = `[...document.querySelectorAll('.heat td')].find((one) => one.title.startsWith('Sports, week of 16 Nov 2026'))`;
    expect(await page.evaluate(`${cell}.innerText`)).toMatch(new RegExp(`^${share}\\b`));
    const text = `Sports, week of 16 Nov 2026: ${sports.paired} of ${events} events paired (${share} %), ${sports.candidate} candidates, ${sports.other} others`;
    expect(await page.evaluate(`${cell}.title`)).toBe(text);
    await person.click(cell);
    expect(await texts(page, '.heat-shown')).toEqual([text]);
    await person.click(`document.querySelector('.as-table summary')`);
    await page.waitFor(`document.querySelector('.as-table tbody tr')`);
    const shown = await texts(page, '.as-table tbody td:nth-child(3)');
    const all = coverage.events_by_series.reduce((sum, one) => sum + one.events, 0);
    expect(shown.reduce((sum, one) => sum + Number(one), 0)).toBe(all);
    expect((await texts(page, '.state-totals .value'))[0]).toBe(all.toLocaleString('en-US'));
  });

  test('shows hostile names as text', async () => {
    const [page] = await opened();
    expect(
      await page.evaluate(
        '[window.pwned, document.querySelectorAll(".series-table img, .series-table .rows b b").length]',
      ),
    ).toEqual([null, 0]);
  });

  test('thousands of series render only the visible rows, and scroll without an empty area', async () => {
    site.api.answers = { ...defaultAnswers(), ...(await coverageAnswers(5_000)) };
    const [page, person] = await opened();
    await person.waitForText('4,000 series and tags. These are the ones with the most events of all 5,014.');
    expect(await page.evaluate(rows)).toBeLessThan(60);
    const inView = `[...document.querySelectorAll('.series-table .rows .series-row')].filter((row) => row.getBoundingClientRect().top < innerHeight && row.getBoundingClientRect().bottom > 0).length`;
    const trace = await page.traced(['toplevel'], async () => {
      for (let at = 0; at < 20; at++) {
        await page.evaluate(`scrollBy(0, 4000)`);
        await page.waitFor(`${inView} > 18`);
      }
    });
    const tasks = mainThreadTasks(trace);
    console.log(`4,000 series: longest task of 20 scrolls ${Math.max(...tasks).toFixed(1)} ms`);
    expect(tasks.length).toBeGreaterThan(20);
    expect(Math.max(...tasks)).toBeLessThan(100);
    const typing = mainThreadTasks(
      await page.traced(['toplevel'], async () => {
        await person.fill('Search series', 'no_parser KXMANY39');
        await person.waitForText(' of 4,000 series and tags');
      }),
    );
    console.log(`4,000 series: longest task of a search ${Math.max(...typing).toFixed(1)} ms`);
    expect(Math.max(...typing)).toBeLessThan(100);
  });

  test('states before the first census when it will be taken, and shows the error of a failed read', async () => {
    site.api.answers = { ...defaultAnswers(), ...(await noCensus()) };
    const page = await site.signedIn({ width: 390, height: 844 }, '/coverage');
    await new PageUser(page).waitForText('No census yet');
    expect(await axeViolations(page)).toEqual([]);
    site.api.answers = { ...defaultAnswers(), read_coverage: new StubError(500, 'XX000', 'relation "x"') };
    await page.goto(`${site.base}/coverage`);
    await new PageUser(page).waitForText('Loading failed');
    expect(await texts(page, '.empty button')).toEqual(['Try again']);
  });
});
