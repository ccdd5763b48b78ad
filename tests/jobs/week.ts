import mlb from '../../functions/ingest/identity/registry/mlb.json' with { type: 'json' };
import type { Sql } from '../../local/platform/postgres/template.ts';
import { gameA, gameB, milestoneOf } from '../catalog/fixtures.ts';
import { listedA, listedB, putListings } from '../catalog/listings.ts';

/**
 * A week of baseball listings of both venues, by the hour. Games are listed the day before, priced,
 * settled and then no longer listed.
 */

const teams = mlb.teams.slice(0, 24).map((team) => ({
  a: team.codes.venue_a[0] ?? '?',
  b: team.codes.venue_b[0] ?? '?',
  name: team.names[0] ?? '?',
  nick: team.nicks[0] ?? '?',
}));

export const hourMs = 3_600_000;
export const weekStart = Date.parse('2026-08-01T00:00:00Z');
export const gamesADay = 12;
const isoDay = (day: number) => new Date(weekStart + day * 24 * hourMs).toISOString().slice(0, 10);

type Outcome = { state: 'trading' } | { state: 'final'; payout: string };

function listGame(day: number, game: number, ends?: [Outcome, Outcome]) {
  const [away, home] = [teams[game], teams[12 + ((game + day) % 12)]];
  if (!away || !home) throw new Error('the registry has fewer than 24 teams');
  const date = isoDay(day);
  const month = new Date(`${date}T12:00:00Z`)
    .toLocaleString('en-US', { month: 'short', timeZone: 'UTC' })
    .toUpperCase();
  const ticker = `KXMLBGAME-26${month}${date.slice(8)}1600${away.a}${home.a}`;
  const slug = `mlb-${away.b}-${home.b}-${date}`;
  const [won, lost] = ends ?? [{ state: 'trading' }, { state: 'trading' }];
  const sides = [
    { code: away.a, label: away.name },
    { code: home.a, label: home.name },
  ];
  const a = listedA(gameA(ticker, `${away.name} vs ${home.name}`, sides), milestoneOf(ticker, `${date}T20:00:00Z`), {
    [`${ticker}-${away.a}`]: won,
    [`${ticker}-${home.a}`]: lost,
  });
  const rawB = gameB(slug, [away.nick, home.nick], { start: `${date} 20:00:00+00` });
  const b = listedB(rawB, { now: `${isoDay(day - 1)}T12:00:00Z` }, { [`0x${slug}`]: won });
  // About as large as the payloads of the venues: most bytes of a stored listing are its payload.
  const payload = {
    raw: Array.from({ length: 40 }, (_, i) => `${ticker} ${i} ${Math.sin(day * game * i)}`),
  };
  return { a: { ...a, series_id: 'KXMLBGAME', payload }, b: { ...b, payload: { tags: [], ...payload } } };
}

async function putGames(sql: Sql, games: ReturnType<typeof listGame>[]): Promise<void> {
  await putListings(
    sql,
    'venue_a',
    games.map((game) => game.a),
  );
  await putListings(
    sql,
    'venue_b',
    games.map((game) => game.b),
  );
}

/** Stores the listing changes of this hour of the week. */
export async function listHour(sql: Sql, hour: number): Promise<void> {
  const day = Math.floor(hour / 24);
  const all = Array.from({ length: gamesADay }, (_, game) => game);
  if (hour % 24 === 1)
    await putGames(
      sql,
      all.map((game) => listGame(day + 1, game)),
    );
  // Both venues cancel and remove one game a day.
  if (hour % 24 === 12) {
    const { a, b } = listGame(day + 1, 0);
    await putListings(sql, 'venue_a', [{ ...a, markets: [], questions: [] }]);
    await putListings(sql, 'venue_b', [{ ...b, markets: [], questions: [] }]);
  }
  if (hour % 24 === 23 && day > 0) {
    const paid: [Outcome, Outcome] = [
      { state: 'final', payout: '1' },
      { state: 'final', payout: '0' },
    ];
    await putGames(
      sql,
      all.slice(1).map((game) => listGame(day, game, paid)),
    );
  }
}

/** Writes a price update every 15 minutes of the hour for each trading pair, as ingest does. */
export async function priceHour(sql: Sql, hour: number): Promise<number> {
  const pairs = await sql<{ pair_id: string }[]>`
    select pair_id from catalog.pairs where withdrawn_at is null and status in ('open', 'live') order by pair_id`;
  const tokens = Object.fromEntries(
    (await sql<{ name: string; token: string }[]>`select name, token from venue.leases where name like 'books:%'`).map(
      (lease) => [lease.name, Number(lease.token)],
    ),
  );
  const updates = [0, 1, 2, 3].flatMap((quarter) =>
    pairs.map(({ pair_id }, i) => {
      const at = weekStart + (hour - 1) * hourMs + quarter * 900_000 + i * 1_000;
      const ask = 300_000 + ((hour * 4 + quarter + i) % 40) * 10_000;
      const asks = [ask, 1_010_000 - ask];
      const none = [null, null];
      return {
        ...{
          pair: pair_id,
          at,
          ask_a: asks,
          ask_b: asks,
          bid_a: none,
          bid_b: none,
          size_a: [100, 100],
          size_b: [100, 100],
        },
        ...{ ladder_a: null, read_a: at, read_b: at, void: null },
      };
    }),
  );
  await sql`select pipeline.apply_books(${sql.json(tokens)}, ${sql.json(updates)})`;
  return pairs.length;
}
