import type { Fee } from '../../../functions/ingest/listing.ts';

/** Result of `api.get_market_terms`. `fee_a` and `fee_b` are places in `fees`; null: unknown. */
export type MarketTermsList = {
  fees: Fee[];
  markets: {
    id: string;
    expected_settlement_at: string | null;
    /** What was traded in the event of the market: contracts on venue_a, USD on venue_b. */
    volume: { venue_a: number | null; venue_b: number | null };
    outcomes: { key: string; fee_a: number | null; fee_b: number | null }[];
  }[];
};

export type OutcomeFees = { venue_a: Fee | null; venue_b: Fee | null };

/** What the venues state about a market and the live channel does not carry. */
export type MarketTerms = {
  expectedSettlementAt: string | null;
  volume: MarketTermsList['markets'][number]['volume'];
  /** By the key of the outcome. */
  fees: ReadonlyMap<string, OutcomeFees>;
};

/** The terms of each market by its id. */
export function termsById({ fees, markets }: MarketTermsList): Map<string, MarketTerms> {
  const feeAt = (place: number | null): Fee | null => (place === null ? null : (fees[place] ?? null));
  return new Map(
    markets.map(({ id, expected_settlement_at, volume, outcomes }) => [
      id,
      {
        expectedSettlementAt: expected_settlement_at,
        volume,
        fees: new Map(outcomes.map(({ key, fee_a, fee_b }) => [key, { venue_a: feeAt(fee_a), venue_b: feeAt(fee_b) }])),
      },
    ]),
  );
}
