import type { topOf } from '../books/ladder.ts';
import type { Question } from '../universe/question.ts';
import type { World } from './world.ts';

/** What the simulator knows and the product must find out; tests compare against it. */
export function truthOf(world: World): Record<string, unknown> {
  const known = world.known();
  const onA = (question: Question) => question.a !== null && world.catalog.eventA(question.a.ticker) !== undefined;
  const onB = (question: Question) => question.b !== null && world.catalog.eventB(question.b.slug) !== undefined;
  const pairs = known
    .filter((question) => question.legs.length > 0 && onA(question) && onB(question))
    .map((question) => ({
      family: question.family,
      venue_a: { event_ticker: question.a?.ticker },
      venue_b: { event_slug: question.b?.slug },
      start: question.moments.start,
      ends: question.moments.ends,
      outcomes: question.legs,
    }));
  return {
    now: world.t,
    seed: world.universe.seed,
    base: world.universe.base,
    pairs,
    lookalikes: lookalikesOf(world, known, onA, onB),
    windows: windowsOf(world),
  };
}

/** Questions about the same competitors or subject that are not the same question. */
function lookalikesOf(
  world: World,
  known: readonly Question[],
  onA: (q: Question) => boolean,
  onB: (q: Question) => boolean,
): Record<string, string>[] {
  const rows = world.lookalikes
    .filter((row) => world.catalog.eventA(row.venue_a) && world.catalog.eventB(row.venue_b))
    .map((row) => ({ ...row }));
  const bySubject = new Map<string, Question[]>();
  for (const question of known) bySubject.set(question.subject, [...(bySubject.get(question.subject) ?? []), question]);
  for (const group of bySubject.values()) {
    for (const one of group) {
      for (const other of group) {
        if (one === other || !onA(one) || !onB(other) || !one.a || !other.b) continue;
        rows.push({ venue_a: one.a.ticker, venue_b: other.b.slug, why: whyOf(one, other) });
      }
    }
  }
  return rows;
}

function whyOf(one: Question, other: Question): string {
  if (one.family === 'moneyline') {
    return Math.abs((one.moments.start ?? 0) - (other.moments.start ?? 0)) < 8 * 3_600_000 ? 'doubleheader' : 'rematch';
  }
  if (one.family === 'outright') return 'other_competition_of_the_league';
  return one.family === 'weather_high' || one.family === 'crypto_above' ? 'other_day_or_hour' : 'other_meeting';
}

function windowsOf(world: World): Record<string, unknown>[] {
  return world.windows
    .filter((seen) => seen.opened)
    .map(({ plan }) => {
      const leg = plan.question.legs.find((one) => plan.market.tokens.includes(one.token_id));
      return {
        id: plan.id,
        family: plan.question.family,
        venue_a: { event_ticker: plan.question.a?.ticker },
        venue_b: { event_slug: plan.question.b?.slug, slug: plan.market.slug },
        cheap_token_id: plan.shift < 0 ? plan.market.tokens[0] : plan.market.tokens[1],
        outcome: leg?.name,
        shift: Number(plan.shift.toFixed(4)),
        opens_at: plan.opens,
        closes_at: plan.closes,
        open: plan.opens <= world.t && plan.closes > world.t,
      };
    });
}

/** Best prices of any instrument of either venue as they stood at a market time, as decimals. */
export function bookAtOf(
  history: { at(at: number): { top: TopNote; until: number | null } | null },
  at: number,
  flipped: boolean,
): Record<string, unknown> | null {
  const found = history.at(at);
  if (!found) return null;
  const { top, until } = found;
  const seen = flipped
    ? {
        bid: top.ask === null ? null : 10_000 - top.ask,
        bid_size: top.ask_size,
        ask: top.bid === null ? null : 10_000 - top.bid,
        ask_size: top.bid_size,
      }
    : top;
  return {
    at,
    since: top.at,
    until,
    bid: seen.bid === null ? null : seen.bid / 10_000,
    bid_size: seen.bid_size / 100,
    ask: seen.ask === null ? null : seen.ask / 10_000,
    ask_size: seen.ask_size / 100,
  };
}

type TopNote = ReturnType<typeof topOf> & { at: number };
