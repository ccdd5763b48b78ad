import type { EventA as ListingA, EventB as ListingB, Question } from '../universe/question.ts';
import { Instrument } from '../world/instrument.ts';
import { LiveEventA, LiveMarketA } from '../world/live_a.ts';
import { LiveEventB, LiveMarketB } from '../world/live_b.ts';
import { paidOnA, paidOnB } from '../world/payout.ts';

/** A settled question with the events of both venues, as their listings have them. */
export type SettledQuestion = {
  question: Question;
  a: LiveEventA | null;
  b: LiveEventB | null;
  /** The event of venue A whose milestone contains the start of this one. */
  game: LiveEventA | null;
};

/** The questions of one day of a strand. */
export function settledQuestionsOf(questions: readonly Question[], now: () => number): SettledQuestion[] {
  const settled = questions.map((question) => {
    const { a, b } = question;
    return { question, a: a && settledOnA(a, question, now), b: b && settledOnB(b, question, now) };
  });
  const games = new Map<string, LiveEventA>();
  for (const { a } of settled) {
    const related = a?.listing.milestone?.related_event_tickers;
    if (a && Array.isArray(related)) for (const ticker of related) games.set(String(ticker), a);
  }
  return settled.map((one) => ({ ...one, game: games.get(one.a?.ticker ?? '') ?? null }));
}

/** The last trade of a settled market is near its payout, in $0.0001. */
const lastTradeOf = (paid: number): number => Math.min(9_900, Math.max(100, Math.round(paid / 100) * 100));

function settledOnA(listing: ListingA, question: Question, now: () => number): LiveEventA {
  const markets = listing.contracts.map((contract) => {
    const instrument = new Instrument('a', question, contract.quoting);
    instrument.lastTrade = lastTradeOf(Number(paidOnA(contract).value) * 10_000);
    return new LiveMarketA(contract, listing.ticker, instrument, now);
  });
  return new LiveEventA(listing, question, markets, 0);
}

function settledOnB(listing: ListingB, question: Question, now: () => number): LiveEventB {
  const markets = listing.markets.map((contract) => {
    const instrument = new Instrument('b', question, contract.quoting);
    instrument.lastTrade = lastTradeOf(paidOnB(contract));
    const market = new LiveMarketB(contract, instrument, 0, now);
    market.changedAt = question.moments.resolved_b;
    return market;
  });
  return new LiveEventB(listing, question, markets, 0, now);
}
