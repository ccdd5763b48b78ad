import type { Book } from '../books/book.ts';
import type { Trust } from '../books/book_guard.ts';
import type { Doubt, Shelf } from '../books/book_store.ts';
import { chunks, type FeedSurroundings } from './feed.ts';

/** One line of a feed as the audit sees it. */
export type AuditedLine = {
  readonly contracts: ReadonlySet<string>;
  /** When something new was last said of this contract, real ms; 0 for never. A book that is repeated says nothing new. */
  heardAt(contract: string): number;
  readonly trust: Trust;
  /** What the venue calls the book that we should hold, where it names books. */
  hashOf?(contract: string): string | undefined;
  /** A message about this contract never came. */
  lost?(contract: string): void;
  /** Asks the venue for these contracts anew, over the same socket. */
  renew(contracts: readonly string[]): void;
  /** The socket itself is dead to us: doubt all of it since its last word and open another. */
  abandon(why: Doubt): void;
};

/** A book as REST gives it. */
export type RestBook = { book: Book; hash?: string | undefined };

export type AuditOptions = {
  line: AuditedLine;
  shelf: Shelf;
  around: FeedSurroundings;
  /** Books of at most `MOST` contracts as REST gives them; what it does not know or cannot be read is left out. */
  read(contracts: readonly string[]): Promise<Map<string, RestBook>>;
  quietMs: number;
  /** Where the venue names its books: how often a busy one is compared too. */
  busyMs?: number;
};

/** Silence of one contract after which its book is compared with REST. */
export const QUIET_MS = 10_000;
/** Whatever has been quiet for this part of it goes along: one request for many instead of many for one each. */
const ALONG = 0.75;
/** A busy book is compared this often where the venue names its books: a sixth of what the quiet ones cost. */
export const BUSY_MS = 60_000;
/** Contracts in one request to either venue. */
export const MOST = 100;
/** REST may have been ahead by a message that was under way: it must still differ after this, with nothing said. */
const GRACE_MS = 1_500;
/** A contract that is set apart is compared this often. */
const AGAIN_MS = 2_000;
/** So many frozen at once, and it is the socket and not a subscription (venues.md D: both were seen). */
const DEAD_SOCKET = 3;
/** Asking anew rescues about half of the dead subscriptions; after so many comparisons in vain another socket is opened … */
const MOST_TRIES = 4;
/** … but not more often than this, since it costs every other book of the line a moment. */
const REOPEN_MS = 60_000;

/**
 * Is a market quiet, or is its subscription dead? REST knows. Contracts of which nothing was heard are compared, so a busy line costs
 * nothing and one frozen book among hundreds of live ones is found. A frozen book is believed again only when it agrees with REST:
 * a new snapshot over the same dead subscription would bring the same old book.
 *
 * A venue without sequence numbers may lose a message about a busy book below its best price, and nothing on the socket shows it. Where
 * the venue names books by a hash, busy ones are compared too, seldom: two books of one name that differ mean that something never came.
 */
export class Audit {
  private readonly options: AuditOptions;
  private readonly checked = new Map<string, number>();
  /** Contracts that differed once, and since when. */
  private readonly suspects = new Map<string, number>();
  private readonly tries = new Map<string, number>();
  private reopenedAt = Number.NEGATIVE_INFINITY;
  private busy = false;

  constructor(options: AuditOptions) {
    this.options = options;
  }

  /** The socket was opened: its books are new. */
  opened(now: number): void {
    this.checked.clear();
    this.suspects.clear();
    this.tries.clear();
    for (const contract of this.options.line.contracts) this.checked.set(contract, now);
  }

  /** What to compare now, longest unheard first. */
  due(now: number): string[] {
    const { line, shelf, quietMs } = this.options;
    const busyMs = line.hashOf ? (this.options.busyMs ?? BUSY_MS) : Number.POSITIVE_INFINITY;
    const due: { contract: string; since: number }[] = [];
    let pressing = false;
    if (this.checked.size > 2 * line.contracts.size + MOST) this.opened(now);
    for (const contract of line.contracts) {
      const checked = this.checked.get(contract) ?? this.first(contract, now);
      const suspected = this.suspects.has(contract);
      const apart = line.trust.isApart(contract) && line.trust.isSound(contract);
      if (!apart && shelf.get(contract)?.doubt !== null) {
        this.suspects.delete(contract);
        continue;
      }
      const urgent = apart || suspected;
      const wait = apart ? AGAIN_MS : suspected ? GRACE_MS : quietMs;
      const since = urgent ? checked : Math.max(checked, line.heardAt(contract));
      const busy = now - checked >= busyMs;
      if (!busy && now - since < (urgent ? wait : wait * ALONG)) continue;
      if (busy || now - since >= wait) pressing = true;
      // What is suspected or set apart goes before what is merely quiet.
      due.push({ contract, since: urgent ? 0 : since });
    }
    if (!pressing) return [];
    due.sort((x, y) => x.since - y.since);
    return due.slice(0, MOST).map(({ contract }) => contract);
  }

