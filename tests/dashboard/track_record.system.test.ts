import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { pause } from '../support/wait_until.ts';
import { axeViolations } from './support/axe.ts';
import { Browser, findChromium, type Page, type Viewport } from './support/chromium.ts';
import { recordLayoutShifts } from './support/layout_shift.ts';
import { PageUser } from './support/page_user.ts';
import { buildPages, serveSite } from './support/site.ts';

const program = findChromium();
if (!program)
  console.log(
    'tests/dashboard/track_record.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.',
  );

const pictures = join(repository, 'test-results');

const viewports: [string, Viewport][] = [
  ['1440', { width: 1440, height: 1500 }],
  ['1440-dark', { width: 1440, height: 1500, dark: true }],
  ['390', { width: 390, height: 2300 }],
  ['390-dark', { width: 390, height: 2300, dark: true }],
  ['2560', { width: 2560, height: 1700 }],
];

/**
 * Stores records of nine months: mostly as promised, with divergences, voids and open ones. Each
 * opportunity has 120 contracts of each leg for $117.588.
 */
async function storeRecords(sql: Sql): Promise<void> {
  await sql`
    insert into arb.track_records (
      opportunity_id, pair_id, family, competition, title, opened_at, closed_at, served_at, size, total_cost, paid,
      settled_at
    )
    select md5('record ' || n)::uuid, md5('pair ' || n / 3)::uuid, f.family, f.competition, 'A vs B', t.at,
           t.at + n % 90 * interval '400 ms', t.at, 12000, 117588000, p.paid, case when p.paid is not null then t.at end
    from generate_series(1, 700) n
    cross join lateral (select timestamptz '2026-11-20Z' - (n * n % 270) * interval '1 day' as at) t
    cross join lateral (
      select (array['moneyline', 'moneyline', 'spread', 'total', 'crypto_above', 'weather_high'])[n % 6 + 1] as family,
             (array['NBA', 'Premier League', 'NFL', 'NHL', null, null])[n % 6 + 1] as competition
    ) f
    cross join lateral (
      select case
        when n % 11 = 0 then null
        when n % 170 = 0 then 0
        when n % 90 = 0 then 118800000
        when n % 75 = 0 then 240000000
        else 120000000
      end as paid
    ) p`;
}

