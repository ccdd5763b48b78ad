import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Sample, widestOf, widestOutcome } from '../../dashboard/src/landing/sample.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { describeInChromium, picture, press, waitForCount, waitForPath, waitForText } from './support/page.ts';

const outcome = (name: string, venue_a: number | null, venue_b: number | null) => ({
  ...{
    key: name,
    name,
    venue_a,
    venue_b,
    cheaper: venue_a === null || (venue_b ?? 2) < venue_a ? 'venue_b' : 'venue_a',
  },
});
const market = (number: number, spread_pts: number | null) => ({
  id: `mkt_${number}`,
  title: `Team ${number} vs Team ${number + 1} <b> Washington Commanders`,
  status: 'open',
  spread_pts,
  outcomes: spread_pts === null ? [] : [outcome('Draw', null, 0.3), outcome('Home', 0.4, 0.4 + spread_pts / 100)],
});
const sampleOf = (spreads: (number | null)[]) =>
  ({
    ...{ count: spreads.length, snapshot_at: '2026-11-20T05:14:50.000Z', delay_seconds: 120 },
    markets: spreads.map((points, number) => market(number, points)),
  }) as unknown as Sample;

const totals = {
  ...{ shown: 120, markets: 80, settled: 100, paid_as_promised: 99, paid_less: 1, lost: 1, without_result: 0 },
  ...{ worst_case_usd: -2.5, median_life_s: 4.2, cost_usd: 990, promised_usd: 1000, paid_usd: 998 },
};
const record = { source: 'simulated', since: null, updated_at: null, totals, competitions: [], records: [] };

test('the rows are the five widest gaps with prices, and the outcome with both asks', () => {
  const rows = widestOf(sampleOf([1, null, 7, 2, 3, 4, 5]));
  expect(rows.map((row) => row.spread_pts)).toEqual([7, 5, 4, 3, 2]);
  expect(rows.map((row) => widestOutcome(row)?.name)).toEqual(Array(5).fill('Home'));
});

describeInChromium('the landing page', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  }, 60_000);
  afterAll(() => site?.close());
  beforeEach(() => {
    site.documents.set('/v2/sample', sampleOf([1, null, 7, 2, 3, 4, 5]));
    site.documents.set('/v2/track-record', record);
  });

  test.each([
    ['390-dark', { width: 390, height: 1300, dark: true }],
    ['1440', { width: 1440, height: 900 }],
    ['2560-dark', { width: 2560, height: 1440, dark: true }],
  ])('shows five rows and the record without a session, with no violation of axe at %s', async (name, viewport) => {
    const page = await site.open(viewport, '/');
    await waitForText(page, '99.0 %');
    await waitForCount(page, '.sample tbody tr', 5);
    await waitForText(page, 'This record is simulated');
    expect(await page.locator('.sample tbody').innerText()).toContain('Team 2 vs Team 3 <b>');
    expect(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
    expect(
      await page.evaluate(
        `document.querySelector('.sample td:last-child').getBoundingClientRect().right <= innerWidth`,
      ),
    ).toBe(true);
    await picture(page, `landing-${name}`);
    expect(await axeViolations(page)).toEqual([]);
    expect(page.errors).toEqual([]);
  });

  test('an empty catalog, an empty record and a failure are named as such', async () => {
    site.documents.set('/v2/sample', sampleOf([]));
    site.documents.set('/v2/track-record', { ...record, totals: { ...totals, shown: 0, settled: 0 } });
    const page = await site.open({ width: 1440, height: 900 }, '/');
    await waitForText(page, 'No public market now');
    await waitForText(page, 'No opportunity has been published so far.');
    site.documents.set('/v2/sample', undefined);
    await page.goto(`${site.base}/`);
    await waitForText(page, 'The service returned an error (503).');
    site.documents.set('/v2/sample', sampleOf([null]));
    await press(page, 'Try again');
    await waitForText(page, 'No price on both venues now');
  });

  test('leads to a new account, and a signed-in person goes on to the dashboard', async () => {
    const page = await site.open({ width: 1440, height: 900 }, '/');
    await press(page, 'Create an account');
    await waitForPath(page, '/sign-in');
    await waitForText(page, 'Create an account');
    const member = await site.signedIn({ width: 1440, height: 900 }, '/usage');
    await member.goto(`${site.base}/`);
    await waitForPath(member, '/keys');
  });
});
