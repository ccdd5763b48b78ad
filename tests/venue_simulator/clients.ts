import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { waitUntil } from '../support/wait_until.ts';

/**
 * Small clients of both venues' WebSockets, written from venues.md, without code of the product.
 */

export type Frame = { type: string; sid?: number; seq?: number; id?: number; msg?: Record<string, unknown> };

export function signedHeaders(
  keyId: string,
  privateKeyFile: string,
  path = '/trade-api/ws/v2',
  now = Date.now(),
): Record<string, string> {
  const key: KeyObject = createPrivateKey(readFileSync(privateKeyFile));
  const signature = sign('sha256', Buffer.from(`${now}GET${path}`), {
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
  return {
    'KALSHI-ACCESS-KEY': keyId,
    'KALSHI-ACCESS-TIMESTAMP': String(now),
    'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
  };
}

export function openSocket(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

/**
 * A book of venue A, built from its snapshot and deltas: sizes in 0.01 contract by price in
 * $0.0001. Each side is in its own prices.
 */
export class BookA {
  readonly yes = new Map<number, number>();
  readonly no = new Map<number, number>();
  /** How often a level became negative: a delta was missed or applied twice. */
  negative = 0;

  apply({ type, msg = {} }: Frame): void {
    if (type === 'orderbook_snapshot') {
      for (const [side, field] of [
        [this.yes, 'yes_dollars_fp'],
        [this.no, 'no_dollars_fp'],
      ] as const) {
        side.clear();
        for (const [price, size] of (msg[field] ?? []) as [string, string][])
          side.set(Math.round(Number(price) * 1e4), Math.round(Number(size) * 100));
      }
      return;
    }
    const side = msg.side === 'yes' ? this.yes : this.no;
    const price = Math.round(Number(msg.price_dollars) * 1e4);
    const size = (side.get(price) ?? 0) + Math.round(Number(msg.delta_fp) * 100);
    if (size < 0) this.negative++;
    if (size <= 0) side.delete(price);
    else side.set(price, size);
  }

  top(): { bid: number | null; bid_size: number; ask: number | null; ask_size: number } {
    const bid = this.yes.size ? Math.max(...this.yes.keys()) : null;
    const no = this.no.size ? Math.max(...this.no.keys()) : null;
    return {
      bid: bid === null ? null : bid / 1e4,
      bid_size: bid === null ? 0 : (this.yes.get(bid) ?? 0) / 100,
      ask: no === null ? null : (10_000 - no) / 1e4,
      ask_size: no === null ? 0 : (this.no.get(no) ?? 0) / 100,
    };
  }
}

/** One connection to venue A: all frames in order, and the books that result. */
export class ClientA {
  readonly frames: Frame[] = [];
  readonly books = new Map<string, BookA>();
  readonly socket: WebSocket;
  #nextId = 1;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      this.frames.push(frame);
      if (!frame.type.startsWith('orderbook_')) return;
      const ticker = String(frame.msg?.market_ticker);
      const book = this.books.get(ticker) ?? new BookA();
      this.books.set(ticker, book);
      book.apply(frame);
    });
  }

  send(cmd: string, params: Record<string, unknown>): number {
    const id = this.#nextId++;
    this.socket.send(JSON.stringify({ id, cmd, params }));
    return id;
  }

  reply(id: number): Promise<Frame> {
    return waitUntil(() => this.frames.find((frame) => frame.id === id));
  }
}

export type MessageB = { event_type: string; [field: string]: unknown };

/**
 * One connection to venue B: all messages in order, the elements of an array as separate messages,
 * and the books by token. Prices and sizes are strings, as on the wire.
 */
export class ClientB {
  readonly messages: MessageB[] = [];
  readonly pongs: string[] = [];
  /** Changes whose best_bid or best_ask differ from the resulting book: a message was missed. */
  readonly topErrors: string[] = [];
  arrayCount = 0;
  readonly books = new Map<string, { bids: Map<string, string>; asks: Map<string, string>; hash: string }>();
  readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const text = String(data);
      if (text === 'PONG') {
        this.pongs.push(text);
        return;
      }
      const body = JSON.parse(text) as MessageB | MessageB[];
      if (Array.isArray(body)) this.arrayCount++;
      for (const message of Array.isArray(body) ? body : [body]) this.#apply(message);
    });
  }

  subscribe(tokens: readonly string[]): void {
    this.socket.send(JSON.stringify({ assets_ids: tokens, type: 'market', custom_feature_enabled: true }));
  }

  top(token: string): { bid: number | null; bid_size: number; ask: number | null; ask_size: number } {
    const book = this.books.get(token);
    const best = (side: Map<string, string> | undefined, pick: (...values: number[]) => number) => {
      const prices = [...(side ?? [])].map(([price, size]) => [Number(price), Number(size)] as const);
      if (prices.length === 0) return [null, 0] as const;
      const price = pick(...prices.map(([one]) => one));
      return [price, prices.find(([one]) => one === price)?.[1] ?? 0] as const;
    };
    const [bid, bid_size] = best(book?.bids, Math.max);
    const [ask, ask_size] = best(book?.asks, Math.min);
    return { bid, bid_size, ask, ask_size };
  }

  #apply(message: MessageB): void {
    this.messages.push(message);
    if (message.event_type === 'book') {
      const side = (rows: unknown) =>
        new Map((rows as { price: string; size: string }[]).map(({ price, size }) => [price, size]));
      this.books.set(String(message.asset_id), {
        bids: side(message.bids),
        asks: side(message.asks),
        hash: String(message.hash),
      });
    }
    if (message.event_type !== 'price_change') return;
    for (const change of message.price_changes as Record<string, string>[]) {
      const book = this.books.get(change.asset_id ?? '');
      if (!book) continue;
      const side = change.side === 'BUY' ? book.bids : book.asks;
      if (change.size === '0') side.delete(change.price ?? '');
      else side.set(change.price ?? '', change.size ?? '');
      book.hash = change.hash ?? '';
      const { bid, ask } = this.top(change.asset_id ?? '');
      // Venue B writes the price of an empty side as "", as "0" ("1" for asks), or omits it.
      const isSame = (price: number | null, stated: string | undefined, limit: number) =>
        price === null ? ['', undefined, String(limit)].includes(stated) : price === Number(stated);
      if (!isSame(bid, change.best_bid, 0) || !isSame(ask, change.best_ask, 1)) {
        this.topErrors.push(`${change.asset_id}: ${bid}/${ask} against ${change.best_bid}/${change.best_ask}`);
      }
    }
  }
}

export async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${url}`);
  return (await response.json()) as T;
}
