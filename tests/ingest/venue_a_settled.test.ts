import { describe, expect, it } from 'vitest';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { VirtualNetwork } from '../support/virtual_network.ts';
import { restClient } from './feed_fixture.ts';
import { runtime } from './runtime.ts';

/** A server that answers every request with `body`, and the requests that it received. */
function restOf(body: unknown): { rest: VenueARest; asked: URL[] } {
  const asked: URL[] = [];
  const network = new VirtualNetwork();
  network.listen('venue-a.test', {
    async respond({ url }) {
      asked.push(url);
      return { status: 200, body: JSON.stringify(body) };
    },
  });
  const client = restClient({ ...runtime, fetch: network.fetch }, 'http://venue-a.test/trade-api/v2', { attempts: 1 });
  return { rest: new VenueARest(client), asked };
}

describe('settled listings of venue_a', () => {
  it('a page of settled events is requested by series, state and closing time in Unix seconds', async () => {
    const { rest, asked } = restOf({ events: [{ event_ticker: 'E' }], milestones: [], cursor: 'c1' });
    const page = await rest.settledEvents({ series: 'KXNFLGAME', closedSince: '2026-09-01T00:00:00Z', cursor: null });
    expect(page).toEqual({ events: [{ event_ticker: 'E' }], milestones: [], cursor: 'c1' });
    expect(asked[0]?.pathname).toBe('/trade-api/v2/events');
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      series_ticker: 'KXNFLGAME',
      status: 'settled',
      with_nested_markets: 'true',
      with_milestones: 'true',
      min_close_ts: '1788220800',
      limit: '100',
    });
    await rest.settledEvents({ series: 'KXNFLGAME', closedSince: '2026-09-01T00:00:00Z', cursor: 'c1', limit: 20 });
    expect(asked[1]?.searchParams.get('cursor')).toBe('c1');
    expect(asked[1]?.searchParams.get('limit')).toBe('20');
  });

  it('the historical cutoff is the time of settled markets, and null when it cannot be read', async () => {
    const known = restOf({
      market_settled_ts: '2026-08-01T00:00:00Z',
      trades_created_ts: '2026-07-01T00:00:00Z',
    });
    expect(await known.rest.historicalCutoff()).toBe('2026-08-01T00:00:00.000Z');
    expect(known.asked[0]?.pathname).toBe('/trade-api/v2/historical/cutoff');
    for (const body of [{}, { market_settled_ts: null }, { market_settled_ts: 'soon' }, []])
      expect(await restOf(body).rest.historicalCutoff()).toBeNull();
  });

  it('historical markets are requested by series or by event, without combos and without closing times', async () => {
    const { rest, asked } = restOf({ markets: [{ ticker: 'T' }], cursor: '' });
    expect(await rest.historicalMarkets({ series: 'KXNFLGAME', cursor: null })).toEqual({
      markets: [{ ticker: 'T' }],
      cursor: null,
    });
    await rest.historicalMarkets({ event: 'KXNFLGAME-26SEP13', cursor: 'c2', limit: 50 });
    expect(asked.map((url) => [url.pathname, Object.fromEntries(url.searchParams)])).toEqual([
      ['/trade-api/v2/historical/markets', { series_ticker: 'KXNFLGAME', mve_filter: 'exclude', limit: '1000' }],
      [
        '/trade-api/v2/historical/markets',
        { event_ticker: 'KXNFLGAME-26SEP13', mve_filter: 'exclude', limit: '50', cursor: 'c2' },
      ],
    ]);
  });
});
