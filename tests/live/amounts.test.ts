import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractsOf, delayOf, edgeOf, formatPrice } from '../../dashboard/src/live/amounts.ts';
import {
  costBreakdownOf,
  exactSum,
  mostProfitablePoint,
  sizeCurveOf,
} from '../../dashboard/src/live/cost_breakdown.ts';
import type { Point } from '../../dashboard/src/live/frames.ts';
import { changesOf, linesOf } from '../../dashboard/src/live/history_lines.ts';
import { newestFeed } from '../../dashboard/src/live/newest_feed.ts';
import { codeText, reasonText } from '../../dashboard/src/live/reason_text.ts';
import { safeLink } from '../../dashboard/src/live/safe_link.ts';
import { events, isNotFound, validateEndpoint, withoutUnused } from '../../dashboard/src/webhooks/webhook.ts';
import recorded from './support/recorded.json' with { type: 'json' };
import { opportunityRow } from './support/rows.ts';

describe('amounts of an opportunity', () => {
  test('the delay of an order is in ms below a second, and in s from there on', () => {
    expect([{ match_delay_ms: 250, match_delay_seconds: 0.25 }, { match_delay_ms: 1500 }].map(delayOf)).toEqual([
      '250 ms',
      '1.5 s',
    ]);
    // A frame of an older service has seconds only.
    expect([{ match_delay_seconds: 1 }, {}].map(delayOf)).toEqual(['1 s', null]);
  });

  test('asks, fees and profit add up to one dollar in every recorded opportunity', () => {
    expect(recorded.opportunities.length).toBeGreaterThan(3);
    for (const opportunity of recorded.opportunities as ReturnType<typeof opportunityRow>[]) {
      const { parts, remaining } = costBreakdownOf(opportunity);
      expect(exactSum(remaining, ...parts.flatMap(({ ask, fee }) => [ask, fee]))).toBe(1);
      expect(remaining).toBeGreaterThan(0);
    }
  });

  test('the fee of a leg without fee_usd follows from its share of the cost', () => {
    const { legs, ...rest } = opportunityRow('o');
    const without = legs.map(({ fee_usd: _, ...leg }) => leg);
    const { parts } = costBreakdownOf({ ...rest, legs: without });
    expect(parts.map(({ fee }) => fee)).toEqual([0.0174, 0.0125]);
  });

  test('a sum of amounts with six decimals has no floating-point error', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { maxLength: 8 }), (micros) => {
        const whole = micros.reduce((sum, micro) => sum + micro, 0);
        expect(exactSum(...micros.map((micro) => micro / 1e6))).toBe(whole / 1e6 || 0);
      }),
    );
    expect(exactSum(0.1, 0.2)).toBe(0.3);
  });

  test('mostProfitablePoint returns the size with the highest profit, not the best edge', () => {
    const steps = sizeCurveOf([
      { contracts: 100, cost_usd: 98, edge_pct: 2 },
      { contracts: 300, cost_usd: 297, edge_pct: 1 },
      { contracts: 400, cost_usd: 398, edge_pct: 0.5 },
    ]);
    expect(steps.map(({ profit_usd }) => profit_usd)).toEqual([2, 3, 2]);
    expect(mostProfitablePoint(steps)?.contracts).toBe(300);
    expect(mostProfitablePoint(sizeCurveOf(null))).toBeUndefined();
  });

  test('prices, edges and contract counts are formatted without a bare float', () => {
    expect([0.62, 0.625, 0.0124, 0.00706, 0.1 + 0.2].map(formatPrice)).toEqual([
      '62¢',
      '62.5¢',
      '1.24¢',
      '0.71¢',
      '30¢',
    ]);
    expect(formatPrice(null)).toBe('–');
    expect(edgeOf(4.054)).toBe('4.05 pts');
    expect(contractsOf(2156.63)).toBe('2,156.63');
  });
});

