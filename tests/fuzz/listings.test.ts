import fc from 'fast-check';
import { expect } from 'vitest';
import type { ListedEvent, ListingBatch } from '../../functions/ingest/listing.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { campaign } from './support/campaign.ts';
import { applyFaults, contextA, contextB, eventsA, eventsB, faultyEvent, validA, validB } from './support/listings.ts';
import { anyJson } from './support/texts.ts';

/**
 * Guarantee: over any content of a listing page the parser throws nothing, and it parses a valid
 * event next to invalid ones exactly as on a page of its own.
 */

/**
 * Expects each question to have a key, distinct outcomes, and legs on contracts of its own event.
 */
function expectValidQuestions({ questions, markets }: ListedEvent): void {
  const listed = new Set(
    markets.flatMap(({ market_id, contracts }) => contracts.map((one) => `${market_id} ${one.contract_id}`)),
  );
  for (const { key, legs } of questions) {
    expect(key.length).toBeGreaterThan(0);
    expect(new Set(legs.map((leg) => leg.outcome_key)).size).toBe(legs.length);
    for (const leg of legs) expect(listed, key).toContain(`${leg.market_id} ${leg.contract_id}`);
  }
}

/** Expects the last event of the page to equal `alone`, and no internal failure of the parser. */
function expectUnchanged({ events, rejected }: ListingBatch, alone: readonly ListedEvent[]): void {
  expect(events.slice(-1)).toEqual(alone);
  expect(rejected.filter((one) => one.code.endsWith('_failed'))).toEqual([]);
  for (const event of events) expectValidQuestions(event);
  JSON.stringify(events);
}

campaign(
  'venue_a: an invalid event of a page is rejected or parsed in part, and its neighbour is parsed as if alone',
  () => {
    const alone = listVenueA([validA], contextA).events;
    return fc.property(faultyEvent(eventsA), anyJson(), (invalid, milestone) => {
      const batch = listVenueA([applyFaults(invalid), validA], { ...contextA, milestones: [milestone] });
      expectUnchanged(batch, alone);
    });
  },
  600,
);

campaign(
  'venue_b: an invalid event of a page is rejected or parsed in part, and its neighbour is parsed as if alone',
  () => {
    const alone = listVenueB([validB], contextB).events;
    return fc.property(faultyEvent(eventsB), (invalid) => {
      const batch = listVenueB([applyFaults(invalid), validB], contextB);
      expectUnchanged(batch, alone);
    });
  },
  600,
);

campaign(
  'venue_a: series of any shape are parsed or rejected, and a valid one keeps its fee',
  () =>
    fc.property(fc.array(anyJson(), { maxLength: 5 }), (series) => {
      const { byTicker } = parseSeries([...series, { ticker: 'KXSOUND', fee_type: 'quadratic', fee_multiplier: 1 }]);
      expect(byTicker.get('KXSOUND')).toMatchObject({ fee_multiplier: 1 });
    }),
  200,
);
