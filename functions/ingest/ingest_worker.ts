import { errorWords } from '../_shared/pool/error_fields.ts';
import type { SocketMaker } from '../_shared/socket.ts';
import type { Surroundings } from '../_shared/surroundings.ts';
import { type ClockSegment, segmentAt, shownNow } from './clock.ts';
import { HAND_OVER_MS, type Spending } from './cpu_budget.ts';
import type { Doors } from './database.ts';
import { Engine } from './engine/engine.ts';
import { type Flushed, flushFrames } from './flush.ts';
import { Leases } from './leases.ts';
import type { VenueCode } from './listing.ts';
import { ListingsWalk } from './listing_sweep.ts';
import type { ListingReader } from './readers.ts';
import { Asides } from './rejected_messages.ts';
import { Background } from './serial_queue.ts';
import type { Settings } from './settings.ts';
import { openVenues, type Parsers, type Venue } from './venues.ts';
import type { FeedSurroundings } from './wire/feed.ts';
import { type Budget, MEASURED } from './work_limits.ts';

export type ShiftOptions = {
  settings: Settings;
  budget: Budget;
  doors: Doors;
  around: Surroundings;
  make: SocketMaker;
  /** Loads what listings are read with; asked for where they are. */
  parsers(): Promise<Parsers>;
  log(line: string): void;
  /** When it stops by itself, real epoch ms; null for never. */
  endsAt: number | null;
  /** What CPU it may use; null where nobody counts. */
  spending: Spending | null;
};

const VENUES: readonly VenueCode[] = ['venue_a', 'venue_b'];
const LEASES_MS = 3_000;
const ASIDES_MS = 5_000;
const SPENDING_MS = 1_000;
/** A book of which nothing came for this long is missing, and a warm-up ends with what it has. */
const WARM_MS = 8_000;

/**
 * One stretch of reading: it takes leases, reads what they name, and writes until it is time to stop. The function runs one in each isolate,
 * the container one for ever; several at once share the world by leases.
 */
export class Shift {
  private readonly options: ShiftOptions;
  private readonly ending = new AbortController();
  private readonly flushing = new AbortController();
  private readonly engine = new Engine();
  private readonly leases: Leases;
  private readonly background = new Background();
  private readonly asides = { venue_a: new Asides('venue_a'), venue_b: new Asides('venue_b') };
  private readonly walks = new Map<string, Promise<void>>();
  private readonly readAt: Record<VenueCode, number | null> = { venue_a: null, venue_b: null };
  private segments: ClockSegment[] = [];
  private version = '';
  private watched = '';
  /** What a shift of one trade has turned to. */
  trade: 'books' | 'listings' | null = null;
  private hasHeld = false;
  private feeding = false;
  private hasParsers = false;
  private announcedEnd: number | null = null;
  private readonly readers: Partial<Record<VenueCode, ListingReader>> = {};
  private idleSince: number | null = null;
  readonly flushed: Flushed = { applied: 0, frames: 0, calls: 0, failures: 0 };
  private venues: Record<VenueCode, Venue> | null = null;

  constructor(options: ShiftOptions) {
    this.options = options;
    this.leases = new Leases(options.doors, options.endsAt === null ? null : new Date(options.endsAt));
  }

  get holds(): string[] {
    return [...this.leases.held.keys()].sort();
  }

  /** When it stops by itself, real epoch ms; Infinity for never. */
  get endsAt(): number {
    return this.announcedEnd ?? this.options.endsAt ?? Number.POSITIVE_INFINITY;
  }

  /** Frames that wait for their flush, and frames lost at the bound of memory. */
  get waiting(): number {
    return this.engine.queue.length;
  }

  get lost(): number {
    return this.engine.queue.lost;
  }

  stop(): void {
    this.ending.abort();
  }

