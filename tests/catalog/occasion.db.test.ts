import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, gameA, gameB, milestoneOf, NOW } from './fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/** Guarantee: two listings that would share one id never stop a match pass and never alternate. */

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

const OKC = { code: 'OKC', label: 'Oklahoma City' };
const NYK = { code: 'NYK', label: 'New York' };

it('a match pass keeps the earlier of two games of one date and rejects the other, also when repeated', async () => {
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
    await putListings(database.sql, 'venue_a', [listedA(gameA(ticker, title, sides), milestoneOf(ticker, start))]);
  }
  await putListings(
    database.sql,
    'venue_b',
    games.map(({ slug, start }) =>
      listedB(
        gameB(slug, ['Thunder', 'Knicks'], { id: slug, start: start.replace('T', ' ').replace('Z', '+00') }),
        context,
      ),
    ),
  );
  const readState = async () => ({
    pairs: await database.sql`
      select pair_id, event_a, event_b, change_no from catalog.pairs where withdrawn_at is null`,
    rejected: await database.sql`
      select question_a, question_b from catalog.rejections where code = 'same_occasion'`,
  });
  await runMatchPass(database.sql);
  const first = await readState();
  expect(first.pairs).toMatchObject([{ event_a: games[0]?.ticker, event_b: games[0]?.slug }]);
  expect(first.rejected).toHaveLength(1);
  expect(first.rejected[0]?.question_a).toContain(games[1]?.ticker);
  await runMatchPass(database.sql);
  expect(await readState()).toEqual(first);
});