  /** Compares what is due; never rejects. Null where nothing is, or a comparison is under way. */
  run(now: number): Promise<void> | null {
    const due = this.busy ? [] : this.due(now);
    return due.length > 0 ? this.compare(due, now) : null;
  }

  private async compare(due: readonly string[], now: number): Promise<void> {
    this.busy = true;
    try {
      for (const part of chunks(due, MOST)) {
        const asked = this.options.around.now();
        const books = await this.options.read(part);
        this.judge(books, asked);
      }
    } catch (error) {
      this.options.around.log(`books could not be compared: ${String(error)}`);
    } finally {
      for (const contract of due) this.checked.set(contract, now);
      this.busy = false;
    }
  }

  private judge(books: Map<string, RestBook>, asked: number): void {
    const { line, shelf, around } = this.options;
    const at = around.shown();
    const frozen: string[] = [];
    for (const [contract, { book, hash }] of books) {
      const ours = shelf.get(contract)?.book;
      const apart = line.trust.isApart(contract);
      if (!ours || !line.contracts.has(contract)) continue;
      if (ours.equals(book)) this.agreed(contract, at);
      else if (apart) this.tries.set(contract, (this.tries.get(contract) ?? 0) + 1);
      else if (hash !== undefined && line.hashOf?.(contract) === hash) {
        this.suspects.delete(contract);
        around.log(`${shelf.venue}: ${contract} lost a message`);
        line.lost?.(contract);
      } else if (line.heardAt(contract) >= (this.suspects.get(contract) ?? asked)) this.suspects.delete(contract);
      else if (this.suspects.has(contract)) frozen.push(contract);
      else this.suspects.set(contract, asked);
    }
    if (frozen.length > 0) this.found(frozen);
    else this.reopenInTheEnd();
  }

  private agreed(contract: string, at: number): void {
    const { line, shelf } = this.options;
    this.suspects.delete(contract);
    this.tries.delete(contract);
    if (line.trust.isApart(contract)) {
      this.options.around.log(`${contract} agrees with REST again`);
      if (line.trust.admit(contract, at).length > 0) line.renew([contract]);
    } else shelf.confirm(contract, at);
  }

  private found(frozen: readonly string[]): void {
    const { line, shelf, around } = this.options;
    for (const contract of frozen) this.suspects.delete(contract);
    const named = `${frozen.length} books (${frozen[0]}) moved on REST while the socket said nothing of them`;
    if (frozen.length >= DEAD_SOCKET) {
      around.log(`${shelf.venue}: ${named}: another socket`);
      line.abandon('feed.frozen');
      return;
    }
    around.log(`${shelf.venue}: ${named}: asked for anew`);
    for (const contract of frozen) {
      const held = shelf.get(contract);
      // Since it was last read nobody knows what was left out.
      line.trust.setApart(contract, 'feed.frozen', held?.readAt ?? around.shown());
    }
    line.renew(frozen);
  }

  private reopenInTheEnd(): void {
    const { line, around, shelf } = this.options;
    const now = around.now();
    const stuck = [...this.tries].find(([, tries]) => tries >= MOST_TRIES);
    if (!stuck || now - this.reopenedAt < REOPEN_MS) return;
    this.reopenedAt = now;
    around.log(`${shelf.venue}: ${stuck[0]} still differs from REST: another socket`);
    line.abandon('feed.frozen');
  }

  private first(contract: string, now: number): number {
    this.checked.set(contract, now);
    return now;
  }
}

/** The lines of one feed in turns, so many comparisons at a time: none waits because the ones before it always have something to ask. */
export class AuditTurns {
  private turn = 0;

  run(lines: readonly { audit: Audit; socket: { readonly open: boolean } }[], most: number, now: number): void {
    let left = most;
    for (let asked = 0; asked < lines.length && left > 0; asked += 1) {
      const line = lines[this.turn++ % lines.length];
      if (line?.socket.open && line.audit.run(now) !== null) left -= 1;
    }
  }
}
