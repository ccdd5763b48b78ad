import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import { systemRuntime } from '../../functions/_shared/system_runtime.ts';
import { type Clock, systemClock } from '../../local/venue_simulator/core/clock.ts';
import { VirtualNetwork } from './virtual_network.ts';
import { VirtualTime } from './virtual_time.ts';

describe('virtual time', () => {
  it('runs timers in the order of their times, and those of one millisecond as they were set', async () => {
    const time = new VirtualTime();
    const ran: [string, number][] = [];
    const startsAt = time.now();
    const note = (name: string) => () => ran.push([name, time.now() - startsAt]);
    time.after(20, note('late'));
    time.after(10, note('first'));
    time.after(10, () => {
      note('second')();
      time.after(0, note('at least a millisecond later'));
      time.after(10, note('after late, which was set before'));
    });
    time.after(10, note('third'));
    await time.advance(15);
    expect(time.now() - startsAt).toBe(15);
    expect(ran).toEqual([
      ['first', 10],
      ['second', 10],
      ['third', 10],
      ['at least a millisecond later', 11],
    ]);
    await time.advance(5);
    expect(ran.slice(4)).toEqual([
      ['late', 20],
      ['after late, which was set before', 20],
    ]);
  });

  it('settles promises, however long their chain, before the next timer of the same millisecond', async () => {
    const time = new VirtualTime();
    const ran: string[] = [];
    time.after(10, () => {
      void (async () => {
        for (let tick = 0; tick < 1_000; tick += 1) await null;
        process.nextTick(() => ran.push('first'));
      })();
    });
    time.after(10, () => ran.push('second'));
    await time.advance(10);
    expect(ran).toEqual(['first', 'second']);
  });

  it('waits for work outside of JavaScript, one after the other, and for what follows from it', async () => {
    const time = new VirtualTime();
    const ran: string[] = [];
    const hash = (name: string, megabytes: number) =>
      time
        .outside(() => crypto.subtle.digest('SHA-256', new Uint8Array(megabytes * 1_048_576)))
        .then(() => ran.push(name));
    time.after(10, () => {
      // The long one alone would be done last.
      void hash('long', 16).then(() => hash('third', 1));
      void hash('short', 1);
    });
    time.after(10, () => ran.push('timer'));
    await time.advance(10);
    expect(ran).toEqual(['long', 'short', 'third', 'timer']);
    await expect(time.outside(() => Promise.reject(new Error('a failure')))).rejects.toThrow('a failure');
    expect(await time.run(time.outside(async () => 'goes on'))).toBe('goes on');
  });

  it('resolves to the exact time until a condition holds, and names one that never does', async () => {
    const time = new VirtualTime();
    let count = 0;
    const cancel = time.every(30, () => {
      count += 1;
    });
    expect(await time.until(() => count === 4)).toBe(120);
    expect(await time.until(() => count === 4)).toBe(0);
    await expect(time.until(() => count === 7, { what: 'seven', limitMs: 89 })).rejects.toThrow(
      'Not within 60 ms of virtual time: seven.',
    );
    cancel();
    await expect(time.until(() => count === 7, { what: 'seven' })).rejects.toThrow('virtual time: seven.');
    expect(count).toBe(6);
  });

  it('ends a sleep at once when its signal is aborted, and leaves no timer', async () => {
    const time = new VirtualTime();
    const ending = new AbortController();
    const ended: number[] = [];
    const startsAt = time.now();
    const sleep = (ms: number) => time.sleep(ms, ending.signal).then(() => ended.push(time.now() - startsAt));
    void sleep(10);
    void sleep(1_000);
    time.after(25, () => ending.abort());
    await time.advance(30);
    void sleep(1_000);
    expect(await time.until(() => ended.length === 3)).toBe(0);
    expect(ended).toEqual([10, 25, 30]);
    await expect(time.until(() => false, { what: 'a timer' })).rejects.toThrow('Not within 0 ms');
  });

  it('draws the same numbers in every run', () => {
    const [one, other] = [new VirtualTime(), new VirtualTime()];
    const drawn = Array.from({ length: 5 }, () => one.random());
    expect(Array.from({ length: 5 }, () => other.random())).toEqual(drawn);
    expect(new Set(drawn).size).toBe(5);
  });

  it('fails when two waits let it pass at once, because each would take timers from the other', async () => {
    const time = new VirtualTime();
    const first = time.advance(10);
    await expect(time.advance(10)).rejects.toThrow('already passes');
    await first;
  });

  it('reads the body of an answer within the millisecond', async () => {
    const time = new VirtualTime();
    const network = new VirtualNetwork();
    network.listen('venue.test', { respond: async () => ({ status: 200, body: 'x'.repeat(5_000_000) }) });
    const ran: string[] = [];
    time.after(10, () => {
      void network.fetch('http://venue.test/').then(async (response) => {
        for await (const _part of response.body ?? []) await null;
        ran.push('read');
      });
    });
    time.after(10, () => ran.push('timer'));
    await time.advance(10);
    expect(ran).toEqual(['read', 'timer']);
  });
});

/** Timers, sleeps and promises in an order that does not depend on the speed of the machine. */
async function program(
  clock: Pick<Clock, 'after' | 'every'>,
  { sleep }: Pick<Runtime, 'sleep'>,
  note: (what: string) => void,
): Promise<void> {
  const ending = new AbortController();
  const cancelled = clock.after(20, () => note('a cancelled timer'));
  const stop = clock.every(15, () => {
    note('an interval');
    stop();
  });
  const sleeps = [40, 30, 5].map((ms) => sleep(ms).then(() => note(`${ms} ms`)));
  const aborted = sleep(60_000, ending.signal).then(() => note('an aborted sleep'));
  clock.after(5, () => {
    note('a timer after the sleep of 5 ms');
    void Promise.resolve().then(() => note('its promise'));
  });
  clock.after(5, () => note('another timer of 5 ms'));
  clock.after(25, () => {
    note('25 ms');
    ending.abort();
    note('still the same call');
  });
  cancelled();
  await Promise.all([...sleeps, aborted]);
}

it('the same program runs in the same order in real time, which is at least as long', async () => {
  const real: string[] = [];
  const began = performance.now();
  await program(systemClock, systemRuntime, (what) => real.push(what));
  const realMs = performance.now() - began;

  const virtual: string[] = [];
  const time = new VirtualTime();
  const startsAt = time.now();
  await time.run(program(time, time, (what) => virtual.push(what)));
  expect(virtual).toEqual(real);
  expect(virtual).toEqual([
    '5 ms',
    'a timer after the sleep of 5 ms',
    'its promise',
    'another timer of 5 ms',
    'an interval',
    '25 ms',
    'still the same call',
    'an aborted sleep',
    '30 ms',
    '40 ms',
  ]);
  expect(time.now() - startsAt).toBe(40);
  // A timer of Node may run a millisecond early by this clock.
  expect(realMs).toBeGreaterThan(38);
});
