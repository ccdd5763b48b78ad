import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { ListingBatch, RejectedRow } from '../../functions/ingest/listing.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import type { Queries } from '../platform/postgres/template.ts';
import { completeEventA, completeEventB } from './complete_events.ts';
import { recordingDateOf } from './recording_date.ts';
import { type MatchRow, pairRows, rejectionRows } from './rows.ts';

export type MatchResult = {
  rows: MatchRow[];
  /** Rows that the adapters and parsers rejected. */
  rejected: RejectedRow[];
  /** Market time of the pass, ISO 8601. */
  now: string;
  seconds: { parse: number; store: number; pass: number };
};

const PAGE_SIZE = 500;

async function store(sql: Queries, venue: 'venue_a' | 'venue_b', batch: ListingBatch): Promise<void> {
  for (let from = 0; from < batch.events.length; from += PAGE_SIZE) {
    const page = { events: batch.events.slice(from, from + PAGE_SIZE), rejected: [] };
    await sql`select venue.upsert_listings(${venue}, null, ${sql.json(page as never)})`;
  }
}

/** Parses both venues' listings and stores them in the database. Returns the rejected rows. */
export async function listingsIn(
  sql: Queries,
  a: readonly unknown[],
  b: readonly unknown[],
  now: string,
): Promise<{ rejected: RejectedRow[]; parsed: number; stored: number }> {
  const context = { now, recorded: true };
  const from = performance.now();
  const listed = {
    a: listVenueA(a.map(completeEventA), {
      ...context,
      series: new Map(),
      milestones: [],
      questionsOf: questionsOfVenueA,
    }),
    b: listVenueB(b.map(completeEventB), { ...context, questionsOf: questionsOfVenueB }),
  };
  const parsed = performance.now();
  await store(sql, 'venue_a', listed.a);
  await store(sql, 'venue_b', listed.b);
  return {
    rejected: [...listed.a.rejected, ...listed.b.rejected],
    parsed: parsed - from,
    stored: performance.now() - parsed,
  };
}

/**
 * Runs both venues' listings (venue_a: events with nested markets; venue_b: Gamma events) through
 * the product's adapters, parsers and match pass in an empty database. `now` is the market time for
 * undated listings, ISO 8601; null for the date that the listings name, or else today.
 */
export async function matchListings(
  sql: Queries,
  a: readonly unknown[],
  b: readonly unknown[],
  now: string | null,
): Promise<MatchResult> {
  const today = new Date().toISOString();
  const day = now === null ? recordingDateOf(a, b, today.slice(0, 10)) : null;
  const at = now ?? (day === null ? today : `${day}T12:00:00.000Z`);
  const { rejected, parsed, stored } = await listingsIn(sql, a, b, at);
  const from = performance.now();
  await sql`select pipeline.match_listings()`;
  const passed = performance.now() - from;
  const rows = [...(await pairRows(sql)), ...(await rejectionRows(sql))];
  const second = (ms: number) => Math.round(ms) / 1000;
  return { rows, rejected, now: at, seconds: { parse: second(parsed), store: second(stored), pass: second(passed) } };
}
