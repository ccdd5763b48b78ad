import { uuidOf } from '../../core/ids.ts';
import { keyOf } from '../../core/random.ts';
import type { League } from '../leagues/index.ts';
import type { ContractA, EventA, Quoting, WireFields } from '../question.ts';
import { type EventShapeA, eventFieldsA, type MarketShapeA, marketFieldsA } from './listing_a.ts';
import { type QuotingProfile, quotedOnA } from './quoting_profile.ts';

/** What an event of venue A says once for all its contracts. Its series is what stands before the ticker's first dash. */
export type ListingA = Omit<EventShapeA, 'series' | 'updated'> & {
  seed: number;
  listed: number;
  close: number;
  expected: number;
  occurrence?: number;
  earlyClose?: string;
  settlementSeconds?: number;
  habits: QuotingProfile;
  expirationValue?: string;
  milestone?: WireFields;
};

/** One contract of it. */
export type RungA = Pick<MarketShapeA, 'title' | 'yes' | 'rules' | 'strike'> & {
  /** What the ticker ends with. */
  code: string;
  fair: Quoting['fair'];
  /** Whether YES comes true; a number of dollars where a fair price is paid instead. */
  pays: boolean | number;
};

export function listOnA(listing: ListingA, rungs: readonly RungA[]): EventA {
  const { ticker, listed, milestone = null } = listing;
  const series = ticker.slice(0, ticker.indexOf('-'));
  return {
    ticker,
    series,
    fields: eventFieldsA({ ...listing, series, updated: listed }),
    contracts: rungs.map((rung) => contractOf(listing, rung)),
    milestone,
  };
}

function contractOf(listing: ListingA, rung: RungA): ContractA {
  const ticker = `${listing.ticker}-${rung.code}`;
  const key = keyOf(listing.seed, ticker);
  return {
    ticker,
    fields: marketFieldsA(
      {
        ...rung,
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
    quoting: quotedOnA(key, listing.habits, rung.fair),
    pays: typeof rung.pays === 'number' ? rung.pays : rung.pays ? 'yes' : 'no',
    expirationValue: listing.expirationValue ?? '',
  };
}

type Strike = MarketShapeA['strike'];

export const above = (floor: number): Strike => ({ type: 'greater', floor });

/** What venue A knows a team or a player by. */
export const targetOf = (
  { key, targetKey }: Pick<League, 'key' | 'targetKey'>,
  code: string,
): Record<string, string> => ({
  [targetKey]: uuidOf('team', key, code),
});
