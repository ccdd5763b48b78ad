import { describe, expect, it } from 'vitest';
import { budgetOf, MEASURED } from '../../functions/ingest/budget.ts';
import { Isolate, type IsolateShift } from '../../functions/ingest/isolate.ts';
import { settingsOf } from '../../functions/ingest/settings.ts';

describe('shifts of one isolate', () => {
  const world = () => {
    const ends: number[] = [];
    const finish: (() => void)[] = [];
    const clock = { now: 0 };
    const isolate = new Isolate({
      readSeconds: Number.POSITIVE_INFINITY,
      wallClockSeconds: 400,
      now: () => clock.now,
      log: () => {},
      make: (endsAt): IsolateShift => {
        ends.push(endsAt);
        let done = (): void => {};
        const running = new Promise<void>((resolve) => {
          done = resolve;
        });
        finish.push(done);
        return { holds: [`books:${ends.length}`], stop: done, run: () => running };
      },
    });
    return { isolate, clock, ends, finish };
  };

  it('run one at a time and end before the platform ends them, counted from the start of the isolate', () => {
    const { isolate, clock, ends } = world();
    clock.now = 10_000;
    expect(isolate.start()).not.toBeNull();
    expect(isolate.start()).toBeNull();
    expect(ends).toEqual([385_000]);
  });

  it('overlap in the last 20 s, so that the next one is warm when this one ends', async () => {
    const { isolate, clock, ends, finish } = world();
    const first = isolate.start();
    clock.now = 364_000;
    expect(isolate.start()).toBeNull();
    clock.now = 366_000;
    expect(isolate.start()).not.toBeNull();
    expect(isolate.start()).toBeNull();
    expect([ends, isolate.holds]).toEqual([
      [385_000, 751_000],
      ['books:1', 'books:2'],
    ]);
    finish[0]?.();
    await first;
    expect(isolate.holds).toEqual(['books:2']);
  });

  it('begin anew where nobody keeps the limit, and after one that broke off', async () => {
    const { isolate, clock, ends, finish } = world();
    const first = isolate.start();
    finish[0]?.();
    await first;
    clock.now = 1_000_000;
    expect(isolate.start()).not.toBeNull();
    expect(ends.at(-1)).toBe(1_385_000);
  });
});

describe('a short life', () => {
  const endOf = (life: { wallClockSeconds: number; readSeconds: number }): number => {
    let end = 0;
    const shift = { holds: [], stop: () => {}, run: () => Promise.resolve() };
    const make = (endsAt: number): IsolateShift => {
      end = endsAt;
      return shift;
    };
    new Isolate({ ...life, now: () => 0, log: () => {}, make }).start();
    return end;
  };

  it('keeps a quarter of the wall clock for its end at most, and ends with its CPU where that comes first', () => {
    expect(endOf({ wallClockSeconds: 20, readSeconds: 61 })).toBe(15_000);
    expect(endOf({ wallClockSeconds: 150, readSeconds: 61 })).toBe(61_000);
    expect(endOf({ wallClockSeconds: 150, readSeconds: Number.POSITIVE_INFINITY })).toBe(135_000);
  });
});

describe('what a shift takes on', () => {
  it('is everything where nobody counts, and fits the CPU of a call where somebody does', () => {
    expect(budgetOf(null, 400)).toMatchObject({ bookSlices: 64, pages: Number.POSITIVE_INFINITY });
    const hosted = budgetOf(2, 385);
    expect(hosted).toMatchObject({ bookSlices: 1, flushMs: 1_000 });
    expect(hosted.pages).toBeGreaterThanOrEqual(1);
    const { bootMs, warmMs, pageMs, secondMs, sliceMs } = MEASURED;
    for (const wall of [15, 45, 135, 385]) {
      const { seconds, bookSlices, pages } = budgetOf(2, wall);
      const spent = bootMs + warmMs + pages * pageMs + seconds * (secondMs + bookSlices * sliceMs);
      expect(spent, `${wall} s of wall clock`).toBeLessThanOrEqual(1_600);
      expect(seconds).toBeLessThanOrEqual(wall);
    }
    expect(hosted.pages).toBeLessThan(30);
    expect(budgetOf(0.1, 400)).toMatchObject({ bookSlices: 1, pages: 1 });
  });
});

describe('settings', () => {
  const env = (values: Record<string, string>) =>
    settingsOf((name) => ({ DB_URL_INGEST: 'postgres://x', ...values })[name]);

  it('name what is wrong', () => {
    expect(() => settingsOf(() => undefined)).toThrow('DB_URL_INGEST');
    expect(() => env({ FEED_SOURCE: 'dream' })).toThrow('FEED_SOURCE');
    expect(() => env({ INGEST_CPU_SECONDS: 'two' })).toThrow('INGEST_CPU_SECONDS');
    expect(() => env({ SUPABASE_SECRET_KEYS: 'nonsense' })).toThrow('SUPABASE_SECRET_KEYS');
  });

  it('know no cron key where none is named, so that nobody is let in', () => {
    expect(env({}).cronKey).toBeNull();
    expect(env({ SUPABASE_SECRET_KEYS: '{"default":"x"}' }).cronKey).toBeNull();
    expect(env({ SUPABASE_SECRET_KEYS: '{"cron":"y"}' }).cronKey).toBe('y');
  });
});
