import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';

// What only the simulator knows, and the catalog as REST tells it, in one shape for the tests of the whole stack.

export type TruthLeg = { name: string; ticker: string; side: 'yes' | 'no'; token_id: string };
export type TruthPair = {
  family: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  start: number | null;
  ends: number | null;
  outcomes: TruthLeg[];
  /** What is wrong with one of the two listings; such a pair is a candidate at most. */
  caution: string | null;
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

/** The simulator's own pages, below /_sim of its venue A. */
export class Simulator {
  readonly origin: string;

  constructor(stack: RunningStack) {
    const line = stack.lines.find((text) => /^venues +venue_a /.test(text));
    this.origin = new URL(/venue_a (\S+)/.exec(line ?? '')?.[1] ?? '').origin;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.origin}/_sim/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Springs a fault by hand; false while there is nothing that it could hit, as when a line is being opened anew. */
  async pull(order: { trap: string; venue?: string | undefined; for_ms?: number }): Promise<boolean> {
    const answer = await fetch(`${this.origin}/_sim/trap`, { method: 'POST', body: JSON.stringify(order) });
    if (!answer.ok && answer.status !== 409) {
      throw new Error(`${order.trap}: ${answer.status} ${await answer.text()}`);
    }
    return answer.ok;
  }

  truth(): Promise<Truth> {
    return this.get<Truth>('truth');
  }

  /**
   * Asks of `market` that are not what both books said at `atMs`, in words; and how many were compared. `no` are the tokens whose outcome
   * is the NO of venue A's contract (the under of a total): its ask is what is left of that contract's bid.
   */
  async wrongAsks(
    market: Market,
    atMs: number,
    no: ReadonlySet<string> = new Set(),
  ): Promise<{ wrong: string[]; compared: number }> {
    const wrong: string[] = [];
    let compared = 0;
    for (const outcome of market.outcomes) {
      const [a, b] = [outcome.venue_a_book, outcome.venue_b_book];
      const looked = [
        ...(a ? [[outcome.venue_a, `book?ticker=${a.ticker}`, no.has(b?.token_id ?? '')] as const] : []),
        ...(b ? [[outcome.venue_b, `book?token_id=${b.token_id}`, false] as const] : []),
      ];
      for (const [ask, path, turned] of looked) {
        const fault = await this.#wrongAsk(ask, path, atMs, turned);
        if (fault) wrong.push(`${market.id} ${path}: ${fault}`);
        // A price that is withheld, as while a book is read anew, is none that could be wrong.
        else if (ask !== null) compared += 1;
      }
    }
    return { wrong, compared };
  }

  /** Null where `ask` was the book's at `atMs` or, as what was on the wire is read just after, up to `wireMs` before; else what it was. */
  async #wrongAsk(ask: number | null, path: string, atMs: number, turned: boolean): Promise<string | null> {
    if (ask === null) return null;
    const then: (number | null)[] = [];
    for (let at = atMs; ; ) {
      // It remembers no more than its own run.
      const book = await this.get<BookThen>(`${path}&at=${at}`).catch(() => null);
      if (!book) return `${ask}, not ${then.join(' after ')}`;
      then.push(askOf(book, turned));
      if (then.at(-1) === ask)
        return at > atMs - wireMs ? null : `${ask} is ${atMs - at} ms old: ${then.join(' after ')}`;
      if (book.since < atMs - 10 * wireMs) return `${ask}, not ${then.join(' after ')}`;
      at = book.since - 1;
    }
  }
}

/** How long what a venue said may be on its way while the whole suite runs on two cores. */
const wireMs = 5_000;

/** A book's top as it stood since `since`, in ms. */
type BookThen = { ask: number | null; bid: number | null; since: number };

function askOf({ ask, bid }: BookThen, turned: boolean): number | null {
  if (!turned) return ask;
  return bid === null ? null : Math.round((1 - bid) * 1e6) / 1e6;
}

/** Every Market of a query with all includes, page by page, and the last page's envelope. */
export async function everyMarket(
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

/** Waits until the snapshot has left the quickly played minutes, in which a message's way through the machine is worth seconds. */
export async function untilCalm(stack: RunningStack): Promise<void> {
  await waitUntil(
    async () => {
      await stack.sql`select pipeline.refresh_snapshot()`;
      const [row] = await stack.sql<{ calm: boolean }[]>`
      select s.step > c.until + interval '5 seconds' as calm
      from price.snapshot_state s, (select max(market_from) as until from clock.segments) c`;
      return row?.calm === true;
    },
    { what: 'the end of the quickly played minutes in the snapshot', timeoutMs: 60_000 },
  );
}
