import type { Sql } from '../../local/platform/postgres/template.ts';
import { uuidOf } from '../api/support/catalog.ts';

// Writes quotes as ingest does, and replays quote frames as a client does.

export type QuoteFrame = {
  type: 'quote';
  venue: string;
  contract_id: string;
  side: string | null;
  bid: number | null;
  ask: number | null;
  bid_size: number | null;
  ask_size: number | null;
  venue_time: string | null;
  read_at: string | null;
  market_id: string;
  void?: string;
  repeated?: true;
};
export type LegQuote = Pick<
  QuoteFrame,
  'venue' | 'contract_id' | 'side' | 'bid' | 'ask' | 'bid_size' | 'ask_size' | 'market_id'
>;

/**
 * Prices in 1e-6 USD, sizes in 0.01 contract, times in epoch ms. The default is the home leg of
 * pair n at venue_a.
 */
export type QuoteInput = {
  n: number;
  no: number;
  venue?: string;
  contract?: string;
  side?: 'yes' | 'no' | null;
  bid?: number | null;
  ask?: number | null;
  bid_size?: number | null;
  ask_size?: number | null;
  venue_time?: number | null;
  read_at?: number | null;
  void?: string | null;
};

/** The current fencing tokens of all shards. */
export async function leaseTokens(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; token: string }[]>`
    select name, token::text as token from venue.leases where name like 'books:%'`;
  return Object.fromEntries(rows.map(({ name, token }) => [name, Number(token)]));
}

export async function putQuotes(
  sql: Sql,
  quotes: readonly QuoteInput[],
  tokens?: Record<string, number>,
): Promise<void> {
  await sql`select pipeline.apply_books(${sql.json(tokens ?? (await leaseTokens(sql)))}, '[]', ${sql.json(quotes.map(toQuoteJson))})`;
}

/** A quote as pipeline.apply_books reads it. */
export function toQuoteJson({ n, ...quote }: QuoteInput) {
  return {
    pair: uuidOf(n),
    venue: 'venue_a',
    contract: `KX-${n}-home`,
    side: 'yes',
    bid: null,
    ask: null,
    bid_size: null,
    ask_size: null,
    venue_time: null,
    read_at: null,
    void: null,
    ...quote,
  };
}

/** The frames of quotes:all, oldest first. */
export async function quoteFrames(sql: Sql): Promise<QuoteFrame[]> {
  const rows = await sql<{ frame: string }[]>`
    select f.frame
    from stream.publications p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    where p.channel = 'quotes:all'
    order by p.last_offset, f.place`;
  return rows.map((row) => JSON.parse(row.frame) as QuoteFrame);
}

/** The quotes of a client that received these frames, by leg, without legs that have no price. */
export function replayQuotes(frames: readonly QuoteFrame[]): LegQuote[] {
  const legs = new Map<string, LegQuote>();
  for (const { venue, contract_id, side, bid, ask, bid_size, ask_size, market_id } of frames) {
    const key = `${market_id} ${venue} ${contract_id} ${side}`;
    if (bid === null && ask === null) legs.delete(key);
    else legs.set(key, { venue, contract_id, side, bid, ask, bid_size, ask_size, market_id });
  }
  return [...legs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leg]) => leg);
}

/** The quotes that the publication log replays to. */
export async function currentQuotes(sql: Sql): Promise<LegQuote[]> {
  return replayQuotes(await quoteFrames(sql));
}
