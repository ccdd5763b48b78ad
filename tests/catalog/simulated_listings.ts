import { type RawObject, record, records, text } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import type { RunningVenues } from '../venue_simulator/fixture.ts';
import { listedA, listedB, putListings } from './listings.ts';

/** Final states of markets, by ticker or condition id. */
export type Settlements = { [id: string]: { state: 'final'; payout: string } };

/**
 * Reads all listings of the running simulator. The returned function stores them, and can store
 * them again with other settlements.
 */
export async function readSimulatedListings(
  venues: RunningVenues,
  at: number,
): Promise<(sql: Sql, settlements: Settlements) => Promise<void>> {
  const context = { now: new Date(at).toISOString() };
  const { venue_a, venue_b } = venues.listening;
  const milestones = await pages(`${venue_a.rest}/milestones?limit=500`, 'milestones', 'cursor', 'cursor');
  const eventsA = await pages(
    `${venue_a.rest}/events?limit=200&with_nested_markets=true`,
    'events',
    'cursor',
    'cursor',
  );
  // The simulator keeps ended games in its truth for two days, so closed events are read as well,
  // but not its settled past.
  const recently = new Date(at - 5 * 86_400_000).toISOString();
  const gamma = (closed: string) =>
    pages(`${venue_b.gamma}/events/keyset?limit=500&closed=${closed}`, 'events', 'after_cursor', 'next_cursor');
  const eventsB = [...(await gamma('false')), ...(await gamma(`true&end_date_min=${recently}`))];
  const ofEvent = (ticker: string | null) =>
    milestones.filter((one) => Array.isArray(one.related_event_tickers) && one.related_event_tickers.includes(ticker));
  return async (sql, settlements) => {
    const onA = eventsA.map((event) =>
      listedA(event, { ...context, milestones: ofEvent(text(event.event_ticker)) }, settlements),
    );
    await putListings(sql, 'venue_a', onA);
    await putListings(
      sql,
      'venue_b',
      eventsB.map((event) => listedB(event, context, settlements)),
    );
  };
}

async function pages(
  first: string,
  listField: string,
  cursorParameter: string,
  cursorField: string,
): Promise<RawObject[]> {
  const rows: RawObject[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 100; page += 1) {
    const answer = await fetch(cursor === '' ? first : `${first}&${cursorParameter}=${encodeURIComponent(cursor)}`);
    const body = record(await answer.json());
    rows.push(...records(body[listField]));
    cursor = text(body[cursorField]);
  }
  return rows;
}
