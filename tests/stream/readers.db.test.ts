import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asRole, claimsOf, type Person, person } from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, mintTicket, type OrganizationKey } from './function/minted.ts';

/**
 * Guarantee: who may read which channel has one answer, at each place that gives frames: Realtime,
 * the stream function, the nodes of Centrifugo, the routes of the API, the MCP tool, and the pages.
 */

const CHANNELS = ['best:all', 'candidates:tennis', 'markets:all', 'quotes:all', 'sample', 'status'];
/** Realtime does not broadcast these. */
const UNICAST = ['best:all', 'quotes:all'];
const PLANS: Record<string, string[]> = {
  free: ['sample', 'status'],
  basic: ['markets:all', 'status'],
  premium: ['markets:all', 'status'],
  pro: ['best:all', 'candidates:tennis', 'markets:all', 'quotes:all', 'status'],
};

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase({ superuser: true });
  await db.sql`insert into stream.channels (channel) values ('candidates:tennis')`;
  // The stand-in for Auth has no second factors. The platform has this table.
  await db.sql.unsafe(`
    create table auth.mfa_factors (id uuid primary key default gen_random_uuid(), user_id uuid not null, status text not null);
    alter table auth.mfa_factors owner to supabase_auth_admin;
    grant select on auth.mfa_factors to postgres`);
});
afterAll(() => db.close());

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest();
async function queryValue<T>(query: PromiseLike<readonly unknown[]>): Promise<T> {
  const [row] = (await query) as { value: T }[];
  return row?.value as T;
}

/** Whether Realtime admits these claims to a topic. The check is rolled back, as there. */
async function mayJoin(claims: object, topic: string): Promise<boolean> {
  const back = new Error('rolled back');
  let joined = false;
  await db.sql
    .begin(async (sql) => {
      const [probe] = await sql<{ id: string }[]>`
        insert into realtime.messages (topic, extension) values (${topic}, 'broadcast') returning id`;
      await sql`
        select set_config('role', 'authenticated', true), set_config('realtime.topic', ${topic}, true),
               set_config('request.jwt.claims', ${JSON.stringify({ role: 'authenticated', ...claims })}, true)`;
      joined = (await sql`select from realtime.messages where id = ${probe?.id ?? ''}`).length === 1;
      throw back;
    })
    .catch((error: unknown) => {
      if (error !== back) throw error;
    });
  return joined;
}

/** The channels of `all` for which the answer of a place is yes. */
async function among(all: readonly string[], answer: (channel: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const channel of all) if (await answer(channel)) found.push(channel);
  return found;
}

type Opened = { refused?: string; channels?: ({ channel: string } | string)[] };
const open = ({ ticket }: { ticket: string }, id = randomUUID(), server = randomUUID()) =>
  queryValue<Opened>(db.sql`select stream.open_connection(${hashOf(ticket)}, ${id}, ${server}) as value`);
const openCarried = ({ ticket }: { ticket: string }, id = randomUUID()) =>
  queryValue<Opened>(db.sql`select stream.open_carried_connection(${hashOf(ticket)}, ${id}, 'node') as value`);
type Renewed = { connections: { refused: string | null }[]; orgs: Record<string, string[]> };
const renew = (server: string, id: string) =>
  queryValue<Renewed>(db.sql`select stream.renew_connections(${server}, array[${id}]::uuid[]) as value`);
const renewCarried = (id: string) =>
  queryValue<Opened>(db.sql`select stream.renew_carried_connection(${id}, 'node') as value`);
const namesOf = ({ channels = [] }: Opened) => channels.map((one) => (typeof one === 'string' ? one : one.channel));

