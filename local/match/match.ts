import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { ListingBatch, SetAside } from '../../functions/ingest/listing.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { thinEventA, thinEventB } from './complete_events.ts';
import { dayOfListings } from './recording_date.ts';
import { type MatchRow, pairRows, refusalRows } from './rows.ts';

export type Matched = {
  rows: MatchRow[];
  /** What could not be read, by both adapters and all parsers. */
  set_aside: SetAside[];
  /** Market time of the pass, ISO 8601. */
  now: string;
  seconds: { parse: number; store: number; pass: number };
};

const PAGE = 500;

async function store(sql: Sql, venue: 'venue_a' | 'venue_b', batch: ListingBatch): Promise<void> {
  for (let from = 0; from < batch.events.length; from += PAGE) {
    const page = { events: batch.events.slice(from, from + PAGE), set_aside: [] };
    await sql`select venue.put_listings(${venue}, null, ${sql.json(page as never)})`;
  }
}

/** Reads both venues' listings and puts them into the rooms; what could not be read comes back. */
export async function listingsIn(
  sql: Sql,
  a: readonly unknown[],
  b: readonly unknown[],
  now: string,
): Promise<{ set_aside: SetAside[]; parsed: number; stored: number }> {
  const context = { now, recorded: true };
  const from = performance.now();
  const listed = {
    a: listVenueA(a.map(thinEventA), {
      ...context,
      series: new Map(),
      milestones: [],
      questionsOf: questionsOfVenueA,
    }),
    b: listVenueB(b.map(thinEventB), { ...context, questionsOf: questionsOfVenueB }),
  };
  const parsed = performance.now();
  await store(sql, 'venue_a', listed.a);
  await store(sql, 'venue_b', listed.b);
  return {
    set_aside: [...listed.a.set_aside, ...listed.b.set_aside],
    parsed: parsed - from,
    stored: performance.now() - parsed,
  };
}

/**
 * Both venues' listings (venue_a: events with nested markets; venue_b: Gamma events) through the adapters, the parsers and the match pass
 * of the product, in an empty database of this house. `now` is the market time that undated listings are read by (ISO 8601; null: the
 * day that the listings themselves name, else today).
 */
export async function matchListings(
  sql: Sql,
  a: readonly unknown[],
  b: readonly unknown[],
  now: string | null,
): Promise<Matched> {
  const today = new Date().toISOString();
  const day = now === null ? dayOfListings(a, b, today.slice(0, 10)) : null;
  const at = now ?? (day === null ? today : `${day}T12:00:00.000Z`);
  const { set_aside, parsed, stored } = await listingsIn(sql, a, b, at);
  const from = performance.now();
  await sql`select pipeline.match_listings()`;
  const passed = performance.now() - from;
  const rows = [...(await pairRows(sql)), ...(await refusalRows(sql))];
  const second = (ms: number) => Math.round(ms) / 1000;
  return { rows, set_aside, now: at, seconds: { parse: second(parsed), store: second(stored), pass: second(passed) } };
}
