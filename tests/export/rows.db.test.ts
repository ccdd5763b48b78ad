import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changePair,
  holdShardLeases,
  idOf,
  putPair,
  putUpdate,
  readAt,
  stopClock,
  uuidOf,
} from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: each data set of an export has what happened in its range, its first moment included
 * and its last one not, and each column comes from its own field.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`
    truncate catalog.pairs, catalog.outcomes, catalog.rejections, price.updates, price.latest_updates,
      price.outcome_orders, arb.opportunities, arb.opportunity_states, arb.rejections cascade`;
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  await putPair(db.sql, { n: 1, confirmed: true });
});

const at = (time: string) => `2026-11-20T${time}.000Z`;
const [FROM, UNTIL] = [at('11:00:00'), at('11:30:00')];
/** Moments before, at and after the start, and before and at the end of the range. */
const MOMENTS = ['10:59:59.999', '11:00:00.000', '11:15:00.000', '11:29:59.999', '11:30:00.000'].map(
  (time) => `2026-11-20T${time}Z`,
);
const IN_RANGE = MOMENTS.slice(1, 4);

type Row = Record<string, unknown>;
async function rowsOf(
  dataset: string,
  after: unknown[] | null = null,
  limit = 100,
): Promise<{ key: unknown[]; row: Row }[]> {
  const rows = await db.sql.unsafe<{ key: unknown[]; line: string }[]>(
    `select key, line from export.${dataset}_rows($1, $2, $3::text::jsonb, $4)`,
    [FROM, UNTIL, after && JSON.stringify(after), limit],
  );
  return rows.map(({ key, line }) => ({ key, row: JSON.parse(line) }));
}
const column = async (dataset: string, name: string) => (await rowsOf(dataset)).map(({ row }) => row[name]);

/** Follows the pages of a data set, one row each. */
async function paged(dataset: string): Promise<Row[]> {
  const found: Row[] = [];
  let after: unknown[] | null = null;
  for (;;) {
    // A page has one row more than asked, so that its reader knows that there are more.
    const page: { key: unknown[]; row: Row }[] = await rowsOf(dataset, after, 1);
    const [first, second] = page;
    if (first) found.push(first.row);
    if (!first || !second) return found;
    expect(page).toHaveLength(2);
    after = first.key;
  }
}

describe('the updates', () => {
  test('have each value in its own column, one row for each outcome', async () => {
    await putUpdate(db.sql, 1, {
      at: at('11:10:00'),
      ...{ ask_a: [410_000, 610_000], ask_b: [420_000, 620_000], bid_a: [370_000, 570_000], bid_b: [380_000, 580_000] },
      ...{ size_a: [11, 12], size_b: [13, 14], bid_size_a: [15, 16], bid_size_b: [17, 18] },
    });
    const own = (n: 0 | 1) => ({
      priced_at: at('11:10:00'),
      update_no: expect.any(Number),
      market_id: idOf(1),
      outcome: ['home', 'away'][n],
      venue_a_ask_usd_micros: [410_000, 610_000][n],
      venue_a_ask_size_hundredths: [11, 12][n],
      venue_a_bid_usd_micros: [370_000, 570_000][n],
      venue_a_bid_size_hundredths: [15, 16][n],
      venue_b_ask_usd_micros: [420_000, 620_000][n],
      venue_b_ask_size_hundredths: [13, 14][n],
      venue_b_bid_usd_micros: [380_000, 580_000][n],
      venue_b_bid_size_hundredths: [17, 18][n],
      venue_a_read_at: readAt('venue_a', at('11:10:00')),
      venue_b_read_at: readAt('venue_b', at('11:10:00')),
      void_reason: null,
    });
    expect((await rowsOf('updates')).map(({ row }) => row)).toEqual([own(0), own(1)]);
  });

  test('are those of the range, page by page, and a void one has one row', async () => {
    for (const [n, moment] of MOMENTS.entries())
      await putUpdate(db.sql, 1, { at: moment, ask_a: [400_000 + n, 600_000], ask_b: [410_000, 590_000] });
    expect(await column('updates', 'priced_at')).toEqual(IN_RANGE.flatMap((moment) => [moment, moment]));
    expect(await paged('updates')).toEqual((await rowsOf('updates')).map(({ row }) => row));
    await db.sql`truncate price.updates, price.latest_updates`;
    await putUpdate(db.sql, 1, { at: at('11:20:00'), ask_a: [], ask_b: [], void: 'feed.silent' });
    expect(
      (await rowsOf('updates')).map(({ row }) => [row.outcome, row.void_reason, row.venue_a_ask_usd_micros]),
    ).toEqual([[null, 'feed.silent', null]]);
  });

  test('name the outcomes as they were ordered at the time of the update', async () => {
    await db.sql`
      insert into price.outcome_orders (pair_id, keys, names, since, until)
      values (${uuidOf(1)}, '{old home,old away}', '{A,B}', '-infinity', ${at('11:10:00')}),
             (${uuidOf(1)}, '{new home,new away}', '{A,B}', ${at('11:10:00')}, 'infinity')`;
    for (const time of ['11:05:00', '11:10:00', '11:20:00'])
      await putUpdate(db.sql, 1, {
        at: at(time),
        ask_a: [400_000 + Number(time.slice(3, 5)), 600_000],
        ask_b: [410_000, 590_000],
      });
    expect(await column('updates', 'outcome')).toEqual(
      ['old', 'new', 'new'].flatMap((age) => [`${age} home`, `${age} away`]),
    );
  });
});

