import { describe, expect, it } from 'vitest';
import { openListingA, openListingB, readAt } from '../../functions/ingest/backtest/without_results.ts';
import type { Json } from '../../functions/ingest/listing.ts';

/** Guarantee: the parsers of a backtest get a settled listing as it was before its result. */

type Listing = { [key: string]: Json };
const marketOf = (listing: Listing): Listing => (listing.markets as Listing[])[0] ?? {};

describe('a settled listing of venue_a', () => {
  const settled: Listing = {
    event_ticker: 'E',
    title: 'A vs B',
    markets: [
      {
        ticker: 'E-A',
        status: 'finalized',
        result: 'yes',
        settlement_value_dollars: '1.0000',
        settlement_ts: '2026-09-21T00:00:00Z',
        expiration_value: '24-17',
        last_price_dollars: '0.9900',
        yes_bid_dollars: '1.0000',
        no_ask_dollars: '0.0000',
        previous_price_dollars: '0.9900',
        rules_primary: 'If A wins, Yes.',
        close_time: '2026-09-20T21:00:00Z',
      },
    ],
  };

  it('has no result, no settlement and no price, and trades', () => {
    expect(marketOf(openListingA(settled))).toEqual({
      ticker: 'E-A',
      status: 'active',
      rules_primary: 'If A wins, Yes.',
      close_time: '2026-09-20T21:00:00Z',
    });
  });

  it('is the same for every result', () => {
    const other = structuredClone(settled);
    Object.assign(marketOf(other), { result: 'no', settlement_value_dollars: '0.0000', expiration_value: '3-0' });
    expect(openListingA(other)).toEqual(openListingA(settled));
    // The listing itself keeps its result: the payout is read from it.
    expect(marketOf(settled).result).toBe('yes');
  });
});

describe('a settled listing of venue_b', () => {
  const settled: Listing = {
    slug: 'a-b',
    closed: true,
    active: true,
    score: '24-17',
    ended: true,
    markets: [
      {
        conditionId: '0x1',
        slug: 'a-b',
        closed: true,
        active: false,
        acceptingOrders: false,
        outcomePrices: '["1","0"]',
        umaResolutionStatus: 'resolved',
        umaResolutionStatuses: '["proposed","resolved"]',
        closedTime: '2026-09-20T22:00:00Z',
        lastTradePrice: 1,
        bestBid: 0.99,
        resolvedBy: '0x2',
        description: 'If A wins.',
      },
    ],
  };

  it('has no payout, no resolution and no score, and takes orders', () => {
    const open = openListingB(settled);
    expect(open).toMatchObject({ closed: false, active: true });
    expect(open).not.toHaveProperty('score');
    expect(open).not.toHaveProperty('ended');
    expect(marketOf(open)).toEqual({
      conditionId: '0x1',
      slug: 'a-b',
      closed: false,
      active: true,
      acceptingOrders: true,
      description: 'If A wins.',
    });
  });
});

describe('the time at which a settled listing is parsed', () => {
  it('is a day before its first close', () => {
    expect(readAt(['2026-09-22T00:00:00.000Z', '2026-09-20T21:00:00.000Z', null], 'never')).toBe(
      '2026-09-19T21:00:00.000Z',
    );
  });

  it('is the time of the backtest when the listing names no close', () => {
    expect(readAt([null], '2026-11-25T00:00:00.000Z')).toBe('2026-11-25T00:00:00.000Z');
  });
});
