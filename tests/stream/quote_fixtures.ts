import type { Sql } from '../../local/platform/postgres/template.ts';
import { uuidOf } from '../api/support/catalog.ts';

// Quotes by ingest's own door, and what a listener makes of them.

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
export type Standing = Pick<
  QuoteFrame,
  'venue' | 'contract_id' | 'side' | 'bid' | 'ask' | 'bid_size' | 'ask_size' | 'market_id'
>;

/** Prices in 1e-6 USD, sizes in 0.01 contract, times in epoch ms; the home leg of pair n at venue_a unless said. */
export type Given = {
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

/** The tokens of all slices as they are now. */
export async function tokensOf(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; token: string }[]>`
    select name, token::text as token from venue.leases where name like 'books:%'`;
  return Object.fromEntries(rows.map(({ name, token }) => [name, Number(token)]));
}

export async function giveQuotes(sql: Sql, given: readonly Given[], tokens?: Record<string, number>): Promise<void> {
  await sql`select pipeline.apply_books(${sql.json(tokens ?? (await tokensOf(sql)))}, '[]', ${sql.json(given.map(asGiven))})`;
}

/** In the shape that pipeline.apply_books takes. */
export function asGiven({ n, ...quote }: Given) {
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

/** All that quotes:all said, oldest first. */
export async function quoteFrames(sql: Sql): Promise<QuoteFrame[]> {
  const rows = await sql<{ frame: string }[]>`
    select f.frame
    from stream.publications p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    where p.channel = 'quotes:all'
    order by p.last_offset, f.place`;
  return rows.map((row) => JSON.parse(row.frame) as QuoteFrame);
}

/** What stands for somebody who has heard these frames: by leg, legs of which nothing stands left out. */
export function rebuilt(frames: readonly QuoteFrame[]): Standing[] {
  const legs = new Map<string, Standing>();
  for (const { venue, contract_id, side, bid, ask, bid_size, ask_size, market_id } of frames) {
    const key = `${market_id} ${venue} ${contract_id} ${side}`;
    if (bid === null && ask === null) legs.delete(key);
    else legs.set(key, { venue, contract_id, side, bid, ask, bid_size, ask_size, market_id });
  }
  return [...legs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leg]) => leg);
}

/** What the log has come to. */
export async function standing(sql: Sql): Promise<Standing[]> {
  return rebuilt(await quoteFrames(sql));
}