/** The public page in Chromium, with the API on a real database and without a session. */
describe.skipIf(!program)('the page Track record', () => {
  let browser: Browser;
  let world: ApiFixture;
  let pages: Awaited<ReturnType<typeof buildPages>>;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = new Browser(program ?? '');
    world = await createApiFixture();
    pages = await buildPages();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await world?.close();
    pages?.remove();
  });

  /** Serves the pages with an isolate of its own, because an isolate keeps the tallies. */
  async function serve(): Promise<{ base: string; api: RunningApi; close(): Promise<void> }> {
    const api = await serveApi(world.db.url('parallax_api'));
    const site = await serveSite(pages.folder, Number(new URL(api.base).port));
    return { base: site.base, api, close: () => Promise.all([site.close(), api.close()]).then(() => {}) };
  }

  async function open(base: string, viewport: Viewport, path = '/track-record'): Promise<Page> {
    const page = await browser.page(viewport, true);
    await page.addScript(recordLayoutShifts);
    await page.goto(base + path);
    await page.waitFor(`document.querySelector('h1')`);
    return page;
  }

  const figures = (page: Page) =>
    page.evaluate<Record<string, string>>(
      `Object.fromEntries([...document.querySelectorAll('.totals > div')].map((one) => [one.querySelector('dt').innerText, one.querySelector('.value').innerText.trim()]))`,
    );
  const texts = (page: Page, selector: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`);

  test('states that no shown opportunity has settled, before and after the first one is shown', async () => {
    await world.db.sql`truncate arb.track_records, arb.track_record_state cascade`;
    const before = await serve();
    const page = await open(before.base, { width: 390, height: 1400 });
    await new PageUser(page).waitForText('No shown opportunity has settled yet');
    await new PageUser(page).waitForText('No opportunity has been shown so far');
    expect(await figures(page)).toMatchObject({ Shown: '0', 'Paid as promised': '–', 'Worst case': '–' });
    expect(await axeViolations(page)).toEqual([]);
    await page.screenshot(join(pictures, 'track-record-empty.png'));
    await before.close();
    await storeRecords(world.db.sql);
    await world.db.sql`update arb.track_records set paid = null, settled_at = null`;
    await world.db.sql`select arb.update_track_record()`;
    const after = await serve();
    await page.goto(`${after.base}/track-record`);
    await new PageUser(page).waitForText('700 have been shown');
    await after.close();
  });

  describe('with settled opportunities', () => {
    let site: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      await world.db.sql`truncate arb.track_records, arb.track_record_state cascade`;
      await storeRecords(world.db.sql);
      await world.db.sql`select arb.update_track_record()`;
      site = await serve();
    });
    afterAll(() => site?.close());

    test.each(viewports)(
      '%s: fits its width, does not shift, passes axe and contacts no other host',
      async (name, viewport) => {
        const page = await open(site.base, viewport);
        await page.waitFor(`document.querySelector('.tallies tbody tr')`);
        await pause(400);
        const [width, shifts] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.shifts]',
        );
        expect({
          width,
          isStill: shifts < 0.1,
          shifted: shifts < 0.1 ? [] : await page.evaluate('window.shifted'),
        }).toEqual({
          width: viewport.width,
          isStill: true,
          shifted: [],
        });
        await page.screenshot(join(pictures, `track-record-${name}.png`));
        expect(await axeViolations(page)).toEqual([]);
        expect(page.errors).toEqual([]);
        expect(page.requests.filter((url) => !url.startsWith(site.base) && !url.startsWith('data:'))).toEqual([]);
      },
    );

    test('shows the totals of the API, the share rounded down, and the worst case as a loss', async () => {
      const { totals } = await (await fetch(`${site.api.base}/v2/track-record`)).json();
      const page = await open(site.base, { width: 1280, height: 900 });
      await page.waitFor(`document.querySelector('.totals')`);
      expect(totals).toMatchObject({ shown: 700, settled: 637, lost: 4, worst_case_usd: -117.588 });
      expect(await figures(page)).toMatchObject({
        Shown: '700',
        Settled: '637',
        'Paid as promised': `${(Math.floor((totals.paid_as_promised * 1000) / 637) / 10).toFixed(1)} %`,
        'Worst case': '-$117.59',
      });
      expect(await texts(page, '.totals .is-down')).toEqual(['-$117.59']);
      // The exact amount is on hover.
      expect(await page.evaluate(`document.querySelector('.totals .is-down').title`)).toBe('-$117.588');
    });

    test('lists market types and competitions, and the chart as a table with the same sums', async () => {
      const { competitions, totals } = await (await fetch(`${site.api.base}/v2/track-record`)).json();
      const page = await open(site.base, { width: 1280, height: 900 });
      await page.waitFor(`document.querySelector('.tallies tbody tr')`);
      expect(await texts(page, '[aria-label="The track record by market type and competition"] tbody th')).toEqual(
        competitions.map(
          (row: { family: string }) => row.family[0]?.toUpperCase() + row.family.slice(1).replace('_', ' '),
        ),
      );
      await new PageUser(page).click(`document.querySelector('.as-table summary')`);
      const shown = await texts(page, '[aria-label="The track record by month"] tbody td:nth-child(2)');
      expect(shown.reduce((sum, text) => sum + Number(text), 0)).toBe(totals.shown);
      expect(await page.evaluate(`document.querySelectorAll('.month-chart .lost').length`)).toBeGreaterThan(1);
      expect(await page.evaluate(`document.querySelector('.month-chart g:last-of-type title').textContent`)).toMatch(
        /^Nov 2026: \d+ shown, paid as promised \d+, paid less, no loss \d+, lost \d+, not settled \d+$/,
      );
    });

    test('states that a simulated record is simulated', async () => {
      const page = await open(site.base, { width: 1280, height: 900 });
      await new PageUser(page).waitForText('It is no record of real markets');
    });

    test('is reached from the sign-in page and from the menu without a session', async () => {
      const page = await open(site.base, { width: 1280, height: 900 }, '/sign-in');
      const person = new PageUser(page);
      await person.press('track record');
      await person.waitForPath('/track-record');
      await page.waitFor(`document.querySelector('.tallies tbody tr')`);
      await person.press('Status');
      await person.waitForPath('/status');
      await person.press('Track record');
      await person.waitForPath('/track-record');
      expect(await texts(page, '.navigation a[aria-current]')).toEqual(['Track record']);
    });
  });

  test('shows the error of a failed read, and loads again on request', async () => {
    const site = await serve();
    await site.api.close();
    const page = await open(site.base, { width: 1280, height: 900 });
    await new PageUser(page).waitForText('Loading failed');
    expect(await texts(page, '.empty button')).toEqual(['Try again']);
    await site.close().catch(() => {});
  });
});
