import fc from 'fast-check';
import { expect } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * Ladders generated from figures. What each contract pays is known from the figures, independent of
 * the parsed spelling.
 */
const NOW = '2026-10-01T12:00:00Z';
export type Fields = { [field: string]: unknown };
/** The fields of a contract, and the values for which it pays. */
export type Spelled = { fields: Fields; pays: (value: number) => boolean };

export function readA(ticker: string, title: string, rungs: Spelled[], more: Fields = {}): Question[] {
  const markets = rungs.map((one, at) => ({ ticker: `${ticker}-X${at}`, ...one.fields }));
  const event = { event_ticker: ticker, series_ticker: ticker.split('-')[0], title, ...more, markets };
  return questionsOfVenueA(event, { now: NOW }).questions;
}

export function readB(slug: string, title: string, rungs: Spelled[], more: Fields = {}): Question[] {
  const markets = rungs.map((one, at) => ({
    conditionId: `X${at}`,
    outcomes: at % 2 === 0 ? '["Yes", "No"]' : '["No", "Yes"]',
    clobTokenIds: at % 2 === 0 ? `["X${at}", "no"]` : `["no", "X${at}"]`,
    ...one.fields,
  }));
  return questionsOfVenueB({ slug, title, ...more, markets }, { now: NOW }).questions;
}

/** Legs that the match pass would pair: equal family, key and outcome. */
export function pairedLegs(a: Question[], b: Question[]): [number, number][] {
  return a.flatMap((one) =>
    b.flatMap((other) =>
      one.family === other.family && one.key === other.key && one.excluded === null && other.excluded === null
        ? one.legs.flatMap((leg) =>
            other.legs.flatMap((twin): [number, number][] => {
              if (leg.outcome_key !== twin.outcome_key) return [];
              expect(leg.side).toBe('yes');
              return [[Number(leg.contract_id.split('-X')[1]), Number(twin.contract_id.slice(1))]];
            }),
          )
        : [],
    ),
  );
}

/**
 * Checks that paired legs pay the same for all `values`. Returns the number of pairs, so that a
 * test cannot pass without any.
 */
export function countEqualPayoffs(
  a: Question[],
  rungsA: Spelled[],
  b: Question[],
  rungsB: Spelled[],
  values: number[],
): number {
  const found = pairedLegs(a, b);
  for (const [left, right] of found) {
    const [one, other] = [rungsA[left], rungsB[right]];
    for (const value of values) {
      if (one?.pays(value) !== other?.pays(value))
        throw new Error(`${JSON.stringify(one?.fields)} and ${JSON.stringify(other?.fields)} part at ${value}`);
    }
  }
  return found.length;
}

export const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => Number((from + at * step).toFixed(4)));
export const pick = <T>(...all: T[]) => fc.constantFrom(...all);