  /** Reads until `stop`, `endsAt`, or until there is nothing to do. Never throws: what fails is tried again. */
  async run(): Promise<void> {
    const signal = this.ending.signal;
    await this.attempt('the clock', () => this.readClock());
    this.venues = await openVenues({
      settings: this.options.settings,
      engine: this.engine,
      around: { venue_a: this.surroundings('venue_a'), venue_b: this.surroundings('venue_b') },
      make: this.options.make,
      signal,
      quietMs: this.options.budget.quietMs,
    });
    const flushing = flushFrames({
      queue: this.engine.queue,
      quotes: this.engine.quotes,
      doors: this.options.doors,
      leases: this.leases,
      around: this.surroundings('venue_a'),
      signal: this.flushing.signal,
      flushMs: this.options.budget.flushMs,
      lost: (names) => this.giveUp(names),
      count: this.flushed,
    });
    await Promise.all([
      this.every(LEASES_MS, 'leases', () => this.keepLeases()),
      this.every(this.options.budget.handOverMs, 'hand-over', () => this.handOver()),
      this.every(this.options.budget.watchMs, 'watch list', () => this.look()),
      this.every(this.options.budget.heartbeatMs, 'heartbeat', () => this.heartbeat()),
      this.every(this.options.budget.statusesMs, 'statuses', () => this.refreshStatuses()),
      this.every(ASIDES_MS, 'asides', () => this.flushAsides()),
      this.every(SPENDING_MS, 'CPU', () => this.watchSpending()),
    ]);
    if (this.feeding) await Promise.all(VENUES.map((venue) => this.venues?.[venue].feed.stop()));
    await Promise.all(this.walks.values());
    this.flushing.abort();
    await flushing;
    await this.attempt('asides', () => this.flushAsides());
    await this.attempt('release', () => this.leases.release());
  }

  private async readClock(): Promise<void> {
    this.segments = await this.options.doors.segments();
  }

  private async keepLeases(): Promise<void> {
    const now = this.options.around.now();
    if (now >= this.endsAt) return this.stop();
    const lost = await this.leases.renew();
    if (lost.length > 0) this.giveUp(lost);
    if (this.isDone()) return this.stop();
    await this.announceEnd(now);
    const books = this.trade === 'listings' ? [] : await this.claimBooks();
    if (this.trade !== 'books') await this.claimListings();
    this.hasHeld ||= this.leases.held.size > 0;
    this.startWalks();
    if (books.length > 0 || this.leases.beside('books:') > 0) await this.look();
    this.watchIdleness(now);
  }

  /** A shift of one trade whose work is another's now has nothing to stay for. */
  private isDone(): boolean {
    return this.options.budget.oneTrade && this.hasHeld && this.leases.held.size + this.leases.warming.size === 0;
  }

  private async claimBooks(): Promise<string[]> {
    const { budget, around, spending } = this.options;
    const books = await this.leases.claim('books:', budget.bookSlices, around.now());
    if (books.length + this.leases.beside('books:') > 0 && budget.oneTrade && !this.trade) {
      this.trade = 'books';
      spending?.did(MEASURED.warmMs);
    }
    // Whoever holds nothing sends no heartbeat, and so knows only an old clock.
    if (books.length > 0) await this.readClock();
    for (const name of books) this.engine.own(name, this.shown());
    return books;
  }

  private async claimListings(): Promise<void> {
    const { budget, around } = this.options;
    if (this.announcedEnd !== null) return;
    await this.leases.claim('listings:', budget.listings, around.now());
    const found = this.leases.count('listings:') + this.leases.beside('listings:') > 0;
    if (found && budget.oneTrade) this.trade = 'listings';
  }

  /** Ends before its CPU does, and says so while there is enough of it to go on beside a successor. */
  private async watchSpending(): Promise<void> {
    const { spending, around } = this.options;
    if (!spending) return;
    if (this.trade === 'listings' ? spending.isOver : spending.isSpent) return this.stop();
    const now = around.now();
    if (!spending.isRunningOut(this.leases.count('books:')) || this.endsAt <= now + HAND_OVER_MS) return;
    this.announcedEnd = now + HAND_OVER_MS;
    await this.announceEnd(now);
  }

  /** Said again and again until the leases are another's: pg_cron's next call may be too late, and several shifts may end at once. */
  private async announceEnd(now: number): Promise<void> {
    const { spending } = this.options;
    if (!spending || this.leases.held.size === 0 || now < this.endsAt - HAND_OVER_MS) return;
    await this.leases.announceEnd(new Date(this.endsAt));
  }

  /** A function call that finds everything taken would only burn the platform's time. */
  private watchIdleness(now: number): void {
    const busy = this.leases.held.size > 0 || this.leases.warming.size > 0 || this.options.endsAt === null;
    if (busy) this.idleSince = null;
    else this.idleSince ??= now;
    if (this.idleSince !== null && now - this.idleSince > this.options.budget.idleMs) this.stop();
  }

  /** Warm slices become ours as soon as their books are here; the old reader's next write is refused and it stops. */
  private async handOver(): Promise<void> {
    const { around } = this.options;
    this.engine.giveUpWaiting(around.now() - WARM_MS, this.shown());
    for (const [name, since] of [...this.leases.warming]) {
      const known = this.watched.split(' ').includes(name);
      if (!(known && this.engine.warm(name)) && around.now() - since < WARM_MS) continue;
      if (await this.leases.takeOver(name)) this.engine.own(name, this.shown());
    }
  }

