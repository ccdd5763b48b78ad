import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pool } from '../../../functions/_shared/pool/pool.ts';
import { connect } from '../../../functions/stream/queries.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { untilWaitingForLock } from '../../support/lock_wait.ts';
import { createKey, mintTicket } from './minted.ts';

let db: TestDatabase;
let stream: Pool;
beforeAll(async () => {
  db = await createDatabase();
  stream = connect(db.url('parallax_stream'), () => {});
});
afterAll(async () => {
  await stream.end(1_000);
  await db.close();
});

type Connected = {
  refused?: string;
  max_conns?: number;
  org_id: string;
  channels: { channel: string; offset: number }[];
};
type Renewed = { connections: { id: string; refused: string | null }[]; orgs: Record<string, string[]> };

async function connectWith(
  ticket: string,
  server = randomUUID(),
  id = randomUUID(),
): Promise<Connected & { id: string }> {
  const hash = createHash('sha256').update(ticket).digest('hex');
  const [row] = await stream.query<{ answer: Connected }>(
    `select stream.open_connection(decode('${hash}', 'hex'), '${id}', '${server}') as answer`,
  );
  return { ...(row?.answer ?? { org_id: '', channels: [] }), id };
}

async function renew(server: string, ids: string[]): Promise<Renewed> {
  const [row] = await stream.query<{ answer: Renewed }>(
    `select stream.renew_connections('${server}', '{${ids.join(',')}}') as answer`,
  );
  if (!row) throw new Error('no answer');
  return row.answer;
}

describe('a ticket', () => {
  test('connects once; of two connects at the same time one succeeds', async () => {
    const { ticket } = await mintTicket(db.sql, await createKey(db.sql, 'pro'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => connectWith(ticket)));
    expect(answers.filter((answer) => !answer.refused)).toHaveLength(1);
    expect(answers.filter((answer) => answer.refused === 'ticket')).toHaveLength(7);
    expect((await connectWith(ticket)).refused).toBe('ticket');
  });

  test('is spent by the first of two connects that arrive before either is admitted', async () => {
    const org = await createKey(db.sql, 'pro');
    const { ticket } = await mintTicket(db.sql, org);
    // Each connect of an organization waits for this lock, so both have read the ticket before
    // either continues.
    const answers = await db.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('stream.connections ' || ${org.orgId}, 0))`;
      const waiting = [connectWith(ticket), connectWith(ticket)];
      await untilWaitingForLock(db.sql, 'stream.open_connection(', 2);
      return { waiting };
    });
    const refusals = (await Promise.all(answers.waiting)).map((answer) => answer.refused);
    expect(refusals.filter((refused) => refused === undefined)).toHaveLength(1);
    expect(refusals.filter((refused) => refused === 'ticket')).toHaveLength(1);
  });

  test('is rejected when it is unknown or 120 seconds old, and only its hash is stored', async () => {
    expect((await connectWith('st_nonsense')).refused).toBe('ticket');
    const { ticket } = await mintTicket(db.sql, await createKey(db.sql, 'pro'));
    const [row] = await db.sql<{ text: string; left: number }[]>`
      select t::text as text, extract(epoch from t.expires_at - clock_timestamp())::float8 as left
      from stream.tickets t where hash = ${createHash('sha256').update(ticket).digest()}`;
    expect(row?.text).not.toContain(ticket);
    expect(row?.left).toBeGreaterThan(110);
    expect(row?.left).toBeLessThanOrEqual(120);
    await db.sql`update stream.tickets set expires_at = clock_timestamp()`;
    expect((await connectWith(ticket)).refused).toBe('ticket');
  });

  test('gives the channels of the tier at the time of the connect, not of the ticket', async () => {
    const org = await createKey(db.sql, 'pro');
    const { ticket, allowed } = await mintTicket(db.sql, org);
    expect(allowed).toMatchObject({
      max_conns: 10,
      channels: ['best:all', 'markets:all', `org:${org.orgId}`, 'quotes:all', 'status'],
    });
    await db.sql`select account.set_plan(${org.orgId}, 'free', 'active')`;
    const connected = await connectWith(ticket);
    expect(connected.channels.map(({ channel }) => channel)).toEqual([`org:${org.orgId}`, 'sample', 'status']);
    expect(connected.max_conns).toBe(1);
  });

  test('is rejected once its key is revoked or the plan is inactive', async () => {
    const org = await createKey(db.sql, 'pro');
    const [one, two] = [await mintTicket(db.sql, org), await mintTicket(db.sql, org)];
    await db.sql`select account.set_plan(${org.orgId}, 'pro', 'inactive')`;
    expect((await connectWith(one.ticket)).refused).toBe('plan');
    await db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org.orgId}`;
    expect((await connectWith(two.ticket)).refused).toBe('key');
  });
});

