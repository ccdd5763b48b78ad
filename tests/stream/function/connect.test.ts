import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/wait_until.ts';
import { clientOf, connected, type Isolate, startWorld, ticketFor, type World } from './fixture.ts';
import { keyOf } from './minted.ts';

let world: World;
let isolate: Isolate;
beforeAll(async () => {
  world = await startWorld();
  isolate = await world.isolate();
}, 60_000);
afterAll(() => world.stop());

const price = (n: number) => `{"type":"price","id":"mkt_${n}"}`;
const topOf = async (channel: string) => {
  const [row] = await world.sql<
    { top: string }[]
  >`select last_offset as top from stream.channels where channel = ${channel}`;
  return Number(row?.top);
};

describe('the real centrifuge client', () => {
  test('is subscribed to the channels of its tier and receives their frames live, in order', async () => {
    const org = await keyOf(world.sql, 'pro');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    expect(client.subscribed.sort()).toEqual(['markets:all', `org:${org.orgId}`, 'quotes:all', 'status']);
    const top = await topOf('markets:all');
    for (let n = 0; n < 20; n += 1) await world.say('markets:all', price(2 * n), price(2 * n + 1));
    const heard = client.heard('markets:all');
    await waitUntil(() => heard.offsets.length >= 40, { what: 'all is heard' });
    expect(heard.offsets).toEqual(Array.from({ length: 40 }, (_, n) => top + 1 + n));
    expect(heard.frames.map((frame) => frame.id)).toEqual(Array.from({ length: 40 }, (_, n) => `mkt_${n}`));
    client.centrifuge.disconnect();
  });

  test('receives channels that are never broadcast: quotes, and its own organization', async () => {
    const org = await keyOf(world.sql, 'pro');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    await world.sql`select stream.append_publication('quotes:all', array['{"type":"quote"}'])`;
    await world.sql`select stream.publish_org_event(${org.orgId}, 'quota', '{"used":0.8}')`;
    await waitUntil(
      () => client.heard('quotes:all').offsets.length + client.heard(`org:${org.orgId}`).offsets.length >= 2,
      { what: 'both are heard' },
    );
    client.centrifuge.disconnect();
  });

  test('recovers missed frames: as many as fit in the reply, the rest before live frames', async () => {
    const org = await keyOf(world.sql, 'basic');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    const heard = client.heard('markets:all');
    await world.say('markets:all', price(0));
    await waitUntil(() => heard.offsets.length > 0, { what: 'the first' });
    client.centrifuge.disconnect();
    const [first = 0] = heard.offsets;
    await world.sql`
      select stream.append_publication('markets:all', array(select '{"type":"price","id":"mkt_' || n || '"}' from generate_series(1, 2600) n))`;
    client.centrifuge.connect();
    await client.centrifuge.ready();
    await world.say('markets:all', price(9999));
    await waitUntil(() => heard.offsets.length >= 2602, { what: 'all is recovered' });
    expect(heard.offsets).toEqual(Array.from({ length: 2602 }, (_, n) => first + n));
    expect([heard.wasRecovering.at(-1), heard.recovered.at(-1)]).toEqual([true, true]);
    client.centrifuge.disconnect();
  });

  test('gets recovered:false after a reset of the log and continues from there', async () => {
    const org = await keyOf(world.sql, 'free');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    const heard = client.heard('sample');
    await world.say('sample', price(1));
    await waitUntil(() => heard.offsets.length > 0, { what: 'the first' });
    await world.sql`select stream.reset_channel('sample')`;
    await world.say('sample', price(2));
    await waitUntil(() => heard.recovered.length > 1, { what: 'it is subscribed anew' });
    expect([heard.wasRecovering.at(-1), heard.recovered.at(-1)]).toEqual([true, false]);
    await world.say('sample', price(3));
    await waitUntil(() => heard.frames.at(-1)?.id === 'mkt_3', { what: 'the next' });
    client.centrifuge.disconnect();
  });
});
