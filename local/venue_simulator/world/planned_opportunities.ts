import { MINUTE, SECOND } from '../core/eastern.ts';
import { keyOf, pick, unit } from '../core/random.ts';
import { LEAGUES } from '../universe/leagues/index.ts';
import { type ContractA, type MarketB, type Question, type Twin, twinsOf } from '../universe/question.ts';
import { estimateSetCost, type Priced } from './arb_estimate.ts';

/**
 * At intervals, venue B's price of one outcome moves away for 30 s to 2 min, just far enough that
 * buying the cheap side there and the rest on venue A has a profit after both venues' fees. The
 * plan is a pure function of the slot number.
 */
export type PlannedOpportunity = {
  id: string;
  question: Question;
  twin: Twin;
  market: MarketB;
  /** Added to the probability of outcome 0. */
  shift: number;
  opens: number;
  closes: number;
};

/** The current listings, by the names in a twin's legs. */
export type Listed = {
  contract(ticker: string): ContractA | undefined;
  market(token: string): MarketB | undefined;
  /** Venue A's fee multiplier of an event. */
  multiplier(ticker: string): number;
};

export const SLOT_MS = 7 * SECOND;
const MAX_OPEN_MS = 120 * SECOND;
const MAX_OPEN_DELAY_MS = 10 * SECOND;

/**
 * A question is eligible only every so many slots, so two opportunities never overlap on one
 * question.
 */
const TURN_SLOTS = Math.ceil((MAX_OPEN_DELAY_MS + MAX_OPEN_MS) / SLOT_MS) + 1;
/** Number of slots whose opportunities may still be open. */
export const MAX_OPEN_SLOTS = TURN_SLOTS;

/**
 * Share of each kind. A kind without listings leaves its share to the others. Winners of team games
 * have the largest: their two texts seldom pay differently, so these are the opportunities that a
 * careful reader can take.
 */
const SHARES: readonly (readonly [kind: string, share: number])[] = [
  ['team_game', 0.5],
  ['moneyline', 0.1],
  ['total', 0.15],
  ['spread', 0.13],
  ['team_total', 0.05],
  ['advance', 0.04],
  ['outright', 0.03],
];

/** Series of the winners of team games that are played on another day or not at all only seldom. */
const TEAM_GAME_SERIES: ReadonlySet<string> = new Set(
  LEAGUES.filter(({ rules }) => ['nfl', 'hockey', 'wnba', 'college'].includes(rules)).map(({ series }) => series),
);

function kindOf({ family, event_ticker }: Twin): string {
  const isTeamGame = family === 'moneyline' && TEAM_GAME_SERIES.has(event_ticker.slice(0, event_ticker.indexOf('-')));
  return isTeamGame ? 'team_game' : family;
}

export function plannedOpportunityOf(
  seed: number,
  slot: number,
  questions: readonly Question[],
  listed: Listed,
): PlannedOpportunity | null {
  const at = slot * SLOT_MS;
  const key = keyOf(seed, 'window', slot);
  if (unit(key, 0) > 0.95) return null;
  const eligible = new Map<string, { question: Question; twin: Twin }[]>();
  for (const question of questions) {
    if (keyOf(question.key) % TURN_SLOTS !== slot % TURN_SLOTS || !isEligible(question, at)) continue;
    for (const twin of twinsOf(question)) {
      if (twin.unpairedLegs.length > 0) continue;
      const there = eligible.get(kindOf(twin));
      if (there) there.push({ question, twin });
      else eligible.set(kindOf(twin), [{ question, twin }]);
    }
  }
  const shares = SHARES.filter(([kind]) => eligible.has(kind));
  for (let attempt = 0; attempt < 12; attempt++) {
    const kind = drawKind(shares, unit(key, 40 + attempt));
    const found = sortByName(eligible.get(kind) ?? []);
    const one = found[pick(key, 10 + attempt, found.length)];
    const plan = one && planOf(one.twin, at, keyOf(seed, 'plan', slot, attempt), listed);
    if (!one || !plan) continue;
    const opens = at + pick(key, 1, MAX_OPEN_DELAY_MS);
    return {
      id: `w${slot}`,
      ...one,
      ...plan,
      opens,
      closes: opens + 25 * SECOND + pick(key, 2, MAX_OPEN_MS - 25 * SECOND),
    };
  }
  return null;
}

function drawKind(shares: readonly (readonly [string, number])[], draw: number): string {
  let rest = draw * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [kind, share] of shares) {
    rest -= share;
    if (rest < 0) return kind;
  }
  return '';
}

/** Sorted, because the order of listings differs after a restart. */
function sortByName<T extends { twin: Twin }>(list: T[]): T[] {
  const name = ({ legs }: Twin) => `${legs[0]?.ticker} ${legs[0]?.token_id}`;
  return list.sort(({ twin: one }, { twin: other }) => (name(one) < name(other) ? -1 : 1));
}

function isEligible({ moments, legs, twins }: Question, at: number): boolean {
  if (legs.length === 0 && !twins) return false;
  if (Math.max(moments.listed_a, moments.listed_b) + 10 * MINUTE > at) return false;
  if (moments.start === null) return at + 4 * MINUTE < Math.min(moments.closed_a, moments.stopped_b);
  // Away from the start, when venue B empties its book, and from the end, when prices approach the
  // edges.
  const clearOfStart = at + 3 * MINUTE < moments.start || at > moments.start + MINUTE;
  return clearOfStart && at + 4 * MINUTE < moments.ends - 40 * MINUTE;
}

/** Larger shifts would look implausible, so expensive sets with many legs are not used. */
const MAX_SHIFT = 0.13;

/**
 * One outcome becomes cheaper on venue B by as much as the whole set costs too much, plus the edge.
 */
function planOf(twin: Twin, at: number, key: number, listed: Listed): { market: MarketB; shift: number } | null {
  const legs: Priced[] = [];
  for (const { ticker, side, token_id } of twin.legs) {
    const contract = listed.contract(ticker);
    const market = listed.market(token_id);
    if (!contract || !market?.traded) return null;
    legs.push({ contract, side, market, second: market.tokens[1] === token_id });
  }
  const cheap = legs[pick(key, 30, legs.length)];
  if (!cheap) return null;
  const worth = fairOf(cheap, at);
  if (worth < 0.2 || worth > 0.85) return null;
  // Mostly about one percent, seldom three.
  const edge = 0.006 + 0.026 * unit(key, 31) ** 2;
  const shift = estimateSetCost(legs, cheap, at, listed.multiplier(twin.event_ticker)) + edge;
  if (shift > MAX_SHIFT || shift < 0) return null;
  return { market: cheap.market, shift: cheap.second ? shift : -shift };
}

function fairOf({ market, second }: Priced, at: number): number {
  const zero = market.quoting.fair(at);
  return second ? 1 - zero : zero;
}
