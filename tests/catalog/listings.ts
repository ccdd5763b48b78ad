import type { Context } from '../../functions/ingest/identity/question.ts';
import {
  joined,
  type RawObject,
  record,
  records,
  strings,
  text,
} from '../../functions/ingest/identity/text/raw_object.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { ListedEvent, ListedMarket, MarketState, Question } from '../../functions/ingest/listing.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';

/** The least that room venue needs of a listing, so that the match pass can be tried without the adapters. */

type Over = { state?: MarketState; payout?: string };

function market(
  id: string,
  wire: RawObject,
  contracts: { contract_id: string; label: string | null }[],
  over: Over,
): ListedMarket {
  return {
    market_id: id,
    title: text(wire.title) ?? text(wire.question),
    state: over.state ?? 'trading',
    open_at: null,
    close_at: text(wire.close_time) ?? text(wire.endDate),
    expected_at: null,
    settled_at: over.state === 'final' ? '2026-01-01T00:00:00Z' : null,
    payout: over.payout ?? null,
    ticks: null,
    min_order: null,
    fee: null,
    match_delay_seconds: null,
    rules: joined(wire.rules_primary, wire.rules_secondary) ?? joined(wire.description),
    payload: {},
    contracts: contracts.map((one, ordinal) => ({ ...one, ordinal })),
  };
}

export function listedA(
  event: unknown,
  context: Context,
  over: { [ticker: string]: Over } = {},
): ListedEvent & { read: Question[] } {
  const wire = record(event);
  const { questions } = questionsOfVenueA(wire, context);
  const id = text(wire.event_ticker) ?? '?';
  const markets = records(wire.markets).flatMap((one) => {
    const ticker = text(one.ticker);
    return ticker
      ? [market(ticker, one, [{ contract_id: ticker, label: text(one.yes_sub_title) }], over[ticker] ?? {})]
      : [];
  });
  return { ...bare(id, wire), markets, questions, read: questions };
}

export function listedB(
  event: unknown,
  context: Context,
  over: { [condition: string]: Over } = {},
): ListedEvent & { read: Question[] } {
  const wire = record(event);
  const { questions } = questionsOfVenueB(wire, context);
  const id = text(wire.slug) ?? '?';
  const markets = records(wire.markets).flatMap((one) => {
    const condition = text(one.conditionId);
    const labels = strings(one.outcomes);
    const contracts = strings(one.clobTokenIds).map((token, at) => ({ contract_id: token, label: labels[at] ?? null }));
    const described = { ...one, description: one.description ?? wire.description ?? null };
    return condition ? [market(condition, described, contracts, over[condition] ?? {})] : [];
  });
  return { ...bare(id, wire), payload: { tags: wire.tags ?? [] }, markets, questions, read: questions };
}

function bare(event_id: string, wire: RawObject): Omit<ListedEvent, 'markets' | 'questions'> {
  return {
    event_id,
    series_id: null,
    title: text(wire.title) ?? event_id,
    url: null,
    start_at: null,
    start_source: null,
    close_at: null,
    payload: {},
  };
}

/** Puts listings in, replacing what the same events held before. */
export async function put(sql: Sql, venue: 'venue_a' | 'venue_b', events: readonly ListedEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += 500) {
    const page = { events: events.slice(from, from + 500), rejected: [] };
    await sql`select venue.upsert_listings(${venue}, null, ${sql.json(page as never)})`;
  }
}

export type Pass = { pairs: number; created: number; changed: number; withdrawn: number; refused: number };

export async function pass(sql: Sql): Promise<Pass> {
  const [row] = await sql<{ match_listings: Pass }[]>`select pipeline.match_listings()`;
  if (!row) throw new Error('match_pass returned nothing');
  return row.match_listings;
}