/** The channels that each place gives an organization. */
const placesOfKey: [place: string, channelsOf: (org: OrganizationKey, all: string[]) => Promise<string[]>][] = [
  ['the ticket', async (org) => (await mintTicket(db.sql, org)).allowed.channels],
  ['a connection of the stream function', async (org) => namesOf(await open(await mintTicket(db.sql, org)))],
  [
    'the renewal of a connection',
    async (org) => {
      const [id, server] = [randomUUID(), randomUUID()];
      await open(await mintTicket(db.sql, org), id, server);
      return (await renew(server, id)).orgs[org.orgId] ?? [];
    },
  ],
  ['a connection of Centrifugo', async (org) => namesOf(await openCarried(await mintTicket(db.sql, org)))],
  ['the state route', async (org, all) => await among(all, (channel) => reads(org, 'state_for_caller', channel))],
  ['the replay route', async (org, all) => await among(all, (channel) => reads(org, 'replay_for_caller', channel))],
  [
    'the MCP tool watch_markets',
    async ({ orgId }, all) =>
      await among(all, async (channel) => {
        const places = JSON.stringify([{ channel, epoch: 'one', after: 0 }]);
        const read = await queryValue<{ ended?: string }>(
          db.sql`select stream.read_watch(${orgId}, '{}', ${places}::text::jsonb) as value`,
        );
        return read.ended === undefined;
      }),
  ],
];
async function reads({ orgId }: OrganizationKey, name: string, channel: string): Promise<boolean> {
  const position = name === 'replay_for_caller' ? `, 'one', 0` : '';
  const found = await db.sql.begin(async (sql) => {
    await sql`select set_config('parallax.org', ${orgId}, true)`;
    return await sql.unsafe(`select stream.${name}($1${position}) is not null as value`, [channel]);
  });
  return found[0]?.value as boolean;
}

