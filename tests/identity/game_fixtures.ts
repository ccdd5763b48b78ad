import { expect } from 'vitest';
import { moneylineA } from '../../functions/ingest/identity/game/moneyline_a.ts';
import { moneylineB } from '../../functions/ingest/identity/game/moneyline_b.ts';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/** Games of both venues, and the pairs of their outcomes. */

export const NOW = { now: '2026-05-10T12:00:00Z' };

/**
 * A venue_a event with one market per label. With a null label only the code of the ticker names
 * the team.
 */
export function listedA(
  ticker: string,
  title: string | null,
  sides: [code: string, label: string | null][],
  rest = {},
) {
  const markets = sides.map(([code, label]) => ({ ticker: `${ticker}-${code}`, yes_sub_title: label }));
  return { event_ticker: ticker, title, markets, ...rest };
}

/** A venue_b event with one market of two outcomes. */
export function listedB(
  slug: string,
  title: string | null,
  outcomes: [string, string],
): { slug: string; markets: [RawObject, ...RawObject[]] } & RawObject {
  return {
    slug,
    title,
    markets: [
      {
        slug,
        conditionId: `0x${slug}`,
        question: title,
        outcomes: JSON.stringify(outcomes),
        clobTokenIds: JSON.stringify(outcomes.map((one) => `${slug}:${one}`)),
        sportsMarketType: 'moneyline',
      },
    ],
  };
}

export const a = (event: Parameters<typeof moneylineA>[0]): Question | undefined => moneylineA(event, NOW)[0];
export const b = (event: Parameters<typeof moneylineB>[0]): Question | undefined => moneylineB(event, NOW)[0];

/** Ticker of venue_a and token of venue_b for each outcome that both listings have. */
export function pairs(
  one: Question | undefined,
  two: Question | undefined,
): Record<string, [string, string | undefined]> {
  expect(one?.excluded).toBeNull();
  expect(two?.excluded).toBeNull();
  expect(one?.key).toBe(two?.key);
  return Object.fromEntries(
    (one?.legs ?? []).map((leg) => [
      leg.outcome_key,
      [leg.contract_id, two?.legs.find((other) => other.outcome_key === leg.outcome_key)?.contract_id],
    ]),
  );
}

export const expectUnpaired = (one: Question | undefined, two: Question | undefined): void => {
  const same = one?.excluded === null && two?.excluded === null && one.key === two.key;
  expect(same).toBe(false);
};
