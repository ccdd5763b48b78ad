import { uuidOf } from '../../core/ids.ts';
import { keyOf } from '../../core/random.ts';
import type { League } from '../leagues/index.ts';
import type { ContractA, EventA, Quoting, WireFields } from '../question.ts';
import { type EventShapeA, eventFieldsA, type MarketShapeA, marketFieldsA } from './listing_a.ts';
import { type QuotingProfile, quotingOnA } from './quoting_profile.ts';

/**
 * The fields that all contracts of an event of venue A share. The series is the part of the ticker
 * before its first dash.
 */
export type ListingA = Omit<EventShapeA, 'series' | 'updated'> & {
  seed: number;
  listed: number;
  close: number;
  expected: number;
  occurrence?: number;
  earlyClose?: string;
  settlementSeconds?: number;
  profile: QuotingProfile;
  expirationValue?: string;
  milestone?: WireFields;
};

/** One contract of the event. */
export type ContractShapeA = Pick<MarketShapeA, 'title' | 'yes' | 'rules' | 'strike'> & {
  /** The last part of the ticker. */
  code: string;
  fair: Quoting['fair'];
  /** Whether YES pays. A number is the dollars per contract of a settlement at a fair price. */
  pays: boolean | number;
};

export function listOnA(listing: ListingA, contracts: readonly ContractShapeA[]): EventA {
  const { ticker, listed, milestone = null } = listing;
  const series = ticker.slice(0, ticker.indexOf('-'));
  return {
    ticker,
    series,
    fields: eventFieldsA({ ...listing, series, updated: listed }),
    contracts: contracts.map((shape) => contractOf(listing, shape)),
    milestone,
  };
}

function contractOf(listing: ListingA, shape: ContractShapeA): ContractA {
  const ticker = `${listing.ticker}-${shape.code}`;
  const key = keyOf(listing.seed, ticker);
  return {
    ticker,
    fields: marketFieldsA(
      {
        ...shape,
        ticker,
        event: listing.ticker,
        open: listing.listed,
        close: listing.close,
        expected: listing.expected,
        occurrence: listing.occurrence ?? null,
        earlyClose: listing.earlyClose ?? 'This market will close and expire early if the event occurs.',
        settlementSeconds: listing.settlementSeconds ?? 300,
      },
      key,
    ),
    quoting: quotingOnA(key, listing.profile, shape.fair),
    pays: typeof shape.pays === 'number' ? shape.pays : shape.pays ? 'yes' : 'no',
    expirationValue: listing.expirationValue ?? '',
  };
}

type Strike = MarketShapeA['strike'];

export const above = (floor: number): Strike => ({ type: 'greater', floor });

/** The id by which venue A names a team or a player. */
export const targetOf = (
  { key, targetKey }: Pick<League, 'key' | 'targetKey'>,
  code: string,
): Record<string, string> => ({
  [targetKey]: uuidOf('team', key, code),
});