describe('lines of the price history', () => {
  const minute = 60_000;
  const point = (t: number, ask: number | null): Point => ({ t: t * minute, venue_a: ask, venue_b: 0.5 });

  test('a line is interrupted where no price was sampled', () => {
    const { t, venue_a } = linesOf([point(1, 0.4), point(2, 0.41), point(9, 0.45)], [], { from: 0, to: 10 * minute });
    expect(t).toEqual([60, 120, 180, 540]);
    expect(venue_a).toEqual([40, 41, null, 45]);
  });

  test('the live trail continues the line from the end of history to now', () => {
    const lines = linesOf([point(1, 0.4), point(2, 0.41)], [point(6, 0.5)], { from: 0, to: 8 * minute });
    expect(lines.t).toEqual([60, 120, 360, 480]);
    expect(lines.venue_a).toEqual([40, 41, 50, 50]);
  });

  test('an unchanged ask from before the range fills the whole range, with and without history', () => {
    const range = { from: 9 * minute, to: 14 * minute };
    const known = linesOf([point(8, 0.4), point(10, 0.4), point(12, 0.4)], [point(2, 0.4)], range);
    expect(known.t).toEqual([540, 600, 720, 840]);
    expect(new Set(known.venue_a)).toEqual(new Set([40]));
    const unknown = linesOf([], [point(2, 0.4)], range);
    expect(unknown.t).toEqual([540, 840]);
    const moved = linesOf([point(10, 0.4), point(12, 0.4), point(13, 0.5)], [point(2, 0.4), point(13, 0.5)], range);
    expect(moved.venue_a).toEqual([40, 40, 50, 50]);
  });

  test('the last price before the range continues into the range', () => {
    const lines = linesOf([point(1, 0.4), point(3, 0.42)], [], { from: 2 * minute, to: 5 * minute });
    expect(lines.t).toEqual([120, 180]);
    expect(lines.venue_a).toEqual([40, 42]);
  });

  test('the times of a line never decrease, for any history and trail', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 40 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 0, max: 200 }), (past, trail, from) => {
        const sorted = (list: number[]) => [...list].sort((one, other) => one - other);
        const lines = linesOf(
          sorted(past).map((t) => point(t, 0.4)),
          sorted(trail).map((t) => point(t, 0.5)),
          { from: from * minute, to: 250 * minute },
        );
        expect(lines.t).toEqual(sorted(lines.t));
        expect(lines.venue_a).toHaveLength(lines.t.length);
      }),
    );
  });

  test('the table lists only changes, newest first', () => {
    const lines = linesOf(
      [1, 2, 3, 4].map((t) => point(t, t < 3 ? 0.4 : 0.45)),
      [],
      { from: 0, to: 5 * minute },
    );
    expect(changesOf(lines, 10).map(({ t, venue_a }) => [t, venue_a])).toEqual([
      [180, 45],
      [60, 40],
    ]);
  });
});

describe('untrusted text', () => {
  test('only an https URL becomes a link', () => {
    expect(safeLink('https://polymarket.com/event/x')).toBe('https://polymarket.com/event/x');
    for (const url of ['javascript:alert(1)', 'http://x.y', 'data:text/html,x', ' https://x.y', 'https://', '', null]) {
      expect(safeLink(url), String(url)).toBeUndefined();
    }
  });

  test('a code without a sentence is shown as words', () => {
    expect(reasonText('band.review, risk.high')).toMatch(/review.*high risk/);
    expect(reasonText('parity.some_new_code')).toBe('parity some new code.');
    expect(codeText('postponement_window')).toBe('Postponement window');
  });
});

test('newestFeed returns the state with the later message, and the frame at a tie', () => {
  const at = (seconds: number) => `2026-11-20T13:00:0${seconds}.000Z`;
  const up = (seconds: number) => ({ state: 'up' as const, last_message_at: at(seconds) });
  const down = { state: 'down' as const, last_message_at: at(3) };
  expect(newestFeed(null, null)).toBeNull();
  expect(newestFeed(up(3), down)).toBe(down);
  expect(newestFeed(up(4), down)?.state).toBe('up');
  expect(newestFeed(up(4), null)?.state).toBe('up');
});

test('the fields of an endpoint are checked before they are sent, and a filter ends with its event', () => {
  const fields = { url: 'https://example.com', events, min_spread_pts: 3, min_edge_pct: null, min_profit_usd: null };
  const problemOf = (some: object, inbox: string | null = null) => validateEndpoint({ ...fields, ...some }, inbox);
  expect(problemOf({})).toBeNull();
  expect(problemOf({ url: 'http://example.com' })).toMatch(/https/);
  expect(problemOf({ url: 'http://127.0.0.1:1/inbox/first' })).toMatch(/https/);
  expect(problemOf({ url: 'http://127.0.0.1:1/inbox/first' }, 'http://127.0.0.1:1/inbox/')).toBeNull();
  expect(problemOf({ events: [] })).toMatch(/event/);
  for (const min_spread_pts of [0.4, 51, Number.NaN, null]) {
    expect(problemOf({ min_spread_pts })).toMatch(/threshold/);
    expect(problemOf({ min_spread_pts, events: ['pair.created'] })).toBeNull();
  }
  for (const some of [{ min_edge_pct: 101 }, { min_profit_usd: -1 }]) expect(problemOf(some)).toMatch(/smallest/);
  expect(withoutUnused({ ...fields, events: ['opportunity.opened'], min_edge_pct: 2 })).toEqual({
    ...{ ...fields, events: ['opportunity.opened'], min_spread_pts: null, min_edge_pct: 2 },
  });
  expect(isNotFound(Object.assign(new Error(), { code: 'PGRST205' }))).toBe(true);
  expect(isNotFound(new Error())).toBe(false);
});
