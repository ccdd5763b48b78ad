import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Allowance } from '../../functions/_shared/allowance.ts';
import { createLog } from '../../functions/_shared/log.ts';
import { createLogBrake } from '../../functions/_shared/log_brake.ts';
import { RefusalBrake } from '../../functions/api/http/refusal_brake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the log brake writes one line a second for each key and counts the lines between', () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ function: 'api', print: (line) => lines.push(JSON.parse(line)) });
  const write = createLogBrake(log);
  for (let i = 0; i < 100; i++) write('full', 'error', 'request.failed', { code: 'full' }, `r-${i}`);
  write('lost', 'error', 'request.failed', { code: 'lost' });
  const brief = () => lines.map(({ code, request_id, suppressed }) => [code, request_id, suppressed]);
  const atOnce = [
    ['full', 'r-0', undefined],
    ['lost', undefined, undefined],
  ];
  vi.advanceTimersByTime(999);
  expect(brief()).toEqual(atOnce);
  vi.advanceTimersByTime(1);
  expect(brief()).toEqual([...atOnce, ['full', 'r-99', 98]]);
  // A second without a line ends the interval.
  vi.advanceTimersByTime(1_000);
  expect(lines).toHaveLength(3);
  write('full', 'error', 'request.failed', { code: 'full' }, 'later');
  expect(brief().slice(3)).toEqual([['full', 'later', undefined]]);
});

test('the refusal brake sends 50 refusals at once, then 10 a second, and holds the others for 1 to 3 seconds', async () => {
  const brake = new RefusalBrake();
  const hold = (count: number) => {
    const arrivedAt = performance.now();
    const tookMs: number[] = [];
    for (let n = 0; n < count; n += 1)
      void brake.hold(arrivedAt).then(() => tookMs.push(Math.round(performance.now() - arrivedAt)));
    return tookMs;
  };
  // The hold is one second and a random part of two more.
  const random = vi.spyOn(Math, 'random');
  random.mockReturnValue(0);
  const first = hold(60);
  await vi.advanceTimersByTimeAsync(999);
  expect(first).toEqual(Array(50).fill(0));
  await vi.advanceTimersByTimeAsync(1);
  expect(first.slice(50)).toEqual(Array(10).fill(1_000));
  // A second later ten more are sent at once.
  random.mockReturnValue(0.75);
  const next = hold(60);
  await vi.advanceTimersByTimeAsync(2_499);
  expect(next).toEqual(Array(10).fill(0));
  await vi.advanceTimersByTimeAsync(1);
  expect(next.slice(10)).toEqual(Array(50).fill(2_500));
  // A request that arrived 3 seconds ago was held already.
  hold(60);
  let isSent = false;
  void brake.hold(performance.now() - 3_000).then(() => (isSent = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(isSent).toBe(true);
});

test('an allowance gives its burst, refuses what it does not have, and loses nothing to a clock that is set back', () => {
  const allowance = new Allowance(200, 20);
  expect([allowance.take(150), allowance.take(100), allowance.take(40)]).toEqual([true, false, true]);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(allowance.take(5)).toBe(true);
});
