import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { RunningContainer } from '../containers/running_container.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import {
  databaseNow,
  deliveryErrors,
  fencingErrors,
  pricedBy,
  repeatedUpdates,
  sharesOf,
  streamErrors,
  unreadVoids,
} from './audit.ts';
import { type Machine, Network } from './network.ts';
import { Site } from './site.ts';

// Guarantee: two machines with an ingest and a deliver container each share the work. When one is
// cut from the network, the other one has everything as soon as the leases have expired. No machine
// writes under an old lease, and nothing is lost.

const CUT_MS = 30_000;
/**
 * A lease lasts 10 s, and Postgres ends the sessions of a lost machine after about as long. The
 * others claim every 3 s. The rest is for a busy machine.
 */
const TAKEOVER_MS = 25_000;
/** Then the other machine reads the books. */
const PRICES_MS = TAKEOVER_MS + 8_000;
/** A worker that returns notices it at its next query, reconnects, and warms up its half. */
const REBALANCE_MS = 60_000;
/** The first sweep of the listings, next to other tests. */
const START_MS = 120_000;
const SHARDS = 4;

const canCut = Network.isPossible('tests/machines/cut.slow.test.ts');

describe.skipIf(!canCut)('two machines that are cut from the network in turn', () => {
  const ingest = new Map<Machine, RunningContainer>();
  const deliver = new Map<Machine, RunningContainer>();
  const figures: string[] = [];
  let network: Network;
  let one: Machine;
  let two: Machine;
  let site: Site;
  beforeAll(async () => {
    network = new Network();
    one = network.addMachine('one');
    two = network.addMachine('two');
    site = await Site.open(network.address);
  });
  afterAll(async () => {
    for (const machine of [one, two]) machine?.heal();
    await site?.close();
    network?.close();
    console.log(figures.join('\n'));
  });

  const sql = () => site.central.sql;
  const shareOf = async ({ address }: Machine) => (await sharesOf(sql()))[address] ?? 0;
  const evidence = async () => `${JSON.stringify(await sharesOf(sql()))}\n${site.logs}`;
  const timed = async (work: Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work;
    return Math.round(performance.now() - began);
  };
  const untilShare = (machine: Machine, shards: number, timeoutMs: number) =>
    timed(
      waitUntil(async () => (await shareOf(machine)) === shards, {
        what: `${machine.name} has ${shards} shards`,
        timeoutMs,
        evidence,
      }),
    );
  /** Resolves to the time from `since` until prices of every shard that it has were written, ms. */
  const untilPriced = async (machine: Machine, shards: number, since: Date, timeoutMs: number): Promise<number> => {
    const priced = await waitUntil(
      async () => {
        const found = await pricedBy(sql(), machine.address, since);
        return found.length >= shards && found;
      },
      { what: `${machine.name} writes prices of ${shards} shards`, timeoutMs, evidence },
    );
    return Math.max(...priced.map(({ ms }) => ms));
  };
  const untilHalf = (timeoutMs: number) =>
    timed(Promise.all([one, two].map((machine) => untilShare(machine, SHARDS / 2, timeoutMs))));
  const startBoth = async (machine: Machine): Promise<void> => {
    const started = await Promise.all([site.start('ingest', machine), site.start('deliver', machine)]);
    ingest.set(machine, started[0]);
    deliver.set(machine, started[1]);
  };

  async function cutFor30Seconds(machine: Machine, other: Machine): Promise<void> {
    const before = ingest.get(machine)?.output.length;
    const since = await databaseNow(sql());
    const began = performance.now();
    machine.cut();
    const taken = await untilShare(other, SHARDS, TAKEOVER_MS);
    const priced = await untilPriced(other, SHARDS, since, PRICES_MS);
    const sessions = async () =>
      (await sql()`select from pg_stat_activity where client_addr = ${machine.address}::inet`).length;
    await waitUntil(async () => (await sessions()) === 0, {
      what: `Postgres has no session of ${machine.name}`,
      timeoutMs: Math.max(5_000, CUT_MS - (performance.now() - began)),
    });
    await pause(CUT_MS - (performance.now() - began));
    const healedAt = await databaseNow(sql());
    machine.heal();
    const shared = await untilHalf(REBALANCE_MS);
    const resumed = await untilPriced(machine, SHARDS / 2, healedAt, REBALANCE_MS);
    expect(ingest.get(machine)?.output.slice(before)).toContain('was lost');
    expect(await unreadVoids(sql(), healedAt, await databaseNow(sql())), site.logs).toBe(0);
    figures.push(
      `${machine.name} cut for 30 s: the other one has its shards after ${taken} ms and prices of all after ${priced} ms; ` +
        `healed, it has half again after ${shared} ms and writes after ${resumed} ms`,
    );
  }

  it('keep no lock of a lost machine that sent a statement in part for much longer than a lease', async () => {
    const command = [...one.within, process.execPath, ...tsxArguments, join(repository, 'tests/machines/half_sent.ts')];
    await sql()`update venue.leases set token = 1 where name = 'books:0'`;
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: repository,
      env: { ...process.env, DATABASE_URL: site.central.url('parallax_ingest'), LEASE_NAME: 'books:0' },
      stdio: 'inherit',
    });
    const isLocked = async () =>
      (await sql()`select from venue.leases where name = 'books:0' for update skip locked`).length === 0;
    try {
      await waitUntil(isLocked, { what: 'the lease is locked' });
      one.cut();
      const free = waitUntil(async () => !(await isLocked()), { what: 'the lock is gone', timeoutMs: TAKEOVER_MS });
      figures.push(`the lock of a lost machine is gone after ${await timed(free)} ms`);
    } finally {
      child.kill('SIGKILL');
      one.heal();
    }
  });

  it('share the shards, and the other one goes on while one is cut for 30 s', async () => {
    await startBoth(one);
    await untilShare(one, SHARDS, START_MS);
    const joinedAt = await databaseNow(sql());
    await untilPriced(one, SHARDS, joinedAt, START_MS);
    await startBoth(two);
    figures.push(`a second container that is ready has half after ${await untilHalf(REBALANCE_MS)} ms`);
    await untilPriced(two, SHARDS / 2, joinedAt, REBALANCE_MS);
    expect(await unreadVoids(sql(), joinedAt, await databaseNow(sql()))).toBe(0);
    const settled = await sql()`select name, token from venue.leases where name like 'books:%' order by name`;
    site.startFlow();
    await pause(8_000);
    expect(await sql()`select name, token from venue.leases where name like 'books:%' order by name`).toEqual(settled);
    await cutFor30Seconds(one, two);
    await cutFor30Seconds(two, one);
    expect(await fencingErrors(sql())).toEqual([]);
    expect(await streamErrors(sql())).toEqual([]);
  }, 600_000);

  it('hand their shards over at SIGTERM, and lose them with their lease at SIGKILL', async () => {
    const stoppedAt = await databaseNow(sql());
    for (const container of [ingest.get(one), deliver.get(one)]) container?.signal('SIGTERM');
    const taken = await untilShare(two, SHARDS, TAKEOVER_MS);
    await untilPriced(two, SHARDS, stoppedAt, PRICES_MS);
    const exits = [ingest.get(one), deliver.get(one)].map((container) => container?.exited);
    expect(await Promise.all(exits)).toEqual([0, 0]);
    await startBoth(one);
    const shared = await untilHalf(REBALANCE_MS);
    // The successor of a shard reads its books before it takes it over.
    expect(await unreadVoids(sql(), stoppedAt, await databaseNow(sql()))).toBe(0);
    for (const container of [ingest.get(two), deliver.get(two)]) container?.signal('SIGKILL');
    const killed = await untilShare(one, SHARDS, TAKEOVER_MS);
    figures.push(`SIGTERM: taken over after ${taken} ms; a new container has half after ${shared} ms`);
    figures.push(`SIGKILL: taken over after ${killed} ms`);
  });

  it('deliver every event at least once with its id, and record it once', async () => {
    site.endFlow();
    await pause(1_000);
    expect(await fencingErrors(sql())).toEqual([]);
    expect(await streamErrors(sql())).toEqual([]);
    expect(await repeatedUpdates(sql())).toEqual([]);
    ingest.get(one)?.signal('SIGTERM');
    expect(await ingest.get(one)?.exited).toBe(0);
    await waitUntil(async () => (await sql()`select from webhook.deliveries where state = 'waiting'`).length === 0, {
      what: 'every delivery has ended',
      timeoutMs: 90_000,
      evidence,
    });
    expect(await deliveryErrors(sql())).toEqual([]);
    const rows = await sql()<{ delivery_id: string; event: string; body: string }[]>`
      select delivery_id, event, body from webhook.deliveries`;
    const sent = new Map(rows.map(({ delivery_id, body }) => [delivery_id, body]));
    expect(site.enqueued.filter((id) => !sent.has(id))).toEqual([]);
    const arrivals = new Map<string, number>();
    for (const { headers, body } of site.receiver.received) {
      const id = String(headers['webhook-id']);
      expect(body).toBe(sent.get(id));
      arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
    }
    expect([...sent.keys()].filter((id) => !arrivals.has(id))).toEqual([]);
    const counts = new Map<string, number>();
    for (const { event } of rows) counts.set(event, (counts.get(event) ?? 0) + 1);
    const events = [...counts].map(([event, count]) => `${count} ${event}`);
    const repeated = [...arrivals.values()].filter((count) => count > 1).length;
    figures.push(`${events.join(', ')}: all arrived, ${repeated} of them more than once`);
  });
});
