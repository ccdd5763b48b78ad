import { expect } from 'vitest';
import { hashKey } from '../../../functions/_shared/http/hash_key.ts';
import type { Pool } from '../../../functions/_shared/pool/pool.ts';
import { ApiQueries, connect } from '../../../functions/api/database.ts';
import { KeyLeases } from '../../../functions/api/leases/key_leases.ts';
import type { ReturnedLease } from '../../../functions/api/leases/lease_row.ts';
import { TestLeaseClock } from '../../api/support/lease_clock.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { DatabaseTime } from '../../support/database_time.ts';

export type Step =
  /** Requests at one moment, to one isolate or over all of them. */
  | { kind: 'requests'; times: number; spread: boolean; isolate: number; hasData: boolean }
  /** Time passes for all. */
  | { kind: 'time'; ms: number }
  /** An isolate dies with its lease. Another takes its place. */
  | { kind: 'kill'; isolate: number }
  /** An isolate stops in order. Another takes its place. */
  | { kind: 'stop'; isolate: number }
  /** The clock of the database is set. */
  | { kind: 'database clock'; ms: number }
  /** The clock of the host of one isolate is set. */
  | { kind: 'host clock'; isolate: number; ms: number }
  | { kind: 'plan'; tier: 'free' | 'pro'; percent: number }
  /** The key is revoked, and another one takes its place. */
  | { kind: 'revoke' }
  /** The month ends. */
  | { kind: 'month' };

/** A lease as the model knows it: what its isolate served from it, and what it gave back. */
type KnownLease = {
  granted: number;
  validUntil: number;
  window: number;
  used: number;
  usedMonth: number;
  isReturned: boolean;
};

type Isolate = {
  pool: Pool;
  queries: ApiQueries;
  clock: TestLeaseClock;
  leases: KeyLeases;
  current: KnownLease | undefined;
};

let organizations = 0;

/**
 * Isolates of functions/api on one database, with their real queries, and a count of what each
 * served. The test moves the time of the database.
 */
export class LeaseModel {
  readonly #db: TestDatabase;
  readonly #time: DatabaseTime;
  readonly #isolates: Isolate[] = [];
  readonly #all = new Map<string, KnownLease>();
  #org = '';
  #keyHash = '';
  #window = 0;
  #windowBeganAt = '';
  /** Requests that the database counted, by window; with data, in all months. */
  readonly #counted = new Map<number, number>();
  #countedMonth = 0;
  servedByLease = 0;
  servedByDatabase = 0;

  private constructor(db: TestDatabase, time: DatabaseTime) {
    this.#db = db;
    this.#time = time;
  }

