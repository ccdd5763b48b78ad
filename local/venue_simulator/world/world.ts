import { ArbitrageWatch } from '../arbitrage/watch.ts';
import { changesBetween, topOf } from '../books/ladder.ts';
import type { TickTable } from '../books/tick_sizes.ts';
import { SECOND } from '../core/eastern.ts';
import { Heap } from '../core/heap.ts';
import type { Lookalike, Question, SeriesA } from '../universe/question.ts';
import { allSeries } from '../universe/series.ts';
import { daysAt, type Questions, questionsIn, type Universe } from '../universe/universe.ts';
import { Catalog } from './catalog.ts';
import type { Instrument, Override } from './instrument.ts';
import { LiveMarketA } from './live_a.ts';
import type { LiveMarketB } from './live_b.ts';
import { MarketDataPublisher } from './market_data_publisher.ts';
import {
  type Listed,
  MAX_OPEN_SLOTS,
  type PlannedOpportunity,
  plannedOpportunityOf,
  SLOT_MS,
} from './planned_opportunities.ts';
import { loadFactorOf, updateIntervalOf } from './update_rate.ts';

/**
 * A step of real time must stay short, even when market time runs 40 times as fast. The other books
 * wait for the next step.
 */
const BOOKS_PER_STEP = 80;

export type ObservedOpportunity = { plan: PlannedOpportunity; opened: boolean };

/**
 * The simulated world at the market time of its last step. Its state is a function of the universe
 * and that time, so a new process with the same universe and clock continues where the old one
 * stopped.
 */
export class World {
  readonly universe: Universe;
  readonly catalog = new Catalog(() => this.t);
  readonly publisher: MarketDataPublisher;
  readonly arbitrage: ArbitrageWatch;
  t: number;
  readonly #agenda = new Heap<() => void>();
  readonly #due = new Heap<Instrument>();
  readonly #owners = new Map<Instrument, LiveMarketA | LiveMarketB>();
  readonly #source: Questions;
  readonly #questions = new Map<string, Question>();
  readonly #slugs = new Set<string>();
  readonly lookalikes: Lookalike[] = [];
  readonly plannedOpportunities: ObservedOpportunity[] = [];
  readonly #listed: Listed;
  #daysMade = Number.NEGATIVE_INFINITY;
  #slotsMade = Number.NEGATIVE_INFINITY;
  #loading = true;

  constructor(universe: Universe, t: number, questions = questionsIn(universe)) {
    this.universe = universe;
    this.#source = questions;
    this.t = t;
    this.publisher = new MarketDataPublisher(this.catalog, () => this.t);
    const series = allSeries(universe.base);
    this.arbitrage = new ArbitrageWatch(this.catalog, series);
    this.#listed = listedIn(this.catalog, series);
    const undated = this.#source.undated();
    for (const question of undated.questions) this.#admit(question);
    this.lookalikes.push(...undated.lookalikes);
    this.#listDays();
    this.#planOpportunities();
    this.#loading = false;
  }

