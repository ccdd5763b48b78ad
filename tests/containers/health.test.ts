import { describe, expect, test, vi } from 'vitest';
import { checkDatabase, type FailingCondition, Health } from '../../functions/_shared/container/health.ts';
import { type SignalRuntime, stopOnSignal } from '../../functions/_shared/container/stop.ts';
import { createLog } from '../../functions/_shared/log.ts';
import { ConnectionFailed } from '../../functions/_shared/pool/failure.ts';
import { failingConditions as ofDeliver } from '../../functions/deliver/readiness.ts';
import { settingsOf as deliverSettings } from '../../functions/deliver/settings.ts';
import { failingConditions as ofIngest } from '../../functions/ingest/readiness.ts';
import { failingConditions as ofStream } from '../../functions/stream/readiness.ts';
import { waitUntil } from '../support/wait_until.ts';

type Body = { service: string; status: string; failing?: FailingCondition[] };

async function ask(health: Health, path: string, method = 'GET') {
  const response = await health.fetch(new Request(`http://c.test${path}`, { method }));
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as Body) };
}

const healthOf = (failing: () => FailingCondition[] | Promise<FailingCondition[]>, now?: () => number) => {
  let isDraining = false;
  const health = new Health({ service: 'x', failing, isDraining: () => isDraining, ...(now ? { now } : {}) });
  return { health, drain: () => (isDraining = true) };
};
const codes = (failing: readonly FailingCondition[]) => failing.map(({ code }) => code);
const answers = () => Promise.resolve();
const isAway = () => Promise.reject(new ConnectionFailed('away', { sent: false }));

