import { HOUR } from '../core/eastern.ts';
import type { SeriesA } from '../universe/question.ts';
import { type Question, type Twin, twinsOf } from '../universe/question.ts';
import type { Catalog } from '../world/catalog.ts';
import { LiveMarketA } from '../world/live_a.ts';
import type { LiveMarketB } from '../world/live_b.ts';
import type { OfferSet } from './best_set.ts';
import { type FeeOf, feeOnA } from './fees.ts';
import { TwinBooks } from './twin_books.ts';

/**
 * A period of market time in which a twin's books offered a guaranteed profit. `edge` and `size`
 * are those of its best moment.
 */
export type TrueOpportunity = {
  twin: Twin;
  opened_at: number;
  closed_at: number | null;
  /** In $0.000001 per contract. */
  edge: number;
  /** In 0.01 contract. */
  size: number;
  /**
   * When the cheapest legs alone had a profit; null when only a more expensive set had one, because
   * the cheapest was too thin.
   */
  cheapest_at: number | null;
  caused_by: 'planned' | 'own';
};

type Watched = { twin: Twin; books: TwinBooks | null; partition: boolean; open: TrueOpportunity | null };

const KEEP_MS = 6 * HOUR;
const MAX_KEPT = 20_000;

/** Checks a twin whenever one of its books changes, and records its opportunities. */
export class ArbitrageWatch {
  readonly #byContract = new Map<string, Watched[]>();
  readonly #byQuestion = new Map<string, Watched[]>();
  #ended: TrueOpportunity[] = [];
  readonly #series: ReadonlyMap<string, SeriesA>;
  readonly #catalog: Catalog;

  constructor(catalog: Catalog, series: readonly SeriesA[]) {
    this.#catalog = catalog;
    this.#series = new Map(series.map((one) => [one.ticker, one]));
  }

  admit(question: Question): void {
    const twins = twinsOf(question).map((twin): Watched => ({ twin, books: null, partition: false, open: null }));
    if (twins.length === 0) return;
    this.#byQuestion.set(question.key, twins);
    for (const watched of twins) {
      for (const contract of contractsOf(watched.twin)) {
        const there = this.#byContract.get(contract);
        if (there) there.push(watched);
        else this.#byContract.set(contract, [watched]);
      }
    }
  }

  remove(question: Question, t: number): void {
    const twins = new Set(this.#byQuestion.get(question.key));
    this.#byQuestion.delete(question.key);
    for (const watched of twins) {
      this.#close(watched, t);
      for (const contract of contractsOf(watched.twin)) {
        const left = this.#byContract.get(contract)?.filter((one) => !twins.has(one)) ?? [];
        if (left.length > 0) this.#byContract.set(contract, left);
        else this.#byContract.delete(contract);
      }
    }
  }

  changed(market: LiveMarketA | LiveMarketB, t: number): void {
    for (const name of market instanceof LiveMarketA ? [market.ticker] : market.tokens) {
      for (const watched of this.#byContract.get(name) ?? []) this.#check(watched, t);
    }
  }

  /** Open opportunities, and those that closed at `since` or later, in order of their opening. */
  opportunitiesSince(since: number): TrueOpportunity[] {
    const open = [...this.#byQuestion.values()].flat().flatMap(({ open }) => (open ? [open] : []));
    const ended = this.#ended.filter(({ closed_at }) => closed_at !== null && closed_at >= since);
    return [...ended, ...open].sort((one, other) => one.opened_at - other.opened_at);
  }

  #check(watched: Watched, t: number): void {
    if (!watched.books) {
      watched.books = TwinBooks.of(watched.twin, this.#catalog, (ticker) => this.#feeOf(ticker));
      watched.partition = watched.books?.isPartition(t) ?? false;
    }
    if (!watched.books || !watched.partition) return;
    const found = watched.books.best();
    if (!found) this.#close(watched, t);
    else if (watched.open) improve(watched.open, found, t);
    else watched.open = openOpportunity(watched.twin, watched.books.isPlanned(t), found, t);
  }

  #close(watched: Watched, t: number): void {
    if (!watched.open) return;
    this.#ended.push({ ...watched.open, closed_at: t });
    watched.open = null;
    if (this.#ended.length % 100 === 0) {
      this.#ended = this.#ended.slice(-MAX_KEPT).filter(({ closed_at }) => (closed_at ?? t) > t - KEEP_MS);
    }
  }

  #feeOf(ticker: string): FeeOf | null {
    const event = this.#catalog.eventA(ticker);
    return event ? feeOnA(this.#series.get(event.series_ticker), event.listing) : null;
  }
}

const contractsOf = ({ legs }: Twin): Set<string> =>
  new Set(legs.flatMap(({ ticker, token_id }) => [ticker, token_id]));

function openOpportunity(twin: Twin, planned: boolean, found: OfferSet, t: number): TrueOpportunity {
  const opportunity: TrueOpportunity = {
    twin,
    opened_at: t,
    closed_at: null,
    edge: 0,
    size: 0,
    cheapest_at: null,
    caused_by: planned ? 'planned' : 'own',
  };
  improve(opportunity, found, t);
  return opportunity;
}

function improve(opportunity: TrueOpportunity, { cost, size, cheapest }: OfferSet, t: number): void {
  if (cheapest) opportunity.cheapest_at ??= t;
  const edge = 1_000_000 - cost;
  if (edge <= opportunity.edge) return;
  opportunity.edge = edge;
  opportunity.size = size;
}
