import { bookAt } from '../books/book_at.ts';
import { TopHistory } from '../books/history.ts';
import { EMPTY, type Ladder } from '../books/ladder.ts';
import { roundToTicks, type TickTable } from '../books/tick_sizes.ts';
import { SECOND } from '../core/eastern.ts';
import { pick, wave } from '../core/random.ts';
import type { Question, Quoting } from '../universe/question.ts';

/** A fault of a book. */
export type Override = {
  kind: 'crossed' | 'one_sided' | 'empty' | 'frozen_both';
  until: number;
  /** The empty side of `one_sided`; asks by default. */
  side?: 'bids' | 'asks';
};

const EDGE_CHECK_MS = 120 * SECOND;

/**
 * One order book of either venue: venue A's ticker, or venue B's market (both tokens are views of
 * it).
 */
export class Instrument {
  ladder: Ladder = EMPTY;
  readonly history = new TopHistory();
  override: Override | null = null;
  /** Price shift of a planned opportunity (venue B only). */
  shift: { add: number; until: number } | null = null;
  tick: number;
  /** A tick table that the market got while it traded; null for that of its listing. */
  tickTable: TickTable | null = null;
  /** The book that the sockets keep repeating while the real book changes (the fault `frozen`). */
  frozenOnSocket: { ladder: Ladder; at: number; until: number } | null = null;
  updateNumber = 0;
  /** Price of the last trade, in $0.0001. */
  lastTrade: number | null = null;
  volume = 0;
  readonly venue: 'a' | 'b';
  readonly question: Question;
  readonly quoting: Quoting;
  readonly #phase: number;
  #edgeMark: number | null = null;
  #atEdge = false;

  constructor(venue: 'a' | 'b', question: Question, quoting: Quoting) {
    this.venue = venue;
    this.question = question;
    this.quoting = quoting;
    this.tick = quoting.tick;
    this.#phase = pick(quoting.key, 61, 90_000);
  }

  /**
   * Whether the price has come near 0 or 1 by `t`. Checked at fixed times, every two minutes of
   * play, so that a restarted process gets the same answer.
   */
  reachedEdge(t: number): boolean {
    const { start } = this.question.moments;
    if (start === null || t < start) return false;
    const now = Math.floor(t / EDGE_CHECK_MS);
    for (let mark = this.#edgeMark ?? Math.ceil(start / EDGE_CHECK_MS); mark <= now && !this.#atEdge; mark++) {
      const fair = this.quoting.fair(mark * EDGE_CHECK_MS);
      this.#atEdge = fair < 0.03 || fair > 0.97;
    }
    this.#edgeMark = now + 1;
    return this.#atEdge;
  }

  /** The update number at `t` with an interval of `rest` ms. */
  updateNumberAt(t: number, rest: number): number {
    return Math.floor((t + this.#phase) / rest);
  }

  nextUpdateAt(t: number, rest: number): number {
    return (this.updateNumberAt(t, rest) + 1) * rest - this.#phase;
  }

  trades(t: number): boolean {
    const { moments } = this.question;
    if (this.venue === 'a') return t >= moments.listed_a && t < moments.closed_a;
    // Venue B empties a game's book at its start (clearBookOnStart).
    if (moments.start !== null && t >= moments.start && t < moments.start + 2 * SECOND) return false;
    return t >= moments.listed_b && t < moments.stopped_b;
  }

  /** The book of this contract at `t`. */
  targetBook(t: number, rest: number): Ladder {
    if (!this.trades(t)) return EMPTY;
    const { override, quoting } = this;
    if (override && t >= override.until) this.override = null;
    if (this.override?.kind === 'frozen_both') return this.ladder;
    if (this.override?.kind === 'empty') return EMPTY;
    if (this.shift && t >= this.shift.until) this.shift = null;
    const updateNumber = this.updateNumberAt(t, rest);
    const at = updateNumber * rest - this.#phase;
    const fair = quoting.fair(at);
    const own = 0.005 * Math.min(1, 8 * fair * (1 - fair)) * wave(quoting.key ^ 0x77, at, 90 * SECOND);
    const mid = Math.min(0.9985, Math.max(0.0015, fair + own + (this.shift?.add ?? 0)));
    this.updateNumber = updateNumber;
    const plain = bookAt({
      key: quoting.key,
      mid,
      // Finer ticks make finer steps, not a narrower market.
      halfSpread: quoting.halfSpread * (this.tickTable ? quoting.tick / this.tick : 1),
      tick: this.tick,
      updateNumber,
      depth: this.tick === 100 ? 7 : 10,
      typicalSize: quoting.scale,
    });
    const ladder = this.tickTable ? roundToTicks(plain, this.tickTable) : plain;
    if (this.override?.kind === 'one_sided')
      return this.override.side === 'bids' ? { bids: [], asks: ladder.asks } : { bids: ladder.bids, asks: [] };
    if (this.override?.kind === 'crossed') return crossed(ladder, this.tick);
    return ladder;
  }
}

/** Bids above asks, like a stale or partly updated book. */
function crossed(ladder: Ladder, tick: number): Ladder {
  const ask = ladder.asks[0];
  if (!ask || ask[0] + 2 * tick > 10_000 - tick) return ladder;
  return { bids: [[ask[0] + 2 * tick, 5_000], ...ladder.bids], asks: ladder.asks };
}
