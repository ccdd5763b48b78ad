import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import { createTestClient, jwtSecret, keys, subscribe, subscribeToDatabase } from '../../realtime/fixture.ts';
import { waitUntil } from '../../support/wait_until.ts';
import type { StreamFixture, StreamWorld } from './fixture.ts';
import { createKey, type OrganizationKey } from './minted.ts';

// The second way to subscribe in contract.md: supabase-js on Realtime itself, with the token of the
// ticket endpoint.

type RealtimeAccess = { url: string; apikey: string; access_token: string; topics: string[] };

export const realtimeTokenSuite = (at: () => StreamWorld) =>
  describe('a client on Realtime itself', () => {
    let fixture: StreamFixture;
    let api: RunningApi;
    beforeAll(async () => {
      ({ fixture } = at());
      const { scratch, url } = fixture.realtime;
      const env: Record<string, string> = {
        SUPABASE_URL: url,
        SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
        STREAM_SIGNING_SECRET: jwtSecret,
      };
      const login = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, 'realtime_test');
      api = await serveApi(login, { stream: streamSettingsOf((name) => env[name]) });
    });
    afterAll(() => api?.close());

    async function realtimeAccessOf({ key }: OrganizationKey): Promise<RealtimeAccess> {
      const response = await fetch(`${api.base}/v1/stream/token`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
      });
      return (await response.json()).realtime;
    }

    async function createSubscriber(org: OrganizationKey, knownAccess?: RealtimeAccess) {
      const access = knownAccess ?? (await realtimeAccessOf(org));
      const client = createTestClient(
        fixture.realtime,
        {},
        { key: access.apikey, accessToken: async () => access.access_token },
      );
      await client.realtime.setAuth();
      return { client, topics: access.topics };
    }

    describe('a token for Realtime', () => {
      test('joins each of its topics and receives the broadcasts of the database', async () => {
        const org = await createKey(fixture.sql, 'basic');
        const { client, topics } = await createSubscriber(org);
        for (const topic of topics.filter((name) => name !== 'markets:all')) {
          expect([topic, (await subscribe(client, topic)).states]).toEqual([topic, ['SUBSCRIBED']]);
        }
        const subscription = await subscribeToDatabase(client, 'markets:all');
        await fixture.publish('markets:all', '{"type":"price","id":"one"}');
        await waitUntil(
          () =>
            subscription.received.some(
              ({ event, payload }) => event === 'frames' && JSON.stringify(payload).includes('"one"'),
            ),
          { what: 'the broadcast' },
        );
      });

      test.each([
        ['free', 1, 'sample'],
        ['basic', 3, 'markets:all'],
      ] as const)(
        'opens on %s as many sockets as it has connections, %i, and their renewals succeed',
        async (tier, maxConnections, topic) => {
          const org = await createKey(fixture.sql, tier);
          const access = await realtimeAccessOf(org);
          const clients = [];
          for (let n = 0; n < maxConnections; n++) {
            const { client } = await createSubscriber(org, access);
            clients.push({ client, subscription: await subscribeToDatabase(client, topic) });
          }
          // Each socket may join every topic of the token; one socket more may join none.
          for (const { client } of clients) expect((await subscribe(client, 'status')).states).toEqual(['SUBSCRIBED']);
          const { client: extra } = await createSubscriber(org, access);
          for (const name of [topic, 'status'])
            expect((await subscribe(extra, name)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
          await extra.removeAllChannels();
          // In the last 45 seconds of a token the API issues the next one, and the sockets change
          // to it.
          await fixture.sql`
      update stream.realtime_grants set expires_at = clock_timestamp() + interval '44 seconds' where org_id = ${org.orgId}`;
          const next = await realtimeAccessOf(org);
          for (const { client } of clients) await client.realtime.setAuth(next.access_token);
          // Realtime does not answer a change of token. The join counters of the new token show
          // that each socket has changed.
          await waitUntil(
            async () => {
              const [row] = await fixture.sql<{ taken: boolean }[]>`
          select bool_and(pg_sequence_last_value(('stream.join_count_' || g.counters[array_position(g.topics, t)])::regclass) = ${maxConnections}) as taken
          from stream.realtime_grants g, unnest(array['status', ${topic}]) t
          where g.org_id = ${org.orgId} and g.expires_at > clock_timestamp() + interval '45 seconds'`;
              return row?.taken;
            },
            { what: 'the renewals' },
          );
          const late = await createSubscriber(org, next);
          expect((await subscribe(late.client, topic)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
          await late.client.removeAllChannels();
          await fixture.publish(topic, '{"type":"price","id":"renewed"}');
          for (const { subscription } of clients) {
            await waitUntil(() => JSON.stringify(subscription.received).includes('"renewed"'), {
              what: 'the broadcast',
            });
            expect(subscription.states).toEqual(['SUBSCRIBED']);
          }
        },
      );

      test('joins no channel of a higher tier, of another organization, and not those that are never broadcast', async () => {
        const other = await createKey(fixture.sql, 'pro');
        const { client } = await createSubscriber(await createKey(fixture.sql, 'free'));
        for (const topic of ['markets:all', 'candidates:soccer', `org:${other.orgId}`]) {
          expect((await subscribe(client, topic)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
        }
        const { client: pro } = await createSubscriber(other);
        for (const topic of ['quotes:all', 'best:all'])
          expect((await subscribe(pro, topic)).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
      });

      test('opens no channel once the plan is inactive, and nothing of the Data API', async () => {
        const org = await createKey(fixture.sql, 'pro');
        const { client } = await createSubscriber(org);
        await fixture.sql`select account.set_plan(${org.orgId}, 'pro', 'inactive')`;
        expect((await subscribe(client, 'markets:all')).states[0]).toMatch(/^CHANNEL_ERROR .*Unauthorized/);
        const { access_token } = await realtimeAccessOf(await createKey(fixture.sql, 'pro'));
        const claims = Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString();
        // PostgREST runs a request with this token in the same way.
        await fixture.sql.begin(async (sql) => {
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
  });