describe('the limit of connections in SQL', () => {
  test('is exact over many isolates at once', async () => {
    const org = await createKey(db.sql, 'basic');
    const tickets = await Promise.all(Array.from({ length: 12 }, () => mintTicket(db.sql, org)));
    const answers = await Promise.all(tickets.map(({ ticket }) => connectWith(ticket)));
    expect(answers.filter((answer) => !answer.refused)).toHaveLength(3);
    expect(answers.filter((answer) => answer.refused === 'cap' && answer.max_conns === 3)).toHaveLength(9);
  });

  test('frees a slot when its own server ends the connection, or 40 s after that server died', async () => {
    const org = await createKey(db.sql, 'free');
    const server = randomUUID();
    const first = await connectWith((await mintTicket(db.sql, org)).ticket, server);
    await stream.query(`select stream.close_connections('${randomUUID()}', '{${first.id}}')`);
    expect((await connectWith((await mintTicket(db.sql, org)).ticket)).refused).toBe('cap');
    await stream.query(`select stream.close_connections('${server}', '{${first.id}}')`);
    expect((await connectWith((await mintTicket(db.sql, org)).ticket)).refused).toBeUndefined();
    const [row] = await db.sql<{ left: number }[]>`
      select extract(epoch from lease_until - clock_timestamp())::float8 as left from stream.connections where org_id = ${org.orgId}`;
    expect(row?.left).toBeGreaterThan(35);
    expect(row?.left).toBeLessThanOrEqual(40);
    await db.sql`update stream.connections set lease_until = clock_timestamp() where org_id = ${org.orgId}`;
    expect((await connectWith((await mintTicket(db.sql, org)).ticket)).refused).toBeUndefined();
  });
});

describe('renew_connections', () => {
  test('keeps an expired lease that no one has claimed, and reports the loss of a claimed one', async () => {
    const org = await createKey(db.sql, 'free');
    const server = randomUUID();
    const { id } = await connectWith((await mintTicket(db.sql, org)).ticket, server);
    await db.sql`update stream.connections set lease_until = clock_timestamp() where connection_id = ${id}`;
    expect((await renew(server, [id])).connections).toMatchObject([{ id, refused: null }]);
    expect((await renew(randomUUID(), [id])).connections).toEqual([]);
    await db.sql`update stream.connections set lease_until = clock_timestamp() where connection_id = ${id}`;
    expect((await connectWith((await mintTicket(db.sql, org)).ticket)).refused).toBeUndefined();
    expect((await renew(server, [id])).connections).toEqual([]);
  });

  test('returns for each connection the effect of a changed plan or key', async () => {
    const org = await createKey(db.sql, 'pro');
    const server = randomUUID();
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) ids.push((await connectWith((await mintTicket(db.sql, org)).ticket, server)).id);
    expect((await renew(server, ids)).orgs[org.orgId]).toContain('quotes:all');
    await db.sql`select account.set_plan(${org.orgId}, 'basic', 'active')`;
    const { connections, orgs } = await renew(server, ids);
    expect(connections.filter((one) => one.refused === 'cap').map((one) => one.id)).toEqual([ids[3]]);
    expect(orgs[org.orgId]).toEqual(['markets:all', `org:${org.orgId}`, 'status']);
    await db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org.orgId}`;
    expect((await renew(server, ids)).connections.every((one) => one.refused === 'key')).toBe(true);
    await db.sql`select account.set_plan(${org.orgId}, 'basic', 'inactive')`;
    expect((await renew(server, ids)).connections.every((one) => one.refused === 'plan')).toBe(true);
    await db.sql`delete from account.organizations where org_id = ${org.orgId}`;
    expect((await renew(server, ids)).connections).toEqual([]);
  });
});

test('purge_expired deletes ended connections and tickets only', async () => {
  await db.sql`delete from stream.tickets`;
  const org = await createKey(db.sql, 'pro');
  await mintTicket(db.sql, org);
  const { ticket } = await mintTicket(db.sql, org);
  await db.sql`update stream.tickets set expires_at = clock_timestamp() where hash <> ${createHash('sha256').update(ticket).digest()}`;
  const [row] = await db.sql<{ gone: number }[]>`select stream.purge_tickets() as gone`;
  expect(row?.gone).toBe(1);
  expect((await connectWith(ticket)).refused).toBeUndefined();
});

test('parallax_stream may call its five functions and reads no table', async () => {
  const functions = await db.sql<{ called: string }[]>`
    select p.oid::regprocedure::text as called
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname not in ('auth', 'extensions', 'information_schema', 'pg_catalog', 'realtime', 'storage')
      and has_schema_privilege('parallax_stream', n.oid, 'usage')
      and has_function_privilege('parallax_stream', p.oid, 'execute')`;
  expect(functions.map((row) => row.called).sort()).toEqual([
    'stream.channel_positions(text[])',
    'stream.close_connections(uuid,uuid[])',
    'stream.open_connection(bytea,uuid,uuid)',
    'stream.read_publications(text,text,bigint)',
    'stream.renew_connections(uuid,uuid[])',
  ]);
  const tables = await db.sql`
    select c.oid::regclass::text as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('information_schema', 'pg_catalog')
      and has_schema_privilege('parallax_stream', n.oid, 'usage')
      and c.relkind in ('r', 'p', 'v', 'm')
      and has_table_privilege('parallax_stream', c.oid, 'select, insert, update, delete')`;
  expect(tables).toEqual([]);
});
