import { beforeEach, describe, expect, test } from 'vitest';
import type { BroadcastSource, ChannelHandlers, ChannelStatus } from '../../dashboard/src/live/broadcast_source.ts';
import type { ChannelState, Frame } from '../../dashboard/src/live/frames.ts';
import { Live } from '../../dashboard/src/live/live.ts';
import { MarketClock } from '../../dashboard/src/live/market_clock.ts';
import { marketRow, priceFrame } from './support/rows.ts';

/** Time that stands until it is moved, and pictures that are drawn when the test says so. */
class Stage implements BroadcastSource {
  readonly asked: string[] = [];
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
        this.asked.push(channel);
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

  hear(offset: number, frames: readonly Frame[]): void {
    this.say({ channel: 'markets:all', epoch: 'e', offset, frames });
  }

  say(message: unknown): void {
    this.#handlers.get('markets:all')?.onBroadcast(message);
  }

  async become(hearing: ChannelStatus): Promise<void> {
    this.#handlers.get('markets:all')?.onStatus(hearing);
    await settled();
  }

  async pass(ms: number): Promise<void> {
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

  draw(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
  }

  get markets(): number {
    return this.asked.filter((channel) => channel === 'markets:all').length;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.live.start();
});

describe('a live page', () => {
  test('reads the snapshot once it is heard, not before: what comes in between would be lost', async () => {
    expect(stage.asked).toEqual([]);
    expect(stage.live.isLoaded).toBe(false);
    await stage.become('subscribed');
    expect(stage.markets).toBe(1);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.store.markets.has('m1')).toBe(true);
  });

  test('fills a gap from a snapshot after a short wait, and a batch that is merely late needs none', async () => {
    await stage.become('subscribed');
    stage.hear(2, [priceFrame('m1', 0.2, 0.3)]);
    await stage.pass(100);
    stage.hear(1, [priceFrame('m1', 0.1, 0.3)]);
    await stage.pass(1000);
    expect(stage.markets).toBe(1);
    expect(stage.live.store.markets.get('m1')?.outcomes[0]?.venue_a).toBe(0.2);

    stage.snapshot = async (channel) => ({
      channel,
      epoch: 'e',
      offset: 5,
      markets: [marketRow('m2')],
      opportunities: [],
    });
    stage.hear(5, []);
    await stage.pass(1000);
    expect(stage.markets).toBe(2);
    expect([...stage.live.store.markets.keys()]).toEqual(['m2']);
  });

  test('reads again after each joining: nothing is kept for those who were away', async () => {
    await stage.become('subscribed');
    await stage.become('lost');
    expect(stage.live.status).toBe('lost');
    expect(stage.live.isLoaded).toBe(true);
    await stage.become('subscribed');
    expect(stage.markets).toBe(2);
  });

  test('a service that fails is asked ever less often, however much is heard meanwhile, and in the end it is there', async () => {
    const answer = stage.snapshot;
    stage.snapshot = async () => {
      throw new Error('no answer');
    };
    await stage.become('subscribed');
    for (let tenth = 1; tenth <= 600; tenth++) {
      stage.hear(tenth, [priceFrame('m1', 0.5, 0.5)]);
      await stage.pass(100);
    }
    expect(stage.markets).toBeGreaterThan(4);
    expect(stage.markets).toBeLessThan(12);
    expect(stage.live.error).toBe('no answer');
    stage.snapshot = async (channel) => ({ ...(await answer(channel)), offset: 600 });
    await stage.pass(11_000);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.error).toBeNull();
  });

  test('tells the page once a picture, however many batches came', async () => {
    await stage.become('subscribed');
    stage.draw();
    let told = 0;
    stage.live.onChange(() => told++);
    for (let offset = 1; offset <= 50; offset++) stage.hear(offset, [priceFrame('m1', offset / 100, 0.5)]);
    expect(told).toBe(0);
    stage.draw();
    expect(told).toBe(1);
    expect(stage.live.store.markets.get('m1')?.outcomes[0]?.venue_a).toBe(0.5);
  });

  test('what is no batch of this channel changes nothing', async () => {
    await stage.become('subscribed');
    const before = stage.live.store.version;
    for (const message of [null, 7, 'x', {}, { channel: 'other', epoch: 'e', offset: 1, frames: [] }])
      stage.say(message);
    stage.say({ channel: 'markets:all', epoch: 'e', offset: 1.5, frames: [priceFrame('m1', 0.1, 0.2)] });
    expect(stage.live.store.version).toBe(before);
  });

  test('while it cannot be heard it is read from time to time, and once it is heard, not any more', async () => {
    await stage.pass(3000);
    expect(stage.markets).toBe(1);
    expect(stage.live.isLoaded).toBe(true);
    expect(stage.live.status).toBe('connecting');
    await stage.pass(45_000);
    expect(stage.markets).toBe(4);
    await stage.become('subscribed');
    await stage.pass(120_000);
    expect(stage.markets).toBe(5);
  });

  test('stopped, it asks no more', async () => {
    stage.snapshot = async () => {
      throw new Error('no answer');
    };
    await stage.become('subscribed');
    expect(stage.markets).toBe(1);
    stage.live.stop();
    await stage.pass(60_000);
    expect(stage.markets).toBe(1);
  });
});

describe('the market clock', () => {
  test('goes on from what the service said, never back for a frame that is older', () => {
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

  test('ignores an answer that came before the last one, and counts an older answer from when it came', () => {
    let passed = 10_000;
    const clock = new MarketClock(() => passed);
    clock.set('2026-11-20T13:00:00.000Z', 4_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:06.000Z');
    passed = 30_000;
    clock.advanceTo('2026-11-20T13:00:40.000Z');
    // A page opens with the answer that another page had 26 s ago.
    clock.set('2026-11-20T13:00:00.000Z', 4_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:40.000Z');
    clock.set('2026-11-20T13:00:30.000Z', 30_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T13:00:30.000Z');
  });
});
