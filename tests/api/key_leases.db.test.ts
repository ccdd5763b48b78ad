import { beforeEach, describe, expect, test } from 'vitest';
import { KeyLeases } from '../../functions/api/leases/key_leases.ts';
import type { LeaseRow, ReturnedLease } from '../../functions/api/leases/lease_row.ts';
import { pause } from '../support/wait_until.ts';
import { TestLeaseClock } from './support/lease_clock.ts';

// A database that grants what is wanted, up to `limit`, for a second.
// tests/account/leases.db.test.ts has the real one.
let clock: TestLeaseClock;
let limit: number;
let wanted: number[];
let returned: ReturnedLease[];
let isDown: boolean;
let rows: LeaseRow[];
let leases: KeyLeases;

function rowOf(granted: number): LeaseRow {
  const counts = { window_quota: 6_000, window_used: 100 + granted, month_quota: 9_000_000, month_used: 500 + granted };
  return {
    ...{ code: null, lease_id: granted > 0 ? `lease ${wanted.length}` : null, granted, valid_ms: 1_000 },
    ...{ version: '1.1', as_of: '2026-11-20T11:58:00.000Z', step_left_ms: 5_000, tier: 'pro', lease_limit: limit },
    ...{ ...counts, window_left_ms: 59_500, month_left_s: 86_400, month_ends_at: '2026-12-01T00:00:00.000Z' },
  };
}

beforeEach(() => {
  clock = new TestLeaseClock();
  [limit, wanted, returned, rows, isDown] = [600, [], [], [], false];
  leases = new KeyLeases({
    keyHash: 'hash',
    clock,
    calls: {
      async lease(_keyHash, count, ended) {
        wanted.push(count);
        await pause(1);
        if (isDown) throw new Error('the database does not answer');
        if (ended) returned.push(ended);
        return rowOf(Math.min(count, limit));
      },
      async giveBack(ended) {
        if (isDown) throw new Error('the database does not answer');
        returned.push(ended);
      },
    },
    onRow: (row) => rows.push(row),
  });
});

/** Requests at one moment. Returns how many were counted here. */
async function request(times: number, hasData = true): Promise<number> {
  const one = async () => {
    leases.countDemand();
    return (await leases.hasLease()) && leases.take(hasData) !== undefined ? 1 : 0;
  };
  const results = await Promise.all(Array.from({ length: times }, one));
  return results.reduce((sum: number, result) => sum + result, 0);
}

describe('the leases of a key', () => {
  test('begin at 16 requests in a second, with one call for all of them', async () => {
    expect(await request(15)).toBe(0);
    expect(wanted).toEqual([]);
    expect(await request(10)).toBe(10);
    expect(wanted).toEqual([24]);
  });

  test('grow with the requests, up to what the database grants', async () => {
    await request(16);
    expect(await request(40)).toBe(23);
    expect(wanted).toEqual([24]);
    expect(await request(1)).toBe(1);
    expect(wanted).toEqual([24, 86]);
    limit = 30;
    await request(100);
    expect(await request(1)).toBe(1);
    expect(wanted).toHaveLength(3);
    expect(await request(60)).toBe(29);
  });

  test('each end after their second, and the next one returns the rest', async () => {
    await request(20);
    clock.pass(999);
    expect(await request(1)).toBe(1);
    expect(leases.isAlive).toBe(true);
    clock.stepWall(1);
    expect(await request(1)).toBe(1);
    expect(returned).toEqual([{ leaseId: 'lease 1', unusedWindow: 18, unusedMonth: 18 }]);
    expect(wanted).toHaveLength(2);
  });

  test('are returned by a timer when no request follows', async () => {
    await request(16);
    expect(wanted).toEqual([24]);
    expect(await request(3, false)).toBe(3);
    clock.pass(1_000);
    await pause(2);
    expect(returned).toEqual([{ leaseId: 'lease 1', unusedWindow: 20, unusedMonth: 23 }]);
    clock.pass(10_000);
    await pause(2);
    expect(returned).toHaveLength(1);
  });

  test('end by the clock of the host as well, which goes on while a machine is suspended', async () => {
    await request(16);
    expect(leases.isAlive).toBe(true);
    clock.stepWall(-3_600_000);
    expect(leases.isAlive).toBe(true);
    clock.stepWall(3_600_000 + 1_000);
    expect(leases.isAlive).toBe(false);
    clock.stepWall(-1_000);
    expect(leases.isAlive).toBe(false);
  });

  test('pause for a second after the database grants none, or does not answer', async () => {
    limit = 0;
    expect(await request(20)).toBe(0);
    expect(await request(20)).toBe(0);
    expect(wanted).toHaveLength(1);
    isDown = true;
    clock.pass(1_000);
    expect(await request(20)).toBe(0);
    expect(wanted).toHaveLength(2);
    [limit, isDown] = [600, false];
    expect(await request(20)).toBe(0);
    clock.pass(1_000);
    expect(await request(20)).toBe(20);
  });

  test('are returned again until the database has answered', async () => {
    await request(20);
    isDown = true;
    clock.pass(1_000);
    await pause(2);
    expect(await request(20)).toBe(0);
    clock.pass(1_000);
    await pause(2);
    isDown = false;
    clock.pass(1_000);
    await pause(2);
    expect(returned).toEqual([{ leaseId: 'lease 1', unusedWindow: 19, unusedMonth: 19 }]);
  });

  test('count down in the rate state, with the seconds that are left', async () => {
    await request(16);
    clock.pass(600);
    leases.take(true);
    expect(leases.take(false)).toEqual({
      ...{ tier: 'pro', window_quota: 6_000, window_used: 103, window_left_s: 59 },
      ...{ month_quota: 9_000_000, month_used: 502, month_left_s: 86_400, month_ends_at: '2026-12-01T00:00:00.000Z' },
    });
  });

  test('end with their owner, which returns the rest and takes no more', async () => {
    await request(20);
    await leases.close();
    expect(returned).toEqual([{ leaseId: 'lease 1', unusedWindow: 19, unusedMonth: 19 }]);
    expect(await request(40)).toBe(0);
    expect(wanted).toHaveLength(1);
  });

  test('share one call that refreshes a body', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      await pause(1);
    };
    const first = leases.refresh('list', work);
    const waiting = leases.refreshOf('list');
    expect(waiting).toBeDefined();
    await Promise.all([first, waiting]);
    expect([runs, leases.refreshOf('list')]).toEqual([1, undefined]);
  });
});
