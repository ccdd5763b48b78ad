import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, gameA, gameB, milestoneOf, NOW } from './fixtures.ts';
import { listedA, listedB, pass, put } from './listings.ts';

/** Guarantee: two listings that would share one id never stop a pass, and never take turns in one row. */

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

const OKC = { code: 'OKC', label: 'Oklahoma City' };
const NYK = { code: 'NYK', label: 'New York' };

it('keeps the earlier of two games of the same teams on one date, rejects the other, and does so again at the next pass', async () => {
  const games = [
    {
      ticker: 'KXNBAGAME-26AUG03OKCNYK',
      slug: 'nba-okc-nyk-2026-08-03',
      start: '2026-08-03T17:00:00Z',
      sides: [OKC, NYK],
    },
    {
      ticker: 'KXNBAGAME-26AUG03NYKOKC',
      slug: 'nba-nyk-okc-2026-08-03',
      start: '2026-08-04T01:00:00Z',
      sides: [NYK, OKC],
    },
  ];
  for (const { ticker, sides, start } of games) {
    const title = `${sides[0]?.label} vs ${sides[1]?.label}`;
    await put(database.sql, 'venue_a', [listedA(gameA(ticker, title, sides), milestoneOf(ticker, start))]);
  }
  await put(
    database.sql,
    'venue_b',
    games.map(({ slug, start }) =>
      listedB(
        gameB(slug, ['Thunder', 'Knicks'], { id: slug, start: start.replace('T', ' ').replace('Z', '+00') }),
        context,
      ),
    ),
  );
  const seen = async () => ({
    pairs: await database.sql`
      select pair_id, event_a, event_b, change_no from catalog.pairs where withdrawn_at is null`,
    refused: await database.sql`
      select question_a, question_b from catalog.rejections where code = 'same_occasion'`,
  });
  await pass(database.sql);
  const first = await seen();
  expect(first.pairs).toMatchObject([{ event_a: games[0]?.ticker, event_b: games[0]?.slug }]);
  expect(first.refused).toHaveLength(1);
  expect(first.refused[0]?.question_a).toContain(games[1]?.ticker);
  await pass(database.sql);
  expect(await seen()).toEqual(first);
});
