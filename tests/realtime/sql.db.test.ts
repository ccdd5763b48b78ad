import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { completePlatform, connectAdmin, type Sql, TEMPLATE_NAME } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// Schema realtime as a project finds it, with the failures that are silent there, as hosted.
let db: TestDatabase;
let admin: Sql;
beforeAll(async () => {
  db = await createDatabase({ from: TEMPLATE_NAME });
  admin = connectAdmin(inject('postgres').cluster, db.name);
});
afterAll(async () => {
  await admin.end();
  await db.close();
});

const rows = (topic: string) =>
  db.sql`select id::text, payload, event, private, extension from realtime.messages where topic = ${topic} order by inserted_at`;
const day = (offset: number) =>
  `messages_${new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '_')}`;
const partitions = async () =>
  (
    await admin<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'realtime.messages'::regclass order by 1`
  ).map((row) => row.name);

describe('realtime.send', () => {
  test('adds the id of the row to a payload that has none, and keeps an existing id', async () => {
    await db.sql`select realtime.send('{"seq": 1}', 'tick', 'ids', true)`;
    await db.sql`select realtime.send('{"id": "mine"}', 'tick', 'ids')`;
    const [first, second] = await rows('ids');
    expect(first).toEqual({
      id: first?.id,
      payload: { seq: 1, id: first?.id },
      event: 'tick',
      private: true,
      extension: 'broadcast',
    });
    expect(second?.payload).toEqual({ id: 'mine' });
  });

  test.each([
    ['a payload that is not an object', `select realtime.send('[1]', 'tick', 'lost')`],
    ['a missing topic', `select realtime.send('{}', 'tick', null)`],
    ['a caller without an insert policy', `set local role authenticated; select realtime.send('{}', 'tick', 'lost')`],
    ['a day without a partition', `drop table realtime.${day(0)}; select realtime.send('{}', 'tick', 'lost')`],
  ])('raises a warning, inserts no row and does not fail for %s', async (_, statements) => {
    const warnings: string[] = [];
    const { port, password } = inject('postgres');
    // Only the owner of a partition may drop it.
    const sql = postgres(databaseUrl(port, 'supabase_admin', password, db.name), {
      max: 1,
      onnotice: (notice) => warnings.push(`${notice.severity} ${notice.message}`),
    });
    const rolledBack = sql.begin(async (transaction) => {
      // An error here would abort the transaction and change the message that is expected below.
      await transaction.unsafe(statements).simple();
      await transaction`reset role`;
      const lost = await transaction`select from realtime.messages where topic = 'lost'`;
      throw new Error(`rolled back with ${lost.length} rows`);
    });
    await expect(rolledBack).rejects.toThrow('rolled back with 0 rows');
    await sql.end();
    expect(warnings).toEqual([expect.stringMatching(/^WARNING WarnSendingBroadcastMessage: /)]);
  });

  test('leaves realtime.topic() at the last topic until the transaction ends', async () => {
    const inside = await db.sql.begin(async (sql) => {
      await sql`select realtime.send('{}', 'a', 'one')`;
      await sql`select realtime.send_binary('\\x00ff', 'a', 'two')`;
      return sql`select realtime.topic() as topic`;
    });
    expect(inside).toEqual([{ topic: 'two' }]);
    expect(await db.sql`select realtime.topic() as topic`).toEqual([{ topic: null }]);
  });

  test('broadcast_changes sends the row of a row trigger, and raises for a statement trigger', async () => {
    await db.sql.unsafe(`
      create table public.prices (id int primary key, ask numeric);
      create function public.broadcast_row() returns trigger language plpgsql as $$
      begin
        perform realtime.broadcast_changes('prices', tg_op, tg_op, tg_table_name, tg_table_schema, new, old, tg_level);
        return null;
      end $$;
      create trigger broadcast_row after insert or update on public.prices for each row execute function public.broadcast_row();
    `);
    await db.sql`insert into public.prices values (1, 0.5)`;
    const [sent] = await rows('prices');
    expect(sent?.payload).toEqual({
      id: sent?.id,
      record: { id: 1, ask: 0.5 },
      old_record: null,
      operation: 'INSERT',
      table: 'prices',
      schema: 'public',
    });
    const wrong = db.sql`
      select realtime.broadcast_changes('prices', 'x', 'x', 'prices', 'public', null::record, null::record, 'STATEMENT')`;
    await expect(wrong).rejects.toThrow(/for each row/);
  });
});

describe('permissions in schema realtime', () => {
  test('enables row security, lets postgres write policies, and lets only the platform create objects', async () => {
    const rejected = db.sql.begin(async (sql) => {
      await sql`set local role authenticated`;
      await sql`insert into realtime.messages (topic, extension) values ('t', 'broadcast')`;
    });
    await expect(rejected).rejects.toThrow(/row-level security/);
    const visible = await db.sql.begin(async (sql) => {
      await sql`set local role anon`;
      return sql`select from realtime.messages`;
    });
    expect(visible).toHaveLength(0);
    await db.sql`create policy "anyone reads" on realtime.messages for select to authenticated using (true)`;
    await db.sql`drop policy "anyone reads" on realtime.messages`;
    await expect(db.sql`create table realtime.mine (id int)`).rejects.toThrow(/permission denied/);
    await expect(db.sql`select _realtime.keep_partitions()`).rejects.toThrow(/permission denied/);
  });
});

test('completePlatform adds the Realtime schema to an older data folder, and only once', async () => {
  const old = await createDatabase({ from: TEMPLATE_NAME });
  const owner = connectAdmin(inject('postgres').cluster, old.name);
  try {
    await owner.unsafe('drop schema realtime cascade; drop schema _realtime cascade').simple();
    await completePlatform(inject('postgres').cluster, old.name);
    await old.sql`select realtime.send('{}', 'kept', 'topic')`;
    await completePlatform(inject('postgres').cluster, old.name);
    expect(await old.sql`select event from realtime.messages`).toEqual([{ event: 'kept' }]);
    await old.sql`create policy "anyone reads" on realtime.messages for select to authenticated using (true)`;
  } finally {
    await owner.end();
    await old.close();
  }
});

describe('partitions of realtime.messages', () => {
  test('keeps the days from yesterday to three ahead, and drops a day 72 hours after its end', async () => {
    const wanted = [-1, 0, 1, 2, 3].map(day);
    expect(await partitions()).toEqual(wanted);
    const iso = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    for (const offset of [-3, -4, -9]) {
      await admin.unsafe(
        `create table realtime.${day(offset)} partition of realtime.messages for values from ('${iso(offset)}') to ('${iso(offset + 1)}')`,
      );
    }
    await admin.unsafe(`drop table realtime.${day(2)}`);
    await admin`select _realtime.keep_partitions()`;
    expect(await partitions()).toEqual([day(-3), ...wanted]);
  });
});
