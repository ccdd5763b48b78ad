import { describe, expect, it } from 'vitest';
import { CpuMeter, slownessOfMachine } from '../../functions/_shared/cpu.ts';
import { CpuBudget, HANDOVER_MS } from '../../functions/ingest/cpu_budget.ts';
import { Isolate, type IsolateRun } from '../../functions/ingest/isolate.ts';
import { settingsOf } from '../../functions/ingest/settings.ts';
import { MEASURED_CPU_MS, workLimitsFor } from '../../functions/ingest/work_limits.ts';

describe('worker runs of one isolate', () => {
  const fixture = () => {
    const ends: number[] = [];
    const finish: (() => void)[] = [];
    const clock = { now: 0 };
    const isolate = new Isolate({
      wallClockSeconds: 400,
      now: () => clock.now,
      log: () => {},
      createRun: (endsAt): IsolateRun => {
        const place = ends.push(endsAt) - 1;
        let done = (): void => {};
        const running = new Promise<void>((resolve) => {
          done = resolve;
        });
        finish.push(done);
        return {
          heldLeases: [`books:${ends.length}`],
          get endsAt() {
            return ends[place] ?? 0;
          },
          stop: done,
          run: () => running,
        };
      },
    });
    return { isolate, clock, ends, finish };
  };

  it('run one at a time and stop before the wall clock limit, counted from the start of the isolate', () => {
    const { isolate, clock, ends } = fixture();
    clock.now = 10_000;
    expect(isolate.start()).not.toBeNull();
    expect(isolate.start()).toBeNull();
    expect(ends).toEqual([385_000]);
  });

  it('overlap in the last 20 s, so that the successor is warm when the run stops', async () => {
    const { isolate, clock, ends, finish } = fixture();
    const first = isolate.start();
    clock.now = 364_000;
    expect(isolate.start()).toBeNull();
    clock.now = 366_000;
    expect(isolate.start()).not.toBeNull();
    expect(isolate.start()).toBeNull();
    expect([ends, isolate.heldLeases]).toEqual([
      [385_000, 751_000],
      ['books:1', 'books:2'],
    ]);
    finish[0]?.();
    await first;
    expect(isolate.heldLeases).toEqual(['books:2']);
  });

  it('allow a successor when a run stops earlier than planned', () => {
    const { isolate, clock, ends } = fixture();
    isolate.start();
    clock.now = 60_000;
    expect(isolate.start()).toBeNull();
    ends[0] = clock.now + 20_000;
    expect(isolate.start()).not.toBeNull();
  });

  it('start again after the wall clock limit passed without an end of the isolate', async () => {
    const { isolate, clock, ends, finish } = fixture();
    const first = isolate.start();
    finish[0]?.();
    await first;
    clock.now = 1_000_000;
    expect(isolate.start()).not.toBeNull();
    expect(ends.at(-1)).toBe(1_385_000);
  });
});

describe('short wall clock', () => {
  it('reserves at most a quarter of the wall clock for the stop', () => {
    const endOf = (wallClockSeconds: number): number => {
      let end = 0;
      const createRun = (endsAt: number): IsolateRun => {
        end = endsAt;
        return { heldLeases: [], endsAt, stop: () => {}, run: () => Promise.resolve() };
      };
      new Isolate({ wallClockSeconds, now: () => 0, log: () => {}, createRun }).start();
      return end;
    };
    expect([endOf(20), endOf(150)]).toEqual([15_000, 135_000]);
  });
});

describe('work limits', () => {
  it('allow everything without a CPU limit, and one shard or one venue’s listings with one', () => {
    expect(workLimitsFor(false)).toMatchObject({ bookShards: 64, singleRole: false });
    expect(workLimitsFor(true)).toMatchObject({ bookShards: 1, singleRole: true, flushMs: 1_000 });
  });
});

