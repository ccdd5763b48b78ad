import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

type Row = { what: string; occurrences: number; sample?: string };
const record = (venue: string, rows: readonly Row[]) =>
  db.sql`select venue.record_unknown_values(${venue}, ${JSON.stringify(rows)}::text::jsonb)`;
const alerts = () =>
  db.sql<{ what: string; how_much: string }[]>`
    select what, how_much from ops.alerts where alert = 'venue.unknown' order by what`;

test('record_unknown_values adds the counts of several workers and keeps the first sample', async () => {
  await record('venue_a', [{ what: 'market.status=halted', occurrences: 3, sample: 'T-1: "halted"' }]);
  await record('venue_a', [{ what: 'market.status=halted', occurrences: 4, sample: 'T-2: "halted"' }]);
  const [row] = await db.sql`select occurrences::integer, sample from venue.unknown_values where venue = 'venue_a'`;
  expect(row).toEqual({ occurrences: 7, sample: 'T-1: "halted"' });
});

test('an unknown name raises an alert on its first day, values before fields, and is a counter', async () => {
  await record('venue_b', [
    { what: 'market.field:mood', occurrences: 2 },
    { what: 'market.version=v3', occurrences: 5 },
  ]);
  const expected = [
    { what: 'venue_a', how_much: '1 new: market.status=halted (7)' },
    { what: 'venue_b', how_much: '2 new: market.version=v3 (5), market.field:mood (2)' },
  ];
  expect(await alerts()).toEqual(expected);
  const metrics = await db.sql`
    select labels ->> 'what' as what, type, value::integer from ops.metrics
    where name = 'parallax_venue_unknown' and labels ->> 'venue' = 'venue_b' order by 1`;
  expect(metrics).toEqual([
    { what: 'market.field:mood', type: 'counter', value: 2 },
    { what: 'market.version=v3', type: 'counter', value: 5 },
  ]);
  const [text] = await db.sql<{ text: string }[]>`select ops.render_openmetrics() as text`;
  expect(text?.text).toContain('parallax_venue_unknown_total{venue="venue_a",what="market.status=halted"} 7');

  // Seen again later, it is no news.
  await db.sql`update venue.unknown_values set first_seen_at = first_seen_at - interval '25 hours' where venue = 'venue_b'`;
  await record('venue_b', [{ what: 'market.version=v3', occurrences: 1 }]);
  expect(await alerts()).toEqual(expected.slice(0, 1));
});

test('a venue that sends 500 new names has at most 200 of them, and the rest counts as other', async () => {
  const rows = Array.from({ length: 500 }, (_, i) => ({ what: `event.field:name_${i}`, occurrences: 2 }));
  await Promise.all([0, 125, 250, 375].map((from) => record('venue_a', rows.slice(from, from + 125))));
  await record('venue_a', [{ what: 'other', occurrences: 9 }]);
  const [counted] = await db.sql`
    select count(*) filter (where what <> 'other')::integer as names, sum(occurrences)::integer as occurrences,
           max(occurrences) filter (where what = 'other')::integer as other
    from venue.unknown_values where venue = 'venue_a'`;
  // 7 of the first test, 2 of each name, 9 of the worker's own "other".
  expect(counted).toEqual({ names: 200, occurrences: 7 + 500 * 2 + 9, other: (500 - 199) * 2 + 9 });
});

test('the retention deletes a name that the venue stopped sending', async () => {
  await record('venue_b', [{ what: 'event.field:gone', occurrences: 1 }]);
  await db.sql`
    update venue.unknown_values set last_seen_at = clock_timestamp() - interval '31 days' where what = 'event.field:gone'`;
  const before = await db.sql`select count(*)::integer as n from venue.unknown_values`;
  await db.sql`select catalog.purge_notes()`;
  const after =
    await db.sql`select count(*)::integer as n, bool_or(what = 'event.field:gone') as kept from venue.unknown_values`;
  expect(after[0]).toEqual({ n: before[0]?.n - 1, kept: false });
});

test('only ingest may record unknown names', async () => {
  const [may] = await db.sql`
    select has_function_privilege('parallax_ingest', 'venue.record_unknown_values(venue.code, jsonb)', 'execute') as ingest,
           has_function_privilege('parallax_api', 'venue.record_unknown_values(venue.code, jsonb)', 'execute') as api,
           has_table_privilege('parallax_ingest', 'venue.unknown_values', 'select') as reads`;
  expect(may).toEqual({ ingest: true, api: false, reads: false });
});
