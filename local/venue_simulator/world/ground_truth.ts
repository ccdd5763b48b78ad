import type { topOf } from '../books/ladder.ts';
import { type Lookalike, type Question, type Twin, twinsOf } from '../universe/question.ts';
import { lookalikeReason } from './lookalike_reason.ts';
import { verdictOf } from './settlement_verdict.ts';
import type { World } from './world.ts';

/**
 * The ground truth that the product must find; tests compare against it. `pairs[].outcomes` are the
 * legs with the same statement on both venues (EXACT), `others` the statements of venue B that
 * venue A makes only with several contracts; `defect` names the defect of a listing. None of
 * `lookalikes` may be paired, but those marked `candidate` may be candidates.
 */
export function truthOf(world: World): Record<string, unknown> {
  const known = world.known();
  const listed = ({ event_ticker, event_slug }: Twin): boolean =>
    world.catalog.eventA(event_ticker) !== undefined && world.catalog.eventB(event_slug) !== undefined;
  const pairs = known.flatMap((question) =>
    twinsOf(question)
      .filter(listed)
      .map((twin) => ({
        family: twin.family,
        venue_a: { event_ticker: twin.event_ticker },
        venue_b: { event_slug: twin.event_slug },
        line: twin.line,
        start: announcedStart(question, world.t),
        moved: movedOf(question),
        ends: question.moments.ends,
        outcomes: twin.legs.map((leg) => ({ ...leg, relation: 'EXACT' })),
        others: twin.unpairedLegs,
        defect: twin.defect,
        death_clause: question.deathClause ?? null,
        settles: {
          verdict: verdictOf(
            twin,
            (ticker) => world.catalog.marketA(ticker)?.contract,
            (token) => world.catalog.marketB(token)?.contract,
            world.catalog.eventA(twin.event_ticker)?.markets.map((one) => one.contract) ?? [],
          ),
          apart: question.settledDifferently ?? null,
        },
      })),
  );
  return {
    now: world.t,
    seed: world.universe.seed,
    base: world.universe.base,
    pairs,
    lookalikes: lookalikesOf(world, known, pairs),
    planned_opportunities: plannedOpportunitiesOf(world),
  };
}

function movedOf({ postponed }: Question): { announced_at: number; from: number } | null {
  return postponed ? { announced_at: postponed.announcedAt, from: postponed.from } : null;
}

/** The start that both venues announce at `now`. */
function announcedStart({ moments, postponed }: Question, now: number): number | null {
  return postponed && now < postponed.announcedAt ? postponed.from : moments.start;
}

type NamedEvents = { venue_a: { event_ticker: string }; venue_b: { event_slug: string } };

/** Questions about the same competitors or subject that are different questions. */
function lookalikesOf(world: World, known: readonly Question[], pairs: readonly NamedEvents[]): Lookalike[] {
  const rows = world.lookalikes.filter(
    (row) => world.catalog.eventA(row.venue_a) !== undefined && world.catalog.eventB(row.venue_b) !== undefined,
  );
  const twinEvents = new Set([
    ...pairs.map((pair) => `${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`),
    ...rows.map((row) => `${row.venue_a}|${row.venue_b}`),
  ]);
  const bySubject = new Map<string, Question[]>();
  for (const question of known) {
    const group = bySubject.get(question.subject);
    if (group) group.push(question);
    else bySubject.set(question.subject, [question]);
  }
  for (const group of bySubject.values()) {
    for (const one of group) {
      for (const other of group) {
        if (one === other || !one.a || !other.b) continue;
        if (!world.catalog.eventA(one.a.ticker) || !world.catalog.eventB(other.b.slug)) continue;
        // On venue B a ladder of lines is part of the game's event, so events with a twin are not
        // lookalikes as a whole.
        if (twinEvents.has(`${one.a.ticker}|${other.b.slug}`)) continue;
        rows.push({ venue_a: one.a.ticker, venue_b: other.b.slug, why: lookalikeReason(one, other) });
      }
    }
  }
  return rows;
}

function plannedOpportunitiesOf(world: World): Record<string, unknown>[] {
  return world.plannedOpportunities
    .filter((seen) => seen.opened)
    .map(({ plan }) => {
      const cheap = plan.shift < 0 ? plan.market.tokens[0] : plan.market.tokens[1];
      const { family, event_ticker, event_slug, line, legs } = plan.twin;
      return {
        id: plan.id,
        family,
        line,
        venue_a: { event_ticker },
        venue_b: { event_slug, slug: plan.market.slug },
        cheap_token_id: cheap,
        outcome: legs.find((one) => one.token_id === cheap)?.name ?? null,
        shift: Number(plan.shift.toFixed(4)),
        opens_at: plan.opens,
        closes_at: plan.closes,
        open: plan.opens <= world.t && plan.closes > world.t,
      };
    });
}

/** Best prices of a book at a market time, as decimals. */
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
