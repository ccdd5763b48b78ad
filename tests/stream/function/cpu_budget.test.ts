import { describe, expect, test } from 'vitest';
import { CpuMeter } from '../../../functions/_shared/cpu.ts';
import { CpuBudget, MEASURED_CPU_MS } from '../../../functions/stream/cpu_budget.ts';

const createBudget = (isMeasured: boolean) => {
  const clock = { now: 0, cpuMs: 200 };
  const read = isMeasured ? () => ({ user: clock.cpuMs * 1_000, system: 0 }) : undefined;
  const meter = new CpuMeter({ read, estimate: MEASURED_CPU_MS, now: () => clock.now });
  return { clock, meter, budget: new CpuBudget({ meter, cpuSeconds: 2, now: () => clock.now }) };
};

describe('the CPU budget of a stream worker', () => {
  test('starts the handover with a fifth of the CPU left, at any pace', () => {
    for (const pace of [5, 20, 50, 200]) {
      const { clock, budget } = createBudget(true);
      const work = { frames: 0, messages: 0 };
      for (; budget.handoverSpreadMs(work) === null; clock.now += 500) clock.cpuMs += pace / 2;
      const spread = budget.handoverSpreadMs(work) ?? Number.NaN;
      expect(clock.cpuMs + (spread / 1_000) * pace, `${pace} ms a second`).toBeLessThanOrEqual(1_600 + pace);
      expect(clock.cpuMs).toBeGreaterThanOrEqual(1_400);
      expect(spread).toBeGreaterThan(500);
    }
  });

  test('counts work where CPU cannot be measured, and hands over earlier with many clients', () => {
    const secondsWith = (clients: number) => {
      const { clock, meter, budget } = createBudget(false);
      const work = { frames: 0, messages: 0 };
      // The rates of plan pro in the busy first minutes of the simulator
      // (docs/measurements/2026-11-20-capacity.md).
      for (; budget.handoverSpreadMs(work) === null; clock.now += 1_000) {
        // Without Realtime, the log is checked ten times a second.
        meter.charge(10 * MEASURED_CPU_MS.queryMs);
        work.frames += 52;
        work.messages += 52 * clients;
      }
      return clock.now / 1_000;
    };
    // Measured at these rates: all CPU is used after 113 s with 1 client and after 50 s with 200.
    expect(secondsWith(1)).toBeGreaterThan(40);
    expect(secondsWith(1)).toBeLessThan(113 * 0.8);
    expect(secondsWith(200)).toBeLessThan(50 * 0.8);
  });
});
