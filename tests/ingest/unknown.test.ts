import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownNames, MAX_NAMES, type UnknownRow, UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import * as knownA from '../../functions/ingest/venue_a/known_fields.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import * as knownB from '../../functions/ingest/venue_b/known_fields.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';

const DATA = resolve(import.meta.dirname, '../../../shared/data/recorded');
const hasData = existsSync(DATA);
if (!hasData) console.log(`recorded payloads are skipped: there is no ${DATA}`);

type Raw = { [key: string]: unknown };

/** All objects of a JSON file, at any depth, that have these fields. */
function objectsWith(file: string, ...fields: string[]): Raw[] {
  const found: Raw[] = [];
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (fields.every((field) => field in value)) found.push(value as Raw);
    for (const child of Object.values(value)) visit(child);
  };
  visit(JSON.parse(readFileSync(`${DATA}/${file}`, 'utf8')));
  return found;
}

const filesOf = (venue: string): string[] =>
  readdirSync(`${DATA}/${venue}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${venue}/${name}`);

const known = knownNames('ticker status');
const countsOf = (rows: readonly UnknownRow[]) =>
  Object.fromEntries(rows.map(({ what, occurrences }) => [what, occurrences]));

describe('the counter of unknown fields and values', () => {
  it('counts a new field and a new value, and neither known ones nor absent values', () => {
    const unknown = new UnknownValues('venue_a');
    for (const status of ['active', 'halted', 'halted', undefined, null]) {
      unknown.countFields('market', { ticker: 'T-1', status, ...(status === 'halted' ? { halt_code: 7 } : {}) }, known);
      unknown.countValue('market.status', status, knownNames('active closed'), 'T-1');
    }
    unknown.countValue('message.error.code', 31, known);
    unknown.countValue('market.version', { major: 3 }, known);
    expect(countsOf(unknown.rows)).toEqual({
      'market.field:halt_code': 2,
      'market.status=halted': 2,
      'message.error.code=31': 1,
      'market.version=(object)': 1,
    });
    expect(unknown.rows[1]?.sample).toBe('T-1: "halted"');
  });

  it('counts names above the limit as one name', () => {
    const unknown = new UnknownValues('venue_a');
    for (let i = 0; i < MAX_NAMES + 50; i += 1) unknown.countFields('market', { [`field_${i}`]: i }, known);
    const counts = countsOf(unknown.rows);
    expect(Object.keys(counts)).toHaveLength(MAX_NAMES + 1);
    expect(counts.other).toBe(50);
  });

  it('cuts and cleans names and samples, so that a hostile payload can neither fill a label nor break it', () => {
    const unknown = new UnknownValues('venue_b');
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    unknown.countFields(
      'event',
      { ['"}\n# EOF\n\u0000\ud800ß'.repeat(100)]: 'x'.repeat(100_000), '': deep },
      known,
      'e',
    );
    unknown.countValue('event.version', `v3"\n${'y'.repeat(1_000)}`, known);
    for (const { what, sample } of unknown.rows) {
      expect(what).toMatch(/^event(?:\.field:|\.version=)[\w.:@/?()-]{1,60}$/);
      expect(sample.length).toBeLessThanOrEqual(300);
    }
    expect(unknown.rows).toHaveLength(3);
  });

  it('keeps the counts when a write fails, and those that arrive during a write', async () => {
    const unknown = new UnknownValues('venue_b');
    unknown.countValue('event.version', 'v3', known);
    await expect(unknown.flush({ recordUnknownValues: () => Promise.reject(new Error('down')) })).rejects.toThrow(
      'down',
    );
    const written: UnknownRow[][] = [];
    const recordUnknownValues = async (_: string, rows: readonly UnknownRow[]): Promise<void> => {
      written.push([...rows]);
      if (written.length === 1) unknown.countValue('event.version', 'v3', known);
    };
    for (let i = 0; i < 3; i += 1) await unknown.flush({ recordUnknownValues });
    expect(written.map(countsOf)).toEqual([{ 'event.version=v3': 1 }, { 'event.version=v3': 1 }]);
  });

  it('finds a new field in one of 32 frequent messages and a new type in the first message', () => {
    const unknown = new UnknownValues('venue_a');
    const inspect = knownA.messageInspector(unknown);
    const delta = { type: 'orderbook_delta', sid: 1, seq: 1, msg: { market_ticker: 'T', priority: 1 } };
    for (let i = 0; i < 64; i += 1) inspect(delta);
    inspect({ type: 'orderbook_reset', sid: 1 });
    inspect({ type: 'error', msg: { code: 29, msg: 'new' } });
    inspect({ type: 'error', msg: { code: 28, msg: 'known' } });
    expect(countsOf(unknown.rows)).toEqual({
      'message.orderbook_delta.msg.field:priority': 2,
      'message.type=orderbook_reset': 1,
      'message.error.code=29': 1,
    });
  });
});

