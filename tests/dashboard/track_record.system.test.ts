import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { axeViolations } from './support/axe.ts';
import {
  describeInChromium,
  openPage,
  picture,
  press,
  textsOf,
  type Viewport,
  type WatchedPage,
  waitForPath,
  waitForText,
} from './support/page.ts';
import { serveTrackRecord, storeRecords } from './support/track_record_world.ts';
import { trackRecordLayoutSuite } from './track_record_layout.suite.ts';

/** The public page in Chromium, with the API on a real database and without a session. */
describeInChromium('the page Track record', () => {
  let world: ApiFixture;
  beforeAll(async () => {
    world = await createApiFixture();
  });
  afterAll(async () => {
    await world?.close();
  });

  async function open(base: string, viewport: Viewport, path = '/track-record'): Promise<WatchedPage> {
    const page = await openPage(viewport);
    await page.goto(base + path);
    await page.locator('h1').first().waitFor();
    return page;
  }

  const figures = (page: WatchedPage) =>
    page.evaluate<Record<string, string>>(
      `Object.fromEntries([...document.querySelectorAll('.totals > div')].map((one) => [one.querySelector('dt').innerText, one.querySelector('.value').innerText.trim()]))`,
    );

  test('states that no shown opportunity has settled, before and after the first one is shown', async () => {
    await world.db.sql`truncate arb.track_records, arb.track_record_state cascade`;
    const before = await serveTrackRecord(world.db);
    const page = await open(before.base, { width: 390, height: 1400 });
    await waitForText(page, 'No shown opportunity has settled yet');
    await waitForText(page, 'No opportunity has been shown so far');
    expect(await figures(page)).toMatchObject({ Shown: '0', 'Paid as promised': '–', 'Worst case': '–' });
    expect(await axeViolations(page)).toEqual([]);
    await picture(page, 'track-record-empty');
    await before.close();
    await storeRecords(world.db.sql, false);
    const after = await serveTrackRecord(world.db);
    await page.goto(`${after.base}/track-record`);
    await waitForText(page, '700 have been shown');
    await after.close();
  });

  describe('with settled opportunities', () => {
    let site: Awaited<ReturnType<typeof serveTrackRecord>>;
    beforeAll(async () => {
      await storeRecords(world.db.sql);
      site = await serveTrackRecord(world.db);
    });
    afterAll(() => site?.close());

    // layout.slow.test.ts opens the page in every width and theme.
    trackRecordLayoutSuite('some', () => site.base);

    test('shows the totals of the API, the share rounded down, and the worst case as a loss', async () => {
      const { totals } = await (await fetch(`${site.api.base}/v2/track-record`)).json();
      const page = await open(site.base, { width: 1280, height: 900 });
      await page.locator('.totals').first().waitFor();
      expect(totals).toMatchObject({ shown: 700, settled: 637, lost: 4, worst_case_usd: -117.588 });
      expect(await figures(page)).toMatchObject({
        Shown: '700',
        Settled: '637',
        'Paid as promised': `${(Math.floor((totals.paid_as_promised * 1000) / 637) / 10).toFixed(1)} %`,
        'Worst case': '-$117.59',
      });
      expect(await textsOf(page, '.totals .is-down')).toEqual(['-$117.59']);
      // The exact amount is on hover.
      expect(await page.locator('.totals .is-down').getAttribute('title')).toBe('-$117.588');
    });

    test('lists market types and competitions, and the chart as a table with the same sums', async () => {
      const { competitions, totals } = await (await fetch(`${site.api.base}/v2/track-record`)).json();
      const page = await open(site.base, { width: 1280, height: 900 });
      await page.locator('[aria-label="The track record by market type and competition"] tbody tr').first().waitFor();
      expect(await textsOf(page, '[aria-label="The track record by market type and competition"] tbody th')).toEqual(
        competitions.map(
          (row: { family: string }) => row.family[0]?.toUpperCase() + row.family.slice(1).replace('_', ' '),
        ),
      );
      // What was paid, by what was promised, and not by what it cost.
      const shares = competitions.map(({ paid_usd, promised_usd }: { paid_usd: number; promised_usd: number }) =>
        promised_usd === 0 ? '–' : ((100 * paid_usd) / promised_usd).toFixed(1),
      );
      const tally = '[aria-label="The track record by market type and competition"] tbody td:last-child';
      expect((await textsOf(page, tally)).map((text) => text.replace(' %', ''))).toEqual(shares);
      await page.locator('.as-table summary').click();
      const shown = await textsOf(page, '[aria-label="The track record by month"] tbody td:nth-child(2)');
      expect(shown.reduce((sum, text) => sum + Number(text), 0)).toBe(totals.shown);
      expect(await page.locator('.month-chart .lost').count()).toBeGreaterThan(1);
      expect(await page.locator('.month-chart g:last-of-type title').first().textContent()).toMatch(
        /^Nov 2026: \d+ shown, paid as promised \d+, paid less, no loss \d+, lost \d+, not settled \d+$/,
      );
    });

    test('states that a simulated record is simulated', async () => {
      const page = await open(site.base, { width: 1280, height: 900 });
      await waitForText(page, 'It is no record of real markets');
    });

    test('is reached from the sign-in page and from the menu without a session', async () => {
      const page = await open(site.base, { width: 1280, height: 900 }, '/sign-in');
      await press(page, 'track record');
      await waitForPath(page, '/track-record');
      await page.locator('[aria-label="The track record by market type and competition"] tbody tr').first().waitFor();
      await press(page, 'Status');
      await waitForPath(page, '/status');
      await press(page, 'Track record');
      await waitForPath(page, '/track-record');
      expect(await textsOf(page, '.navigation a[aria-current]')).toEqual(['Track record']);
    });
  });

  test('shows the error of a failed read, and loads again on request', async () => {
    const site = await serveTrackRecord(world.db);
    await site.api.close();
    const page = await open(site.base, { width: 1280, height: 900 });
    await waitForText(page, 'Loading failed');
    expect(await textsOf(page, '.empty button')).toEqual(['Try again']);
    await site.close().catch(() => {});
  });
});
