import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Allowance } from '../../functions/_shared/allowance.ts';
import { resolveAddresses } from '../../functions/_shared/dns.ts';
import { createLogBrake } from '../../functions/_shared/log_brake.ts';
import { ConcurrencyLimit } from '../../functions/api/http/concurrency_limit.ts';
import { FairQueue } from '../../functions/api/http/fair_queue.ts';
import { RefusalBrake } from '../../functions/api/http/refusal_brake.ts';
import { Turns } from '../../functions/api/http/turns.ts';
import { KeyOrgs } from '../../functions/api/key_orgs.ts';

/**
 * Guarantee: what an isolate shares between its callers is shared fairly, is given back every time,
 * and has no state that a second use finds used up.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Work that `end` ends, and the order in which it began. */
function jobs() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)?.();
      await vi.advanceTimersByTimeAsync(0);
    }
  };
  return { begun, work, end };
}

describe('the fair queue', () => {
  test('gives a party at most half, and a free place to the party whose turn it is', async () => {
    const queue = new FairQueue(4);
    const { begun, work, end } = jobs();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'])
      void queue.run(name.slice(0, 1), 60_000, work(name));
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
    await end('b1', 'a1', 'b2', 'a2');
    // c waits since before the third of a. Then both take turns.
    expect(begun.slice(4)).toEqual(['a3', 'c1', 'a4', 'c2'].sort((x, y) => begun.indexOf(x) - begun.indexOf(y)));
    expect(begun.slice(4).sort()).toEqual(['a3', 'a4', 'c1', 'c2']);
    expect(begun.indexOf('c1')).toBeLessThan(begun.indexOf('a4'));
    await end('a3', 'a4', 'c1', 'c2');
    // All places are free again, as often as they were taken.
    for (const name of ['d1', 'd2', 'e1', 'e2', 'f1']) void queue.run(name.slice(0, 1), 60_000, work(name));
    await vi.advanceTimersByTimeAsync(0);
    expect(begun.slice(8)).toEqual(['d1', 'd2', 'e1', 'e2']);
  });

  test('serves its preferred party first, with at most half, and none where there is one place', async () => {
    const queue = new FairQueue(4, 'us');
    const { begun, work, end } = jobs();
    for (const name of ['a1', 'a2', 'b1', 'b2', 'c1', 'us1', 'us2', 'us3'])
      void queue.run(name.replace(/\d/, ''), 60_000, work(name));
    await end('a1', 'a2', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'us1', 'us2', 'c1']);
    await end('b2');
    expect(begun).toHaveLength(7);
    await end('us1');
    expect(begun.at(-1)).toBe('us3');
    const one = new FairQueue(1, 'us');
    const other = jobs();
    for (const name of ['a1', 'b1', 'us1']) void one.run(name.replace(/\d/, ''), 60_000, other.work(name));
    await other.end('a1');
    expect(other.begun).toEqual(['a1', 'b1']);
  });

  test('refuses who waited too long, gives the rest of the time on, and frees the place of work that failed', async () => {
    const queue = new FairQueue(2);
    const { begun, work, end } = jobs();
    void queue.run('a', 60_000, work('a1'));
    const late = queue.run('a', 1_000, work('a2')).catch((error: Error) => error.message);
    const left: number[] = [];
    const waiting = queue.run('a', 5_000, async (ms) => void left.push(Math.round(ms)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toContain('in time');
    await vi.advanceTimersByTimeAsync(500);
    await end('a1');
    await waiting;
    expect([begun, left]).toEqual([['a1'], [3_500]]);
    const failing = () => queue.run('a', 1_000, () => Promise.reject(new Error('no')));
    for (let n = 0; n < 5; n += 1) await expect(failing()).rejects.toThrow('no');
    await expect(queue.run('a', 1_000, async (ms) => ms)).resolves.toBe(1_000);
  });

  test('lets all start while the database cannot be reached, and is fair again after', async () => {
    const queue = new FairQueue(2);
    const { begun, work, end } = jobs();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void queue.run(name.slice(0, 1), 60_000, work(name));
    queue.releaseAll();
    await vi.advanceTimersByTimeAsync(0);
    expect([...begun].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
    await end(...begun);
    void queue.run('a', 60_000, work('a4'));
    const refused = queue.run('a', 60_000, work('a5')).catch(() => 'refused');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await refused).toBe('refused');
    expect(begun.slice(5)).toEqual(['a4']);
  });
});

test('two requests of one party begin in one turn, the others two at a time, and other parties do not wait', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const take = (name: string) => void turns.take(name.slice(0, 1)).then(() => begun.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) take(name);
  await Promise.resolve();
  await Promise.resolve();
  expect([...begun].sort()).toEqual(['a1', 'a2', 'b1']);
  await vi.advanceTimersToNextTimerAsync();
  take('a6');
  expect(begun.slice(3)).toEqual(['a3', 'a4']);
  await vi.advanceTimersToNextTimerAsync();
  expect(begun.slice(5)).toEqual(['a5', 'a6']);
  await vi.runAllTimersAsync();
  // A calm turn is over: two begin at once again.
  for (const name of ['a7', 'a8', 'a9']) take(name);
  await Promise.resolve();
  await Promise.resolve();
  expect(begun.slice(7)).toEqual(['a7', 'a8']);
});

