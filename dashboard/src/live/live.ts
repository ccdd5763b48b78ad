import { LiveState } from '../../../client/src/live_state.ts';
import type { BroadcastSource, ChannelStatus } from './broadcast_source.ts';
import { type Batch, type ChannelState, parseBatch } from './frames.ts';
import { MarketClock } from './market_clock.ts';

/** A late batch usually arrives within this time. After it the channel state is read. */
const GRACE_MS = 300;
/**
 * While the channel is not connected, its state is polled: old prices with a warning are better
 * than none.
 */
const POLL_AFTER_MS = 3000;
const POLL_INTERVAL_MS = 15_000;
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000] as const;

type Timers = {
  /** Runs once before the next animation frame. */
  nextFrame(run: () => void): void;
  after(ms: number, run: () => void): unknown;
};

const browserTimers: Timers = {
  nextFrame: (run) => requestAnimationFrame(() => run()),
  after: (ms, run) => setTimeout(run, ms),
};

export type LiveOptions = {
  source: BroadcastSource;
  readChannelState(channel: string): Promise<ChannelState>;
  /** `markets:all` on a paid tier, `sample` on Free. */
  marketChannel: string;
  timers?: Timers;
  clock?: MarketClock;
};

type Subscription = {
  status: ChannelStatus;
  error: string | null;
  /** Whether the channel state was read since the channel was last joined. */
  hasRead: boolean;
  isReading: boolean;
  isWaiting: boolean;
  failures: number;
};

/**
 * Keeps the store equal to the published state: subscribes to the channels, reads the channel state
 * when frames are missing, and notifies the page at most once an animation frame.
 */
export class Live {
  readonly store = new LiveState();
  readonly clock: MarketClock;
  readonly marketChannel: string;
  readonly #options: LiveOptions;
  readonly #timers: Timers;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #watchers = new Set<() => void>();
  #isNotifying = false;
  #unsubscribes: (() => void)[] = [];

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#timers = options.timers ?? browserTimers;
    this.clock = options.clock ?? new MarketClock();
    this.marketChannel = options.marketChannel;
  }

  start(): void {
    for (const channel of [this.marketChannel, 'status']) {
      const idle = { hasRead: false, isReading: false, isWaiting: false, failures: 0 };
      this.#subscriptions.set(channel, { status: 'connecting', error: null, ...idle });
      this.#unsubscribes.push(
        this.#options.source.subscribe(channel, {
          onBroadcast: (message) => this.#onBroadcast(channel, message),
          onStatus: (status, error) => this.#onStatus(channel, status, error),
        }),
      );
      this.#pollWhileDisconnected(channel, POLL_AFTER_MS);
    }
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    this.#unsubscribes = [];
  }

  /**
   * Calls `changed` before the next animation frame after a change. The returned function ends it.
   */
  onChange(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Whether the channel state was read at least once. */
  get isLoaded(): boolean {
    return this.store.position(this.marketChannel) !== null;
  }

  /** Status of the market channel. In every status but `subscribed` the prices may be stale. */
  get status(): ChannelStatus {
    return this.#subscriptions.get(this.marketChannel)?.status ?? 'connecting';
  }

  /** Why the last read failed, or the server's reason for denying the channel. */
  get error(): string | null {
    return this.#subscriptions.get(this.marketChannel)?.error ?? null;
  }

  #onBroadcast(channel: string, message: unknown): void {
    const batch = parseBatch(channel, message);
    if (!batch) return;
    this.store.accept(batch);
    this.clock.advanceTo(lastTime(batch));
    if (this.store.hasGap(channel)) this.#readStateAfter(channel, GRACE_MS);
    if (batch.frames.length > 0) this.#notify();
  }

  #onStatus(channel: string, status: ChannelStatus, error?: string): void {
    const subscription = this.#subscription(channel);
    subscription.status = status;
    if (error) subscription.error = error;
    if (status === 'subscribed') {
      subscription.hasRead = false;
      this.#readState(channel);
    }
    this.#notify();
  }

  /**
   * Reads the channel state when frames are missing and once after each join; one read at a time.
   */
  #readState(channel: string): void {
    const subscription = this.#subscription(channel);
    if (subscription.isReading || subscription.isWaiting || this.#unsubscribes.length === 0) return;
    if (subscription.hasRead && !this.store.hasGap(channel)) return;
    subscription.isReading = true;
    void this.#options
      .readChannelState(channel)
      .then(
        (state) => {
          this.store.resetTo(state);
          Object.assign(subscription, { hasRead: true, failures: 0, error: null });
        },
        (error: unknown) => {
          subscription.error = error instanceof Error ? error.message : String(error);
          subscription.failures++;
        },
      )
      .then(() => {
        subscription.isReading = false;
        this.#notify();
        if (!subscription.hasRead || this.store.hasGap(channel)) {
          this.#readStateAfter(channel, retryDelay(subscription.failures));
        }
      });
  }

  #pollWhileDisconnected(channel: string, ms: number): void {
    this.#timers.after(ms, () => {
      if (this.#unsubscribes.length === 0) return;
      const subscription = this.#subscription(channel);
      if (subscription.status === 'connecting' || subscription.status === 'lost') {
        subscription.hasRead = false;
        this.#readState(channel);
      }
      this.#pollWhileDisconnected(channel, POLL_INTERVAL_MS);
    });
  }

  /**
   * One timer a channel: broadcasts that arrive while the service fails must not cause more reads.
   */
  #readStateAfter(channel: string, ms: number): void {
    const subscription = this.#subscription(channel);
    if (subscription.isReading || subscription.isWaiting) return;
    subscription.isWaiting = true;
    this.#timers.after(ms, () => {
      subscription.isWaiting = false;
      this.#readState(channel);
    });
  }

  #subscription(channel: string): Subscription {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription) throw new Error(`Not subscribed to ${channel}`);
    return subscription;
  }

  #notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    this.#timers.nextFrame(() => {
      this.#isNotifying = false;
      for (const changed of this.#watchers) changed();
    });
  }
}

/**
 * The time of the last frame, or null. Frames of a batch are in order, so the last one is the
 * newest.
 */
function lastTime(batch: Batch): string | null {
  const last = batch.frames.at(-1);
  if (last?.type === 'price') return last.priced_at;
  return last?.type === 'feed' ? last.last_message_at : null;
}

function retryDelay(failures: number): number {
  return RETRY_DELAYS_MS[Math.min(Math.max(0, failures - 1), RETRY_DELAYS_MS.length - 1)] ?? 10_000;
}
