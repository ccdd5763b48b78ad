import type postgres from 'postgres';

/**
 * The changed columns of a copy. `c.n` is the number of the copy. Dates move by 53 weeks, so that
 * weekdays stay the same.
 */
const id = (column: string) => `t.${column} || '~' || c.n`;
const later = (column: string) => `t.${column} + c.n * interval '371 days'`;
const ids = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, id(column)]));

const CHANGED_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  events: { ...ids('event_id'), start_at: later('start_at'), close_at: later('close_at') },
  markets: ids('market_id', 'event_id'),
  contracts: ids('contract_id', 'market_id'),
  questions: {
    ...ids('question_id', 'event_id', 'key', 'game_key'),
    on_date: 't.on_date + c.n * 371',
    start_at: later('start_at'),
    close_at: later('close_at'),
  },
  legs: ids('question_id', 'market_id', 'contract_id'),
};

/**
 * Copies all listings `copies` times, each with its own ids and keys. Those of the first copy end
 * in `~<first>`. The copy is made in SQL, because the parsers would need minutes for as many
 * listings.
 */
export async function copyListings(sql: postgres.Sql, copies: number, first = 1): Promise<void> {
  for (const [table, changed] of Object.entries(CHANGED_COLUMNS)) {
    const columns = await sql<{ name: string }[]>`
      select a.attname as name
      from pg_attribute a
      where a.attrelid = ${`venue.${table}`}::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`;
    const names = columns.map(({ name }) => name);
    await sql.unsafe(`
      insert into venue.${table} (${names.join(', ')})
      select ${names.map((name) => changed[name] ?? `t.${name}`).join(', ')}
      from venue.${table} t
      cross join generate_series(${first}::integer, ${first + copies - 1}::integer) c (n)`);
  }
}
