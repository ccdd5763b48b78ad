import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { environmentFor, type RunningWorker, settingsFor, startWorker } from '../../ingest/fixture.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startFunction } from '../../support/function_process.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { type BookNow, type Running, running } from '../../venue_simulator/running.ts';
import { type QuoteFrame, rebuilt, type Standing } from '../quote_fixtures.ts';
import { type Client, clientOf, connected, startWorld, ticketFor, type World } from './fixture.ts';
import { keyOf } from './minted.ts';

// The whole line: both simulated venues, ingest, Postgres, the stream function, the SDK.

let world: World;
let venues: Running;
let pro: Client;
const others: Client[] = [];
const shifts: RunningWorker[] = [];
let ticking = true;
let ticks: Promise<void>;
/** What pg_cron does every five seconds. */
const tick = async () => {
  await world.sql`select pipeline.refresh_snapshot()`;
  await world.sql`select stream.broadcast_pending()`;
};
const database = () =>
  ({
    url: (role = 'postgres') =>
      databaseUrl(world.realtime.scratch.cluster.port, role, world.realtime.scratch.password, 'realtime_test'),
  }) as TestDatabase;

beforeAll(async () => {
  // One after the other: making the venues' world leaves this process no time for the other's signs of life.
  world = await startWorld();
  venues = await running('--games', '12');
  const { scratch } = world.realtime;
  await scratch.admin.unsafe(`alter role parallax_ingest login password '${scratch.password}'`);
  const isolate = await world.isolate();
  for (const tier of ['pro', 'premium', 'basic', 'free']) {
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, await keyOf(world.sql, tier))));
    if (tier === 'pro') pro = client;
    else others.push(client);
  }
  ticks = (async () => {
    while (ticking) {
      await tick();
      await pause(1_000);
    }
  })();
}, 120_000);
afterAll(async () => {
  ticking = false;
  await ticks;
  for (const client of [pro, ...others]) client?.centrifuge.disconnect();
  await Promise.all(shifts.map((one) => one.end()));
  venues?.end();
  await world?.stop();
}, 60_000);

const start = (endsAt: number | null = null): RunningWorker => {
  const shift = startWorker(settingsFor(venues, database()), { endsAt });
  shifts.push(shift);
  return shift;
};
const heard = () => pro.heard('quotes:all').frames as QuoteFrame[];
const books = (held: readonly string[]) => held.filter((name) => name.startsWith('books:'));
const legOf = (one: Standing) => `${one.market_id} ${one.venue} ${one.contract_id} ${one.side}`;

