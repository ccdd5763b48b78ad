import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// What a thief of Centrifugo's login could do. The tables here have the columns that the relay
// writes; those of the real program are in tests/stream/carrier.

let db: TestDatabase;
let thief: Sql;
beforeAll(async () => {
  db = await createDatabase();
  await db.sql`select stream.use_carrier('postgres')`;
  thief = postgres(db.url('parallax_carrier'), { max: 1, onnotice: () => {} });
  await thief.unsafe(`
    create table centrifugo.cf_binary_stream_shard_lock (shard_id smallint primary key);
    insert into centrifugo.cf_binary_stream_shard_lock values (0);
    create table centrifugo.cf_binary_stream_meta (
      channel text primary key, top_offset bigint, epoch text, history_ttl interval, history_size integer,
      expires_at timestamptz, updated_at timestamptz
    );
    create table centrifugo.cf_binary_stream (
      id bigserial, channel text, channel_offset bigint, epoch text, kind smallint default 0, data bytea
    );
  `);
});
afterAll(async () => {
  await thief.end({ timeout: 2 });
  await db.close();
});

describe('the login of Centrifugo', () => {
  test('runs no code as another role than parallax_relay, which may do nothing else', async () => {
    await thief.unsafe(`
      create table centrifugo.stolen (who text, keys text);
      grant insert on centrifugo.stolen to public;
      create function centrifugo.steal() returns trigger language plpgsql as $$
      declare
        v_keys text;
      begin
        begin
          execute 'select count(*)::text from account.keys' into v_keys;
        exception when insufficient_privilege then
          v_keys := 'refused';
        end;
        insert into centrifugo.stolen values (current_user, v_keys);
        return new;
      end
      $$;
      create trigger steal before insert on centrifugo.cf_binary_stream
        for each row execute function centrifugo.steal();
    `);
    await db.sql`select stream.append_publication('markets:all', array['{"type":"price"}'])`;
    await db.sql`select stream.relay_pending()`;
    expect(await thief`select who, keys from centrifugo.stolen`).toEqual([{ who: 'parallax_relay', keys: 'refused' }]);
  });

  test('reads its commands and deletes them, and nothing else of ours', async () => {
    expect(await thief`select count(*)::integer as n from stream.carrier_commands`).toEqual([{ n: 0 }]);
    for (const refused of [
      'select * from stream.publications',
      'select * from stream.connections',
      'select * from account.keys',
      `insert into stream.carrier_commands (method, payload) values ('disconnect', '{}')`,
      'select stream.relay_pending()',
      `select stream.use_carrier('embedded')`,
      `select stream.publish_to_broker('status', 'x', 0, '{}', interval '1 hour', 1)`,
      'create table stream.mine ()',
      'set role parallax_relay',
      'set role postgres',
      'alter function stream.publish_to_broker(text, text, bigint, text[], interval, integer) security invoker',
    ])
      await expect(thief.unsafe(refused), refused).rejects.toThrow(/permission denied|must be (owner|able)/);
  });
});
