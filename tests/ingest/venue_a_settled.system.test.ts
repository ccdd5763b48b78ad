import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { RestClient } from '../../functions/ingest/feeds/rest.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { runtime } from './runtime.ts';

const servers: Server[] = [];

/** A server that answers every request with `body`, and the requests that it received. */
async function restOf(body: unknown): Promise<{ rest: VenueARest; asked: URL[] }> {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '/', 'http://127.0.0.1'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RestClient({
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/trade-api/v2`,
    runtime,
    bucket: new TokenBucket(1_000, 1_000, runtime),
    attempts: 1,
  });
  return { rest: new VenueARest(client), asked };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('settled listings of venue_a', () => {
  it('a page of settled events is requested by series, state and closing time in Unix seconds', async () => {
    const { rest, asked } = await restOf({ events: [{ event_ticker: 'E' }], milestones: [], cursor: 'c1' });
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
    const known = await restOf({
      market_settled_ts: '2026-08-01T00:00:00Z',
      trades_created_ts: '2026-07-01T00:00:00Z',
    });
    expect(await known.rest.historicalCutoff()).toBe('2026-08-01T00:00:00.000Z');
    expect(known.asked[0]?.pathname).toBe('/trade-api/v2/historical/cutoff');
    for (const body of [{}, { market_settled_ts: null }, { market_settled_ts: 'soon' }, []])
      expect(await (await restOf(body)).rest.historicalCutoff()).toBeNull();
  });

  it('historical markets are requested by series or by event, without combos and without closing times', async () => {
    const { rest, asked } = await restOf({ markets: [{ ticker: 'T' }], cursor: '' });
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