/** What the database holds to be standing, what both venues' latest frames show, and the offset that this is true at. */
async function stands() {
  const [row] = await world.sql<{ top: string; told: Standing[]; shown: Pick<Standing, 'bid' | 'ask'>[] }[]>`
    select (select c.last_offset from stream.channels c where c.channel = 'quotes:all') as top,
           (
             select coalesce(jsonb_agg(jsonb_build_object(
               'venue', t.venue, 'contract_id', t.contract_id, 'side', nullif(t.side, 'token'), 'bid', t.bid / 1e6, 'ask', t.ask / 1e6,
               'bid_size', t.bid_size / 100.0, 'ask_size', t.ask_size / 100.0, 'market_id', 'mkt_' || t.pair_id
             )), '[]')
             from stream.published_quotes t
             where coalesce(t.bid, t.ask) is not null
           ) as told,
           (
             select coalesce(jsonb_agg(distinct s.leg), '[]')
             from price.latest_updates l
             join catalog.pairs p on p.pair_id = l.pair_id and p.withdrawn_at is null and p.status in ('open', 'live', 'resolving')
             join catalog.outcomes o on o.pair_id = l.pair_id
             cross join lateral (
               values
                 ('venue_a', o.contract_a, coalesce(o.side_a, 'yes'), l.bid_a[o.ordinal + 1], l.ask_a[o.ordinal + 1]),
                 ('venue_b', o.contract_b, null, l.bid_b[o.ordinal + 1], l.ask_b[o.ordinal + 1])
             ) as c (venue, contract, side, bid, ask)
             cross join lateral (
               select jsonb_build_object(
                 'venue', c.venue, 'contract_id', c.contract, 'side', c.side, 'bid', c.bid / 1e6, 'ask', c.ask / 1e6,
                 'market_id', 'mkt_' || l.pair_id
               ) as leg
             ) s
             where coalesce(c.bid, c.ask) is not null
           ) as shown`;
  return { top: Number(row?.top ?? 0), told: row?.told ?? [], shown: (row?.shown ?? []) as Standing[] };
}
/** The same, and what a listener has made of the frames up to that offset. */
async function compared() {
  const now = await stands();
  await waitUntil(() => (pro.heard('quotes:all').offsets.at(-1) ?? 0) >= now.top, {
    what: 'the listener is there',
    timeoutMs: 30_000,
  });
  const upTo = pro.heard('quotes:all').offsets.filter((offset) => offset <= now.top).length;
  const byLeg = (all: readonly Standing[]) => [...all].sort((a, b) => (legOf(a) < legOf(b) ? -1 : 1));
  return { ...now, told: byLeg(now.told), shown: byLeg(now.shown), rebuilt: byLeg(rebuilt(heard().slice(0, upTo))) };
}
async function isQuoted(most = 60_000): Promise<void> {
  await waitUntil(
    async () => {
      const [row] = await world.sql<{ pairs: number; quoted: number }[]>`
      select count(*)::int as pairs, count(*) filter (where p.pair_id in (select t.pair_id from stream.published_quotes t))::int as quoted
      from catalog.pairs p where p.withdrawn_at is null and p.status in ('open', 'live', 'resolving')`;
      return row && row.pairs > 20 && row.quoted > row.pairs * 0.8;
    },
    { what: 'most pairs are quoted', timeoutMs: most },
  );
}

