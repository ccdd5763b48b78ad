import { type RawObject, record, records, text } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import type { Running } from '../venue_simulator/running.ts';
import { listedA, listedB, put } from './listings.ts';

/** How a market ended, by ticker or condition id. */
export type Ends = { [id: string]: { state: 'final'; payout: string } };

/** Reads all that the running simulator lists; what is returned puts it in, also again with other endings. */
export async function worldOf(venues: Running, at: number): Promise<(sql: Sql, ends: Ends) => Promise<void>> {
  const context = { now: new Date(at).toISOString() };
  const { venue_a, venue_b } = venues.listening;
  const milestones = await pages(`${venue_a.rest}/milestones?limit=500`, 'milestones', 'cursor', 'cursor');
  const eventsA = await pages(
    `${venue_a.rest}/events?limit=200&with_nested_markets=true`,
    'events',
    'cursor',
    'cursor',
  );
  // Games that are over stay in the truth for two days: closed events are read as well.
  const gamma = (closed: boolean) =>
    pages(`${venue_b.gamma}/events/keyset?limit=500&closed=${closed}`, 'events', 'after_cursor', 'next_cursor');
  const eventsB = [...(await gamma(false)), ...(await gamma(true))];
  const ofEvent = (ticker: string | null) =>
    milestones.filter((one) => Array.isArray(one.related_event_tickers) && one.related_event_tickers.includes(ticker));
  return async (sql, ends) => {
    const onA = eventsA.map((event) =>
      listedA(event, { ...context, milestones: ofEvent(text(event.event_ticker)) }, ends),
    );
    await put(sql, 'venue_a', onA);
    await put(
      sql,
      'venue_b',
      eventsB.map((event) => listedB(event, context, ends)),
    );
  };
}

async function pages(first: string, room: string, pageName: string, nextName: string): Promise<RawObject[]> {
  const rows: RawObject[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 100; page += 1) {
    const answer = await fetch(cursor === '' ? first : `${first}&${pageName}=${encodeURIComponent(cursor)}`);
    const body = record(await answer.json());
    rows.push(...records(body[room]));
    cursor = text(body[nextName]);
  }
  return rows;
}
