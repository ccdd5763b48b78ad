import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FeedDelay, heightOf, leaguesOf, piecesOf } from '../../dashboard/src/insights/insights.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { describeInChromium, picture, press, waitForCount, waitForText } from './support/page.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const now = Date.now();
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

test('leagues are in the order of their sum, and what has no row of its own is summed', () => {
  const counts = Array.from({ length: 15 }, (_, n) => ({ league: `L${n}`, hour: n, opened: n + 1 }));
  const rows = leaguesOf([...counts, { league: 'L0', hour: 23, opened: 100 }]);
  expect(rows.map((row) => row.league)).toEqual([
    'L0',
    ...Array.from({ length: 11 }, (_, n) => `L${14 - n}`),
    '3 others',
  ]);
  expect(rows[0]?.hours[23]).toBe(100);
  expect(rows.reduce((sum, row) => sum + row.sum, 0)).toBe(100 + 120);
});

test('a gap in the samples interrupts the line, and times outside of the day are left out', () => {
  const delay = (minutes: number): FeedDelay => ({ venue: 'venue_a', at: minutesAgo(minutes), p50_ms: 5, p99_ms: 9 });
  const pieces = piecesOf([delay(1500), delay(720), delay(715), delay(60), delay(-5)], 'venue_a', 'p99_ms', now);
  expect(pieces.map((piece) => piece.length)).toEqual([2, 1]);
  expect(pieces[0]?.[0]).toEqual({ x: 0.5, ms: 9 });
  expect([heightOf(0, 1000), heightOf(1000, 1000)]).toEqual([0, 1]);
});

const insights = {
  as_of: minutesAgo(2),
  since: minutesAgo(2 + 7 * 1440),
  opportunities: {
    ...{ closed: 412, median_s: 6.4, p90_s: 71 },
    lives: [1, 5, 15, 60, 300, 1800, null].map((up_to_s, n) => ({ up_to_s, closed: [40, 121, 133, 70, 35, 13, 0][n] })),
  },
  hours: ['NBA', 'NFL', 'Premier League', 'A league with a rather long name'].flatMap((league, row) =>
    Array.from({ length: 24 }, (_, hour) => ({ league, hour, opened: (hour * (row + 3) * 7) % 11 })),
  ),
  feed_delays: ['venue_a', 'venue_b'].flatMap((venue, which) =>
    Array.from({ length: 280 }, (_, n) => ({
      ...{ venue, at: minutesAgo(1400 - n * 5) },
      ...{ p50_ms: 30 + which * 140 + ((n * 7) % 20), p99_ms: 200 + which * 900 + ((n * 37) % 300) },
    })).filter((_, n) => which === 0 || n < 120 || n > 150),
  ),
};
const rule = (number: number) => ({
  ...{
    rule_id: `rule ${number}`,
    family: 'moneyline',
    competition: 'NBA',
    agreeing: number * number * 9,
    diverging: 0,
  },
  ...{ bound_pct: 100 / (1 + number * number * 3), state: number > 6 ? 'confirmed' : 'unconfirmed', pool: null },
  ...{ first_at: null, last_at: null },
});
const backtest = {
  scopes: 0,
  done: 0,
  failed: 0,
  running: 0,
  listings: 0,
  occasions: 0,
  diverging: 0,
  finished_at: null,
};
const totals = {
  ...{ shown: 120, markets: 80, settled: 100, paid_as_promised: 99, paid_less: 1, lost: 1, without_result: 0 },
  ...{ worst_case_usd: -2.5, median_life_s: 4.2, cost_usd: 990, promised_usd: 1000, paid_usd: 998 },
};
const record = { source: 'live', since: null, updated_at: null, totals, competitions: [], records: [] };
const answers = {
  read_insights: insights,
  list_rules: {
    ...{ limit_pct: 1, confidence_pct: 95, has_more: false, backtest },
    rules: Array.from({ length: 14 }, (_, n) => rule(n)),
  },
  read_coverage: {
    ...{ as_of: minutesAgo(30), events_by_series_count: 1, reasons: {}, events_by_week: [] },
    events_by_series: [
      {
        ...{ venue: 'venue_a', series: 'X', tag: null, category: 'sports', sport: null, volume: null, events: 100 },
        ...{ paired: 60, candidate: 15, waiting: 3, unpaired: { none: 20 }, unread: { odd: 5 } },
      },
    ],
  },
};

describeInChromium('the page Insights', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  }, 60_000);
  afterAll(() => site?.close());
  beforeEach(() => {
    site.documents.set('/v2/track-record', record);
    site.api.answers = { ...defaultAnswers(), ...(answers as unknown as ReturnType<typeof defaultAnswers>) };
  });

  test.each([
    ['390', { width: 390, height: 3200 }],
    ['1440-dark', { width: 1440, height: 1900, dark: true }],
    ['2560', { width: 2560, height: 1700 }],
  ])('shows every chart with its figures as text, and passes axe at %s', async (name, viewport) => {
    const page = await site.signedIn(viewport, '/insights');
    await waitForText(page, '412 closed in 7 days, half within 6.4 s, 90 % within 71 s');
    await waitForCount(page, '.delay', 6);
    await waitForText(page, 'A league with a rather long name');
    await page.waitForFunction(
      `document.querySelectorAll('.rule-mark').length === 14 && document.querySelector('.state-bar')`,
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await picture(page, `insights-${name}`);
    expect(await axeViolations(page)).toEqual([]);
    expect(page.errors).toEqual([]);
  });

  test('without data each chart states that, and a failure has a button to try again', async () => {
    site.api.answers.read_insights = {
      ...{ as_of: null, since: null, hours: [], feed_delays: [] },
      opportunities: { closed: 0, median_s: null, p90_s: null, lives: [] },
    };
    const page = await site.signedIn({ width: 1440, height: 1400 }, '/insights');
    await waitForText(page, 'No opportunity closed in 7 days');
    await waitForText(page, 'No delay measured in 24 hours');
    site.api.answers.read_insights = new StubError(500, 'XX000', 'internal words');
    await page.goto(`${site.base}/insights`);
    await waitForText(page, 'The service failed.');
    site.api.answers = { ...site.api.answers, ...(answers as unknown as ReturnType<typeof defaultAnswers>) };
    await press(page, 'Try again');
    await waitForText(page, '412 closed');
  });
});
