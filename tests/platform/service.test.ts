import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { Service } from '../../local/platform/supervisor/service.ts';
import { pause, waitUntil } from '../support/wait_until.ts';

const sleeper = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });

function watched(plan: Partial<ConstructorParameters<typeof Service>[0]>) {
  const said: string[] = [];
  const service = new Service(
    { name: 'probe', spawn: sleeper, ready: async () => 'here', ...plan },
    { printLine: (line) => said.push(line), changed: () => {} },
  );
  return { service, said };
}

test('a first start that fails is an error, not a loop', async () => {
  const { service } = watched({ spawn: () => spawn('false', { detached: true }), ready: () => new Promise(() => {}) });
  await expect(service.start()).rejects.toThrow('probe ended while it started (exit 1)');
  const { service: absent } = watched({
    spawn: () => spawn('/no/such/program', { detached: true }),
    ready: () => new Promise(() => {}),
  });
  await expect(absent.start()).rejects.toThrow(/ENOENT/);
});

test('whoever waits for what ended may know why, and is heard', async () => {
  const { service } = watched({
    spawn: () => spawn('false', { detached: true }),
    ready: async () => {
      await pause(100);
      throw new Error('its log says: the port is taken');
    },
  });
  await expect(service.start()).rejects.toThrow('its log says: the port is taken');
});

test('what dies is started again, whoever waits for it is told, and after stop nothing is', async () => {
  const { service, said } = watched({});
  expect(await service.start()).toBe('here');
  const first = service.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await waitUntil(() => service.state !== 'up' || service.pid !== first, { what: 'the end of the first' });
  expect(await service.untilUp(5_000)).toBe(true);
  expect(service.pid).not.toBe(first);
  expect(said).toEqual(['probe: died (SIGKILL); starting it again', expect.stringMatching(/^probe: up again after/)]);
  const second = service.pid ?? 0;
  await service.stop();
  expect(() => process.kill(second, 0)).toThrow();
  await pause(300);
  expect(service.pid).toBeUndefined();
  expect(service.state).toBe('stopped');
});

test('one that cannot come up again is tried ever more slowly and said once', async () => {
  let births = 0;
  const { service, said } = watched({
    spawn: () => (births++ === 0 ? sleeper() : spawn('false', { detached: true })),
    ready: (child) =>
      births === 1 ? Promise.resolve('up') : new Promise((resolve) => child.once('message', () => resolve('never'))),
  });
  await service.start();
  process.kill(service.pid ?? 0, 'SIGKILL');
  await pause(2_000);
  expect(births).toBeGreaterThanOrEqual(4);
  expect(births).toBeLessThanOrEqual(7);
  expect(said.filter((line) => line.includes('does not come up'))).toHaveLength(1);
  expect(await service.untilUp(50)).toBe(false);
  await service.stop();
});

test('what ignores SIGTERM is killed after its grace', async () => {
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
