import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { type Client, connectClient, createStreamClient, type Isolate, ticketSource } from '../function/fixture.ts';
import { createKey, mintTicket, type OrganizationKey } from '../function/minted.ts';
import { openRawConnection } from '../function/raw.ts';

// What Centrifugo does otherwise than the stream function, or through other ways: plans, keys,
// limits, handovers, slow readers and bad input. tests/stream/function has the same for the stream
// function.

/** `internal`: the address of /metrics, which the slow tests read. */
export type Nodes = { sql: Sql; first: Isolate & { internal?: string }; second: Isolate };

/** What takes some seconds: `true` in the slow layer only. */
export const carrierLifecycleSuite = (at: () => Nodes, { slow }: { slow: boolean }) =>
  describe('the life of a connection', () => {
    let sql: Sql;
    let first: Nodes['first'];
    let second: Isolate;
    beforeAll(() => {
      ({ sql, first, second } = at());
    });

    const clientOf = (org: OrganizationKey, url: string | (() => string) = first.url): Client =>
      createStreamClient(url, ticketSource(sql, org));
    const setPlan = (org: OrganizationKey, tier: string, status = 'active') =>
      sql`select account.set_plan(${org.orgId}, ${tier}, ${status})`;
    const publish = (channel: string, ...frames: string[]) =>
      sql`select stream.append_publication(${channel}, ${frames})`;
    const priceOf = (id: string) => `{"type":"price","id":"${id}"}`;
    const lastId = (client: Client, channel: string) => client.received(channel).frames.at(-1)?.id;

    describe('a change of plan', () => {
      test('removes and adds channels without a new connection', async () => {
        const org = await createKey(sql, 'pro');
        const client = await connectClient(clientOf(org));
        await setPlan(org, 'free');
        await waitUntil(() => client.unsubscribed.length >= 3, { what: 'three channels are removed' });
        expect(client.unsubscribed.sort()).toEqual(['best:all', 'markets:all', 'quotes:all']);
        await waitUntil(() => client.subscribed.includes('sample'), { what: 'the sample is added' });
        await publish('markets:all', priceOf('secret'));
        await publish('sample', priceOf('visible'));
        await waitUntil(() => lastId(client, 'sample') === 'visible', { what: 'a frame of the sample' });
        expect(client.received('markets:all').frames).toEqual([]);
        await setPlan(org, 'basic');
        await waitUntil(() => client.subscribed.filter((name) => name === 'markets:all').length > 1, {
          what: 'the markets',
        });
        await publish('markets:all', priceOf('again'));
        await waitUntil(() => lastId(client, 'markets:all') === 'again', { what: 'a frame of the markets' });
        expect(client.ends).toEqual([]);
        client.centrifuge.disconnect();
      });

      test('closes the newest connections with 4429 when the plan allows fewer, on any node', async () => {
        const org = await createKey(sql, 'basic');
        const older = await connectClient(clientOf(org));
        const newer = await openRawConnection(second.url);
        newer.send({ id: 1, connect: { data: { t: (await mintTicket(sql, org)).ticket } } });
        await newer.reply(1);
        await setPlan(org, 'free');
        expect(await newer.untilClosed()).toEqual({ code: 4429, reason: 'connection limit reached' });
        expect(older.ends).toEqual([]);
        older.centrifuge.disconnect();
      });

      test('adds a new channel of candidates to connected clients', async () => {
        const client = await connectClient(clientOf(await createKey(sql, 'pro')));
        await publish('candidates:curling', '{"type":"market","id":"first"}');
        await waitUntil(() => client.subscribed.includes('candidates:curling'), { what: 'the new channel' });
        await publish('candidates:curling', priceOf('second'));
        await waitUntil(() => lastId(client, 'candidates:curling') === 'second', { what: 'its frame' });
        client.centrifuge.disconnect();
      });
    });

    describe('the permanent end of a connection', () => {
      test.each([
        ['an inactive plan', (org: OrganizationKey) => setPlan(org, 'pro', 'inactive')],
        [
          'a revoked key',
          (org: OrganizationKey) =>
            sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org.orgId}`,
        ],
        [
          'a deleted organization',
          (org: OrganizationKey) => sql`delete from account.organizations where org_id = ${org.orgId}`,
        ],
      ])('closes with 4503 for %s at once, and the SDK does not reconnect', async (_, change) => {
        const org = await createKey(sql, 'pro');
        const client = await connectClient(clientOf(org));
        await change(org);
        // Without the notice of the triggers, the node would ask again after five minutes.
        await waitUntil(() => client.ends.length > 0, { what: 'the end' });
        expect(client.ends).toEqual([{ code: 4503, reason: expect.stringMatching(/^[\x20-\x7e]{5,32}$/) }]);
        expect(client.centrifuge.state).toBe('disconnected');
      });

      test.runIf(slow)(
        'an unannounced change is noticed when the node asks again, and the next ticket gives the reason',
        async () => {
          await sql`update stream.settings set carried_for = interval '2 seconds'`;
          const org = await createKey(sql, 'pro');
          const client = await connectClient(clientOf(org));
          // The client stays connected while its lease is renewed.
          await waitUntil(
            async () => {
              const [row] = await sql<{ renewed: boolean }[]>`
          select lease_until > connected_at + lease + interval '3 seconds' as renewed
          from stream.connections where org_id = ${org.orgId}`;
              return row?.renewed === true;
            },
            { what: 'two renewals' },
          );
          expect(client.ends).toEqual([]);
          await sql`update account.keys set expires_at = clock_timestamp() where org_id = ${org.orgId}`;
          await waitUntil(() => client.ends.length > 0, { what: 'the end' });
          expect(client.ends[0]?.code).toBe(3005);
          await waitUntil(() => client.closes.includes(4503), { what: 'the refusal' });
          client.centrifuge.disconnect();
          await sql`update stream.settings set carried_for = default`;
        },
      );
    });

    describe('the limit of connections', () => {
      test('closes one too many with 4429 over two nodes, and admits it when another has closed', async () => {
        const org = await createKey(sql, 'free');
        const one = await connectClient(clientOf(org));
        // The slot of a connection is not given away in its first five seconds.
        await sql`update stream.connections set connected_at = connected_at - interval '5 seconds' where org_id = ${org.orgId}`;
        const other = clientOf(org, second.url);
        other.centrifuge.connect();
        await waitUntil(() => other.closes.includes(4429), { what: 'the rejection' });
        one.centrifuge.disconnect();
        await other.centrifuge.ready();
        other.centrifuge.disconnect();
      });

      test.runIf(slow)('frees the connections of a killed node once the others have noticed', async () => {
        const org = await createKey(sql, 'free');
        let url = second.url;
        const client = await connectClient(clientOf(org, () => url));
        url = first.url;
        const killedAt = Date.now();
        await second.kill('SIGKILL');
        await waitUntil(() => client.centrifuge.state === 'connecting', { what: 'the cut' });
        await client.centrifuge.ready();
        console.log(`the slot of a killed node was free after ${Date.now() - killedAt} ms`);
        await second.restart();
        client.centrifuge.disconnect();
      });
    });

    describe.runIf(slow)('the handover of connections', () => {
      test('a rolling restart sends clients elsewhere with 3001, and loses no frame', async () => {
        const org = await createKey(sql, 'basic');
        let url = first.url;
        const client = await connectClient(clientOf(org, () => url));
        const received = client.received('markets:all');
        // One after the other, because the pool has several connections: 'last' is then the last
        // frame.
        let restarted = false;
        const publishing = (async () => {
          for (let published = 1; !restarted; published += 1) {
            await publish('markets:all', priceOf(String(published)));
            await pause(20);
          }
        })();
        for (const [ending, next] of [
          [first, second],
          [second, first],
        ] as const) {
          url = next.url;
          await ending.kill('SIGTERM');
          await ending.restart();
        }
        restarted = true;
        await publishing;
        await publish('markets:all', priceOf('last'));
        await waitUntil(() => lastId(client, 'markets:all') === 'last', {
          what: 'the last frame',
          evidence: () => JSON.stringify({ ends: client.ends, closes: client.closes, last: received.offsets.at(-1) }),
        });
        const [from = 0] = received.offsets;
        expect(received.offsets).toEqual(received.offsets.map((_, n) => from + n));
        expect(received.recovered.filter((one, n) => received.wasRecovering[n] && !one)).toEqual([]);
        expect(client.ends.map(({ code }) => code)).toContain(3001);
        client.centrifuge.disconnect();
      });
    });

    describe.runIf(slow)('a client that does not read', () => {
      const metrics = async () => await (await fetch(`${first.internal}/metrics`)).text();
      const residentMb = () =>
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${first.pid}/status`, 'utf8'))?.[1]) / 1024;

      test('is closed with 3008 while the others continue, and the memory of the node stays bounded', async () => {
        const other = await connectClient(clientOf(await createKey(sql, 'basic')));
        const slow = await openRawConnection(first.url);
        slow.send({ id: 1, connect: { data: { t: (await mintTicket(sql, await createKey(sql, 'basic'))).ticket } } });
        await slow.reply(1);
        slow.socket.pause();
        const before = residentMb();
        const received = other.received('markets:all');
        const text = 'x'.repeat(1_000);
        for (let published = 500; published <= 20_000; published += 500) {
          await publish('markets:all', ...Array.from({ length: 500 }, () => priceOf(text)));
          await waitUntil(() => received.offsets.length >= published, { what: 'the other keeps up' });
        }
        expect(other.ends).toEqual([]);
        console.log(`memory of the node ${before.toFixed(0)} → ${residentMb().toFixed(0)} MB`);
        expect(residentMb() - before).toBeLessThan(150);
        slow.socket.resume();
        // The close frame reaches only a client that reads again before the node gives up.
        expect([1006, 3008]).toContain((await slow.untilClosed()).code);
        const [disconnects] = /client_num_server_disconnects\{code="3008".*?\} (\d+)/.exec(await metrics()) ?? [];
        expect(disconnects).toBeDefined();
        other.centrifuge.disconnect();
      });
    });

    describe('bad input', () => {
      /** Connects again after a temporary error, which a busy machine causes, as an SDK does. */
      const connectRaw = async (subs?: object, org?: Awaited<ReturnType<typeof createKey>>) => {
        const member = org ?? (await createKey(sql, 'pro'));
        for (;;) {
          const raw = await openRawConnection(first.url);
          raw.send({ id: 1, connect: { data: { t: (await mintTicket(sql, member)).ticket }, ...(subs && { subs }) } });
          const reply = await raw.reply(1);
          if (!(reply.error as { temporary?: boolean } | undefined)?.temporary) return { raw, reply };
          raw.socket.close();
        }
      };

      test.each<[string, string, number]>([
        ['garbage', '}{', 3501],
        ['a command before connect', '{"id":1,"subscribe":{"channel":"x"}}', 3501],
        ['no ticket', '{"id":1,"connect":{"data":{}}}', 4401],
        ['a ticket with a wrong checksum', `{"id":1,"connect":{"data":{"t":"st_${'a'.repeat(32)}"}}}`, 4401],
      ])('closes the connection: %s', async (_, frame, code) => {
        const raw = await openRawConnection(first.url);
        raw.socket.send(frame);
        expect((await raw.untilClosed()).code).toBe(code);
      });

      test('a frame over 64 KiB ends the connection', async () => {
        const raw = await openRawConnection(first.url);
        raw.socket.send(`{"id":1,"connect":{"data":{"t":"${'x'.repeat(70_000)}"}}}`);
        expect((await raw.untilClosed()).code).toBeGreaterThan(1000);
      });

      test('clients may only connect: subscribe, publish, history and presence get error 103, rpc 108', async () => {
        const { raw } = await connectRaw();
        const other = await createKey(sql, 'pro');
        const channel = `org:${other.orgId}`;
        raw.send(
          { id: 2, subscribe: { channel } },
          { id: 3, subscribe: { channel: 'sample' } },
          { id: 4, publish: { channel: 'markets:all', data: {} } },
          { id: 5, history: { channel: 'markets:all', limit: 10 } },
          { id: 6, presence: { channel } },
          { id: 7, rpc: { method: 'x', data: {} } },
        );
        const codes: number[] = [];
        for (const id of [2, 3, 4, 5, 6, 7]) codes.push(((await raw.reply(id)).error as { code: number }).code);
        expect(codes).toEqual([103, 103, 103, 103, 103, 108]);
        raw.socket.close();
      });

      test('a channel of another organization in the subs of connect is ignored', async () => {
        const other = await createKey(sql, 'pro');
        const org = await createKey(sql, 'pro');
        const position = { recover: true, epoch: 'x', offset: 0 };
        const subscribed = { [`org:${other.orgId}`]: position, 'markets:all': { ...position, offset: 1_000_000 } };
        const { raw, reply } = await connectRaw(subscribed, org);
        expect(reply).toHaveProperty('connect');
        const { subs } = reply.connect as { subs: Record<string, { recovered?: boolean }> };
        expect(Object.keys(subs).filter((name) => name.startsWith('org:'))).toEqual([`org:${org.orgId}`]);
        expect(subs['markets:all']?.recovered ?? false).toBe(false);
        raw.socket.close();
      });

      test.runIf(slow)('a late connect is closed with 3502', async () => {
        const silent = await openRawConnection(first.url);
        expect((await silent.untilClosed()).code).toBe(3502);
      });

      test('every channel has an epoch, also one that was never published, and frames keep their bytes', async () => {
        const { raw, reply } = await connectRaw();
        const { subs } = reply.connect as { subs: Record<string, { epoch?: string; offset?: number }> };
        const rows = await sql<{ channel: string; epoch: string }[]>`select channel, epoch from stream.channels`;
        for (const [channel, { epoch }] of Object.entries(subs))
          expect(epoch).toBe(rows.find((row) => row.channel === channel)?.epoch);
        const frame = '{"type":"price","id":"bytes","b":1,"a":[ 0.10, null ],"text":"ä\\u2028"}';
        await publish('markets:all', frame);
        await waitUntil(() => raw.lines.some((line) => line.includes('"bytes"')), { what: 'the frame' });
        expect(raw.lines.find((line) => line.includes('"bytes"'))).toContain(`"data":${frame}`);
        raw.socket.close();
      });
    });
  });
