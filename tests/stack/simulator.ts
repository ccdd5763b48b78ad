import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';

// The ground truth of the simulator and the markets of REST, for the tests of the whole stack.

export type TruthLeg = { name: string; ticker: string; side: 'yes' | 'no'; token_id: string };
export type TruthPair = {
  family: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  start: number | null;
  ends: number | null;
  outcomes: TruthLeg[];
  /** The defect of one of the two listings. Such a pair may become a candidate only. */
  defect: string | null;
};
export type Truth = {
  now: number;
  pairs: TruthPair[];
  lookalikes: { venue_a: string; venue_b: string; why: string }[];
};

type BookSide = { ask: number | null; bid: number | null; depth: number | null };
export type Market = {
  id: string;
  market_type: string;
  status: string;
  priced_at: string;
  spread_pts: number | null;
  coverage: { venue_a: boolean; venue_b: boolean };
  outcomes: {
    key: string;
    name: string;
    venue_a: number | null;
    venue_b: number | null;
    relation?: 'EXACT' | 'OVERLAPS' | 'DERIVED';
    venue_a_book: (BookSide & { ticker: string }) | null;
    venue_b_book: (BookSide & { token_id: string }) | null;
  }[];
  line?: number;
  game_id?: string;
  closes?: { venue_a: string | null; venue_b: string | null };
  venue_a_ladder?: { label: string; venue_a: number | null }[];
  venues: { venue_a: { event_ticker: string }; venue_b: { condition_id: string | null; slug: string } };
};
export type Page = { markets: Market[]; next_cursor: string | null; snapshot_at: string; delay_seconds: number };

/** A client of the control API of the simulator, below /_sim of venue A. */
export class Simulator {
  readonly origin: string;

  constructor(stack: RunningStack) {
    const venuesLine = stack.lines.find((text) => /^venues +venue_a /.test(text));
    this.origin = new URL(/venue_a (\S+)/.exec(venuesLine ?? '')?.[1] ?? '').origin;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.origin}/_sim/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Injects a fault. Returns false when it has no target, such as during a reconnect. */
  async injectFault(fault: { fault: string; venue?: string | undefined; for_ms?: number }): Promise<boolean> {
    const response = await fetch(`${this.origin}/_sim/fault`, { method: 'POST', body: JSON.stringify(fault) });
    if (!response.ok && response.status !== 409) {
      throw new Error(`${fault.fault}: ${response.status} ${await response.text()}`);
    }
    return response.ok;
  }

  truth(): Promise<Truth> {
    return this.get<Truth>('truth');
  }

  /**
   * Compares the asks of `market` with the books at `atMs`. Returns the errors and the number of
   * compared asks. `no` lists the tokens whose outcome is the NO of the contract on venue A, such
   * as the under of a total. Their ask is 1 minus the bid of that contract.
   */
  async askErrors(
    market: Market,
    atMs: number,
    no: ReadonlySet<string> = new Set(),
  ): Promise<{ errors: string[]; compared: number }> {
    const errors: string[] = [];
    let compared = 0;
    for (const outcome of market.outcomes) {
      const [a, b] = [outcome.venue_a_book, outcome.venue_b_book];
      const asks: AskOfContract[] = [];
      if (a) asks.push({ ask: outcome.venue_a, ticker: a.ticker, isNo: no.has(b?.token_id ?? '') });
      if (b) asks.push({ ask: outcome.venue_b, tokenId: b.token_id });
      for (const one of asks) {
        const error = await this.#askError(one, atMs);
        if (error) errors.push(`${market.id} ${pathOf(one)}: ${error}`);
        // A price that is withheld, such as during a new read of a book, is not compared.
        else if (one.ask !== null) compared += 1;
      }
    }
    return { errors, compared };
  }

  /** Whether each book had its ask, USD, at `atMs` or at most `withinMs` before. */
  async hadAsks(asks: readonly AskOfContract[], atMs: number, withinMs: number): Promise<boolean> {
    for (const one of asks) if (await this.#askError(one, atMs, withinMs)) return false;
    return true;
  }

  /**
   * Returns null when the book had `ask` at `atMs` or at most `withinMs` before, because ingest
   * receives a message after a delay. Otherwise the error names the asks that the book had.
   */
  async #askError(one: AskOfContract, atMs: number, withinMs = WIRE_DELAY_MS): Promise<string | null> {
    const { ask, isNo = false } = one;
    if (ask === null) return null;
    const history: (number | null)[] = [];
    for (let at = atMs; ; ) {
      // The simulator has no books from before its start.
      const book = await this.get<BookAtTime>(`${pathOf(one)}&at=${at}`).catch(() => null);
      if (!book) return `${ask}, not ${history.join(' after ')}`;
      history.push(askOf(book, isNo));
      if (history.at(-1) === ask)
        return at > atMs - withinMs ? null : `${ask} is ${atMs - at} ms old: ${history.join(' after ')}`;
      if (book.since < atMs - 10 * withinMs) return `${ask}, not ${history.join(' after ')}`;
      at = book.since - 1;
    }
  }
}

/** An ask, USD, of a contract of venue A, whose NO side it may be of, or of venue B. */
type AskOfContract = { ask: number | null } & ({ ticker: string; isNo: boolean } | { tokenId: string; isNo?: false });

const pathOf = (one: AskOfContract): string =>
  'ticker' in one ? `book?ticker=${one.ticker}` : `book?token_id=${one.tokenId}`;

/** The maximum delay of a venue message while the whole suite runs on two cores. */
const WIRE_DELAY_MS = 5_000;

/** The best prices of a book since the time `since`, ms. */
type BookAtTime = { ask: number | null; bid: number | null; since: number };

function askOf({ ask, bid }: BookAtTime, isInverted: boolean): number | null {
  if (!isInverted) return ask;
  return bid === null ? null : Math.round((1 - bid) * 1e6) / 1e6;
}

/** Fetches all markets of a query with all includes. `page` is the last page. */
export async function fetchAllMarkets(
  stack: RunningStack,
  key: string,
  query = '',
): Promise<{ markets: Market[]; page: Page }> {
  const markets: Market[] = [];
  for (let cursor: string | null = null; ; ) {
    const next: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page: Page = await stack.get(`/v2/markets?limit=200&include=ids,depth,settlement${query}${next}`, key);
    markets.push(...page.markets);
    cursor = page.next_cursor;
    if (!cursor) return { markets, page };
  }
}

/**
 * Waits until the REST snapshot is past the minutes that the stack replays in fast motion at its
 * start. In these minutes the delay of a message is seconds of market time.
 */
export async function untilFastForwardEnds(stack: RunningStack): Promise<void> {
  await waitUntil(
    async () => {
      await stack.sql`select pipeline.refresh_snapshot()`;
      const [row] = await stack.sql<{ is_past: boolean }[]>`
      select s.step > c.until + interval '5 seconds' as is_past
      from price.snapshot_state s, (select max(market_from) as until from clock.segments) c`;
      return row?.is_past === true;
    },
    { what: 'the snapshot is past the fast-forward' },
  );
}
