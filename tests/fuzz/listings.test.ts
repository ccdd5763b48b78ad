import fc from 'fast-check';
import { expect } from 'vitest';
import type { ListedEvent, ListingBatch } from '../../functions/ingest/listing.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { campaign } from './support/campaign.ts';
import { contextA, contextB, eventsA, eventsB, faulty, soundA, soundB, spoilt } from './support/listings.ts';
import { anyJson } from './support/texts.ts';

// Guarantee: whatever a venue lists, the reader throws nothing, what is sound beside it is read as if it stood alone.

/** What every question that goes to the matcher must be, however it came about: its legs are contracts that its own event lists. */
function expectSound({ questions, markets }: ListedEvent): void {
  const listed = new Set(
    markets.flatMap(({ market_id, contracts }) => contracts.map((one) => `${market_id} ${one.contract_id}`)),
  );
  for (const { key, legs } of questions) {
    expect(key.length).toBeGreaterThan(0);
    expect(new Set(legs.map((leg) => leg.outcome_key)).size).toBe(legs.length);
    for (const leg of legs) expect(listed, key).toContain(`${leg.market_id} ${leg.contract_id}`);
  }
}

function expectNeighbour({ events, rejected }: ListingBatch, alone: readonly ListedEvent[]): void {
  expect(events.slice(-1)).toEqual(alone);
  expect(rejected.filter((one) => one.code.endsWith('_failed'))).toEqual([]);
  for (const event of events) expectSound(event);
  JSON.stringify(events);
}

campaign(
  'venue_a: an invalid event of a page is rejected or parsed in part, and its neighbour is parsed as if alone',
  () => {
    const alone = listVenueA([soundA], contextA).events;
    return fc.property(faulty(eventsA), anyJson(), (bad, milestone) => {
      const batch = listVenueA([spoilt(bad), soundA], { ...contextA, milestones: [milestone] });
      expectNeighbour(batch, alone);
    });
  },
  600,
);

campaign(
  'venue_b: an invalid event of a page is rejected or parsed in part, and its neighbour is parsed as if alone',
  () => {
    const alone = listVenueB([soundB], contextB).events;
    return fc.property(faulty(eventsB), (bad) => {
      const batch = listVenueB([spoilt(bad), soundB], contextB);
      expectNeighbour(batch, alone);
    });
  },
  600,
);

campaign(
  'venue_a: series of any shape are parsed or rejected, and a valid one keeps its fee',
  () =>
    fc.property(fc.array(anyJson(), { maxLength: 5 }), (some) => {
      const { byTicker } = parseSeries([...some, { ticker: 'KXSOUND', fee_type: 'quadratic', fee_multiplier: 1 }]);
      expect(byTicker.get('KXSOUND')).toMatchObject({ fee_multiplier: 1 });
    }),
  200,
);
