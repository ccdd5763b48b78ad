import type { Hearing, Listener } from './listener.ts';
import { MarketClock } from './market_clock.ts';
import { LiveStore } from './store.ts';
import { type Batch, readBatch, type Snapshot } from './wire.ts';

/** A batch that is merely late comes within this; then the snapshot is read. */
const GRACE_MS = 300;
/** While the channel cannot be heard it is read instead, from time to time: old prices that say so are better than none. */
const UNHEARD_AFTER_MS = 3000;
const UNHEARD_EVERY_MS = 15_000;
const AGAIN_AFTER_MS = [1000, 2000, 5000, 10_000] as const;

type Timers = {
  /** Runs once before the next picture. */
  nextFrame(run: () => void): void;
  after(ms: number, run: () => void): unknown;
};

const browserTimers: Timers = {
  nextFrame: (run) => requestAnimationFrame(() => run()),
  after: (ms, run) => setTimeout(run, ms),
};

export type LiveParts = {
  listener: Listener;
  readSnapshot(channel: string): Promise<Snapshot>;
  /** `markets:all` for those who pay, `sample` on Free. */
  marketChannel: string;
  timers?: Timers;
  clock?: MarketClock;
};

type ChannelState = {
  hearing: Hearing;
  why: string | null;
  /** Whether the snapshot has been read since the channel was last joined. */
  asked: boolean;
  asking: boolean;
  waiting: boolean;
  failures: number;
};

/**
 * Keeps the store true to what the service says: listens, fills what is missing from a snapshot, and tells the page at most once for
 * each picture that it draws, however many frames came.
 */
export class Live {
  readonly store = new LiveStore();
  readonly clock: MarketClock;
  readonly marketChannel: string;
  readonly #parts: LiveParts;
  readonly #timers: Timers;
  readonly #channels = new Map<string, ChannelState>();
  readonly #watchers = new Set<() => void>();
  #drawing = false;
  #stops: (() => void)[] = [];

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? browserTimers;
    this.clock = parts.clock ?? new MarketClock();
    this.marketChannel = parts.marketChannel;
  }

  start(): void {
    for (const channel of [this.marketChannel, 'status']) {
      const unasked = { asked: false, asking: false, waiting: false, failures: 0 };
      this.#channels.set(channel, { hearing: 'connecting', why: null, ...unasked });
      this.#stops.push(
        this.#parts.listener.listen(channel, {
          heard: (message) => this.#heard(channel, message),
          changed: (hearing, why) => this.#changed(channel, hearing, why),
        }),
      );
      this.#readUnheard(channel, UNHEARD_AFTER_MS);
    }
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  /** Called before the next picture whenever something has changed. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Whether rows have been read at all. */
  get loaded(): boolean {
    return this.store.place(this.marketChannel) !== null;
  }

  /** Whether what is shown may have been left behind by the market; `listening` is the good state. */
  get hearing(): Hearing {
    return this.#channels.get(this.marketChannel)?.hearing ?? 'connecting';
  }

  /** Why the last reading failed, or what the server refused with. */
  get why(): string | null {
    return this.#channels.get(this.marketChannel)?.why ?? null;
  }

  #heard(channel: string, message: unknown): void {
    const batch = readBatch(channel, message);
    if (!batch) return;
    this.store.take(batch);
    this.clock.atLeast(lastTime(batch));
    if (this.store.behind(channel)) this.#askAfter(channel, GRACE_MS);
    if (batch.frames.length > 0) this.#tell();
  }

  #changed(channel: string, hearing: Hearing, why?: string): void {
    const state = this.#state(channel);
    state.hearing = hearing;
    if (why) state.why = why;
    if (hearing === 'listening') {
      state.asked = false;
      this.#ask(channel);
    }
    this.#tell();
  }

  /** Reads the snapshot where something is missing, and once after each joining; one reading at a time. */
  #ask(channel: string): void {
    const state = this.#state(channel);
    if (state.asking || state.waiting || this.#stops.length === 0 || (state.asked && !this.store.behind(channel)))
      return;
    state.asking = true;
    void this.#parts
      .readSnapshot(channel)
      .then(
        (snapshot) => {
          this.store.restart(snapshot);
          Object.assign(state, { asked: true, failures: 0, why: null });
        },
        (error: unknown) => {
          state.why = error instanceof Error ? error.message : String(error);
          state.failures++;
        },
      )
      .then(() => {
        state.asking = false;
        this.#tell();
        if (!state.asked || this.store.behind(channel)) this.#askAfter(channel, waitAfter(state.failures));
      });
  }

  #readUnheard(channel: string, ms: number): void {
    this.#timers.after(ms, () => {
      if (this.#stops.length === 0) return;
      const state = this.#state(channel);
      if (state.hearing === 'connecting' || state.hearing === 'lost') {
        state.asked = false;
        this.#ask(channel);
      }
      this.#readUnheard(channel, UNHEARD_EVERY_MS);
    });
  }

  /** One waiting a channel: what comes while the service fails must not make it asked more often. */
  #askAfter(channel: string, ms: number): void {
    const state = this.#state(channel);
    if (state.asking || state.waiting) return;
    state.waiting = true;
    this.#timers.after(ms, () => {
      state.waiting = false;
      this.#ask(channel);
    });
  }

  #state(channel: string): ChannelState {
    const state = this.#channels.get(channel);
    if (!state) throw new Error(`${channel} is not listened to`);
    return state;
  }

  #tell(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    this.#timers.nextFrame(() => {
      this.#drawing = false;
      for (const changed of this.#watchers) changed();
    });
  }
}

/** The time of the last frame that has one: a batch is in order, so one is enough. */
function lastTime(batch: Batch): string | null {
  const last = batch.frames.at(-1);
  if (last?.type === 'price') return last.priced_at;
  return last?.type === 'feed' ? last.last_message_at : null;
}

function waitAfter(failures: number): number {
  return AGAIN_AFTER_MS[Math.min(Math.max(0, failures - 1), AGAIN_AFTER_MS.length - 1)] ?? 10_000;
}
