import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import { clientOf, jwtSecret, keys, listen, listenToDatabase } from '../../realtime/fixture.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { startWorld, type World } from './fixture.ts';
import { keyOf, type Minted } from './minted.ts';

// Way 2 of contract.md: supabase-js on Realtime itself, with the token of the ticket endpoint.

let world: World;
let api: RunningApi;
beforeAll(async () => {
  world = await startWorld();
  const { scratch, url } = world.realtime;
  await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
  const env: Record<string, string> = {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    STREAM_SIGNING_SECRET: jwtSecret,
  };
  const login = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, 'realtime_test');
  api = await serveApi(login, { stream: streamSettingsOf((name) => env[name]) });
}, 60_000);
afterAll(async () => {
  await api?.close();
  await world.stop();
});

type Way = { url: string; apikey: string; access_token: string; topics: string[] };

async function wayOf({ key }: Minted): Promise<Way> {
  const answer = await fetch(`${api.base}/v1/stream/token`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
  });
  return (await answer.json()).realtime;
}

async function listener(org: Minted, given?: Way) {
  const way = given ?? (await wayOf(org));
  const client = clientOf(world.realtime, {}, { key: way.apikey, accessToken: async () => way.access_token });
  await client.realtime.setAuth();
  return { client, topics: way.topics };
}

describe('a token for Realtime', () => {
  test('joins each of its topics and receives the broadcasts of the database', async () => {
    const org = await keyOf(world.sql, 'basic');
    const { client, topics } = await listener(org);
    for (const topic of topics.filter((name) => name !== 'markets:all')) {
      expect([topic, (await listen(client, topic)).states]).toEqual([topic, ['SUBSCRIBED']]);
    }
    const ear = await listenToDatabase(client, 'markets:all');
    await world.say('markets:all', '{"type":"price","id":"one"}');
    await waitUntil(
      () => ear.heard.some(({ event, payload }) => event === 'frames' && JSON.stringify(payload).includes('"one"')),
      { what: 'the broadcast' },
    );
  });

  test.each([
    ['free', 1, 'sample'],
    ['basic', 3, 'markets:all'],
  ] as const)(
    'opens on %s as many sockets as it has connections, %i, and their renewals succeed',
    async (tier, seats, topic) => {
      const org = await keyOf(world.sql, tier);
      const way = await wayOf(org);
      const clients = [];
      for (let n = 0; n < seats; n++) {
        const { client } = await listener(org, way);
        clients.push({ client, ear: await listenToDatabase(client, topic) });
      }
      // Each socket joins every topic of the token, and the next socket none.
      for (const { client } of clients) expect((await listen(client, 'status')).states).toEqual(['SUBSCRIBED']);
      const { client: extra } = await listener(org, way);
      for (const name of [topic, 'status'])
        expect((await listen(extra, name)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
      await extra.removeAllChannels();
      // As in the token's last 45 seconds: the next one is given, and the sockets change to it.
      await world.sql`
      update stream.realtime_grants set expires_at = clock_timestamp() + interval '44 seconds' where org_id = ${org.orgId}`;
      const next = await wayOf(org);
      for (const { client } of clients) await client.realtime.setAuth(next.access_token);
      // A change of token is not answered: each has taken its seat of the new one when the database has counted it.
      await waitUntil(
        async () => {
          const [row] = await world.sql<{ taken: boolean }[]>`
          select bool_and(pg_sequence_last_value(('stream.join_count_' || g.counters[array_position(g.topics, t)])::regclass) = ${seats}) as taken
          from stream.realtime_grants g, unnest(array['status', ${topic}]) t
          where g.org_id = ${org.orgId} and g.expires_at > clock_timestamp() + interval '45 seconds'`;
          return row?.taken;
        },
        { what: 'the renewals' },
      );
      const late = await listener(org, next);
      expect((await listen(late.client, topic)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
      await late.client.removeAllChannels();
      await world.say(topic, '{"type":"price","id":"renewed"}');
      for (const { ear } of clients) {
        await waitUntil(() => JSON.stringify(ear.heard).includes('"renewed"'), { what: 'the broadcast' });
        expect(ear.states).toEqual(['SUBSCRIBED']);
      }
    },
  );

  test('joins no channel of a higher tier, of another organization, and not the one that is never broadcast', async () => {
    const other = await keyOf(world.sql, 'pro');
    const { client } = await listener(await keyOf(world.sql, 'free'));
    for (const topic of ['markets:all', 'candidates:soccer', `org:${other.orgId}`]) {
      expect((await listen(client, topic)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
    }
    const { client: pro } = await listener(other);
    expect((await listen(pro, 'quotes:all')).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
  });

  test('opens no channel once the plan is inactive, and nothing of the Data API', async () => {
    const org = await keyOf(world.sql, 'pro');
    const { client } = await listener(org);
    await world.sql`select account.set_plan(${org.orgId}, 'pro', 'inactive')`;
    expect((await listen(client, 'markets:all')).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
    const { access_token } = await wayOf(await keyOf(world.sql, 'pro'));
    const claims = Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString();
    // As PostgREST runs a request with this token.
    await world.sql.begin(async (sql) => {
      await sql`select set_config('request.jwt.claims', ${claims}, true), set_config('role', 'authenticated', true)`;
      for (const view of [
        'my_organizations',
        'my_keys',
        'my_usage',
        'my_audit',
        'my_monthly_usage',
        'my_invitations',
      ]) {
        expect([view, await sql.unsafe(`select * from api.${view}`)]).toEqual([view, []]);
      }
      for (const call of [`api.get_channel_state('markets:all')`, `api.start_session('x')`]) {
        await expect(sql.savepoint((inner) => inner.unsafe(`select ${call}`))).rejects.toThrow();
      }
    });
  });
});