describe('the opportunities', () => {
  test('are those that closed in the range, without retracted ones', async () => {
    for (const [n, moment] of MOMENTS.entries()) {
      await putPair(db.sql, { n: 10 + n, confirmed: true });
      await flush(db.sql, 10 + n, [
        { at: at('10:30:00'), opp: good(10 + n) },
        { at: moment, opp: null, ask: 470_000 },
      ]);
    }
    expect((await column('opportunities', 'closed_at')).sort()).toEqual(IN_RANGE);
    await db.sql`update arb.opportunities set retracted_at = closed_at where closed_at = ${at('11:15:00')}`;
    expect(await column('opportunities', 'closed_at')).toHaveLength(2);
    expect(await paged('opportunities')).toEqual((await rowsOf('opportunities')).map(({ row }) => row));
  });

  test('state the terms of the opening and of the cheapest state, without those after the close', async () => {
    const cheaper = { ...good(1, 9_000), legs: good(1, 9_000).legs };
    await flush(db.sql, 1, [
      { at: at('11:01:00'), opp: good(1, 8_000) },
      { at: at('11:02:00'), opp: cheaper, ask: 451_000 },
      { at: at('11:03:00'), opp: good(1, 7_000), ask: 452_000 },
      { at: at('11:04:00'), opp: null, ask: 470_000 },
    ]);
    expect((await rowsOf('opportunities')).map(({ row }) => row)).toEqual([
      {
        ...{ opportunity_id: expect.stringMatching(/^opp_/), market_id: idOf(1), title: 'Title 1', category: 'sports' },
        ...{ market_type: 'moneyline', sport: 'basketball', competition: 'NBA', states: 3, close_reason: 'edge.gone' },
        ...{ opened_at: at('11:01:00'), closed_at: at('11:04:00'), opening_cost_usd_micros: 979_900 },
        ...{ opening_size_hundredths: 8_000, opening_total_usd_micros: 78_392_000 },
        // Of equal costs, the largest size.
        ...{ peak_at: at('11:02:00'), peak_cost_usd_micros: 979_900, peak_size_hundredths: 9_000 },
        ...{ peak_total_usd_micros: 88_191_000, peak_legs: cheaper.legs },
      },
    ]);
  });
});

