import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { Service } from '../../local/platform/supervisor/service.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

const sleeper = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });

function watched(plan: Partial<ConstructorParameters<typeof Service>[0]>) {
  const lines: string[] = [];
  const service = new Service(
    { name: 'probe', spawn: sleeper, ready: async () => 'here', ...plan },
    { printLine: (line) => lines.push(line), changed: () => {} },
  );
  return { service, lines };
}

test('a service that fails at its first start throws instead of restarting', async () => {
  const { service } = watched({ spawn: () => spawn('false', { detached: true }), ready: () => new Promise(() => {}) });
  await expect(service.start()).rejects.toThrow('probe ended during its start (exit 1)');
  const { service: absent } = watched({
    spawn: () => spawn('/no/such/program', { detached: true }),
    ready: () => new Promise(() => {}),
  });
  await expect(absent.start()).rejects.toThrow(/ENOENT/);
});

test('the error of ready() is reported when the process ended during its start', async () => {
  const { service } = watched({
    spawn: () => spawn('false', { detached: true }),
    ready: async () => {
      await pause(100);
      throw new Error('the port is in use');
    },
  });
  await expect(service.start()).rejects.toThrow('the port is in use');
});

test('a service that dies is restarted and wakes waiting callers, and is not restarted after stop', async () => {
  const { service, lines } = watched({});
  expect(await service.start()).toBe('here');
  const first = service.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await waitUntil(() => service.state !== 'up' || service.pid !== first, { what: 'the end of the first' });
  expect(await service.untilUp(5_000)).toBe(true);
  expect(service.pid).not.toBe(first);
  expect(lines).toEqual(['probe: died (SIGKILL); restarting', expect.stringMatching(/^probe: up again after/)]);
  const second = service.pid ?? 0;
  await service.stop();
  expect(() => process.kill(second, 0)).toThrow();
  await pause(300);
  expect(service.pid).toBeUndefined();
  expect(service.state).toBe('stopped');
});

test('a service that cannot start again is retried at growing intervals and reported once', async () => {
  let births = 0;
  const { service, lines } = watched({
    spawn: () => (births++ === 0 ? sleeper() : spawn('false', { detached: true })),
    ready: (child) =>
      births === 1 ? Promise.resolve('up') : new Promise((resolve) => child.once('message', () => resolve('never'))),
  });
  await service.start();
  process.kill(service.pid ?? 0, 'SIGKILL');
  await pause(2_000);
  expect(births).toBeGreaterThanOrEqual(4);
  expect(births).toBeLessThanOrEqual(7);
  expect(lines.filter((line) => line.includes('cannot start'))).toHaveLength(1);
  expect(await service.untilUp(50)).toBe(false);
  await service.stop();
});

test('a service that ignores SIGTERM is killed after its grace period', async () => {
  const { service } = watched({
    spawn: () =>
      spawn('/bin/sh', ['-c', "trap '' TERM; echo ready; while :; do sleep 0.05; done"], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ready: (child) => new Promise((resolve) => child.stdout?.once('data', () => resolve('deaf'))),
    graceMs: 200,
  });
  await service.start();
  const pid = service.pid ?? 0;
  const began = Date.now();
  await service.stop();
  expect(Date.now() - began).toBeLessThan(2_000);
  expect(() => process.kill(pid, 0)).toThrow();
});
