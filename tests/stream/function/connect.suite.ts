import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/wait_until.ts';
import { connectClient, createStreamClient, type StreamFixture, type StreamWorld, ticketSource } from './fixture.ts';
import { createKey } from './minted.ts';

const price = (n: number) => `{"type":"price","id":"mkt_${n}"}`;
const lastOffset = async (fixture: StreamFixture, channel: string) => {
  const [row] = await fixture.sql<
    { top: string }[]
  >`select last_offset as top from stream.channels where channel = ${channel}`;
  return Number(row?.top);
};

export const connectSuite = (at: () => StreamWorld) =>
  describe('the real centrifuge client', () => {
    test('is subscribed to the channels of its tier and receives their frames live, in order', async () => {
      const { fixture, isolate } = at();
      const org = await createKey(fixture.sql, 'pro');
      const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
      expect(client.subscribed.sort()).toEqual(['best:all', 'markets:all', `org:${org.orgId}`, 'quotes:all', 'status']);
      const top = await lastOffset(fixture, 'markets:all');
      for (let n = 0; n < 20; n += 1) await fixture.publish('markets:all', price(2 * n), price(2 * n + 1));
      const received = client.received('markets:all');
      await waitUntil(() => received.offsets.length >= 40, { what: 'all frames' });
      expect(received.offsets).toEqual(Array.from({ length: 40 }, (_, n) => top + 1 + n));
      expect(received.frames.map((frame) => frame.id)).toEqual(Array.from({ length: 40 }, (_, n) => `mkt_${n}`));
      client.centrifuge.disconnect();
    });

    test('receives channels that are never broadcast: quotes, and its own organization', async () => {
      const { fixture, isolate } = at();
      const org = await createKey(fixture.sql, 'pro');
      const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
      await fixture.sql`select stream.append_publication('quotes:all', array['{"type":"quote"}'])`;
      await fixture.sql`select stream.publish_org_event(${org.orgId}, 'quota', '{"used":0.8}')`;
      await waitUntil(
        () => client.received('quotes:all').offsets.length + client.received(`org:${org.orgId}`).offsets.length >= 2,
        { what: 'both frames' },
      );
      client.centrifuge.disconnect();
    });

    test('recovers missed frames: as many as fit in the reply, the rest before live frames', async () => {
      const { fixture, isolate } = at();
      const org = await createKey(fixture.sql, 'basic');
      const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
      const received = client.received('markets:all');
      await fixture.publish('markets:all', price(0));
      await waitUntil(() => received.offsets.length > 0, { what: 'the first' });
      client.centrifuge.disconnect();
      const [first = 0] = received.offsets;
      await fixture.sql`
      select stream.append_publication('markets:all', array(select '{"type":"price","id":"mkt_' || n || '"}' from generate_series(1, 2600) n))`;
      client.centrifuge.connect();
      await client.centrifuge.ready();
      await fixture.publish('markets:all', price(9999));
      await waitUntil(() => received.offsets.length >= 2602, { what: 'all is recovered' });
      expect(received.offsets).toEqual(Array.from({ length: 2602 }, (_, n) => first + n));
      expect([received.wasRecovering.at(-1), received.recovered.at(-1)]).toEqual([true, true]);
      client.centrifuge.disconnect();
    });

    test('gets recovered:false after a reset of the log and continues from there', async () => {
      const { fixture, isolate } = at();
      const org = await createKey(fixture.sql, 'free');
      const client = await connectClient(createStreamClient(isolate.url, ticketSource(fixture.sql, org)));
      const received = client.received('sample');
      await fixture.publish('sample', price(1));
      await waitUntil(() => received.offsets.length > 0, { what: 'the first' });
      await fixture.sql`select stream.reset_channel('sample')`;
      await fixture.publish('sample', price(2));
      await waitUntil(() => received.recovered.length > 1, { what: 'the next subscription' });
      expect([received.wasRecovering.at(-1), received.recovered.at(-1)]).toEqual([true, false]);
      await fixture.publish('sample', price(3));
      await waitUntil(() => received.frames.at(-1)?.id === 'mkt_3', { what: 'the next' });
      client.centrifuge.disconnect();
    });
  });
