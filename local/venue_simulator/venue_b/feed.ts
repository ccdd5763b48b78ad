import { scramble } from '../core/random.ts';
import type { Faults, FaultTarget } from '../faults/faults.ts';
import type { ListenerB, SourceB } from './source.ts';

/** Message types for clients with `custom_feature_enabled` only. */
const CUSTOM = new Set(['best_bid_ask', 'new_market', 'market_resolved']);

/** A client of the feed. */
export type Session = FaultTarget & { tokens: ReadonlySet<string>; custom: boolean; data(text: string): void };

/** The subscriptions of venue B by token. */
export class MarketFeed implements ListenerB {
  readonly sessions = new Set<Session>();
  readonly #sessionsByToken = new Map<string, Set<Session>>();
  #sentFrames = 0;
  readonly #faults: Faults;

  constructor(source: SourceB, faults: Faults) {
    this.#faults = faults;
    source.wanted = (token) => this.#sessionsByToken.has(token);
    source.listen(this);
  }

  join(session: Session, token: string): void {
    const sessions = this.#sessionsByToken.get(token) ?? new Set();
    this.#sessionsByToken.set(token, sessions.add(session));
  }

  drop(session: Session, token: string): void {
    const sessions = this.#sessionsByToken.get(token);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#sessionsByToken.delete(token);
  }

  leave(session: Session): void {
    for (const token of session.tokens) this.drop(session, token);
    this.sessions.delete(session);
  }

  sent(tokens: readonly string[] | null, message: Record<string, unknown>): void {
    const custom = CUSTOM.has(String(message.event_type));
    const to = new Set<Session>();
    // A book or a trade belongs to one token, a price change to both tokens of its market.
    const own = typeof message.asset_id === 'string' ? [message.asset_id] : tokens;
    if (own === null) for (const session of this.sessions) to.add(session);
    for (const token of own ?? []) for (const session of this.#sessionsByToken.get(token) ?? []) to.add(session);
    if (to.size === 0) return;
    const skew = this.#faults.skew();
    const sent = skew === 0 ? message : { ...message, timestamp: String(Number(message.timestamp) + skew) };
    // A frame may be one object or an array (venues.md B4). Some are arrays of one.
    const text = scramble(++this.#sentFrames) % 7 === 0 ? JSON.stringify([sent]) : JSON.stringify(sent);
    for (const session of to) if (!custom || session.custom) session.data(text);
  }
}
