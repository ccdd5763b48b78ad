import type { Clock } from '../core/clock.ts';
import type { VenueSocket } from '../core/venue.ts';
import type { FaultName, OnLoss } from '../faults/faults.ts';
import { FaultyConnection } from '../faults/faulty_connection.ts';
import type { MarketFeed, Session } from './feed.ts';
import { levelsJson } from './levels.ts';
import type { SourceB } from './source.ts';

/**
 * One client of venue B's market channel. There are no sequence numbers, so a lost message leaves
 * no trace.
 */
export class SocketB implements Session {
  readonly venue = 'b' as const;
  readonly tokens = new Set<string>();
  custom = false;
  readonly #connection: FaultyConnection;
  readonly #socket: VenueSocket;
  readonly #source: SourceB;
  readonly #feed: MarketFeed;

  constructor(socket: VenueSocket, source: SourceB, feed: MarketFeed, clock: Clock) {
    this.#socket = socket;
    this.#source = source;
    this.#feed = feed;
    this.#connection = new FaultyConnection((text) => {
      if (socket.isOpen) socket.send(text);
    }, clock);
  }

  close(): void {
    this.#connection.close();
  }

  receivesBooks(): boolean {
    return this.tokens.size > 0;
  }

  contracts(): readonly string[] {
    return [...this.tokens];
  }

  inject(fault: FaultName, forMs: number, how?: string, onLoss?: OnLoss): void {
    if (!this.#connection.inject(fault, forMs, how, onLoss) && fault === 'cut') this.#socket.terminate();
  }

  /** Handles one text frame of the client. */
  command(text: string): void {
    if (text === 'PING') {
      this.#write('PONG');
      return;
    }
    let command: Record<string, unknown>;
    try {
      command = JSON.parse(text) as Record<string, unknown>;
    } catch {
      this.#write('INVALID OPERATION');
      return;
    }
    const asked = Array.isArray(command.assets_ids)
      ? command.assets_ids.filter((one): one is string => typeof one === 'string')
      : null;
    if (!asked) {
      this.#write('INVALID OPERATION');
      return;
    }
    if (command.custom_feature_enabled === true) this.custom = true;
    if (command.operation === 'unsubscribe') {
      for (const token of asked) {
        this.tokens.delete(token);
        this.#feed.drop(this, token);
      }
      return;
    }
    if (command.operation !== 'subscribe' && String(command.type ?? '').toLowerCase() !== 'market') {
      this.#write('INVALID OPERATION');
      return;
    }
    // Unknown tokens are silently accepted, as on the venue.
    const fresh = asked.filter((token) => !this.tokens.has(token));
    for (const token of fresh) {
      this.tokens.add(token);
      this.#feed.join(this, token);
    }
    this.#sendBooks(fresh);
  }

  /**
   * Sends the books of new subscriptions as one array (a single book is sometimes a plain object).
   */
  #sendBooks(tokens: readonly string[]): void {
    const books = tokens.flatMap((token) => {
      const book = this.#source.socketBook(token);
      if (!book) return [];
      return [
        {
          event_type: 'book',
          asset_id: token,
          market: book.condition,
          bids: levelsJson(book.ladder.bids),
          asks: levelsJson(book.ladder.asks),
          timestamp: String(Math.round(book.timestamp)),
          hash: book.hash,
          tick_size: book.tick,
          last_trade_price: book.lastTrade,
        },
      ];
    });
    for (let at = 0; at < books.length; at += 100) {
      const part = books.slice(at, at + 100);
      this.#connection.send(JSON.stringify(part.length === 1 ? part[0] : part));
    }
  }

  data(text: string): void {
    this.#connection.marketData(text);
  }

  #write(text: string): void {
    this.#connection.reply(text);
  }
}
