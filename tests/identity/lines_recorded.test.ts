import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import { lineSeries } from '../../functions/ingest/identity/lines/lines_registry.ts';

/**
 * Lines in recorded payloads of both venues. The recordings are outside of the repository. The
 * tests are skipped without them.
 */

const RECORDED = new URL('../../../shared/data/recorded/', import.meta.url).pathname;
const MAY = `${RECORDED}venue_a/arbitrage_betting_2026-05/spread_events.json`;
const SEPTEMBER_A = `${RECORDED}venue_a/arb_engine_2026-09/kalshi_event_KXNFLTOTAL-26SEP20CARATL.json`;
const SEPTEMBER_B = `${RECORDED}venue_b/arb_engine_2026-09/pm_event_nfl-car-atl-2026-09-20.json`;
const context = { now: '2026-05-18T12:00:00Z' };
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe.skipIf(!existsSync(MAY))('the recorded spreads of 18 May 2026 on venue_a', () => {
  const events: { event: Record<string, unknown>; markets: Record<string, unknown>[] }[] = existsSync(MAY)
    ? read(MAY)
    : [];

  it('are lines of a game with their own strikes, or are excluded as parts of one', () => {
    for (const { event, markets } of events) {
      const series = lineSeries(String(event.series_ticker));
      if (series === null) continue;
      const questions = linesA({ ...event, markets } as never, context);
      if (/half|innings/i.test(JSON.stringify(event.product_metadata))) {
        expect(questions.map((one) => one.excluded)).toEqual(['part_of_game']);
        continue;
      }
      expect(questions.length).toBe(markets.length);
      for (const [at, one] of questions.entries()) {
        expect([one.question_id, one.excluded, one.line]).toEqual([
          `venue_a:${markets[at]?.ticker}`,
          null,
          -Number(markets[at]?.floor_strike),
        ]);
        expect(one.identity.line_by).toBe('strike+text');
        expect(one.terms.rules).toBe('read');
      }
    }
  });

  it('have no terms of postponement when their text states none', () => {
    const mlb = events.find(({ event }) => event.series_ticker === 'KXMLBSPREAD');
    const [one] = mlb ? linesA({ ...mlb.event, markets: mlb.markets } as never, context) : [];
    expect(one?.terms).toMatchObject({ postponement_hours: null, waits: null, cancelled: null, overtime: null });
  });
});

describe.skipIf(!existsSync(SEPTEMBER_A) || !existsSync(SEPTEMBER_B))(
  'one recorded NFL total of September 2026',
  () => {
    it('is the same line on both venues', () => {
      const { markets } = read(SEPTEMBER_A);
      const event = { event_ticker: markets[0].event_ticker, markets };
      const keys = linesA(event as never, context).map((one) => one.key);
      const parsed = linesB(read(SEPTEMBER_B)[0], context).filter((one) => one.excluded === null);
      expect(parsed.length).toBeGreaterThan(0);
      for (const one of parsed) expect(keys).toContain(one.key);
    });
  },
);

const APRIL_B = new URL('../../../shared/data/labels/macro-2026-05-18/listings.venue_b.json', import.meta.url).pathname;
describe.skipIf(!existsSync(APRIL_B))('recorded spreads with the favourite in their slug', () => {
  it('have the favourite that question and outcomes name', () => {
    const events: { markets: { conditionId: string; slug: string }[] }[] = read(APRIL_B);
    const favourites = events.flatMap((event) =>
      linesB(event as never, context).flatMap((one) => {
        const slug = event.markets.find((market) => `venue_b:${market.conditionId}` === one.question_id)?.slug ?? '';
        const side = /-spread-(home|away)-/.exec(slug)?.[1];
        if (one.family !== 'spread' || one.excluded !== null || side === undefined) return [];
        return [[slug, side, one.legs[0]?.outcome_name.startsWith(String(side === 'home' ? one.home : one.away))]];
      }),
    );
    expect(favourites.length).toBeGreaterThan(10);
    expect(favourites.filter(([, , agrees]) => agrees !== true)).toEqual([]);
  });
});