describe('the known names of both venues', () => {
  it('hold every status, version and type on which the adapters decide', () => {
    const unknown = new UnknownValues('venue_a');
    const market = (fields: Raw): Raw => ({ ticker: 'T', ...fields });
    knownA.countEvents(unknown, [
      {
        event_ticker: 'E',
        fee_type_override: 'free',
        settlement_sources: [{ name: 'N', url: 'U', rank: 1 }],
        markets: [
          market({ status: 'halted', market_type: 'multi', strike_type: 'range', result: 'void', new_field: 1 }),
          market({ status: 'active', market_type: 'binary', strike_type: 'structured', result: '' }),
        ],
      },
    ]);
    knownA.countSeries(unknown, [{ ticker: 'S', fee_type: 'cubic' }]);
    knownA.countExchangeStatus(unknown, {
      trading_active: true,
      exchange_index_statuses: [{ exchange_index: 1, mode: 'x' }],
    });
    knownB.countEvents(unknown, [
      {
        slug: 's',
        version: 'v3',
        markets: [{ slug: 'm', version: 'v3', umaResolutionStatus: 'vetoed', feeSchedule: { rate: 1, floor: 2 } }],
      },
    ]);
    expect(Object.keys(countsOf(unknown.rows)).sort()).toEqual([
      'event.fee_type_override=free',
      'event.settlement_sources.field:rank',
      'event.version=v3',
      'exchange_index_status.field:mode',
      'market.feeSchedule.field:floor',
      'market.field:new_field',
      'market.market_type=multi',
      'market.result=void',
      'market.status=halted',
      'market.strike_type=range',
      'market.umaResolutionStatus=vetoed',
      'market.version=v3',
      'series.fee_type=cubic',
    ]);
  });

  it.skipIf(!hasData)('hold every field of the recorded payloads of venue_a', () => {
    const unknown = new UnknownValues('venue_a');
    let records = 0;
    for (const file of filesOf('venue_a')) {
      const events = objectsWith(file, 'event_ticker', 'series_ticker', 'title');
      const markets = objectsWith(file, 'ticker', 'event_ticker', 'market_type');
      const series = objectsWith(file, 'ticker', 'fee_type', 'frequency');
      knownA.countEvents(unknown, events);
      knownA.countMarkets(unknown, markets);
      knownA.countSeries(unknown, series);
      knownA.countMilestones(unknown, objectsWith(file, 'related_event_tickers', 'start_date'));
      for (const frame of objectsWith(file, 'sid', 'seq', 'type')) knownA.countMessage(unknown, frame);
      records += events.length + markets.length + series.length;
    }
    expect(records).toBeGreaterThan(1_000);
    expect(unknown.rows).toEqual([]);
  });

  it.skipIf(!hasData)('hold every field of the recorded payloads of venue_b', () => {
    const unknown = new UnknownValues('venue_b');
    let records = 0;
    // The form of before September 2025, which is rejected.
    for (const file of filesOf('venue_b').filter((name) => !name.endsWith('ws_messages_price_change.json'))) {
      // A tag and a series of the search response have a slug too, but no end.
      const events = objectsWith(file, 'slug', 'title', 'negRiskAugmented');
      const markets = objectsWith(file, 'slug', 'question', 'clobTokenIds');
      knownB.countEvents(unknown, [...events, { markets }]);
      knownB.countBooks(unknown, objectsWith(file, 'asset_id', 'bids', 'asks', 'tick_size'));
      for (const message of objectsWith(file, 'event_type')) knownB.countMessage(unknown, message);
      records += events.length + markets.length;
    }
    expect(records).toBeGreaterThan(100);
    expect(unknown.rows).toEqual([]);
  });

  it.skipIf(!hasData)('cost less than 2 % of the time of parsing a page', () => {
    const eventsA = JSON.parse(readFileSync(`${DATA}/venue_a/cockpit_2026-08/events_sports_nested.json`, 'utf8'));
    const [eventB] = objectsWith('venue_b/arb_engine_2026-09/pm_event_nfl-car-atl-2026-09-20.json', 'slug', 'markets');
    const eventsB = Array.from({ length: 100 }, () => eventB);
    const now = '2026-09-20T00:00:00.000Z';
    const unknown = new UnknownValues('venue_a');
    const pages = [
      {
        parse: () =>
          listVenueA(eventsA, {
            series: new Map(),
            milestones: [],
            now,
            recorded: false,
            questionsOf: parsers.venue_a,
          }),
        count: () => knownA.countEvents(unknown, eventsA),
      },
      {
        parse: () => listVenueB(eventsB, { now, recorded: false, questionsOf: parsers.venue_b }),
        count: () => knownB.countEvents(unknown, eventsB),
      },
    ];
    for (const { parse, count } of pages) {
      // The fastest of several runs: a busy machine delays some of them.
      const share = fastest(count, 20) / fastest(parse, 3);
      console.log(`counting takes ${(100 * share).toFixed(2)} % of parsing`);
      expect(share).toBeLessThan(0.02);
    }
  });
});

function fastest(work: () => void, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i += 1) {
    const from = performance.now();
    work();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}
