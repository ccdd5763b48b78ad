import { Shelf } from '../books/book_store.ts';
import { opportunityOf } from './opportunity.ts';
import { alignTimes, type Frame, frameOf, sameFrame } from './price_update.ts';
import { FrameQueue } from './price_update_queue.ts';
import { QuoteQueue } from './quote_queue.ts';
import { type WatchedPair, WatchList } from './watch_list.ts';

/**
 * Books in, frames and quotes out: recomputes a pair when one of its books changed and queues a frame when a reader would see a difference,
 * and a quote of each leg whose top moved.
 * Pure and synchronous.
 */
export class Engine {
  readonly watch = new WatchList();
  readonly queue = new FrameQueue();
  readonly quotes = new QuoteQueue();
  readonly a = new Shelf('venue_a', (contract, at) => this.onBook('venue_a', contract, at));
  readonly b = new Shelf('venue_b', (contract, at) => this.onBook('venue_b', contract, at));
  private readonly latest = new Map<string, Frame>();
  /** Slices whose frames we may write; a slice that we only warm up for is read but not written. */
  private readonly writes = new Set<string>();

  /** The watch list as it is now. New contracts appear on the shelves, unused ones leave. `at`: market time, `now`: real time. */
  list(rows: readonly WatchedPair[], at: number, now: number): void {
    const { changed, gone } = this.watch.replace(rows);
    for (const id of gone) this.forget(id);
    const removed = new Set(gone);
    if (gone.length > 0) this.queue.drop((pair) => removed.has(pair));
    for (const shelf of [this.a, this.b]) {
      const wanted = new Set(this.watch.contracts(shelf.venue));
      for (const contract of [...shelf.contracts()]) if (!wanted.has(contract)) shelf.drop(contract);
      for (const contract of wanted) shelf.want(contract, now);
    }
    for (const pair of changed) {
      this.forget(pair.pair_id);
      this.refresh(pair, at);
    }
  }

  /** From now on frames of this slice are ours: its whole state is queued. Equal frames write nothing in the database. */
  own(slice: string, at: number): void {
    this.writes.add(slice);
    for (const pair of this.watch.pairs.values()) {
      if (pair.slice !== slice) continue;
      this.forget(pair.pair_id);
      this.refresh(pair, at);
    }
  }

  /** The slice is somebody else's: what waits for it is dropped, it would be refused. */
  disown(slice: string): void {
    if (!this.writes.delete(slice)) return;
    this.queue.drop((id) => this.watch.pairs.get(id)?.slice === slice);
    for (const pair of this.watch.pairs.values()) if (pair.slice === slice) this.quotes.forget(pair.pair_id);
  }

  owns(slice: string): boolean {
    return this.writes.has(slice);
  }

  /** Whether something is known of every book of a slice. */
  warm(slice: string): boolean {
    for (const pair of this.watch.pairs.values()) {
      if (pair.slice === slice && frameOf(pair, this, 0) === null) return false;
    }
    return true;
  }

  /** Ends the waiting: books of which nothing came although they were wanted before `since` (real time) are missing. */
  giveUpWaiting(since: number, at: number): void {
    for (const shelf of [this.a, this.b]) {
      for (const contract of shelf.contracts()) {
        const held = shelf.get(contract);
        if (held && !held.decided && held.wantedAt < since) shelf.doubt(contract, 'book.missing', at);
      }
    }
  }

  private onBook(venue: 'venue_a' | 'venue_b', contract: string, at: number): void {
    for (const id of this.watch.pairsOf(venue, contract)) {
      const pair = this.watch.pairs.get(id);
      if (pair) this.refresh(pair, at);
    }
  }

  /** Everything of this pair is news from now on. */
  private forget(pair: string): void {
    this.latest.delete(pair);
    this.quotes.forget(pair);
  }

  private refresh(pair: WatchedPair, at: number): void {
    if (!this.writes.has(pair.slice)) return;
    const before = this.latest.get(pair.pair_id);
    // A doubt is dated from the last sign of life, which may lie before the other venue's last change; time must not run backwards,
    // or the database would refuse the frame as old and go on showing a price that nobody vouches for.
    const frame = frameOf(pair, this, before ? Math.max(at, before.at) : at);
    this.quotes.note(pair, this, frame?.void ?? null);
    if (!frame) return;
    alignTimes(frame, before);
    if (pair.arb) frame.opp = opportunityOf(pair, this);
    if (before && sameFrame(before, frame)) return;
    this.latest.set(pair.pair_id, frame);
    this.queue.push(frame);
  }
}
