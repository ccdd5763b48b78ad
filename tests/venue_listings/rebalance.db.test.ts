import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: workers without an end share the shards evenly while others come and go. A shard moves
 * only to a worker that has read its books, and the distribution comes to rest.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

type Claimed = { name: string; token: string; warm: boolean; ends: boolean };

/** A worker as SQL sees it: it claims, and takes over what it has warmed up. */
class Worker {
  readonly id = randomUUID();
  readonly endsAt: Date | null;
  warming: string[] = [];

  constructor(endsAt: Date | null = null) {
    this.endsAt = endsAt;
  }

  async claim(limit = 64): Promise<Claimed[]> {
    const rows = await db.sql<Claimed[]>`
      select c.name, c.token, c.warm, c.ends
      from venue.claim_leases(${this.id}, 'books:', ${limit}, interval '1 minute', ${this.endsAt}) c
      order by c.name`;
    this.warming = rows.filter(({ warm }) => warm).map(({ name }) => name);
    return rows;
  }

  async takeOver(): Promise<void> {
    for (const name of this.warming.splice(0))
      await db.sql`select venue.take_over_lease(${this.id}, ${name}, interval '1 minute', ${this.endsAt})`;
  }

  async held(): Promise<string[]> {
    const rows = await db.sql<{ name: string }[]>`
      select name from venue.leases where holder = ${this.id} and expires_at > clock_timestamp() order by name`;
    return rows.map(({ name }) => name);
  }

  async release(): Promise<void> {
    const rows = await db.sql<{ name: string; token: string }[]>`
      select name, token from venue.leases where holder = ${this.id}`;
    const tokens = Object.fromEntries(rows.map(({ name, token }) => [name, token]));
    await db.sql`select venue.release_leases(${this.id}, ${db.sql.json(tokens)})`;
  }
}

/** Frees all leases and sets the number of shards. */
async function reset(shards: number): Promise<void> {
  await db.sql`select price.set_shard_count(${shards}::smallint)`;
  await db.sql`
    update venue.leases
    set holder = null, expires_at = null, handover_at = null, successor = null, successor_expires_at = null`;
}
const namesOf = (rows: readonly Claimed[]): string[] => rows.map(({ name }) => name);
/** Every worker claims and takes over, some times. Two rounds are enough for two workers. */
async function settle(workers: readonly Worker[], rounds = workers.length + 1): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const worker of workers) {
      await worker.claim();
      await worker.takeOver();
    }
}
const counts = async (workers: readonly Worker[]): Promise<number[]> =>
  (await Promise.all(workers.map((worker) => worker.held()))).map(({ length }) => length);

beforeEach(() => reset(4));

describe('venue.claim_leases', () => {
  it('reserves half of the shards for a second worker, and their holder writes them until it takes over', async () => {
    const [first, second] = [new Worker(), new Worker()];
    await first.claim();
    const reserved = await second.claim();
    expect(reserved.map(({ name, warm, ends }) => [name, warm, ends])).toEqual([
      ['books:2', true, false],
      ['books:3', true, false],
    ]);
    expect([await first.held(), await second.held()]).toEqual([['books:0', 'books:1', 'books:2', 'books:3'], []]);
    // The reservation is repeated with each claim, and is the same.
    expect(namesOf(await second.claim())).toEqual(['books:2', 'books:3']);
    const old = Object.fromEntries(reserved.map(({ name, token }) => [name, Number(token)]));
    await second.takeOver();
    expect([await first.held(), await second.held()]).toEqual([
      ['books:0', 'books:1'],
      ['books:2', 'books:3'],
    ]);
    const [row] = await db.sql<{ held: string[] }[]>`select venue.lock_held_leases(${db.sql.json(old)}) as held`;
    expect(row?.held).toEqual([]);
  });

  it('moves nothing once no worker has two shards more than another', async () => {
    await reset(5);
    const workers = [new Worker(), new Worker(), new Worker()];
    await settle(workers);
    expect((await counts(workers)).sort()).toEqual([1, 2, 2]);
    for (let round = 0; round < 3; round++) for (const worker of workers) expect(await worker.claim()).toEqual([]);
  });

  it('reserves a shard for one worker only when two join at once', async () => {
    const [first, second, third] = [new Worker(), new Worker(), new Worker()];
    await first.claim();
    const reserved = (await Promise.all([second.claim(), third.claim()])).flatMap(namesOf);
    expect(new Set(reserved).size).toBe(reserved.length);
    await settle([first, second, third]);
    expect((await counts([first, second, third])).sort()).toEqual([1, 1, 2]);
  });

  it('moves no shard to a call, which ends soon', async () => {
    const container = new Worker();
    await container.claim();
    expect(await new Worker(new Date(Date.now() + 400_000)).claim()).toEqual([]);
  });

  it('gives free shards first, and moves others only where the numbers still differ', async () => {
    const [first, second] = [new Worker(), new Worker()];
    await first.claim(2);
    expect((await second.claim()).map(({ name, warm }) => [name, warm])).toEqual([
      ['books:2', false],
      ['books:3', false],
    ]);
    expect(await second.claim()).toEqual([]);
  });

  it('gives back a reservation that is not needed any more', async () => {
    const [first, second, third] = [new Worker(), new Worker(), new Worker()];
    await reset(6);
    await first.claim(4);
    await third.claim(2);
    expect(namesOf(await second.claim())).toHaveLength(2);
    await third.release();
    // Now two shards are free: with them, the second has as many as it needs.
    expect((await second.claim()).filter(({ warm }) => !warm)).toHaveLength(2);
    await second.takeOver();
    expect(await counts([first, second])).toEqual([4, 2]);
    await settle([second, first]);
    expect(await counts([first, second])).toEqual([3, 3]);
  });

  it('moves shards of a worker that is lost but whose leases are not over yet', async () => {
    const [lost, joining] = [new Worker(), new Worker()];
    await lost.claim();
    await joining.claim();
    await joining.takeOver();
    expect(await counts([lost, joining])).toEqual([2, 2]);
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 ms' where holder = ${lost.id}`;
    expect((await joining.claim()).map(({ warm }) => warm)).toEqual([false, false]);
    expect(await counts([lost, joining])).toEqual([0, 4]);
  });

  it('comes to rest with a difference of one at most, when workers come, go and die in any order', async () => {
    // A small generator, so that a failure can be repeated.
    let seed = 20_261_127;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let run = 0; run < 12; run++) {
      const shards = 1 + random(12);
      await reset(shards);
      let workers = [new Worker()];
      for (let step = 0; step < 12; step++) {
        const worker = workers[random(workers.length)] ?? new Worker();
        const act = random(6);
        if (act === 0) workers.push(new Worker());
        else if (act === 1 && workers.length > 1) {
          await worker.release();
          workers = workers.filter((one) => one !== worker);
        } else if (act === 2 && workers.length > 1) {
          await db.sql`update venue.leases set expires_at = clock_timestamp() where holder = ${worker.id}`;
          workers = workers.filter((one) => one !== worker);
        } else if (act === 3) await worker.takeOver();
        else await worker.claim();
      }
      // Reservations of workers that have gone end after 20 s.
      await db.sql`update venue.leases set successor_expires_at = clock_timestamp() where successor is not null`;
      await settle(workers);
      const found = await counts(workers);
      expect(found.reduce((sum, count) => sum + count, 0)).toBe(shards);
      expect(Math.max(...found) - Math.min(...found), `run ${run}: ${found}`).toBeLessThanOrEqual(1);
      for (const worker of workers) expect(await worker.claim(), `run ${run} is at rest`).toEqual([]);
    }
  });
});