  static async create(db: TestDatabase, time: DatabaseTime, isolates: number): Promise<LeaseModel> {
    const model = new LeaseModel(db, time);
    const name = `model ${++organizations}`;
    model.#keyHash = await model.#mint(name);
    const [row] = await db.sql<{ id: string }[]>`select account.find_organization(${name}) as id`;
    model.#org = row?.id ?? '';
    await db.sql`select account.set_lease_percent(${model.#org}, 25)`;
    for (let place = 0; place < isolates; place += 1) model.#isolates.push(model.#startIsolate());
    return model;
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'requests') await this.#request(step);
    else if (step.kind === 'time') await this.#passTime(step.ms);
    else if (step.kind === 'kill') await this.#replace(step.isolate);
    else if (step.kind === 'stop') {
      await this.#at(step.isolate).leases.close();
      await this.#replace(step.isolate);
    } else if (step.kind === 'database clock') await this.#time.pass(step.ms);
    else if (step.kind === 'host clock') this.#at(step.isolate).clock.stepWall(step.ms);
    else if (step.kind === 'plan') {
      await this.#db.sql`select account.set_plan(${this.#org}, ${step.tier}, 'active')`;
      await this.#db.sql`select account.set_lease_percent(${this.#org}, ${step.percent})`;
    } else if (step.kind === 'revoke') await this.#revoke();
    else await this.#endMonth();
  }

  /** Compares the counts of the database with what was served. */
  async check(): Promise<void> {
    await this.#settle();
    const [usage] = await this.#db.sql<{ window_used: number; month_used: string }[]>`
      select u.window_used,
             u.month_used + coalesce((select sum(m.used) from account.monthly_usage m where m.org_id = u.org_id), 0)
               as month_used
      from account.usage u
      where u.org_id = ${this.#org}`;
    const leases = [...this.#all.values()];
    const ofWindow = leases.filter(({ window }) => window === this.#window);
    const sum = (all: readonly KnownLease[], of: (lease: KnownLease) => number) =>
      all.reduce((total, lease) => total + of(lease), 0);
    const counted = this.#counted.get(this.#window) ?? 0;
    expect(usage?.window_used).toBe(
      counted + sum(ofWindow, (lease) => (lease.isReturned ? lease.used : lease.granted)),
    );
    const month = this.#countedMonth + sum(leases, (lease) => (lease.isReturned ? lease.usedMonth : lease.granted));
    expect(Number(usage?.month_used)).toBe(month);
    for (const lease of leases) expect(lease.used).toBeLessThanOrEqual(lease.granted);
  }

  async returnAll(): Promise<void> {
    for (const { leases } of this.#isolates) await leases.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#isolates.map(({ pool }) => pool.end(1_000)));
  }

  #at(place: number): Isolate {
    const isolate = this.#isolates[place % this.#isolates.length];
    if (!isolate) throw new Error('no isolate');
    return isolate;
  }

  async #mint(name: string): Promise<string> {
    const [row] = await this.#db.sql<{ key: string }[]>`select account.mint_key(${name}, 'pro') as key`;
    return hashKey(row?.key ?? '');
  }

  #startIsolate(): Isolate {
    const pool = connect(this.#db.url('parallax_api'), () => {}, 2);
    const queries = new ApiQueries(pool);
    const clock = new TestLeaseClock();
    const isolate: Isolate = { pool, queries, clock, leases: this.#createLeases(() => isolate), current: undefined };
    return isolate;
  }

  #createLeases(isolateOf: () => Isolate): KeyLeases {
    // Read when they are used: the isolate is made with its leases.
    const clock = {
      elapsed: () => isolateOf().clock.elapsed(),
      wall: () => isolateOf().clock.wall(),
      after: (ms: number, work: () => void) => isolateOf().clock.after(ms, work),
    };
    return new KeyLeases({
      keyHash: this.#keyHash,
      clock,
      calls: {
        lease: async (keyHash, wanted, returned) => {
          const isolate = isolateOf();
          const sentAt = isolate.clock.elapsed();
          const settle = returned && (await this.#returning(returned));
          const row = await isolate.queries.leaseRequests(keyHash, wanted, returned);
          settle?.();
          isolate.current = undefined;
          if (row.lease_id === null || row.granted === null) return row;
          expect(row.window_used).toBeLessThanOrEqual(row.window_quota ?? 0);
          expect(row.month_used).toBeLessThanOrEqual(row.month_quota ?? 0);
          const validUntil = sentAt + (row.valid_ms ?? 0);
          const lease = { granted: row.granted, validUntil, window: -1, used: 0, usedMonth: 0, isReturned: false };
          isolate.current = lease;
          this.#all.set(row.lease_id, lease);
          return row;
        },
        giveBack: (returned) => this.#track(this.#giveBack(isolateOf().queries, returned)),
      },
      onRow: () => {},
    });
  }

  async #giveBack(queries: ApiQueries, returned: ReturnedLease): Promise<void> {
    const settle = await this.#returning(returned);
    await queries.returnRequests(returned);
    settle();
  }

  /** Checks what is given back. The result marks the lease, where the database still takes it. */
  async #returning({ leaseId, unusedWindow, unusedMonth }: ReturnedLease): Promise<() => void> {
    const lease = this.#all.get(leaseId);
    if (!lease) throw new Error('an unknown lease was returned');
    expect([unusedWindow, unusedMonth]).toEqual([lease.granted - lease.used, lease.granted - lease.usedMonth]);
    const open = await this.#db.sql`
      select from account.request_leases where lease_id = ${leaseId} and account.is_lease_open(expires_at)`;
    return () => {
      lease.isReturned ||= open.length > 0;
    };
  }

  readonly #inFlight = new Set<Promise<void>>();

  async #track(call: Promise<void>): Promise<void> {
    this.#inFlight.add(call);
    await call.finally(() => this.#inFlight.delete(call));
  }

  async #request({ times, spread, isolate, hasData }: Extract<Step, { kind: 'requests' }>): Promise<void> {
    const one = async (at: Isolate): Promise<void> => {
      at.leases.countDemand();
      if ((await at.leases.hasLease()) && at.leases.take(hasData)) return this.#onServed(at, hasData);
      const [row] = await at.pool.query<{ code: string | null; window_used: number; window_quota: number }>(
        'select code, window_used, window_quota from account.admit($1, true, 1, $2)',
        [`\\x${this.#keyHash}`, hasData ? 1 : 0],
      );
      if (!row || row.code !== null) return;
      expect(row.window_used).toBeLessThanOrEqual(row.window_quota);
      this.servedByDatabase += 1;
      this.#pending += 1;
      if (hasData) this.#countedMonth += 1;
    };
    await Promise.all(Array.from({ length: times }, (_, place) => one(this.#at(spread ? place : isolate))));
    await this.#settle();
  }

  /** Requests that the database counted since the last look at its window. */
  #pending = 0;

  #onServed(isolate: Isolate, hasData: boolean): void {
    const lease = isolate.current;
    if (!lease) throw new Error('a request was served without a lease');
    expect(isolate.clock.elapsed()).toBeLessThan(lease.validUntil);
    lease.used += 1;
    if (hasData) lease.usedMonth += 1;
    this.servedByLease += 1;
  }

  /**
   * Reads the window of the database. Within one step at most one window begins, so every new count
   * belongs to the one that is there afterwards.
   */
  async #settle(): Promise<void> {
    const [usage] = await this.#db.sql<{ began: string }[]>`
      select window_began_at::text as began from account.usage where org_id = ${this.#org}`;
    const began = usage?.began ?? '';
    if (began !== this.#windowBeganAt) {
      this.#window += 1;
      this.#windowBeganAt = began;
    }
    this.#counted.set(this.#window, (this.#counted.get(this.#window) ?? 0) + this.#pending);
    this.#pending = 0;
    for (const lease of this.#all.values()) if (lease.window === -1) lease.window = this.#window;
  }

  async #passTime(ms: number): Promise<void> {
    await this.#time.pass(ms);
    for (const { clock } of this.#isolates) clock.pass(ms);
    // The timers have begun returns.
    await Promise.all(this.#inFlight);
    await this.#settle();
  }

  async #replace(place: number): Promise<void> {
    const at = place % this.#isolates.length;
    const dead = this.#at(at);
    this.#isolates[at] = this.#startIsolate();
    await dead.pool.end(1_000);
  }

  /** Leases of the old key end within their second. The isolates then use the new one. */
  async #revoke(): Promise<void> {
    await this.#db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${this.#org}`;
    const before = this.servedByLease;
    await this.#passTime(1_000);
    await this.#request({ kind: 'requests', times: 40, spread: true, isolate: 0, hasData: true });
    expect(this.servedByLease).toBe(before);
    const [row] = await this.#db.sql<{ name: string }[]>`
      select name from account.organizations where org_id = ${this.#org}`;
    this.#keyHash = await this.#mint(row?.name ?? '');
    for (const isolate of this.#isolates) {
      await isolate.leases.close();
      isolate.leases = this.#createLeases(() => isolate);
    }
    await this.#settle();
  }

  #monthEnded = false;

  /** Once: earlier months would move into each other. */
  async #endMonth(): Promise<void> {
    if (this.#monthEnded) return;
    this.#monthEnded = true;
    const { sql } = this.#db;
    await sql`
      update account.usage set month = (month - interval '1 month')::date where org_id = ${this.#org}`;
    await sql`
      update account.request_leases set month = (month - interval '1 month')::date where org_id = ${this.#org}`;
  }
}
