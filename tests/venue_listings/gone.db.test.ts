import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ListedEvent, ListedMarket, RejectedRow } from '../../functions/ingest/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a market that a venue removes becomes gone, a market that returns is restored, and a
 * market that we merely cannot parse keeps its state.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.sql`truncate venue.events, venue.sweeps cascade`);

const market = (id: string): ListedMarket => ({
  market_id: id,
  title: id,
  state: 'trading',
  open_at: null,
  close_at: null,
  expected_at: null,
  settled_at: null,
  payout: null,
  ticks: null,
  min_order: null,
  fee: null,
  match_delay_seconds: null,
  rules: 'The rules.',
  payload: { ticker: id },
  contracts: [{ contract_id: id, ordinal: 0, label: id }],
});
const event = (markets: ListedMarket[]): ListedEvent => ({
  event_id: 'KXE-1',
  series_id: 'KXE',
  title: 'An event',
  url: null,
  start_at: null,
  start_source: null,
  close_at: null,
  volume: null,
  payload: {},
  markets,
  questions: [],
});
const rejectedMarket = (id: string): RejectedRow => ({
  kind: 'market',
  native_id: id,
  code: 'market.missing_field',
  detail: 'A field is missing.',
  payload: null,
});

async function put(markets: ListedMarket[], rejected: RejectedRow[] = [], sweep = 1): Promise<void> {
  const batch = JSON.stringify({ events: [event(markets)], rejected });
  await database.sql`select venue.upsert_listings('venue_a', ${sweep}, ${batch}::text::jsonb)`;
}
const states = async () =>
  Object.fromEntries(
    (
      await database.sql<{ market_id: string; state: string }[]>`select market_id, state from venue.markets order by 1`
    ).map((row) => [row.market_id, row.state]),
  );

it('marks a market gone when its event no longer lists it, and restores it when it is listed again', async () => {
  await put([market('A'), market('B')]);
  await put([market('A')]);
  expect(await states()).toEqual({ A: 'trading', B: 'gone' });
  await put([market('A'), market('B')]);
  expect(await states()).toEqual({ A: 'trading', B: 'trading' });
});

it('keeps the last known state of a listed market that cannot be parsed', async () => {
  await put([market('A'), market('B')]);
  await put([market('A')], [rejectedMarket('B')]);
  expect(await states()).toEqual({ A: 'trading', B: 'trading' });
});

it('marks the markets of an event gone after two sweeps without it, and restores them afterwards', async () => {
  await put([market('A')], [], 1);
  await database.sql`insert into venue.sweeps (venue, sweep) values ('venue_a', 3)`;
  await database.sql`select venue.finish_sweep('venue_a', 3)`;
  expect(await states()).toEqual({ A: 'gone' });
  await put([market('A')], [], 4);
  expect(await states()).toEqual({ A: 'trading' });
});

it('updates a market when only its rules change', async () => {
  await put([market('A')]);
  await put([{ ...market('A'), rules: 'Other rules.' }]);
  const [row] = await database.sql`select rules from venue.markets`;
  expect(row?.rules).toBe('Other rules.');
});