  /** All questions that at least one venue lists and that are not removed yet. */
  known(): readonly Question[] {
    return [...this.#questions.values()];
  }

  /** Advances market time to `t`. Messages on the way carry `t`, the time when they are sent. */
  advance(t: number): void {
    if (t <= this.t) return;
    this.t = t;
    this.#listDays();
    while (this.#agenda.nextKey() <= t) this.#agenda.pop()?.();
    this.#planOpportunities();
    for (let done = 0; done < BOOKS_PER_STEP && this.#due.nextKey() <= t; done++) {
      const instrument = this.#due.pop();
      if (instrument && this.#owners.has(instrument)) this.#updateBook(instrument);
    }
  }

  /** Runs `action` at a market time, or at once if it has passed. */
  at(time: number, action: () => void): void {
    if (time <= this.t) {
      if (!this.#loading) action();
    } else this.#agenda.push(time, action);
  }

  override(instrument: Instrument, override: Override): void {
    instrument.override = override;
    this.refresh(instrument);
    this.#agenda.push(override.until, () => this.refresh(instrument));
  }

  /** The market of a book, while it is listed. */
  ownerOf(instrument: Instrument): LiveMarketA | LiveMarketB | undefined {
    return this.#owners.get(instrument);
  }

  /** Until `until`, the sockets repeat the current book; REST continues. */
  freezeOnSocket(instrument: Instrument, until: number): void {
    instrument.frozenOnSocket = { ladder: instrument.ladder, at: this.t, until };
    this.#agenda.push(until, () => {
      const owner = this.#owners.get(instrument);
      const before = instrument.frozenOnSocket?.ladder;
      instrument.frozenOnSocket = null;
      if (!owner || !before) return;
      const changes = changesBetween(before, instrument.ladder);
      if (changes.length > 0) this.publisher.bookChanged(owner, before, changes);
    });
  }

  /**
   * Until `until`, the two tokens of this market exchange their books, on the socket and over REST.
   */
  invert(market: LiveMarketB, until: number): void {
    const turn = (inverted: boolean) => {
      market.inverted = inverted;
      this.publisher.booksOf(market);
    };
    turn(true);
    this.#agenda.push(until, () => turn(false));
  }

  /** Changes the tick table of a book. */
  changeTicks(instrument: Instrument, tickTable: TickTable): void {
    const owner = this.#owners.get(instrument);
    if (!owner) return;
    const from = instrument.tick;
    instrument.tickTable = tickTable;
    instrument.tick = tickTable.tick;
    owner.forget();
    if (owner instanceof LiveMarketA) {
      this.publisher.ticksChangedA(owner);
      this.refresh(instrument);
      return;
    }
    instrument.ladder = instrument.targetBook(this.t, this.#updateIntervalOf(instrument));
    instrument.history.note(this.t, topOf(instrument.ladder));
    owner.changedAt = this.t;
    this.publisher.tickChangedB(owner, from, tickTable.tick);
  }

  /** Updates a book and publishes the changes. */
  refresh(instrument: Instrument): void {
    const owner = this.#owners.get(instrument);
    if (!owner) return;
    const before = instrument.ladder;
    const after = instrument.targetBook(this.t, this.#updateIntervalOf(instrument));
    const changes = changesBetween(before, after);
    if (changes.length === 0) return;
    instrument.ladder = after;
    instrument.history.note(this.t, topOf(after));
    this.publisher.bookChanged(owner, before, changes);
    this.arbitrage.changed(owner, this.t);
  }

  #updateBook(instrument: Instrument): void {
    this.#refineTicks(instrument);
    this.refresh(instrument);
    const owner = this.#owners.get(instrument);
    if (owner && instrument.ladder.bids.length > 0) this.publisher.maybeTrade(owner, instrument);
    this.#schedule(instrument);
  }

  /** Venue B uses finer ticks near the edges. A market keeps them. */
  #refineTicks(instrument: Instrument): void {
    if (instrument.venue !== 'b' || instrument.tick !== 100 || !instrument.trades(this.t)) return;
    if (!instrument.reachedEdge(this.t)) return;
    const owner = this.#owners.get(instrument) as LiveMarketB;
    instrument.tick = 10;
    instrument.ladder = instrument.targetBook(this.t, this.#updateIntervalOf(instrument));
    instrument.history.note(this.t, topOf(instrument.ladder));
    owner.changedAt = this.t;
    this.publisher.tickChangedB(owner, 100, 10);
    this.arbitrage.changed(owner, this.t);
  }

  #updateIntervalOf(instrument: Instrument): number {
    return (
      updateIntervalOf(instrument.question, this.t, loadFactorOf(this.universe.calendar.games)) *
      (instrument.quoting.intervalFactor ?? 1)
    );
  }

  #schedule(instrument: Instrument): void {
    if (instrument.trades(this.t) || this.t < (instrument.question.moments.start ?? 0) + 5 * SECOND) {
      this.#due.push(instrument.nextUpdateAt(this.t, this.#updateIntervalOf(instrument)), instrument);
    }
  }

  #listDays(): void {
    const [first, last] = daysAt(this.universe, this.t);
    for (let day = Math.max(first, this.#daysMade + 1); day <= last; day++) {
      const made = this.#source.ofDay(day);
      for (const question of made.questions) this.#admit(question);
      this.lookalikes.push(...made.lookalikes);
      this.#daysMade = day;
    }
  }

  #admit(question: Question): void {
    const { moments, a, b } = question;
    // The same two teams on the same calendar day would share a ticker or slug; the venues would
    // not list that either.
    if (moments.removed <= this.t || this.#questions.has(question.key) || (b && this.#slugs.has(b.slug))) return;
    this.#questions.set(question.key, question);
    if (b) this.#slugs.add(b.slug);
    this.arbitrage.admit(question);
    const instruments: Instrument[] = [];
    const addBook = (owner: LiveMarketA | LiveMarketB) => {
      const { instrument } = owner;
      instruments.push(instrument);
      this.#owners.set(instrument, owner);
      if (owner.instrument.venue === 'b' && !(owner as LiveMarketB).contract.traded) return;
      if (instrument.venue === 'b' && instrument.reachedEdge(this.t)) instrument.tick = Math.min(instrument.tick, 10);
      instrument.ladder = instrument.targetBook(this.t, this.#updateIntervalOf(instrument));
      instrument.history.note(this.t, topOf(instrument.ladder));
      this.arbitrage.changed(owner, this.t);
      this.#schedule(instrument);
    };
    const listA = () => {
      if (!a) return;
      for (const market of this.catalog.listA(a, question)) {
        addBook(market);
        if (!this.#loading) this.publisher.createdA(market);
      }
    };
    const listB = () => {
      if (!b) return;
      for (const market of this.catalog.listB(b, question)) {
        addBook(market);
        if (!this.#loading) this.publisher.createdB(market);
      }
    };
    for (const [time, list] of [
      [moments.listed_a, listA],
      [moments.listed_b, listB],
    ] as const) {
      if (time <= this.t) list();
      else this.#agenda.push(time, list);
    }
    const refreshAll = () => {
      for (const instrument of instruments) this.refresh(instrument);
    };
    // At each of these times the book may change; between them only by updates.
    for (const time of [
      moments.start,
      moments.start === null ? null : moments.start + 2 * SECOND,
      moments.closed_a,
      moments.stopped_b,
    ]) {
      if (time !== null) this.at(time, refreshAll);
    }
    if (a) {
      this.at(moments.closed_a, () => this.publisher.closedA(a.ticker));
      this.at(moments.determined_a, () => this.publisher.determinedA(a.ticker));
      this.at(moments.finalized_a, () => this.publisher.settledA(a.ticker));
    }
    if (b) this.at(moments.resolved_b, () => this.publisher.resolvedB(b.slug));
    this.at(moments.removed, () => {
      this.#questions.delete(question.key);
      if (b) this.#slugs.delete(b.slug);
      for (const instrument of instruments) this.#owners.delete(instrument);
      this.arbitrage.remove(question, this.t);
      this.catalog.remove(question);
    });
  }

  #planOpportunities(): void {
    const now = Math.floor(this.t / SLOT_MS);
    for (let slot = Math.max(this.#slotsMade + 1, now - MAX_OPEN_SLOTS); slot <= now; slot++) {
      this.#slotsMade = slot;
      const plan = plannedOpportunityOf(this.universe.seed, slot, this.known(), this.#listed);
      if (!plan || plan.closes <= this.t) continue;
      const observed: ObservedOpportunity = { plan, opened: false };
      this.plannedOpportunities.push(observed);
      if (this.plannedOpportunities.length > 400) this.plannedOpportunities.splice(0, 100);
      if (plan.opens <= this.t) this.#open(observed);
      else this.#agenda.push(plan.opens, () => this.#open(observed));
    }
  }

  #open(observed: ObservedOpportunity): void {
    const { plan } = observed;
    const market = this.catalog.marketB(plan.market.slug);
    if (!market || plan.closes <= this.t) return;
    observed.opened = true;
    market.instrument.shift = { add: plan.shift, until: plan.closes };
    this.refresh(market.instrument);
    this.#agenda.push(plan.closes, () => this.refresh(market.instrument));
  }
}

/** The listings for planned opportunities. */
function listedIn(catalog: Catalog, series: readonly SeriesA[]): Listed {
  const multipliers = new Map(series.map(({ ticker, fields }) => [ticker, Number(fields.fee_multiplier)]));
  return {
    contract: (ticker) => catalog.marketA(ticker)?.contract,
    market: (token) => catalog.marketB(token)?.contract,
    multiplier: (ticker) => multipliers.get(catalog.eventA(ticker)?.series_ticker ?? '') ?? 1,
  };
}
