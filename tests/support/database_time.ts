import type { Sql } from '../../local/platform/postgres/template.ts';

/** The real time of one test database, which only the test moves. */
export type DatabaseTime = {
  /** Moves it by `ms`; back, if `ms` is negative. */
  pass(ms: number): Promise<void>;
};

/**
 * Stops the real time of a test database. In this database alone, each function of the product and
 * each default of a column then reads `test_time.now()` where it read `clock_timestamp()`. So a
 * slow machine changes no time that SQL compares.
 */
export async function stopDatabaseTime(sql: Sql, at = new Date()): Promise<DatabaseTime> {
  await sql.unsafe(`
    create schema test_time;
    grant usage on schema test_time to public;
    create table test_time.state (at timestamptz not null);
    create function test_time.now() returns timestamptz
    language sql volatile security definer set search_path = ''
    as $$ select s.at from test_time.state s $$;
    grant execute on function test_time.now() to public;`);
  await sql`insert into test_time.state values (${at.toISOString()})`;
  await sql.unsafe(`do $do$
    declare
      v_statement text;
    begin
      for v_statement in
        select replace(pg_get_functiondef(p.oid), 'clock_timestamp()', 'test_time.now()')
        from pg_proc p
        where p.prokind = 'f' and p.prosrc like '%clock_timestamp()%' and p.proowner = 'postgres'::regrole
        union all
        select format(
          'alter table %s alter column %I set default %s', d.adrelid::regclass, a.attname,
          replace(pg_get_expr(d.adbin, d.adrelid), 'clock_timestamp()', 'test_time.now()')
        )
        from pg_attrdef d
        join pg_class c on c.oid = d.adrelid and c.relowner = 'postgres'::regrole
        join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) like '%clock_timestamp()%'
      loop
        execute v_statement;
      end loop;
    end
    $do$`);
  return {
    async pass(ms) {
      await sql`update test_time.state set at = at + ${`${ms} ms`}::interval`;
    },
  };
}
