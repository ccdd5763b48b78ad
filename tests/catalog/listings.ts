import type { Context } from '../../functions/ingest/identity/question.ts';
import { outcomeTokens } from '../../functions/ingest/identity/text/outcome_ids.ts';
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
import type { ListedEvent, ListedMarket, MarketState } from '../../functions/ingest/listing.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';

/**
 * Builds the smallest listings that schema venue accepts, so that tests run the match pass without
 * the adapters of ingest.
 */

type MarketOverride = { state?: MarketState; payout?: string };

function market(
  id: string,
  raw: RawObject,
  contracts: { contract_id: string; label: string | null }[],
  override: MarketOverride,
): ListedMarket {
  return {
    market_id: id,
    title: text(raw.title) ?? text(raw.question),
    state: override.state ?? 'trading',
    open_at: null,
    close_at: text(raw.close_time) ?? text(raw.endDate),
    expected_at: null,
    settled_at: override.state === 'final' ? '2026-01-01T00:00:00Z' : null,
    payout: override.payout ?? null,
    ticks: null,
    min_order: null,
    fee: null,
    match_delay_seconds: null,
    rules: joined(raw.rules_primary, raw.rules_secondary) ?? joined(raw.description),
    payload: {},
    contracts: contracts.map((one, ordinal) => ({ ...one, ordinal })),
  };
}

export function listedA(
  event: unknown,
  context: Context,
  overrides: { [ticker: string]: MarketOverride } = {},
): ListedEvent {
  const raw = record(event);
  const { questions } = questionsOfVenueA(raw, context);
  const id = text(raw.event_ticker) ?? '?';
  const markets = records(raw.markets).flatMap((one) => {
    const ticker = text(one.ticker);
    return ticker
      ? [market(ticker, one, [{ contract_id: ticker, label: text(one.yes_sub_title) }], overrides[ticker] ?? {})]
      : [];
  });
  return { ...eventFields(id, raw), markets, questions };
}

export function listedB(
  event: unknown,
  context: Context,
  overrides: { [condition: string]: MarketOverride } = {},
): ListedEvent {
  const raw = record(event);
  const { questions } = questionsOfVenueB(raw, context);
  const id = text(raw.slug) ?? '?';
  const markets = records(raw.markets).flatMap((one) => {
    const condition = text(one.conditionId);
    const labels = strings(one.outcomes);
    const contracts = outcomeTokens(one).map((token, at) => ({ contract_id: token, label: labels[at] ?? null }));
    const described = { ...one, description: one.description ?? raw.description ?? null };
    return condition ? [market(condition, described, contracts, overrides[condition] ?? {})] : [];
  });
  return { ...eventFields(id, raw), payload: { tags: raw.tags ?? [] }, markets, questions };
}

function eventFields(event_id: string, raw: RawObject): Omit<ListedEvent, 'markets' | 'questions'> {
  return {
    event_id,
    series_id: null,
    title: text(raw.title) ?? event_id,
    url: null,
    start_at: null,
    start_source: null,
    close_at: null,
    volume: null,
    payload: {},
  };
}

/** Stores listings. The listing of an event replaces the earlier one. */
export async function putListings(
  sql: Sql,
  venue: 'venue_a' | 'venue_b',
  events: readonly ListedEvent[],
): Promise<void> {
  for (let from = 0; from < events.length; from += 500) {
    const page = { events: events.slice(from, from + 500), rejected: [] };
    await sql`select venue.upsert_listings(${venue}, null, ${sql.json(page as never)})`;
  }
}

export type MatchPass = { pairs: number; created: number; changed: number; withdrawn: number; refused: number };

export async function runMatchPass(sql: Sql): Promise<MatchPass> {
  const [row] = await sql<{ match_listings: MatchPass }[]>`select pipeline.match_listings()`;
  if (!row) throw new Error('pipeline.match_listings returned no row');
  return row.match_listings;
}
