import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { count, expectConsistent, LoadProcess, Server } from './fixture.ts';
import { TcpProxy } from './tcp_proxy.ts';

// Guarantee: when backends die in any way, no error is uncaught (the process would end), each query
// gets its rows or an error within its deadline, no query gets the rows of another, and no write
// that was reported as done is missing or half done.

let server: Server;
let load: LoadProcess | undefined;
beforeAll(async () => {
  server = await Server.start();
});
// After a failed test the load process would run for ever.
afterEach(() => load?.kill());
afterAll(() => server?.end());

describe('the connection pool under load', () => {
  test('loses at most one query for each of 500 terminated backends', async () => {
    load = new LoadProcess(server.url());
    await load.waitForAnswers();
    let kills = 0;
    while (kills < 500) {
      kills += await server.kill(Math.random() < 0.2 ? 4 : 1);
      await pause(Math.random() * 30);
    }
    await load.waitForAnswers();
    const records = await load.end();
    await expectConsistent(server, records);
    const lost = count(records, 'sent', 'unsent');
    console.log(`${kills} backends ended: ${records.length} queries, ${lost} failed`);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(kills);
  });

  test('stays consistent over TLS while 150 backends are terminated', async () => {
    load = new LoadProcess(`${server.url()}?sslmode=require`);
    await load.waitForAnswers();
    for (let kills = 0; kills < 150; ) {
      kills += await server.kill(2);
      await pause(Math.random() * 30);
    }
    const [row] = await server.sql`
      select count(*) as plain from pg_stat_ssl s join pg_stat_activity a using (pid) where a.usename = 'caller' and not s.ssl`;
    expect(row?.plain).toBe('0');
    await load.waitForAnswers();
    await expectConsistent(server, await load.end());
  });

  test('answers again as soon as a stopped or killed Postgres is back', async () => {
    load = new LoadProcess(server.url());
    await load.waitForAnswers();
    for (const stop of ['fast', 'power', 'fast', 'power'] as const) {
      if (stop === 'fast') await server.stop();
      else await server.signal('SIGKILL');
      const before = load.unsent;
      await waitUntil(() => (load?.unsent ?? 0) >= before + 32, { what: 'failures of queries that were not sent' });
      await server.start();
      console.log(`${stop}: 100 answers ${await load.waitForAnswers(100)} ms after Postgres was back`);
    }
    const records = await load.end();
    await expectConsistent(server, records);
    // While Postgres is down, a query fails before its deadline.
    expect(Math.max(...records.filter(({ result }) => result === 'unsent').map(({ tookMs }) => tookMs))).toBeLessThan(
      5_000,
    );
    expect(load.errors).toContain('the database cannot be reached');
    expect(load.errors.match(/the database can be reached again/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test('fails queries within their deadline while Postgres is frozen, and answers again afterwards', async () => {
    load = new LoadProcess(server.url(), { limitMs: 1_000 });
    await load.waitForAnswers();
    for (let round = 0; round < 3; round += 1) {
      const before = load.failed;
      await server.signal('SIGSTOP');
      try {
        await waitUntil(() => (load?.failed ?? 0) >= before + 32, { what: 'failed queries', timeoutMs: 60_000 });
      } finally {
        await server.signal('SIGCONT');
      }
      console.log(`100 answers ${await load.waitForAnswers(100)} ms after Postgres continued`);
    }
    await expectConsistent(server, await load.end(), 1_000);
  });

  test('stays consistent when all connections are closed or reset a hundred times', async () => {
    const proxy = await TcpProxy.listen(server.cluster.port);
    try {
      load = new LoadProcess(server.url(proxy.port));
      await load.waitForAnswers();
      for (let cuts = 0; cuts < 100; cuts += 1) {
        proxy.cut(cuts % 2 === 0);
        await pause(Math.random() * 40);
      }
      await load.waitForAnswers();
      await expectConsistent(server, await load.end());
    } finally {
      await proxy.close();
    }
  });

  test('stays consistent when connections break in the middle of a login or a response', async () => {
    const proxy = await TcpProxy.listen(server.cluster.port);
    try {
      // The server sends some 500 bytes for a login.
      proxy.cutAfter = () => Math.floor(Math.random() * 1_500);
      load = new LoadProcess(server.url(proxy.port));
      await waitUntil(() => proxy.connections >= 150, { what: '150 connections', timeoutMs: 60_000 });
      proxy.cutAfter = () => Number.POSITIVE_INFINITY;
      await load.waitForAnswers();
      await expectConsistent(server, await load.end());
    } finally {
      await proxy.close();
    }
  });

  test('fails queries within their deadline on frozen connections, and answers again over new ones', async () => {
    const proxy = await TcpProxy.listen(server.cluster.port);
    try {
      load = new LoadProcess(server.url(proxy.port), { limitMs: 1_000 });
      await load.waitForAnswers();
      for (let round = 0; round < 2; round += 1) {
        const before = load.failed;
        proxy.isFrozen = true;
        await waitUntil(() => (load?.failed ?? 0) >= before + 32, { what: 'failed queries', timeoutMs: 60_000 });
        proxy.isFrozen = false;
        console.log(`100 answers ${await load.waitForAnswers(100)} ms after the connections worked again`);
      }
      await expectConsistent(server, await load.end(), 1_000);
    } finally {
      await proxy.close();
    }
  });
});
