import { expect, test } from 'vitest';
import { bodyFaults } from '../../local/sql_style/plpgsql.ts';
import { createDatabase } from '../support/database.ts';

test('bodyFaults finds wrong columns, tables, functions and argument types in PL/pgSQL bodies, and nothing else in sql/', async () => {
  const db = await createDatabase();
  try {
    expect(await bodyFaults(db.sql)).toEqual([]);
    await db.sql.unsafe(`
      create function account.wrong(p_number integer) returns integer
      language plpgsql
      as $$
      declare
        v_org record;
      begin
        perform (select c.nothing from venue.contracts c limit 1);
        delete from account.nothing;
        if account.unknown(p_number) then
          p_number := 1 + account.crc32(p_number);
        end if;
        select o.* into v_org from account.organizations o;
        return v_org.columns_of_a_record_are_not_known;
      end
      $$`);
    expect(await bodyFaults(db.sql)).toEqual([
      'account.wrong(integer), line 5: column c.nothing does not exist',
      'account.wrong(integer), line 6: relation "account.nothing" does not exist',
      'account.wrong(integer), line 7: function account.unknown(integer) does not exist',
      'account.wrong(integer), line 8: function account.crc32(integer) does not exist',
    ]);
  } finally {
    await db.close();
  }
});
