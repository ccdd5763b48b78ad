import { HOUR } from '../../core/eastern.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { Amendment, EventA, EventB, WireFields } from '../question.ts';

/** The time at which both venues announce a postponement. Null for other games. */
export const announcedAt = ({ start, scheduled }: Fixture): number | null =>
  start === scheduled ? null : scheduled - 2 * HOUR;

/** The game as both venues list it before the announcement. */
export const asFirstListed = (fixture: Fixture): Fixture => ({ ...fixture, start: fixture.scheduled });

function changed(before: WireFields, after: WireFields, at: number): Amendment {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return { at, fields: Object.fromEntries(names.map((name) => [name, after[name]])) };
}

/** Tickers keep the old date. The milestone and the expected times move. */
export function amendedOnA(first: EventA, then: EventA, at: number): EventA {
  const milestone = changed(first.milestone ?? {}, then.milestone ?? {}, at);
  return {
    ...first,
    contracts: first.contracts.map((contract, i) => ({
      ...contract,
      amended: changed(contract.fields, then.contracts[i]?.fields ?? contract.fields, at),
    })),
    amended: { at, fields: { ...milestone.fields, last_updated_ts: new Date(at).toISOString() } },
  };
}

/** Slugs keep the old date. The start and the times that depend on it move. */
export function amendedOnB(first: EventB, then: EventB, at: number): EventB {
  return {
    ...first,
    markets: first.markets.map((market, i) => ({
      ...market,
      amended: changed(market.fields, then.markets[i]?.fields ?? market.fields, at),
    })),
    amended: changed(first.fields, then.fields, at),
  };
}