describe('refusals', () => {
  test('are sent at once for fifty and then ten a second, and else held one to three seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const brake = new RefusalBrake();
    const sent: number[] = [];
    const began = performance.now();
    const refuse = () => void brake.hold(performance.now()).then(() => sent.push(performance.now() - began));
    for (let n = 0; n < 52; n += 1) refuse();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(50);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(sent).toHaveLength(50);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.slice(50)).toEqual([2_000, 2_000]);
    // Twenty places were filled again in two seconds.
    for (let n = 0; n < 21; n += 1) refuse();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(72);
  });

  test('are not held above a thousand, nor once their time is over', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const brake = new RefusalBrake();
    let sent = 0;
    for (let n = 0; n < 1_060; n += 1) void brake.hold(performance.now()).then(() => (sent += 1));
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toBe(60);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toBe(1_060);
    for (let n = 0; n < 10; n += 1) void brake.hold(performance.now());
    let isSent = false;
    void brake.hold(performance.now() - 1_000).then(() => {
      isSent = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(isSent).toBe(true);
  });
});

test('an allowance takes all or nothing, fills with time up to its burst, and a second use starts where it was', async () => {
  const allowance = new Allowance(10, 4);
  expect([allowance.take(11), allowance.take(10), allowance.take(1)]).toEqual([false, true, false]);
  await vi.advanceTimersByTimeAsync(249);
  expect(allowance.take(1)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([allowance.take(1), allowance.take(1)]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([allowance.take(10), allowance.take(1)]).toEqual([true, false]);
});

test('a log brake writes the first line at once and the last of the others each second, by key', async () => {
  const lines: unknown[] = [];
  const write = createLogBrake({ write: (...line: unknown[]) => void lines.push(line) } as never);
  for (const n of [1, 2, 3]) write('a', 'info', 'refused', { n });
  write('b', 'info', 'other', {});
  expect(lines).toEqual([
    ['info', 'refused', { n: 1 }],
    ['info', 'other', {}],
  ]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines[2]).toEqual(['info', 'refused', { n: 3, suppressed: 1 }, undefined]);
  write('a', 'info', 'refused', { n: 4 });
  write('b', 'info', 'other', { again: true });
  expect(lines[3]).toEqual(['info', 'other', { again: true }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines[4]).toEqual(['info', 'refused', { n: 4, suppressed: 0 }, undefined]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lines).toHaveLength(5);
  write('a', 'info', 'refused', { n: 5 });
  expect(lines).toHaveLength(6);
});

describe('the organizations of keys', () => {
  function lookups(find: (hashes: readonly string[]) => Promise<Map<string, string>>) {
    const asked: string[][] = [];
    const orgs = new KeyOrgs(async (hashes) => {
      asked.push([...hashes]);
      return await find(hashes);
    });
    return { orgs, asked };
  }
  const known = new Map([
    ['k1', 'org 1'],
    ['k2', 'org 2'],
  ]);
  const settle = async <T>(promise: Promise<T>) => {
    await vi.advanceTimersByTimeAsync(100);
    return await promise;
  };

  test('are asked once for each key, together, and not again', async () => {
    const { orgs, asked } = lookups(async () => known);
    const first = [orgs.orgOf('k1'), orgs.orgOf('k1'), orgs.orgOf('k2'), orgs.orgOf('x')];
    expect(await settle(Promise.all(first))).toEqual(['org 1', 'org 1', 'org 2', undefined]);
    expect(asked).toEqual([['k1'], ['k2', 'x']]);
    expect(await settle(Promise.all([orgs.orgOf('k1'), orgs.orgOf('x')]))).toEqual(['org 1', undefined]);
    expect(asked).toHaveLength(2);
  });

  test('are none once the database has refused a key', async () => {
    const { orgs, asked } = lookups(async () => known);
    await settle(orgs.orgOf('k1'));
    orgs.setUnknown('k1');
    expect(await settle(orgs.orgOf('k1'))).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('are asked again after a query that failed, at most every 20 ms, one query at a time', async () => {
    let fails = true;
    const times: number[] = [];
    const { orgs } = lookups(async () => {
      times.push(performance.now());
      if (fails) throw new Error('cut');
      return known;
    });
    const failed = orgs.orgOf('k1').catch((error: Error) => error.message);
    expect(await settle(failed)).toBe('cut');
    fails = false;
    expect(await settle(orgs.orgOf('k1'))).toBe('org 1');
    const more = [orgs.orgOf('k2')];
    await vi.advanceTimersByTimeAsync(1);
    more.push(orgs.orgOf('k3'));
    await settle(Promise.all(more));
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBe(20);
  });

  test('are refused while a thousand keys wait', async () => {
    const { orgs } = lookups(() => new Promise(() => {}));
    for (let n = 0; n < 1_000; n += 1) void orgs.orgOf(`k${n}`);
    await expect(orgs.orgOf('one more')).rejects.toMatchObject({ code: 'admission.full' });
    // A key that waits already may wait for the same answer.
    expect(await Promise.race([orgs.orgOf('k5'), Promise.resolve('waits')])).toBe('waits');
  });
});

describe('a limit of concurrent calls', () => {
  test('gives a party a place while it has fewer than are free', async () => {
    const limit = new ConcurrencyLimit(5);
    const { begun, work, end } = jobs();
    const run = (name: string) =>
      limit.run(name.slice(0, 1), work(name)).catch((error: { code: string }) => error.code);
    // a has none of 5, one of 5, two of 5. With three, two are free.
    for (const name of ['a1', 'a2', 'a3']) void run(name);
    expect(await run('a4')).toBe('admission.full');
    void run('b1');
    expect(await run('b2')).toBe('admission.full');
    void run('c1');
    expect(await run('d1')).toBe('admission.full');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
    await end('a1');
    void run('d2');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun.at(-1)).toBe('d2');
  });

  test('refuses above it, counts each party by itself, and frees a place each time', async () => {
    const limit = new ConcurrencyLimit(3, { max: 2, error: () => new Error('too many of one') as never });
    const { begun, work, end } = jobs();
    const run = (name: string) => limit.run(name.slice(0, 1), work(name)).catch((error: Error) => error.message);
    void run('a1');
    void run('a2');
    expect(await run('a3')).toBe('too many of one');
    void run('b1');
    expect(await run('b2')).not.toBe('b2');
    await end('a1', 'a2', 'b1');
    for (const name of ['c1', 'c2', 'd1']) void run(name);
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'c2', 'd1']);
  });
});

describe('the addresses of a name', () => {
  const error = (code: string) => Object.assign(new Error(code), { code });
  const notFound = Object.assign(new Error('no record'), { name: 'NotFound' });
  const never = () => new Promise<string[]>(() => {});
  const found =
    (...addresses: string[]) =>
    async () =>
      addresses;
  const fails = (why: Error) => () => Promise.reject(why);

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>, object]>([
    ['both families', found('192.0.2.1'), found('2001:db8::1'), { addresses: ['192.0.2.1', '2001:db8::1'] }],
    ['one, the other has none', found('192.0.2.1'), fails(error('ENODATA')), { addresses: ['192.0.2.1'] }],
    ['one, the other times out', never, found('2001:db8::1'), { addresses: ['2001:db8::1'] }],
    ['one, the other fails', found('192.0.2.1'), fails(error('ECONNREFUSED')), { addresses: ['192.0.2.1'] }],
    ['none, one times out', never, fails(error('ENOTFOUND')), { timedOut: true }],
    ['none, one fails', fails(error('ENODATA')), fails(error('ECONNREFUSED')), { timedOut: true }],
    ['none at all', fails(error('ENOTFOUND')), fails(notFound), { addresses: [] }],
    ['none by a server that fails', fails(error('ESERVFAIL')), fails(notFound), { addresses: [] }],
    ['no texts', async () => [{ address: 'x' }, 5], async () => 'text', { addresses: [] }],
  ])('are %s', async (_, a, aaaa, expected) => {
    const answer = resolveAddresses((_name, type) => (type === 'A' ? a() : aaaa()), 'x.test', 2_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toEqual(expected);
  });

  test('are unknown after their time and not before it', async () => {
    let answer: unknown = 'waits';
    void resolveAddresses(never, 'x.test', 2_000).then((found) => {
      answer = found;
    });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(answer).toBe('waits');
    await vi.advanceTimersByTimeAsync(1);
    expect(answer).toEqual({ timedOut: true });
  });
});