describe('quotes from a venue to the SDK', () => {
  let first: RunningWorker;

  test('a Pro client receives each change of a book with the price, size and time of the venue', async () => {
    first = start(Date.now() + 75_000);
    await isQuoted();
    // What the venue dated as it was sent: a change, not the first book, whose stamp is that of a change long before.
    const dated = (venue: string) =>
      heard().filter(
        (one) =>
          one.venue === venue &&
          one.bid !== null &&
          Date.parse(one.read_at ?? '') - Date.parse(one.venue_time ?? '') < 1_000,
      );
    await waitUntil(() => dated('venue_a').length > 10 && dated('venue_b').length > 10, {
      what: 'books of both venues move',
      timeoutMs: 60_000,
    });
    const wrong: string[] = [];
    for (const quote of [...dated('venue_a'), ...dated('venue_b')]) {
      const query = quote.venue === 'venue_a' ? `ticker=${quote.contract_id}` : `token_id=${quote.contract_id}`;
      const stamp = Date.parse(quote.venue_time ?? '');
      // To the millisecond that it rounds to.
      const moments = [stamp, stamp + 1];
      const said = await Promise.all(
        moments.map(async (at) => {
          const answer = await fetch(`${venues.sim}/book?${query}&at=${at}`);
          return answer.ok ? ((await answer.json()) as BookNow | null) : null;
        }),
      );
      const tops = said.map((book) => {
        if (!book) return 'no book';
        const [bid, ask] = [
          book.bid === null ? [null, null] : [book.bid, book.bid_size],
          book.ask === null ? [null, null] : [book.ask, book.ask_size],
        ];
        if (quote.side !== 'no') return JSON.stringify([...bid, ...ask]);
        const turned = ([price, size]: (number | null)[]) => [
          price === null || price === undefined ? null : Math.round((1 - price) * 1e6) / 1e6,
          size,
        ];
        return JSON.stringify([...turned(ask), ...turned(bid)]);
      });
      const told = JSON.stringify([quote.bid, quote.bid_size, quote.ask, quote.ask_size]);
      if (!tops.includes(told))
        wrong.push(
          `${query} ${quote.side}: told ${told}, venue ${tops.join(' or ')}; read ${quote.read_at}, dated ${quote.venue_time}`,
        );
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  test('Premium, Basic and Free clients receive no quote', () => {
    for (const client of others) {
      expect(client.subscribed).not.toContain('quotes:all');
      expect(client.heard('quotes:all').offsets).toEqual([]);
      const all = client.subscribed.flatMap((channel) => client.heard(channel).frames);
      expect(all.filter((frame) => frame.type === 'quote')).toEqual([]);
    }
    expect(others[0]?.heard('markets:all').frames.length).toBeGreaterThan(0);
  });

  test('the replayed quotes equal the quotes in the database and the books of the last frames', async () => {
    const { told, shown, rebuilt: made } = await compared();
    expect(made.length).toBeGreaterThan(50);
    expect(made).toEqual(told);
    const [bytes] = await world.sql<{ json: number; log: number }[]>`
      select sum(octet_length(array_to_string(p.frames, '')))::float8 / sum(cardinality(p.frames)) as json,
             sum(pg_column_size(p.*))::float8 / sum(cardinality(p.frames)) as log
      from stream.publications p where p.channel = 'quotes:all'`;
    console.log(
      `a quote is ${bytes?.json.toFixed(0)} bytes, ${bytes?.log.toFixed(0)} in the log: ${JSON.stringify(heard().at(-1))}`,
    );
    const legs = new Map(made.map((one) => [legOf(one), one]));
    expect(shown.map((one) => ({ ...one, bid: legs.get(legOf(one))?.bid, ask: legs.get(legOf(one))?.ask }))).toEqual(
      shown,
    );
  });

  test('two workers in a handover publish no quote twice, no wrong quote, and leave no gap', async () => {
    const from = heard().length;
    const second = start();
    await waitUntil(() => books(second.worker.heldLeases).length === 4, {
      what: 'the second has it all',
      timeoutMs: 120_000,
    });
    await waitUntil(() => books(first.worker.heldLeases).length === 0, {
      what: 'the first has let go',
      timeoutMs: 15_000,
    });
    const after = heard().length;
    await waitUntil(() => heard().length > after + 30, { what: 'books move on', timeoutMs: 30_000 });
    expect(
      heard()
        .slice(from)
        .filter((one) => one.void === 'lease.expired'),
    ).toEqual([]);
    const last = new Map<string, string>();
    const twice: QuoteFrame[] = [];
    for (const one of heard()) {
      const said = JSON.stringify([one.bid, one.ask, one.bid_size, one.ask_size]);
      if (last.get(legOf(one)) === said && !one.repeated) twice.push(one);
      last.set(legOf(one), said);
    }
    expect(twice).toEqual([]);
    const offsets = pro.heard('quotes:all').offsets;
    expect(offsets).toEqual(offsets.map((_, n) => n + 1));
    const { told, rebuilt: made } = await compared();
    expect(made).toEqual(told);
  }, 180_000);

  test('a killed worker leaves no quote valid beyond its lease', async () => {
    for (const one of shifts) await one.end();
    await waitUntil(() => rebuilt(heard()).length === 0, { what: 'nobody reads, nothing stands', timeoutMs: 20_000 });
    const child = startFunction('ingest', environmentFor(venues, database().url('parallax_ingest')));
    try {
      await waitUntil(() => rebuilt(heard()).length > 50, { what: 'it quotes', timeoutMs: 60_000 });
    } finally {
      child.kill('SIGKILL');
    }
    const [lease] = await world.sql<{ left: number }[]>`
      select extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as left from venue.leases where name like 'books:%'`;
    expect(lease?.left).toBeLessThanOrEqual(10_000);
    await pause(Math.max(0, lease?.left ?? 0) + 10);
    // The next turn of pg_cron, at most five seconds later.
    await world.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await tick();
    const { told, rebuilt: made } = await compared();
    expect([told, made]).toEqual([[], []]);
    expect(heard().filter((one) => one.void === 'lease.expired').length).toBeGreaterThan(50);
  }, 150_000);
});