describe('the health endpoints of a container', () => {
  test('answer 200 while all conditions hold, and 503 with the codes of those that do not', async () => {
    const failing: FailingCondition[] = [];
    let now = 0;
    const { health } = healthOf(
      () => [...failing],
      () => now,
    );
    expect(await ask(health, '/readyz')).toEqual({ status: 200, body: { service: 'x', status: 'ready', failing: [] } });
    failing.push({ code: 'flush.stalled', message: 'It waits.' });
    now += 1_000;
    expect(await ask(health, '/readyz')).toEqual({
      status: 503,
      body: { service: 'x', status: 'not_ready', failing: [{ code: 'flush.stalled', message: 'It waits.' }] },
    });
    expect(await ask(health, '/healthz')).toEqual({ status: 200, body: { service: 'x', status: 'alive' } });
  });

  test('report a drain without a check of the conditions, and stay alive', async () => {
    let checks = 0;
    const { health, drain } = healthOf(() => {
      checks += 1;
      return [];
    });
    drain();
    const { status, body } = await ask(health, '/readyz');
    expect([status, codes(body?.failing ?? []), checks]).toEqual([503, ['draining'], 0]);
    expect((await ask(health, '/healthz')).status).toBe(200);
  });

  test('check the conditions once a second, however many probes ask', async () => {
    let checks = 0;
    let now = 0;
    const { health } = healthOf(
      async () => {
        checks += 1;
        return [];
      },
      () => now,
    );
    await Promise.all(Array.from({ length: 50 }, () => ask(health, '/readyz')));
    now = 999;
    await ask(health, '/readyz');
    expect(checks).toBe(1);
    now = 1_000;
    await ask(health, '/readyz');
    expect(checks).toBe(2);
  });

  test('answer 503 where a check fails or does not end, and never 500', async () => {
    const broken = healthOf(() => Promise.reject(new Error('secret')));
    const { status, body } = await ask(broken.health, '/readyz');
    expect([status, codes(body?.failing ?? [])]).toEqual([503, ['check.failed']]);
    expect(JSON.stringify(body)).not.toContain('secret');
    vi.useFakeTimers();
    try {
      const stuck = healthOf(() => new Promise(() => {}));
      const asked = ask(stuck.health, '/readyz');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(codes((await asked).body?.failing ?? [])).toEqual(['check.timed_out']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('accept GET and HEAD only, and leave other paths to the service', async () => {
    const { health } = healthOf(() => []);
    expect((await ask(health, '/readyz', 'POST')).status).toBe(405);
    expect((await ask(health, '/api/v2/markets')).status).toBe(404);
    expect(health.respond(new Request('http://c.test/api/healthz'))).toBeUndefined();
  });
});

describe('the conditions of readiness', () => {
  test('ingest needs maintained leases, and no update that waits for more than 10 s', async () => {
    const at = (maintainedAt: number | null, pendingSince: number | null, ping = answers) =>
      ofIngest({ maintainedAt, pendingSince }, 100_000, ping).then(codes);
    expect(await at(null, null)).toEqual(['leases.stale']);
    expect(await at(90_000, 90_000)).toEqual([]);
    expect(await at(89_999, 89_999)).toEqual(['leases.stale', 'flush.stalled']);
    expect(await at(89_999, null, isAway)).toEqual(['leases.stale', 'database.unreachable']);
    expect(await at(99_000, null, isAway)).toEqual([]);
  });

  test('deliver needs a claim in the last 15 s', async () => {
    expect(codes(await ofDeliver(null, 100_000, answers))).toEqual(['loop.stalled']);
    expect(codes(await ofDeliver(85_000, 100_000, isAway))).toEqual([]);
    expect(codes(await ofDeliver(84_999, 100_000, isAway))).toEqual(['loop.stalled', 'database.unreachable']);
  });

  test('stream needs a log that can be read, and room for connections', async () => {
    expect(codes(await ofStream({ checkLog: answers }, false))).toEqual([]);
    expect(codes(await ofStream({ checkLog: isAway }, true))).toEqual(['database.unreachable', 'connections.full']);
  });

  test('distinguish a database that does not answer from one that refuses a query', async () => {
    const serverError = (code: string) => () =>
      Promise.reject(Object.assign(new Error('x'), { code, severity: 'ERROR' }));
    expect(codes(await checkDatabase(serverError('42501')))).toEqual(['database.refused']);
    for (const code of ['28P01', '3D000', '57P01', '08006'])
      expect(codes(await checkDatabase(serverError(code))), code).toEqual(['database.unreachable']);
  });
});

describe('a container that is asked to stop', () => {
  function container(stop: () => Promise<void>, limitMs: number) {
    const exits: number[] = [];
    const lines: string[] = [];
    const listeners = new Map<string, () => void>();
    const runtime: SignalRuntime = {
      addSignalListener: (signal, listener) => void listeners.set(signal, listener),
      exit: (code) => void exits.push(code),
    };
    const log = createLog({ function: 'x', print: (line) => lines.push(line) });
    const stopping = stopOnSignal({ runtime, log, stop, limitMs });
    return { stopping, exits, lines, signal: (name: 'SIGTERM' | 'SIGINT') => listeners.get(name)?.() };
  }

  test('stops once, however many signals follow, and exits with 0 when its work has ended', async () => {
    let stops = 0;
    let end = (): void => {};
    const work = new Promise<void>((resolve) => (end = resolve));
    const { stopping, exits, signal } = container(() => {
      stops += 1;
      return work;
    }, 60_000);
    expect(stopping.isDraining).toBe(false);
    for (const name of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) signal(name);
    expect([stopping.isDraining, stops, exits]).toEqual([true, 1, []]);
    end();
    await waitUntil(() => exits.length > 0);
    expect(exits).toEqual([0]);
  });

  test('exits with 1 and a reason in the log where its work does not end or fails', async () => {
    const stuck = container(() => new Promise(() => {}), 10);
    stuck.signal('SIGTERM');
    await waitUntil(() => stuck.exits.length > 0);
    const failed = container(() => Promise.reject(new Error('no lease')), 60_000);
    failed.signal('SIGINT');
    await waitUntil(() => failed.exits.length > 0);
    expect([stuck.exits, failed.exits]).toEqual([[1], [1]]);
    expect(stuck.lines.at(-1)).toContain('the work did not end in time');
    expect(failed.lines.at(-1)).toContain('no lease');
  });
});

test('a port that cannot exist is an error that names its variable', () => {
  const settings = (port: string) => () =>
    deliverSettings((name) => ({ DB_URL_DELIVER: 'postgres://x', HEALTH_PORT: port })[name]);
  for (const port of ['0', '65536', '80.5', 'eighty']) expect(settings(port), port).toThrow(/^HEALTH_PORT is /);
  expect(settings('65535')().healthPort).toBe(65_535);
  expect(settings('')().healthPort).toBeNull();
});
