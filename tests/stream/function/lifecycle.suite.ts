import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectAdmin } from '../../../local/platform/postgres/template.ts';
import { person } from '../../account/support/people.ts';
import { collectGarbage } from '../../soak/collector.ts';
import { waitUntil } from '../../support/wait_until.ts';
import {
  connectClient,
  createStreamClient,
  type Isolate,
  type StreamFixture,
  type StreamWorld,
  ticketSource,
} from './fixture.ts';
import { createKey, mintTicket } from './minted.ts';
import { openRawConnection } from './raw.ts';

/** The isolate of `at` looks at plans every second, and accepts an inspector at `inspectPort`. */
export const lifecycleSuite = (at: () => StreamWorld & { inspectPort: number }) =>
  describe('the life of a connection', () => {
    let fixture: StreamFixture;
    let isolate: Isolate;
    let inspectPort: number;
    beforeAll(() => {
      ({ fixture, isolate, inspectPort } = at());
    });

    const setPlan = (org: string, tier: string, status = 'active') =>
      fixture.sql`select account.set_plan(${org}, ${tier}, ${status})`;

    describe('a change of plan', () => {
      test('removes and adds channels without a new connection', async () => {
        const org = await createKey(fixture.sql, 'pro');
        const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        await setPlan(org.orgId, 'free');
        await waitUntil(() => client.unsubscribed.length >= 3, { what: 'three channels are removed' });
        expect(client.unsubscribed.sort()).toEqual(['best:all', 'markets:all', 'quotes:all']);
        await waitUntil(() => client.subscribed.includes('sample'), { what: 'the sample is added' });
        await fixture.publish('markets:all', '{"type":"price","id":"secret"}');
        await fixture.publish('sample', '{"type":"price","id":"visible"}');
        await waitUntil(() => client.received('sample').offsets.length > 0, { what: 'a frame of the sample' });
        expect(client.received('markets:all').frames).toEqual([]);
        await setPlan(org.orgId, 'basic');
        await waitUntil(() => client.subscribed.filter((name) => name === 'markets:all').length > 1, {
          what: 'the markets are added again',
        });
        await fixture.publish('markets:all', '{"type":"price","id":"again"}');
        await waitUntil(() => client.received('markets:all').frames.at(-1)?.id === 'again', {
          what: 'a frame of the markets',
        });
        expect(client.ends).toEqual([]);
        client.centrifuge.disconnect();
      });

      test('is noticed by the timer alone when no frame announces it', async () => {
        const org = await createKey(fixture.sql, 'basic');
        const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        await fixture.sql`update account.subscriptions set tier = 'free' where org_id = ${org.orgId}`;
        await waitUntil(() => client.unsubscribed.includes('markets:all'), { what: 'the channel is removed' });
        client.centrifuge.disconnect();
      });

      test('closes the newest connections with 4429 when the plan allows fewer', async () => {
        const org = await createKey(fixture.sql, 'basic');
        const first = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        const second = await openRawConnection(isolate.url);
        second.send({ id: 1, connect: { data: { t: (await mintTicket(fixture.sql, org)).ticket } } });
        await second.reply(1);
        await setPlan(org.orgId, 'free');
        expect((await second.untilClosed()).code).toBe(4429);
        expect(first.ends).toEqual([]);
        first.centrifuge.disconnect();
      });

      test('adds a new channel of candidates to connected clients', async () => {
        const org = await createKey(fixture.sql, 'pro');
        const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        await fixture.publish('candidates:curling', '{"type":"market","id":"first"}');
        await waitUntil(() => client.subscribed.includes('candidates:curling'), { what: 'the new channel' });
        await fixture.publish('candidates:curling', '{"type":"price","id":"second"}');
        await waitUntil(() => client.received('candidates:curling').frames.at(-1)?.id === 'second', {
          what: 'its frame',
        });
        client.centrifuge.disconnect();
      });
    });

    describe('the permanent end of a connection', () => {
      test.each([
        ['an inactive plan', (org: string) => setPlan(org, 'pro', 'inactive')],
        [
          'a revoked key',
          (org: string) => fixture.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org}`,
        ],
      ])('closes with 4503 for %s, and the SDK does not reconnect', async (_, change) => {
        const org = await createKey(fixture.sql, 'pro');
        const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        await change(org.orgId);
        await waitUntil(() => client.ends.length > 0, { what: 'the end' });
        expect(client.ends).toEqual([{ code: 4503, reason: expect.stringMatching(/\w{3}.*\./) }]);
        expect(client.centrifuge.state).toBe('disconnected');
        await waitUntil(
          async () => (await fixture.sql`select from stream.connections where org_id = ${org.orgId}`).length === 0,
          { what: 'the slot is free' },
        );
      });

      test('lets a client of a deleted organization reconnect once, and rejects it then', async () => {
        const org = await createKey(fixture.sql, 'pro');
        const client = createStreamClient(isolate.url, async () => ticket);
        let { ticket } = await mintTicket(fixture.sql, org);
        await connectClient(client);
        ticket = 'st_none';
        await fixture.sql`delete from account.organizations where org_id = ${org.orgId}`;
        await waitUntil(() => client.closes.includes(4401), { what: 'the rejection' });
        expect(client.ends[0]?.code).toBe(3001);
        client.centrifuge.disconnect();
      });

      test('closes the connection of an organization whose last user Auth deletes, and rejects it then', async () => {
        const org = await createKey(fixture.sql, 'pro');
        const { id } = await person(fixture.sql);
        await fixture.sql`insert into account.members (org_id, user_id, role) values (${org.orgId}, ${id}, 'owner')`;
        const client = createStreamClient(isolate.url, async () => ticket);
        const [{ ticket: unused }, minted] = [await mintTicket(fixture.sql, org), await mintTicket(fixture.sql, org)];
        let { ticket } = minted;
        await connectClient(client);
        // A ticket that was minted before has no use afterwards.
        ticket = unused;
        const admin = connectAdmin(fixture.realtime.scratch.cluster, 'realtime_test');
        await admin`set role supabase_auth_admin`;
        await admin`delete from auth.users where id = ${id}`;
        await admin.end();
        await waitUntil(() => client.closes.includes(4401), { what: 'the rejection' });
        expect(client.ends[0]?.code).toBe(3001);
        client.centrifuge.disconnect();
      });
    });

    describe('the limit of connections', () => {
      test('closes one connection too many with 4429 over two isolates, and admits it when another has closed', async () => {
        const org = await createKey(fixture.sql, 'free');
        const other = await fixture.startIsolate();
        const first = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
        const second = createStreamClient(other.url, ticketSource(fixture.sql, org));
        second.centrifuge.connect();
        await waitUntil(() => second.closes.includes(4429), { what: 'the rejection' });
        first.centrifuge.disconnect();
        await second.centrifuge.ready();
        second.centrifuge.disconnect();
        await other.kill();
      });

      test('frees the connections of a killed isolate after their lease', async () => {
        const org = await createKey(fixture.sql, 'free');
        const other = await fixture.startIsolate();
        const client = await connectClient(createStreamClient(other.url, ticketSource(fixture.sql, org)));
        await other.kill('SIGKILL');
        client.centrifuge.disconnect();
        const next = createStreamClient(isolate.url, ticketSource(fixture.sql, org));
        next.centrifuge.connect();
        await waitUntil(() => next.closes.includes(4429), { what: 'the rejection' });
        // A connection lease lasts 40 seconds; this ends it now.
        await fixture.sql`update stream.connections set lease_until = clock_timestamp() where org_id = ${org.orgId}`;
        await next.centrifuge.ready();
        next.centrifuge.disconnect();
      });
    });

    describe('the handover of connections', () => {
      test('sends every client elsewhere with 3001 on SIGTERM, frees the slots, and loses no frame', async () => {
        const org = await createKey(fixture.sql, 'free');
        const ending = await fixture.startIsolate();
        let url = ending.url;
        const client = await connectClient(createStreamClient(() => url, ticketSource(fixture.sql, org)));
        const received = client.received('sample');
        await fixture.publish('sample', '{"type":"price","id":"before"}');
        await waitUntil(() => received.frames.at(-1)?.id === 'before', { what: 'the first' });
        url = isolate.url;
        const exited = ending.kill('SIGTERM');
        await fixture.publish('sample', '{"type":"price","id":"meanwhile"}');
        await exited;
        await fixture.publish('sample', '{"type":"price","id":"after"}');
        await waitUntil(() => received.frames.at(-1)?.id === 'after', { what: 'the last' });
        expect(client.ends.map(({ code }) => code)).toContain(3001);
        // A Free plan allows one connection, so an occupied slot would have rejected the client
        // with 4429.
        expect(client.closes).not.toContain(4429);
        expect(received.frames.slice(-3).map((frame) => frame.id)).toEqual(['before', 'meanwhile', 'after']);
        client.centrifuge.disconnect();
      });
    });

    describe('a client that does not read', () => {
      /**
       * Resident memory in MB after a garbage collection, because uncollected garbage is no growth.
       */
      const residentMb = async () => {
        expect(await collectGarbage({ stream: inspectPort })).toHaveLength(1);
        return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${isolate.pid}/status`, 'utf8'))?.[1]) / 1024;
      };

      test('is closed with 3008 while the others continue, and the memory of the process stays flat', async () => {
        const org = await createKey(fixture.sql, 'basic');
        const other = await connectClient(
          createStreamClient(isolate.url, ticketSource(fixture.sql, await createKey(fixture.sql, 'basic'))),
        );
        const slow = await openRawConnection(isolate.url);
        slow.send({ id: 1, connect: { data: { t: (await mintTicket(fixture.sql, org)).ticket } } });
        await slow.reply(1);
        slow.socket.pause();
        const before = await residentMb();
        const text = 'x'.repeat(1_000);
        let published = 0;
        // The kernel buffers some megabytes for a socket; beyond that the process would have to.
        const connections = () => fixture.sql`select from stream.connections where org_id = ${org.orgId}`;
        const received = other.received('markets:all');
        // Publishes only as fast as the other client reads, so that a busy machine does not make it
        // slow.
        const publish = async () => {
          await fixture.publish('markets:all', ...Array.from({ length: 500 }, () => `{"type":"price","id":"${text}"}`));
          published += 500;
          await waitUntil(() => received.offsets.length >= published - 2_000, {
            what: 'the other keeps up',
          });
        };
        const isCut = async () => {
          if ((await connections()).length === 0) return true;
          await publish();
          return false;
        };
        await waitUntil(isCut, { what: 'the slow client is closed', everyMs: 0 });
        const cutAfter = published;
        for (let n = 0; n < 20; n += 1) await publish();
        await waitUntil(() => received.offsets.length >= published, {
          what: 'the other client has received all frames',
        });
        expect(other.ends).toEqual([]);
        // The ten megabytes after the close must not stay in memory. The bound allows for what a
        // process needs under such a load with readers, too.
        expect((await residentMb()) - before).toBeLessThan(120);
        slow.socket.resume();
        expect(await slow.untilClosed()).toEqual({ code: 3008, reason: expect.stringMatching(/slowly/) });
        expect(slow.lines.length).toBeLessThan(cutAfter + 10);
        other.centrifuge.disconnect();
      });

      test('is not mistaken for a slow reader: a burst of thirty megabytes waits for it in the log', async () => {
        const client = await connectClient(
          createStreamClient(isolate.url, ticketSource(fixture.sql, await createKey(fixture.sql, 'basic'))),
        );
        const received = client.received('markets:all');
        const before = await residentMb();
        await fixture.sql`
      select stream.append_publication('markets:all', array(
        select '{"type":"market","id":"' || n || '","text":"' || repeat('x', 2000) || '"}' from generate_series(1, 15000) n
      ))`;
        await fixture.sql`select stream.broadcast_pending()`;
        await waitUntil(() => received.offsets.length >= 15_000, { what: 'all of it' });
        expect(received.frames.map((frame) => Number(frame.id))).toEqual(
          Array.from({ length: 15_000 }, (_, n) => n + 1),
        );
        expect(client.ends).toEqual([]);
        expect((await residentMb()) - before).toBeLessThan(120);
        client.centrifuge.disconnect();
      });
    });
  });