describe('CPU budget of a limited worker', () => {
  const { bootMs, parsersMs, pageMs, secondMs, shardMs, warmMs } = MEASURED_CPU_MS;
  const fixture = (options: { measured?: boolean; fromMs?: number } = {}) => {
    const clock = { now: 0, cpuMs: 200 };
    const meter = new CpuMeter({
      read: options.measured ? () => ({ user: clock.cpuMs * 900, system: clock.cpuMs * 100 }) : undefined,
      estimate: { bootMs, secondMs: secondMs + shardMs },
      now: () => clock.now,
    });
    const budget = new CpuBudget({ meter, cpuSeconds: 2, fromMs: options.fromMs ?? 0, now: () => clock.now });
    return { clock, meter, budget };
  };
  /**
   * Seconds until the worker announces its handover, and until it must stop, at this many ms of CPU
   * a second.
   */
  const lifeAt = (pace: number) => {
    const { clock, budget } = fixture({ measured: true });
    let announced: number | undefined;
    for (; !budget.isExhausted; clock.now += 1_000, clock.cpuMs += pace)
      if (announced === undefined && budget.needsHandover(1)) announced = clock.now;
    return { announced: (announced ?? Number.NaN) / 1_000, ended: clock.now / 1_000, cpuMs: clock.cpuMs };
  };

  it('announces the handover in time at any measured pace, and stops before four fifths of the limit', () => {
    for (const pace of [3, 6, 12, 25]) {
      const { announced, ended, cpuMs } = lifeAt(pace);
      expect(cpuMs, `${pace} ms a second`).toBeLessThanOrEqual(1_600);
      expect(ended - announced, `${pace} ms a second`).toBeGreaterThanOrEqual(HANDOVER_MS / 1_000 - 1);
    }
    expect(lifeAt(6).ended).toBeGreaterThan(2 * lifeAt(12).ended * 0.9);
  });

  it('starts a page while the cost of the previous one, at most 250 ms, fits into 68 % of the CPU', () => {
    const pageAfter = (usedMs: number, previousMs: number): boolean => {
      const { clock, budget } = fixture({ measured: true });
      clock.cpuMs = usedMs - previousMs;
      budget.tryPage();
      clock.cpuMs = usedMs;
      return budget.tryPage();
    };
    expect([pageAfter(1_180, 180), pageAfter(1_181, 180)]).toEqual([true, false]);
    expect([pageAfter(1_110, 600), pageAfter(1_111, 600)]).toEqual([true, false]);
    expect([pageAfter(1_360 - pageMs, 0), pageAfter(1_361 - pageMs, 0)]).toEqual([true, false]);
  });

  it('allows a minute of books or some listing pages when CPU is estimated', () => {
    const books = fixture();
    books.budget.charge(warmMs);
    books.clock.now = 35_000;
    expect(books.budget.needsHandover(1)).toBe(false);
    for (; !books.budget.isExhausted; books.clock.now += 1_000) {}
    expect(books.clock.now).toBeGreaterThan(55_000);
    expect(bootMs + warmMs + (books.clock.now / 1_000) * (secondMs + shardMs)).toBeLessThan(1_600);
    const listings = fixture();
    listings.budget.charge(parsersMs);
    let pages = 0;
    while (listings.budget.tryPage()) pages += 1;
    expect(pages).toBeGreaterThanOrEqual(1);
    const slow = fixture();
    slow.budget.charge(2_000);
    // One page is read even when the CPU is used up before it.
    expect([slow.budget.tryPage(), slow.budget.tryPage()]).toEqual([true, false]);
    expect(bootMs + parsersMs + pages * pageMs).toBeLessThan(1_600);
  });

  it('does not count the CPU of an earlier worker in the same isolate', () => {
    const { clock, budget } = fixture({ measured: true, fromMs: 1_900 });
    clock.cpuMs = 2_000;
    expect([budget.usedMs, budget.isExhausted]).toEqual([100, false]);
  });

  it('does not measure a process that runs other isolates, or one without CPU figures', () => {
    const estimate = { bootMs: 100, secondMs: 10 };
    const meterOf = (read: () => { user: number; system: number }) => new CpuMeter({ read, estimate, now: () => 0 });
    expect(meterOf(() => ({ user: 300_000, system: 0 }))).toMatchObject({ isMeasured: true, usedMs: 300 });
    expect(meterOf(() => ({ user: 60_000_000, system: 0 }))).toMatchObject({ isMeasured: false, usedMs: 100 });
    const refusing = meterOf(() => {
      throw new Error('Not implemented');
    });
    expect(refusing).toMatchObject({ isMeasured: false, usedMs: 100 });
  });

  it('does not measure by a reading that is always zero, as on the hosted runtime', () => {
    const clock = { now: 0 };
    const estimate = { bootMs: 100, secondMs: 10 };
    const zeros = () => ({ user: 0, system: 0 });
    const meter = new CpuMeter({ read: zeros, estimate, now: () => clock.now });
    expect(meter).toMatchObject({ isMeasured: false, usedMs: 100 });
    meter.charge(50);
    clock.now = 3_000;
    expect(meter.usedMs).toBe(180);
  });

  it('counts more for the same work on a slower processor, at most three times as much', () => {
    const slowness = (runMs: number) => {
      // Every second reading of the clock is the end of a run.
      let reads = 0;
      return slownessOfMachine(() => Math.floor(++reads / 2) * runMs);
    };
    expect([0, 0.1, 0.19, 0.38, 50].map((runMs) => Number(slowness(runMs).toFixed(6)))).toEqual([1, 1, 1, 2, 3]);
    // The first runs are slow on every machine, because their memory is new.
    let readings = 0;
    let clockMs = 0;
    const warmingUp = () => {
      readings += 1;
      if (readings % 2 === 0) clockMs += readings <= 80 ? 0.57 : 0.19;
      return clockMs;
    };
    expect(slownessOfMachine(warmingUp)).toBeCloseTo(1, 6);
    const estimate = { bootMs: 100, secondMs: 10 };
    const meter = new CpuMeter({ read: undefined, estimate, now: () => 0, slowness: () => slowness(0.38) });
    meter.charge(50);
    expect(meter.usedMs).toBeCloseTo(300, 6);
  });

  it('tries the speed of the processor once, and only where it estimates', () => {
    let [trials, cpuMs] = [0, 200];
    const slowness = () => {
      trials += 1;
      return 2;
    };
    const estimate = { bootMs: 100, secondMs: 10 };
    const read = () => {
      cpuMs += 10;
      return { user: cpuMs * 1_000, system: 0 };
    };
    const measured = new CpuMeter({ read, estimate, now: () => 0, slowness });
    expect(measured.usedMs).toBe(cpuMs);
    expect(trials).toBe(0);
    const estimated = new CpuMeter({ read: undefined, estimate, now: () => 0, slowness });
    expect([estimated.usedMs, estimated.usedMs]).toEqual([200, 200]);
    expect(trials).toBe(1);
  });

  it('estimates from the first second that a reading no longer grows for five seconds', () => {
    const clock = { now: 0, cpuMs: 200 };
    const estimate = { bootMs: 100, secondMs: 20 };
    const read = () => ({ user: clock.cpuMs * 1_000, system: 0 });
    const meter = new CpuMeter({ read, estimate, now: () => clock.now });
    meter.charge(30);
    clock.now = 4_999;
    expect(meter).toMatchObject({ usedMs: 200, isMeasured: true });
    clock.cpuMs = 201;
    expect(meter).toMatchObject({ usedMs: 201, isMeasured: true });
    clock.now = 9_999;
    expect([meter.usedMs, meter.isMeasured]).toEqual([100 + 199.98 + 30, false]);
    clock.cpuMs = 5_000;
    expect(meter.isMeasured).toBe(false);
  });
});

describe('settingsOf', () => {
  const env = (values: Record<string, string>) =>
    settingsOf((name) => ({ DB_URL_INGEST: 'postgres://x', ...values })[name]);

  it('throws an error that names the invalid variable', () => {
    expect(() => settingsOf(() => undefined)).toThrow('DB_URL_INGEST');
    expect(() => env({ FEED_SOURCE: 'dream' })).toThrow('FEED_SOURCE');
    expect(() => env({ INGEST_CPU_SECONDS: 'two' })).toThrow('INGEST_CPU_SECONDS');
    expect(() => env({ CRON_KEY: 'short' })).toThrow('CRON_KEY');
  });

  it('returns no cron key when none is set, so that every caller is rejected', () => {
    expect(env({}).cronKey).toBeNull();
    expect(env({ SUPABASE_SECRET_KEYS: '{"cron":"y"}' }).cronKey).toBeNull();
    expect(env({ CRON_KEY: 'x'.repeat(32) }).cronKey).toBe('x'.repeat(32));
  });
});
