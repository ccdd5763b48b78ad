import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { count, expectHonest, Load, Server } from './fixture.ts';
import { TcpProxy } from './tcp_proxy.ts';

// Whatever becomes of the backends: no error that nobody catches (the program would end), no query without an answer or a refusal in its
// time, no answer that is another's, nothing reported as done that is half done or not at all.

let server: Server;
let load: Load | undefined;
beforeAll(async () => {
  server = await Server.start();
}, 90_000);
// One whose test failed would ask for ever.
afterEach(() => load?.kill());
afterAll(() => server?.end());

describe('under load', () => {
  test('500 backends ended at random: each costs at most the one query that it had', async () => {
    load = new Load(server.url());
    await load.goesOn();
    let kills = 0;
    while (kills < 500) {
      kills += await server.kill(Math.random() < 0.2 ? 4 : 1);
      await pause(Math.random() * 30);
    }
    await load.goesOn();
    const asked = await load.end();
    await expectHonest(server, asked);
    const lost = count(asked, 'sent', 'unsent');
    console.log(`${kills} backends ended: ${asked.length} queries, ${lost} refused`);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(kills);
  }, 120_000);

  test('the same over TLS', async () => {
    load = new Load(`${server.url()}?sslmode=require`);
    await load.goesOn();
    for (let kills = 0; kills < 150; ) {
      kills += await server.kill(2);
      await pause(Math.random() * 30);
    }
    const [row] = await server.sql`
      select count(*) as plain from pg_stat_ssl s join pg_stat_activity a using (pid) where a.usename = 'caller' and not s.ssl`;
    expect(row?.plain).toBe('0');
    await load.goesOn();
    await expectHonest(server, await load.end());
  }, 120_000);

  test('Postgres is stopped and started, and loses its power: it is served again as soon as Postgres is', async () => {
    load = new Load(server.url());
    await load.goesOn();
    for (const how of ['fast', 'power', 'fast', 'power'] as const) {
      if (how === 'fast') await server.stop();
      else await server.signal('SIGKILL');
      const before = load.unsent;
      await waitUntil(() => (load?.unsent ?? 0) >= before + 32, { what: 'refusals of what was never sent' });
      await server.start();
      console.log(`${how}: 100 answers ${await load.goesOn(100)} ms after Postgres was back`);
    }
    const asked = await load.end();
    await expectHonest(server, asked);
    // Where nobody is there the refusal does not wait for the time to be over.
    expect(Math.max(...asked.filter(({ came }) => came === 'unsent').map(({ tookMs }) => tookMs))).toBeLessThan(5_000);
    expect(load.errors).toContain('the database cannot be reached');
    expect(load.errors.match(/the database can be reached again/g)?.length).toBeGreaterThanOrEqual(4);
  }, 120_000);

  test('Postgres is frozen: refused in time, and served again when it thaws', async () => {
    load = new Load(server.url(), { limitMs: 1_000 });
    await load.goesOn();
    for (let round = 0; round < 3; round += 1) {
      const before = load.refused;
      await server.signal('SIGSTOP');
      try {
        await waitUntil(() => (load?.refused ?? 0) >= before + 32, { what: 'refusals', timeoutMs: 60_000 });
      } finally {
        await server.signal('SIGCONT');
      }
      console.log(`100 answers ${await load.goesOn(100)} ms after the thaw`);
    }
    await expectHonest(server, await load.end(), 1_000);
  }, 120_000);

  test('the wire is cut, softly and hard, a hundred times', async () => {
    const wire = await TcpProxy.listen(server.cluster.port);
    try {
      load = new Load(server.url(wire.port));
      await load.goesOn();
      for (let cuts = 0; cuts < 100; cuts += 1) {
        wire.cut(cuts % 2 === 0);
        await pause(Math.random() * 40);
      }
      await load.goesOn();
      await expectHonest(server, await load.end());
    } finally {
      await wire.close();
    }
  }, 120_000);

  test('the wire is cut anywhere in a login and in an answer', async () => {
    const wire = await TcpProxy.listen(server.cluster.port);
    try {
      // A login takes some 500 bytes of the server's.
      wire.cutAfter = () => Math.floor(Math.random() * 1_500);
      load = new Load(server.url(wire.port));
      await waitUntil(() => wire.connections >= 150, { what: '150 connections', timeoutMs: 60_000 });
      wire.cutAfter = () => Number.POSITIVE_INFINITY;
      await load.goesOn();
      await expectHonest(server, await load.end());
    } finally {
      await wire.close();
    }
  }, 120_000);

  test('the wire goes dead without a word: refused in time, and served again over new connections', async () => {
    const wire = await TcpProxy.listen(server.cluster.port);
    try {
      load = new Load(server.url(wire.port), { limitMs: 1_000 });
      await load.goesOn();
      for (let round = 0; round < 2; round += 1) {
        const before = load.refused;
        wire.dead = true;
        await waitUntil(() => (load?.refused ?? 0) >= before + 32, { what: 'refusals', timeoutMs: 60_000 });
        wire.dead = false;
        console.log(`100 answers ${await load.goesOn(100)} ms after the wire was whole`);
      }
      await expectHonest(server, await load.end(), 1_000);
    } finally {
      await wire.close();
    }
  }, 120_000);
});
