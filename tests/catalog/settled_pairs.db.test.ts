import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: an occasion of the settled history diverged when one of its pairs did, and a second
 * reading of it changes only what has changed.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.rules, venue.settled_events cascade`;
});

type Settled = { alike: boolean; odd?: boolean; occasion?: string; rule?: string; settled_at?: string };

/** The pairs of one call, numbered from `first`. */
async function keep(pairs: readonly Settled[], first = 1): Promise<string[]> {
  const rows = pairs.map(({ alike, odd = false, occasion = 'game 1', rule = 'rule 1', settled_at }, at) => {
    const n = first + at;
    return {
      pair_id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      ...{ rule_id: rule, occasion, alike, odd, competition: `Competition of ${rule}` },
      ...{ question_a: `A${n}`, question_b: `B${n}`, event_a: `EA${n}`, event_b: `EB${n}` },
      ...{ text_a: `text a ${n}`, text_b: `text b ${n}`, paid: [{ outcome: 'home', venue_a: '1', venue_b: '0' }] },
      settled_at: settled_at ?? `2026-08-0${n}T01:00:00Z`,
    };
  });
  const at = '2026-08-01T00:00:00Z';
  const seen = { payload: db.sql.json({}), payload_hash: '', first_seen_at: at, seen_at: at, changed_at: at };
  const event = (venue: string, event_id: string) => ({ venue, event_id, title: `title of ${event_id}`, ...seen });
  for (const { event_a, event_b } of rows)
    await db.sql`
      insert into venue.settled_events ${db.sql([event('venue_a', event_a), event('venue_b', event_b)])}
      on conflict do nothing`;
  const [row] = await db.sql<{ rules: string[] }[]>`
    select catalog.keep_settled_pairs(
      array(select p from jsonb_populate_recordset(null::catalog.settled_pair, ${db.sql.json(rows)}) p)
    ) as rules`;
  return (row?.rules ?? []).sort();
}

const occasions = () => db.sql`
  select o.rule_id as rule, o.occasion, o.diverged, o.odd, o.pairs,
         to_char(o.settled_at at time zone 'UTC', 'MM-DD HH24') as settled
  from catalog.backtest_occasions o order by 1, 2`;
const evidence = () => db.sql`
  select right(d.pair_id::text, 1)::integer as n, d.occasion,
         d.listing_a ->> 'title' as a, d.listing_b ->> 'title' as b, d.text_a, d.text_b
  from catalog.backtest_divergences d order by d.pair_id`;

test.each([
  ['no pair', [true, true, true], false],
  ['one of three pairs', [true, false, true], true],
  ['every pair', [false, false, false], true],
])('an occasion of which %s diverged', async (_, alike, diverged) => {
  expect(await keep(alike.map((one) => ({ alike: one })))).toEqual(['rule 1']);
  expect(await occasions()).toEqual([
    { rule: 'rule 1', occasion: 'game 1', diverged, odd: false, pairs: 3, settled: '08-03 01' },
  ]);
  expect((await evidence()).map(({ n }) => n)).toEqual([1, 2, 3].filter((n) => !alike[n - 1]));
});

test('an occasion is odd when one of its pairs paid another amount than $1 or $0', async () => {
  await keep([
    { alike: true, odd: true },
    { alike: true },
    { alike: true, occasion: 'game 2' },
    { alike: false, rule: 'rule 2' },
  ]);
  const short = { settled: expect.anything(), diverged: false };
  expect(await occasions()).toEqual([
    { rule: 'rule 1', occasion: 'game 1', odd: true, pairs: 2, ...short },
    { rule: 'rule 1', occasion: 'game 2', odd: false, pairs: 1, ...short },
    { rule: 'rule 2', occasion: 'game 1', odd: false, pairs: 1, ...short, diverged: true },
  ]);
  expect(await db.sql`select rule_id as rule, competition from catalog.rules order by 1`).toEqual(
    ['rule 1', 'rule 2'].map((rule) => ({ rule, competition: `Competition of ${rule}` })),
  );
});

test('the same pairs again change nothing, and a changed one changes its occasion', async () => {
  const pairs = [{ alike: true }, { alike: true }];
  await keep(pairs);
  const before = await db.sql`select o.xmin::text, o.* from catalog.backtest_occasions o`;
  expect(await keep(pairs)).toEqual(['rule 1']);
  expect(await db.sql`select o.xmin::text, o.* from catalog.backtest_occasions o`).toEqual(before);
  await keep([{ alike: true }, { alike: false }]);
  expect(await occasions()).toMatchObject([{ diverged: true, pairs: 2 }]);
  expect(await evidence()).toMatchObject([
    { n: 2, occasion: 'game 1', a: 'title of EA2', b: 'title of EB2', text_a: 'text a 2', text_b: 'text b 2' },
  ]);
  // The evidence of a divergence is kept when the venue has corrected its result.
  await keep(pairs);
  expect(await occasions()).toMatchObject([{ diverged: false }]);
  expect(await evidence()).toHaveLength(1);
});
