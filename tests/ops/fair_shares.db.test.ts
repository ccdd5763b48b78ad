import { describe, expect, test } from 'vitest';
import { ConnectionFailed } from '../../functions/_shared/pool/failure.ts';
import { FairQueue } from '../../functions/api/http/fair_queue.ts';
import { Turns } from '../../functions/api/http/turns.ts';
import { pause } from '../support/wait_until.ts';

/** Work that ends when the test calls `endOne`. */
function createWork(queue: FairQueue, limitMs = 5_000) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (party: string, name = party) =>
    queue.run(party, limitMs, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      return name;
    });
  /** Ends the oldest work that runs. */
  const endOne = async () => {
    ends.shift()?.();
    await pause(1);
  };
  return { begun, run, endOne };
}

describe('the queue for the connections', () => {
  test('gives one party half of the places, and the next free place to the party whose turn it is', async () => {
    const { begun, run, endOne } = createWork(new FairQueue(4));
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2', 'd1'].map((name) => run(name.charAt(0), name));
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
    for (let n = 0; n < 4; n += 1) await endOne();
    // Each ended place went to the party that had waited longest among those below their share.
    expect(begun.slice(4)).toEqual(['a3', 'c2', 'd1', 'a4']);
    for (let n = 0; n < 4; n += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2', 'd1']);
  });

  test('serves another party after at most one request of a party that sent a hundred', async () => {
    const { begun, run, endOne } = createWork(new FairQueue(2));
    const all = [...Array.from({ length: 100 }, (_, n) => run('a', `a${n}`)), run('b'), run('c')];
    expect(begun).toEqual(['a0', 'b']);
    await endOne();
    await endOne();
    expect(begun.slice(2)).toEqual(['a1', 'c']);
    for (let n = 0; n < 100; n += 1) await endOne();
    expect((await Promise.all(all)).length).toBe(102);
  });

  test('gives a free place to the preferred party first, which has at most half of the places', async () => {
    const { begun, run, endOne } = createWork(new FairQueue(2, 'preferred'));
    const others = ['a', 'b', 'c', 'd', 'e'].map((party) => run(party));
    const own = ['p1', 'p2', 'p3'].map((name) => run('preferred', name));
    expect(begun).toEqual(['a', 'b']);
    await endOne();
    expect(begun.slice(2)).toEqual(['p1']);
    // Its second place would be more than half, so the place of b goes to c.
    await endOne();
    expect(begun.slice(3)).toEqual(['c']);
    await endOne();
    expect(begun.slice(4)).toEqual(['p2']);
    for (let n = 0; n < 5; n += 1) await endOne();
    expect(await Promise.all([...others, ...own])).toHaveLength(8);
  });

  test('gives a single place in turns, also with a preferred party', async () => {
    const { begun, run, endOne } = createWork(new FairQueue(1, 'preferred'));
    const all = [run('a'), run('preferred', 'p1'), run('preferred', 'p2'), run('b')];
    for (let n = 0; n < 4; n += 1) await endOne();
    expect(begun).toEqual(['a', 'p1', 'b', 'p2']);
    await Promise.all(all);
  });

  test('ends a wait at its limit, and gives the work what is left of it', async () => {
    const queue = new FairQueue(1);
    const { run, endOne } = createWork(queue);
    const first = run('a');
    const lefts: number[] = [];
    const late = queue.run('b', 20, async () => 'never').catch((error: unknown) => error);
    const next = queue.run('c', 1_000, async (left) => lefts.push(left));
    expect(await late).toEqual(new ConnectionFailed('no connection was free in time', { sent: false }));
    await endOne();
    await Promise.all([first, next]);
    expect(lefts[0]).toBeGreaterThan(500);
    expect(lefts[0]).toBeLessThan(990);
  });

  test('starts no work for which no time is left', async () => {
    const { begun, run, endOne } = createWork(new FairQueue(1), 0);
    await expect(run('a')).rejects.toEqual(new ConnectionFailed('no connection was free in time', { sent: false }));
    await endOne();
    expect(begun).toEqual([]);
  });

  test('frees the place of work that failed, and lets all start when the database cannot be reached', async () => {
    const queue = new FairQueue(1);
    await expect(queue.run('a', 1_000, async () => Promise.reject(new Error('inner')))).rejects.toThrow('inner');
    const { begun, run, endOne } = createWork(queue);
    const all = [run('a', 'a1'), run('a', 'a2'), run('b')];
    expect(begun).toEqual(['a1']);
    queue.releaseAll();
    await pause(1);
    expect(begun).toEqual(['a1', 'a2', 'b']);
    for (let n = 0; n < 3; n += 1) await endOne();
    await Promise.all(all);
    expect(await queue.run('b', 1_000, async () => 'in')).toBe('in');
  });
});

test('the requests of one party begin in turns of the event loop, and those of another at once', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const take = async (name: string) => {
    await turns.take(name.charAt(0));
    begun.push(name);
  };
  const many = Array.from({ length: 6 }, (_, n) => take(`a${n}`));
  await take('b0');
  expect(begun).toEqual(['a0', 'a1', 'b0']);
  await Promise.all(many);
  expect(begun).toEqual(['a0', 'a1', 'b0', 'a2', 'a3', 'a4', 'a5']);
  await pause(5);
  await Promise.all(['a6', 'a7'].map(take));
  expect(begun.slice(7)).toEqual(['a6', 'a7']);
});