describe('the channels of a plan', () => {
  const orgs = new Map<string, OrganizationKey>();
  beforeAll(async () => {
    for (const tier of Object.keys(PLANS)) {
      const made = await createKey(db.sql, tier);
      orgs.set(tier, made);
      await db.sql`insert into stream.channels (channel) values (${`org:${made.orgId}`}) on conflict do nothing`;
    }
  });
  beforeEach(async () => {
    await db.sql`truncate stream.connections, stream.tickets`;
    await db.sql`update account.subscriptions set status = 'active'`;
  });
  const all = () => [...CHANNELS, ...[...orgs.values()].map(({ orgId }) => `org:${orgId}`)];

  test.each(placesOfKey)('are the same at every place: %s', async (_, channelsOf) => {
    for (const [tier, org] of orgs) {
      const own = [...(PLANS[tier] ?? []), `org:${org.orgId}`].sort();
      expect([tier, [...(await channelsOf(org, all()))].sort()]).toEqual([tier, own]);
    }
  });

  test('are those of Realtime, but for the two that it does not broadcast', async () => {
    for (const [tier, org] of orgs) {
      // The owner of the function creates the counters of its joins.
      const grant = await db.sql.begin(async (sql) => {
        await sql`set local role postgres`;
        return await queryValue<string>(sql`select stream.take_realtime_grant(${org.orgId}, 1000) as value`);
      });
      const joined = await among(all(), (topic) => mayJoin({ org: org.orgId, jti: grant }, topic));
      const own = [...(PLANS[tier] ?? []), `org:${org.orgId}`].filter((channel) => !UNICAST.includes(channel));
      expect([tier, joined.sort()]).toEqual([tier, own.sort()]);
    }
  });

  test.each(placesOfKey)('are none but its own where the plan is not active: %s', async (place, channelsOf) => {
    const org = orgs.get('pro') as OrganizationKey;
    await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org.orgId}`;
    // A connection needs an active plan; a ticket does not.
    const isConnection = place.includes('connection');
    expect(await channelsOf(org, all())).toEqual(isConnection ? [] : [`org:${org.orgId}`]);
  });
});

describe('a key', () => {
  const set = (org: OrganizationKey, change: string) =>
    db.sql.unsafe(`update account.keys set ${change} where org_id = $1`, [org.orgId]);
  const EXPIRED = { refused: 'key', rest: 'auth.expired_key', isFound: true };
  const REVOKED = { refused: 'key', rest: 'auth.revoked_key', isFound: false };

  test.each<[string, string, { refused: string | null; rest: string | null; isFound: boolean }]>([
    ['without an end', 'expires_at = null', { refused: null, rest: null, isFound: true }],
    [
      'that ends in a minute',
      "expires_at = clock_timestamp() + interval '1 minute'",
      { refused: null, rest: null, isFound: true },
    ],
    ['that has ended just now', 'expires_at = clock_timestamp()', EXPIRED],
    ['that ended a while ago', "expires_at = clock_timestamp() - interval '3 hours'", EXPIRED],
    ['that was revoked', 'revoked_at = clock_timestamp()', REVOKED],
    [
      'that was revoked before its end',
      "revoked_at = clock_timestamp() - interval '2 hours', expires_at = clock_timestamp() - interval '1 hour'",
      REVOKED,
    ],
    // The clock was set back since.
    ['that was revoked in the future', "revoked_at = clock_timestamp() + interval '1 hour'", REVOKED],
  ])('%s is admitted at every place or at none', async (_, change, { refused, rest, isFound }) => {
    const org = await createKey(db.sql, 'pro');
    const tickets = [await mintTicket(db.sql, org), await mintTicket(db.sql, org)] as const;
    const [server, id, carried] = [randomUUID(), randomUUID(), randomUUID()];
    await open(await mintTicket(db.sql, org), id, server);
    await openCarried(await mintTicket(db.sql, org), carried);
    await set(org, change);
    const hash = createHash('sha256').update(org.key).digest();
    const [admission] = await db.sql<{ code: string | null }[]>`
      select code from account.admit(${hash}, true, 1, 1)`;
    const found = await db.sql`select from account.find_key_orgs(array[${hash.toString('hex')}])`;
    expect({
      rest: admission?.code,
      isFound: found.length === 1,
      connect: (await open(tickets[0])).refused ?? null,
      renewal: (await renew(server, id)).connections[0]?.refused,
      'connect at a node': (await openCarried(tickets[1])).refused ?? null,
      'renewal at a node': (await renewCarried(carried)).refused ?? null,
    }).toEqual({
      ...{ rest, isFound, connect: refused, renewal: refused },
      ...{ 'connect at a node': refused, 'renewal at a node': refused },
    });
  });
});

describe('a session', () => {
  let who: Person;
  let org: string;
  let other: Person;
  beforeAll(async () => {
    [who, other] = [await person(db.sql), await person(db.sql)];
    ({ orgId: org } = await createKey(db.sql, 'pro'));
    await db.sql`insert into account.members (org_id, user_id) values (${org}, ${who.id})`;
  });
  beforeEach(async () => {
    await db.sql`truncate auth.mfa_factors`;
    await db.sql`delete from auth.sessions where id = ${who.session}`;
    await db.sql`insert into auth.sessions (id, user_id) values (${who.session}, ${who.id})`;
  });
  const change = (text: string) => db.sql.unsafe(text, [who.session]);
  const factor = (status: string) =>
    db.sql`insert into auth.mfa_factors (user_id, status) values (${who.id}, ${status})`;

  const states: [string, () => PromiseLike<unknown>, claims: () => object, isReader: boolean][] = [
    ['that lives', async () => {}, () => ({}), true],
    [
      'that has an end in a minute',
      () => change(`update auth.sessions set not_after = now() + interval '1 minute' where id = $1`),
      () => ({}),
      true,
    ],
    [
      'that has reached its end',
      () => change('update auth.sessions set not_after = clock_timestamp() where id = $1'),
      () => ({}),
      false,
    ],
    ['that was signed out', () => change('delete from auth.sessions where id = $1'), () => ({}), false],
    ['of another person', async () => {}, () => ({ session_id: other.session }), false],
    ['without a session id', async () => {}, () => ({ session_id: null }), false],
    ['of a person with a second factor that it lacks', () => factor('verified'), () => ({ aal: 'aal1' }), false],
    ['of a person with a second factor, without a level', () => factor('verified'), () => ({}), false],
    ['with the second factor', () => factor('verified'), () => ({ aal: 'aal2' }), true],
    ['of a person whose second factor is not set up', () => factor('unverified'), () => ({ aal: 'aal1' }), true],
  ];

  test.each(states)('%s reads every channel of the plan, or none', async (_, prepare, claims, isReader) => {
    await prepare();
    const token = { ...claimsOf(who), ...claims() };
    const own = [...(PLANS.pro ?? []), `org:${org}`].filter((channel) => !UNICAST.includes(channel)).sort();
    const all = [...CHANNELS, `org:${org}`];
    const joined = await among(all, (topic) => mayJoin(token, topic));
    expect(joined.sort()).toEqual(isReader ? own : []);
    const stated = await among(all, (channel) =>
      asRole(db.sql, 'authenticated', token, `select api.get_channel_state('${channel}')`).then(
        () => true,
        () => false,
      ),
    );
    expect(stated.sort()).toEqual(isReader ? own : []);
  });
});
