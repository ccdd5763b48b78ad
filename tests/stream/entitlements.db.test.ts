import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// Checks the policies as Realtime does (platform.md 1.6): insert a probe row, set the role and the
// claims of the caller, select the row, and always roll back.

const TOPICS = [
  'markets:all',
  'sample',
  'status',
  'quotes:all',
  'best:all',
  'candidates:tennis',
  'candidates:',
  'markets:other',
  'realtime',
  '',
];
const people = ['free', 'basic', 'premium', 'pro', 'idle', 'outsider', 'two'] as const;
type Person = (typeof people)[number];

let db: TestDatabase;
const orgs = new Map<string, string>();
const users = new Map<Person, string>();
const person = (name: Person) => ({
  role: 'authenticated',
  sub: users.get(name),
  session_id: users.get(name),
  aud: 'authenticated',
});
/** The claims of a new token for Realtime (stream.mint_ticket, functions/api/stream_token.ts). */
async function token(org: string): Promise<{ role: string; org: string; jti: string }> {
  const id = orgs.get(org) ?? '';
  const [row] = await db.sql<{ jti: string }[]>`select stream.take_realtime_grant(${id}, 1000) as jti`;
  return { role: 'authenticated', org: id, jti: row?.jti ?? '' };
}

beforeAll(async () => {
  db = await createDatabase();
  for (const [name, tier] of Object.entries({
    free: 'free',
    basic: 'basic',
    premium: 'premium',
    pro: 'pro',
    idle: 'pro',
  })) {
    const [row] = await db.sql<{ org: string }[]>`select account.create_organization(${name}, ${tier}) as org`;
    orgs.set(name, row?.org ?? '');
  }
  await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${orgs.get('idle') ?? ''}`;
  await db.sql`insert into stream.channels (channel) values ('candidates:tennis')`;
  for (const name of people) {
    const [user] = await db.sql<{ id: string }[]>`
      insert into auth.users (id, email) values (gen_random_uuid(), ${`${name}@example.com`}) returning id`;
    users.set(name, user?.id ?? '');
    await db.sql`insert into auth.sessions (id, user_id) values (${user?.id ?? ''}, ${user?.id ?? ''})`;
    for (const org of name === 'two' ? ['free', 'basic'] : [name]) {
      const id = orgs.get(org);
      if (id) await db.sql`insert into account.members (org_id, user_id) values (${id}, ${user?.id ?? ''})`;
    }
  }
});
afterAll(() => db.close());

async function mayJoin(
  topic: string,
  claims: { role: string; [claim: string]: unknown },
  extension = 'broadcast',
): Promise<boolean> {
  const rollback = new Error('always rolled back');
  let joined = false;
  await db.sql
    .begin(async (sql) => {
      const [probe] = await sql<{ id: string }[]>`
        insert into realtime.messages (topic, extension) values (${topic}, ${extension}) returning id`;
      await sql`
        select set_config('role', ${claims.role}, true), set_config('realtime.topic', ${topic}, true),
               set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
      joined = (await sql`select id from realtime.messages where id = ${probe?.id ?? ''}`).length === 1;
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  return joined;
}
const joinableTopics = async (claims: { role: string }) => {
  const all = [...TOPICS, ...[...orgs].map(([, id]) => `org:${id}`)];
  const names = new Map([...orgs].map(([name, id]) => [`org:${id}`, `org:${name}`]));
  const found: string[] = [];
  for (const topic of all) if (await mayJoin(topic, claims)) found.push(names.get(topic) ?? topic);
  return found;
};

const wanted: [Person, string[]][] = [
  ['free', ['sample', 'status', 'org:free']],
  ['basic', ['markets:all', 'status', 'org:basic']],
  ['premium', ['markets:all', 'status', 'org:premium']],
  ['pro', ['markets:all', 'status', 'candidates:tennis', 'org:pro']],
  ['idle', ['org:idle']],
  ['outsider', []],
  ['two', ['markets:all', 'sample', 'status', 'org:free', 'org:basic']],
];

describe('the Realtime policy for a signed-in person', () => {
  test.each(wanted)('allows exactly the channels of the organizations: %s', async (name, channels) => {
    expect(await joinableTopics(person(name))).toEqual(channels);
  });
});

describe('the Realtime policy for a stream token', () => {
  test.each(wanted.filter(([name]) => name !== 'outsider' && name !== 'two'))(
    'allows exactly the channels of the organization in the token: %s',
    async (name, channels) => {
      expect(await joinableTopics(await token(name))).toEqual(channels);
    },
  );

  test('a session that carries the claim of a stream token gains no channel', async () => {
    expect(await joinableTopics({ ...person('free'), ...{ org: orgs.get('pro') } })).toEqual([
      'sample',
      'status',
      'org:free',
    ]);
    const hidden = { user_metadata: { org: orgs.get('pro') }, app_metadata: { org: orgs.get('pro') } };
    expect(await joinableTopics({ ...person('free'), ...hidden })).toEqual(['sample', 'status', 'org:free']);
  });

  test.each([['not a uuid'], [''], ["' or true"], [null], [12], [{ a: 1 }]])(
    'a token whose organization claim is %j joins no channel',
    async (org) => {
      expect(await joinableTopics({ role: 'authenticated', ...{ org } })).toEqual([]);
    },
  );
});

describe('the join counters of a Realtime token', () => {
  test.each([
    ['free', 'sample', 1],
    ['basic', 'markets:all', 3],
    ['premium', 'markets:all', 10],
  ] as const)('allow %s, although every check is rolled back and many run at once', async (org, topic, seats) => {
    const grant = await token(org);
    const joined = await Promise.all(Array.from({ length: seats + 5 }, () => mayJoin(topic, grant)));
    expect(joined.filter(Boolean)).toHaveLength(seats);
    expect(await mayJoin(topic, grant)).toBe(false);
    // Each socket joins every topic of the token.
    expect(await mayJoin('status', grant)).toBe(true);
    const nextGrant = await token(org);
    expect(await mayJoin(topic, nextGrant)).toBe(true);
    expect(await mayJoin(topic, grant)).toBe(false);
  });

  test('are reused, starting at zero, once their token has expired for long', async () => {
    await db.sql`update stream.join_counters set free_at = clock_timestamp() - interval '1 second'`;
    const counters = async () => (await db.sql`select from stream.join_counters`).length;
    const before = await counters();
    const grant = await token('free');
    expect(await counters()).toBe(before);
    expect([await mayJoin('sample', grant), await mayJoin('sample', grant)]).toEqual([true, false]);
  });

  test('a stream token that was never issued, or names another organization, joins no channel', async () => {
    const grant = await token('pro');
    const { jti: _, ...without } = grant;
    const other = await token('basic');
    for (const claims of [without, { ...grant, jti: orgs.get('pro') ?? '' }, { ...grant, jti: other.jti }])
      expect(await joinableTopics(claims)).toEqual([]);
  });
});

test.each(['anon', 'service_role'])('%s belongs to no organization and joins no channel', async (role) => {
  // service_role bypasses row-level security, as hosted. No caller has this role.
  expect(await joinableTopics({ role })).toHaveLength(role === 'anon' ? 0 : TOPICS.length + orgs.size);
});

test('the function stream joins every topic but quotes:all and best:all, and a person with the same claim does not', async () => {
  const carrier = { role: 'authenticated', aud: 'authenticated', carrier: 'stream' };
  const broadcast = TOPICS.filter((topic) => !['quotes:all', 'best:all', ''].includes(topic));
  const channels = [...orgs].map(([name]) => `org:${name}`);
  expect(await joinableTopics(carrier)).toEqual([...broadcast, ...channels]);
  expect(await mayJoin('markets:all', carrier, 'presence')).toBe(false);
  expect(await joinableTopics({ ...person('outsider'), carrier: 'stream' } as never)).toEqual([]);
  for (const claims of [
    { ...carrier, carrier: 'other' },
    { ...carrier, carrier: null },
    { role: 'authenticated', app_metadata: { carrier: 'stream' }, user_metadata: { carrier: 'stream' } },
  ])
    expect(await joinableTopics(claims)).toEqual([]);
});

test('a change of plan, of membership or of the organization applies at the next policy check', async () => {
  const [org, user] = [orgs.get('basic') ?? '', users.get('basic') ?? ''];
  await db.sql`update account.subscriptions set tier = 'pro' where org_id = ${org}`;
  expect(await mayJoin('candidates:tennis', person('basic'))).toBe(true);
  await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${org}`;
  expect([await mayJoin('markets:all', person('basic')), await mayJoin(`org:${org}`, person('basic'))]).toEqual([
    false,
    true,
  ]);
  await db.sql`update account.subscriptions set status = 'active', tier = 'basic' where org_id = ${org}`;
  await db.sql`delete from account.members where user_id = ${user}`;
  expect(await joinableTopics(person('basic'))).toEqual([]);
  expect(await mayJoin('markets:all', await token('basic'))).toBe(true);
  await db.sql`insert into account.members (org_id, user_id) values (${org}, ${user})`;
});

test('a client may receive broadcasts and no presence', async () => {
  expect(await mayJoin('status', person('free'), 'presence')).toBe(false);
});

test('no role may send: an insert is denied on every channel', async () => {
  for (const claims of [person('pro'), await token('pro'), { role: 'anon' }]) {
    for (const topic of ['markets:all', 'sample', `org:${orgs.get('pro')}`, 'lobby']) {
      const send = db.sql.begin(async (sql) => {
        await sql`
          select set_config('role', ${claims.role}, true), set_config('realtime.topic', ${topic}, true),
                 set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
        await sql`insert into realtime.messages (topic, extension, event, payload, private) values (${topic}, 'broadcast', 'frames', '{}', true)`;
      });
      await expect(send).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('each role may call its few functions of stream and dashboard, and reads no table', async () => {
  const rows = await db.sql<{ role: string; name: string }[]>`
    select r.role, p.proname as name
    from unnest(array['anon', 'authenticated', 'parallax_api', 'parallax_ingest', 'parallax_stream']) as r (role)
    cross join pg_proc p
    where p.pronamespace in ('stream'::regnamespace, 'dashboard'::regnamespace)
      and has_schema_privilege(r.role, p.pronamespace, 'usage')
      and has_function_privilege(r.role, p.oid, 'execute')
    order by 1, 2`;
  expect(rows).toEqual([
    ...[
      ...['closed_opportunities', 'dashboard_channel_state', 'dashboard_report', 'decide_review', 'explain_market'],
      ...['list_reviews', 'list_rules', 'market_detail', 'market_history', 'market_terms', 'may_join_topic'],
      'open_opportunities',
      ...['read_coverage', 'read_insights', 'read_review', 'read_rule', 'search_markets'],
    ].map((name) => ({ role: 'authenticated', name })),
    ...[
      ...[
        'list_sample',
        'mint_ticket',
        'open_carried_connection',
        'read_watch',
        'renew_carried_connection',
        'replay_for_caller',
      ],
      'start_watch',
      'state_for_caller',
    ].map((name) => ({
      role: 'parallax_api',
      name,
    })),
    ...['broadcast_pending', 'publish_best', 'relay_pending'].map((name) => ({ role: 'parallax_ingest', name })),
    ...['channel_positions', 'close_connections', 'open_connection', 'read_publications', 'renew_connections'].map(
      (name) => ({ role: 'parallax_stream', name }),
    ),
  ]);
  const tables = await db.sql`
    select r.role, c.relname
    from unnest(array['anon', 'authenticated', 'service_role', 'parallax_api', 'parallax_ingest', 'parallax_stream']) as r (role)
    cross join pg_class c
    where c.relnamespace = 'stream'::regnamespace
      and c.relkind in ('r', 'p', 'v')
      and has_table_privilege(r.role, c.oid, 'select, insert, update, delete')`;
  expect(tables).toEqual([]);
});

test('an organization receives frames about its keys and its plan, never the key itself', async () => {
  const [first] = await db.sql<{ key: string }[]>`select account.mint_key('notified', 'free') as key`;
  await db.sql`select account.mint_key('notified', 'pro')`;
  const rows = await db.sql<{ channel: string; frame: string }[]>`
    select p.channel, unnest(p.frames) as frame from stream.publications p
    where p.channel = 'org:' || (select org_id from account.organizations where name = 'notified') order by p.last_offset`;
  expect(rows.map(({ frame }) => (JSON.parse(frame) as { type: string }).type)).toEqual(['key', 'plan', 'key']);
  expect(rows[0]?.frame).toMatch(/^\{"type":"key"/);
  expect(JSON.parse(rows[1]?.frame ?? '')).toMatchObject({ type: 'plan', tier: 'pro', status: 'active' });
  expect(JSON.stringify(rows)).toContain(first?.key.slice(0, 16));
  expect(JSON.stringify(rows)).not.toContain(first?.key.slice(0, 20));
});
