import { beforeEach, describe, expect, test } from 'vitest';
import type { ChannelState, Frame } from '../../client/src/frames.ts';
import type { BroadcastSource, ChannelHandlers, ChannelStatus } from '../../dashboard/src/live/broadcast_source.ts';
import { Live } from '../../dashboard/src/live/live.ts';
import { MarketClock } from '../../dashboard/src/live/market_clock.ts';
import { marketRow, priceFrame } from './support/rows.ts';

/**
 * A Live instance with a manual clock, manual animation frames, and a source that the test
 * controls.
 */
class Fixture implements BroadcastSource {
  readonly reads: string[] = [];
  snapshot: (channel: string) => Promise<ChannelState>;
  readonly #handlers = new Map<string, ChannelHandlers>();
  #now = 0;
  #waiting: { at: number; run: () => void }[] = [];
  #frames: (() => void)[] = [];
  readonly live: Live;

  constructor() {
    this.snapshot = async (channel) => ({
      channel,
      epoch: 'e',
      offset: 0,
      markets: [marketRow('m1')],
      opportunities: [],
    });
    this.live = new Live({
      source: this,
      readChannelState: (channel) => {
        this.reads.push(channel);
        return this.snapshot(channel);
      },
      marketChannel: 'markets:all',
      clock: new MarketClock(() => this.#now),
      timers: {
        nextFrame: (run) => this.#frames.push(run),
        after: (ms, run) => this.#waiting.push({ at: this.#now + ms, run }),
      },
    });
  }

  subscribe(channel: string, handlers: ChannelHandlers): () => void {
    this.#handlers.set(channel, handlers);
    return () => this.#handlers.delete(channel);
  }

  publish(offset: number, frames: readonly Frame[]): void {
    this.send({ channel: 'markets:all', epoch: 'e', offset, frames });
  }

  send(message: unknown): void {
    this.#handlers.get('markets:all')?.onBroadcast(message);
  }

  async setStatus(status: ChannelStatus): Promise<void> {
    this.#handlers.get('markets:all')?.onStatus(status);
    await settled();
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#waiting.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#now = next.at;
      next.run();
      await settled();
    }
    this.#now = until;
  }

  runFrames(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
  }

  /** How often the state of markets:all was read. */
  get marketReads(): number {
    return this.reads.filter((channel) => channel === 'markets:all').length;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

let stage: Fixture;
beforeEach(() => {
  stage = new Fixture();
  stage.live.start();
});

describe('Live', () => {
  test('reads the channel state only after it has subscribed, so that no frame is lost in between', async () => {
    expect(stage.reads).toEqual([]);
    expect(stage.live.isLoaded).toBe(false);
    await stage.setStatus('subscribed');
    expect(stage.marketReads).toBe(1);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.store.markets.has('m1')).toBe(true);
  });

  test('reads the channel state for a gap after a short wait, but not when a late batch fills it', async () => {
    await stage.setStatus('subscribed');
    stage.publish(2, [priceFrame('m1', 0.2, 0.3)]);
    await stage.advance(100);
    stage.publish(1, [priceFrame('m1', 0.1, 0.3)]);
    await stage.advance(1000);
    expect(stage.marketReads).toBe(1);
    expect(stage.live.store.markets.get('m1')?.outcomes[0]?.venue_a).toBe(0.2);

    stage.snapshot = async (channel) => ({
      channel,
      epoch: 'e',
      offset: 5,
      markets: [marketRow('m2')],
      opportunities: [],
    });
    stage.publish(5, []);
    await stage.advance(1000);
    expect(stage.marketReads).toBe(2);
    expect([...stage.live.store.markets.keys()]).toEqual(['m2']);
  });

  test('reads the channel state again after every rejoin', async () => {
    await stage.setStatus('subscribed');
    await stage.setStatus('lost');
    expect(stage.live.status).toBe('lost');
    expect(stage.live.isLoaded).toBe(true);
    await stage.setStatus('subscribed');
    expect(stage.marketReads).toBe(2);
  });

  test('retries a failing read with growing delays, independent of the broadcasts that arrive', async () => {
    const answer = stage.snapshot;
    stage.snapshot = async () => {
      throw new Error('no response');
    };
    await stage.setStatus('subscribed');
    for (let tenth = 1; tenth <= 600; tenth++) {
      stage.publish(tenth, [priceFrame('m1', 0.5, 0.5)]);
      await stage.advance(100);
    }
    expect(stage.marketReads).toBeGreaterThan(4);
    expect(stage.marketReads).toBeLessThan(12);
    expect(stage.live.error).toBe('no response');
    stage.snapshot = async (channel) => ({ ...(await answer(channel)), offset: 600 });
    await stage.advance(11_000);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.error).toBeNull();
  });

  test('notifies the page once per animation frame for any number of batches', async () => {
    await stage.setStatus('subscribed');
    stage.runFrames();
    let notifications = 0;
    stage.live.onChange(() => notifications++);
    for (let offset = 1; offset <= 50; offset++) stage.publish(offset, [priceFrame('m1', offset / 100, 0.5)]);
    expect(notifications).toBe(0);
    stage.runFrames();
    expect(notifications).toBe(1);
    expect(stage.live.store.markets.get('m1')?.outcomes[0]?.venue_a).toBe(0.5);
  });

  test('ignores a message that is not a batch of its channel', async () => {
    await stage.setStatus('subscribed');
    const before = stage.live.store.version;
    for (const message of [null, 7, 'x', {}, { channel: 'other', epoch: 'e', offset: 1, frames: [] }])
      stage.send(message);
    stage.send({ channel: 'markets:all', epoch: 'e', offset: 1.5, frames: [priceFrame('m1', 0.1, 0.2)] });
    expect(stage.live.store.version).toBe(before);
  });

  test('polls the channel state while it is not subscribed, and stops polling when it is', async () => {
    await stage.advance(3000);
    expect(stage.marketReads).toBe(1);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.status).toBe('connecting');
    await stage.advance(45_000);
    expect(stage.marketReads).toBe(4);
    await stage.setStatus('subscribed');
    await stage.advance(120_000);
    expect(stage.marketReads).toBe(5);
  });

  test('sends no more reads after it is stopped', async () => {
    stage.snapshot = async () => {
      throw new Error('no response');
    };
    await stage.setStatus('subscribed');
    expect(stage.marketReads).toBe(1);
    stage.live.stop();
    await stage.advance(60_000);
    expect(stage.marketReads).toBe(1);
  });
});

describe('MarketClock', () => {
  test('continues from the last time of the service, and an older frame does not set it back', () => {
    let passed = 0;
    const clock = new MarketClock(() => passed);
    expect(clock.now()).toBeNaN();
    clock.advanceTo('2026-11-20T13:00:00.000Z');
    passed = 2000;
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:02.000Z');
    clock.advanceTo('2026-11-20T13:00:01.000Z');
    clock.advanceTo(null);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:02.000Z');
    clock.set('2026-11-20T12:00:00.000Z');
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T12:00:00.000Z');
  });

  test('ignores a response older than the last one, and counts from the time a response was received', () => {
    let passed = 10_000;
    const clock = new MarketClock(() => passed);
    clock.set('2026-11-20T13:00:00.000Z', 4_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:06.000Z');
    passed = 30_000;
    clock.advanceTo('2026-11-20T13:00:40.000Z');
    // A page opens with a response that another page received 26 s ago.
    clock.set('2026-11-20T13:00:00.000Z', 4_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:40.000Z');
    clock.set('2026-11-20T13:00:30.000Z', 30_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:30.000Z');
  });
});