describe('the pairs', () => {
  const ids = async () => (await column('pairs', 'market_id')).map((id) => Number.parseInt(String(id).slice(-4), 16));

  test.each<[string, Record<string, string | null>, boolean]>([
    ['that was created before the end', { created_at: '2026-11-20T11:29:59.999Z' }, true],
    ['that was created at the end', { created_at: UNTIL }, false],
    ['that was withdrawn at the start', { withdrawn_at: FROM }, true],
    ['that was withdrawn before it', { withdrawn_at: '2026-11-20T10:59:59.999Z' }, false],
    ['that settled at the start', { status: 'settled', settled_at: FROM }, true],
    ['that settled before it', { status: 'settled', settled_at: '2026-11-20T10:59:59.999Z' }, false],
    [
      'that closed 31 days before the start',
      { status: 'closed', closes_a: '2026-10-20T11:00:00Z', closes_b: '2026-10-01T00:00:00Z' },
      true,
    ],
    [
      'whose other contract closed 31 days before',
      { status: 'closed', closes_a: '2026-10-01T00:00:00Z', closes_b: '2026-10-20T11:00:00Z' },
      true,
    ],
    [
      'that closed a moment more before',
      { status: 'closed', closes_a: '2026-10-20T10:59:59Z', closes_b: '2026-10-20T10:59:59Z' },
      false,
    ],
    [
      'that closed without a time, by its start',
      { status: 'closed', closes_a: null, closes_b: null, start_time: '2026-10-20T11:00:00Z' },
      true,
    ],
  ])('have one %s or not', async (_, { settled_at, ...change }, isThere) => {
    await changePair(db.sql, 1, change);
    if (settled_at) await db.sql`update catalog.pairs set result = ${db.sql.json({ settled_at })}`;
    expect(await ids()).toEqual(isThere ? [1] : []);
  });

  test('are in the order of their ids, page by page', async () => {
    for (const n of [3, 2]) await putPair(db.sql, { n });
    expect(await ids()).toEqual([1, 2, 3]);
    expect(await paged('pairs')).toEqual((await rowsOf('pairs')).map(({ row }) => row));
  });
});

describe('the refusals', () => {
  test('are look-alikes seen in the range, and rejections whose time touches it', async () => {
    for (const [n, moment] of MOMENTS.entries())
      await db.sql`
        insert into catalog.rejections (question_a, question_b, code, detail, seen_at)
        values (${`venue_a:${n}`}, ${`venue_b:${n}`}, 'date.differs', 'by a day', ${moment})`;
    const spans: [first: string, last: string, isThere: boolean][] = [
      ['10:00:00.000', '10:59:59.999', false],
      ['10:00:00.000', '11:00:00.000', true],
      ['10:00:00.000', '12:00:00.000', true],
      ['11:29:59.999', '12:00:00.000', true],
      ['11:30:00.000', '12:00:00.000', false],
    ];
    for (const [n, [first, last]] of spans.entries())
      await db.sql`
        insert into arb.rejections (pair_id, stage, reason, subject, first_at, last_at)
        values (${uuidOf(1)}, 'decision', ${`reason ${n}`}, 'x', ${`2026-11-20T${first}Z`}, ${`2026-11-20T${last}Z`})`;
    const rows = await rowsOf('refusals');
    const of = (kind: string, name: string) => rows.filter(({ row }) => row.kind === kind).map(({ row }) => row[name]);
    expect(of('match', 'first_at')).toEqual(IN_RANGE);
    expect(of('match', 'last_at')).toEqual(IN_RANGE);
    expect(of('match', 'venue_b_question')).toEqual([1, 2, 3].map((n) => `venue_b:${n}`));
    expect(of('opportunity', 'code')).toEqual([1, 2, 3].map((n) => `reason ${n}`));
    expect(of('opportunity', 'market_id')).toEqual([1, 2, 3].map(() => idOf(1)));
    expect(await paged('refusals')).toEqual(rows.map(({ row }) => row));
  });
});
