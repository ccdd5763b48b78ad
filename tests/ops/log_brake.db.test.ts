import { expect, test, vi } from 'vitest';
import { Allowance } from '../../functions/_shared/allowance.ts';
import { createLog } from '../../functions/_shared/log.ts';
import { createLogBrake } from '../../functions/_shared/log_brake.ts';
import { RefusalBrake } from '../../functions/api/http/refusal_brake.ts';
import { pause } from '../support/wait_until.ts';

test('the log brake writes one line an interval for each key and counts the lines between', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ function: 'api', print: (line) => lines.push(JSON.parse(line)) });
  const write = createLogBrake(log, 50);
  for (let i = 0; i < 100; i++) write('full', 'error', 'request.failed', { code: 'full' }, `r-${i}`);
  write('lost', 'error', 'request.failed', { code: 'lost' });
  const brief = () => lines.map(({ code, request_id, suppressed }) => [code, request_id, suppressed]);
  expect(brief()).toEqual([
    ['full', 'r-0', undefined],
    ['lost', undefined, undefined],
  ]);
  await pause(80);
  expect(brief().slice(2)).toEqual([['full', 'r-99', 98]]);
  await pause(100);
  expect(lines).toHaveLength(3);
  write('full', 'error', 'request.failed', { code: 'full' }, 'later');
  expect(brief().slice(3)).toEqual([['full', 'later', undefined]]);
});

test('the refusal brake sends 50 refusals at once, then 10 a second, and holds the others for 1 to 3 seconds', async () => {
  const brake = new RefusalBrake();
  const timesOf = async (count: number) => {
    const arrivedAt = performance.now();
    return await Promise.all(
      Array.from({ length: count }, async () => {
        await brake.hold(arrivedAt);
        return performance.now() - arrivedAt;
      }),
    );
  };
  const first = await timesOf(60);
  expect(first.filter((ms) => ms < 500)).toHaveLength(50);
  for (const ms of first.slice(50)) {
    expect(ms).toBeGreaterThanOrEqual(999);
    expect(ms).toBeLessThan(4_000);
  }
  // The flood goes on, so few are sent at once: 10 for each second since.
  const next = await timesOf(60);
  expect(next.filter((ms) => ms < 500).length).toBeLessThanOrEqual(40);
  // A request that arrived 3 seconds ago was held already.
  const from = performance.now();
  await brake.hold(from - 3_000);
  expect(performance.now() - from).toBeLessThan(500);
});

test('an allowance gives its burst, refuses what it does not have, and loses nothing to a clock that is set back', () => {
  const allowance = new Allowance(200, 20);
  expect([allowance.take(150), allowance.take(100), allowance.take(40)]).toEqual([true, false, true]);
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(allowance.take(5)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
