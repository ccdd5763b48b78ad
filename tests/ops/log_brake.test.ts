import { expect, test } from 'vitest';
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

test('the refusal brake sends 50 refusals a second at once and holds the next for 0.5 to 1.5 seconds', async () => {
  const brake = new RefusalBrake();
  const arrivedAt = performance.now();
  const times = await Promise.all(
    Array.from({ length: 60 }, async () => {
      await brake.hold(arrivedAt);
      return performance.now() - arrivedAt;
    }),
  );
  expect(times.filter((ms) => ms < 400)).toHaveLength(50);
  for (const ms of times.slice(50)) expect(ms).toBeGreaterThanOrEqual(499);
  // A request that arrived 1.5 seconds ago was held already.
  const from = performance.now();
  await brake.hold(from - 1_500);
  expect(performance.now() - from).toBeLessThan(400);
});
