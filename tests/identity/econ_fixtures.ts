import { econA } from '../../functions/ingest/identity/economy/econ_a.ts';
import { econB } from '../../functions/ingest/identity/economy/econ_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/** Prints of both venues, parsed on a day in October. */
export const context = { now: '2026-10-06T12:00:00Z' };
export type MarketB = { question?: unknown; label?: unknown; more?: object };

export const a = (
  ticker: string,
  title: string | undefined,
  markets: object[],
  more: object = {},
): Question | undefined =>
  econA(
    { event_ticker: ticker, series_ticker: ticker.split('-')[0] ?? '', title, markets, ...more } as never,
    context,
  )[0];
export const rung = (ticker: string, label?: string, more: object = {}) => ({ ticker, yes_sub_title: label, ...more });
export const b = (
  slug: string,
  title: string | undefined,
  markets: MarketB[],
  more: object = {},
): Question | undefined =>
  econB(
    {
      slug,
      title,
      markets: markets.map((one, at) => ({
        conditionId: `c${at}`,
        question: one.question,
        groupItemTitle: one.label,
        outcomes: '["Yes","No"]',
        clobTokenIds: `["t${at}:0","t${at}:1"]`,
        ...one.more,
      })),
      ...more,
    } as never,
    context,
  )[0];
export const keys = (question: Question | undefined) => question?.legs.map((leg) => leg.outcome_key);