  private giveUp(names: readonly string[]): void {
    for (const name of names) {
      this.engine.disown(name);
      this.options.log(`${name} is not ours any more`);
    }
  }

  /** The pairs of our slices as they are now; feeds follow. */
  private async look(): Promise<void> {
    const names = [...new Set([...this.leases.held.keys(), ...this.leases.warming.keys()])]
      .filter((name) => name.startsWith('books:'))
      .sort();
    const watched = names.join(' ');
    const list = await this.options.doors.watch(names, watched === this.watched ? this.version : '');
    if (!list) return;
    this.version = list.version;
    this.watched = watched;
    this.engine.list(list.pairs, this.shown(), this.options.around.now());
    for (const venue of VENUES) this.feed(venue);
    this.feeding = true;
  }

  /** Who reads listings alone opens no feed. */
  private feed(venue: VenueCode): void {
    const feed = this.venues?.[venue].feed;
    if (this.feeding) feed?.follow();
    else feed?.start();
  }

  private async heartbeat(): Promise<void> {
    if (this.leases.held.size === 0) return;
    const signs = VENUES.map((venue) => {
      const feed = this.venues?.[venue].feed;
      const alive = Math.max(feed?.lastAliveAt ?? 0, this.readAt[venue] ?? 0);
      return {
        venue,
        last_message_ms: feed?.lastNewsAt ?? null,
        last_alive_ms: alive > 0 ? alive : null,
        detail: feed?.detail ?? '',
      };
    });
    this.segments = await this.options.doors.heartbeat(this.options.settings.source, signs);
  }

  private async refreshStatuses(): Promise<void> {
    if (!this.leases.holds('listings:venue_a') || this.background.busy) return;
    await this.background.run(() => this.options.doors.refreshStatuses());
  }

  private async flushAsides(): Promise<void> {
    for (const venue of VENUES) await this.asides[venue].flush(this.options.doors);
  }

  private startWalks(): void {
    for (const venue of VENUES) {
      const name = `listings:${venue}`;
      if (!this.leases.holds(name) || this.walks.has(name)) continue;
      this.walks.set(
        name,
        this.attempt(name, () => this.walk(name, venue)).finally(() => this.walks.delete(name)),
      );
    }
  }

  private async walk(name: string, venue: VenueCode): Promise<void> {
    const { settings, doors, budget, spending } = this.options;
    const walk = new ListingsWalk({
      reader: await this.readerOf(venue),
      doors,
      background: this.background,
      around: this.surroundings(venue),
      holds: () => this.leases.holds(name),
      spend: () => spending?.page() ?? true,
      listingsSeconds: settings.listingsSeconds,
      restAlways: budget.oneTrade,
      unsettled: budget.unsettled,
      alive: () => {
        this.readAt[venue] = this.shown();
      },
    });
    await walk.run(this.ending.signal);
    await this.giveBack(name);
  }

  private async readerOf(venue: VenueCode): Promise<ListingReader> {
    const { venues, readers } = this;
    if (!venues) throw new Error('The venues are not open yet.');
    if (!this.hasParsers) this.options.spending?.did(MEASURED.parsersMs);
    this.hasParsers = true;
    const parsers = await this.options.parsers();
    readers[venue] ??= venues[venue].listings(parsers);
    return readers[venue];
  }

  /** With the CPU of this call spent, the next one goes on with the listings now, and not only when this one ends. */
  private async giveBack(name: string): Promise<void> {
    if (this.ending.signal.aborted || !this.leases.holds(name)) return;
    // Statuses go with venue_a's listings, and a call may hold these for less than their turn.
    if (name === 'listings:venue_a') {
      await this.attempt('statuses', async () => {
        await this.background.run(() => this.options.doors.refreshStatuses());
      });
    }
    await this.attempt('listings', () => this.leases.release(name));
    if (this.leases.count('listings:') === 0 && this.trade === 'listings') this.stop();
  }

  /** Does `work` again and again, `ms` apart, until the shift ends. A failure is logged and the next turn tries again. */
  private async every(ms: number, what: string, work: () => Promise<void>): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.attempt(what, work);
      await this.options.around.sleep(ms, this.ending.signal);
    }
  }

  private async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.log(`${what}: ${errorWords(error)}`);
    }
  }

  private shown(): number {
    return Math.floor(shownNow(this.segments, this.options.around.now()));
  }

  private surroundings(venue: VenueCode): FeedSurroundings {
    return {
      ...this.options.around,
      shown: () => this.shown(),
      segment: () => segmentAt(this.segments, this.options.around.now()),
      aside: (row) => this.asides[venue].add(row),
      log: this.options.log,
    };
  }
}
