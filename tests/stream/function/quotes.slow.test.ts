import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { environmentFor, type RunningWorker, settingsFor, startWorker } from '../../ingest/fixture.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startFunction } from '../../support/function_process.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { type BookAtTime, type RunningVenues, startVenues } from '../../venue_simulator/fixture.ts';
import { type LegQuote, type QuoteFrame, replayQuotes } from '../quote_fixtures.ts';
import {
  type Client,
  connectClient,
  createStreamClient,
  type StreamFixture,
  startStream,
  ticketSource,
} from './fixture.ts';
import { createKey } from './minted.ts';

// The whole path: both simulated venues, ingest, Postgres, the stream function and the SDK.

let fixture: StreamFixture;
let venues: RunningVenues;
let pro: Client;
const others: Client[] = [];
const workers: RunningWorker[] = [];
let isRunning = true;
let cronLoop: Promise<void>;
/** The calls that pg_cron makes every five seconds. */
const runCronJobs = async () => {
  await fixture.sql`select pipeline.refresh_snapshot()`;
  await fixture.sql`select stream.broadcast_pending()`;
};
const database = () =>
  ({
    url: (role = 'postgres') =>
      databaseUrl(fixture.realtime.scratch.cluster.port, role, fixture.realtime.scratch.password, 'realtime_test'),
  }) as TestDatabase;

beforeAll(async () => {
  // Start one after the other. Building the universe of the venues blocks this process, so that it
  // could not answer heartbeats meanwhile.
  fixture = await startStream();
  venues = await startVenues('--games', '12');
  const { scratch } = fixture.realtime;
  await scratch.admin.unsafe(`alter role parallax_ingest login password '${scratch.password}'`);
  const isolate = await fixture.startIsolate();
  for (const tier of ['pro', 'premium', 'basic', 'free']) {
    const client = await connectClient(
      createStreamClient(isolate.url, ticketSource(fixture.sql, await createKey(fixture.sql, tier))),
    );
    if (tier === 'pro') pro = client;
    else others.push(client);
  }
  cronLoop = (async () => {
    while (isRunning) {
      await runCronJobs();
      await pause(1_000);
    }
  })();
});
afterAll(async () => {
  isRunning = false;
  await cronLoop;
  for (const client of [pro, ...others]) client?.centrifuge.disconnect();
  await Promise.all(workers.map((one) => one.end()));
  venues?.end();
  await fixture?.stop();
});

const start = (endsAt: number | null = null): RunningWorker => {
  const worker = startWorker(settingsFor(venues, database()), { endsAt });
  workers.push(worker);
  return worker;
};
const receivedQuotes = () => pro.received('quotes:all').frames as QuoteFrame[];
const books = (held: readonly string[]) => held.filter((name) => name.startsWith('books:'));
const legOf = (one: LegQuote) => `${one.market_id} ${one.venue} ${one.contract_id} ${one.side}`;

/**
 * The quotes in stream.published_quotes, the prices in the latest price updates, and the channel
 * offset at which both were read.
 */
async function quotesInDatabase() {
  const [row] = await fixture.sql<{ top: string; published: LegQuote[]; priced: Pick<LegQuote, 'bid' | 'ask'>[] }[]>`
    select (select c.last_offset from stream.channels c where c.channel = 'quotes:all') as top,
           (
             select coalesce(jsonb_agg(jsonb_build_object(
               'venue', t.venue, 'contract_id', t.contract_id, 'side', nullif(t.side, 'token'), 'bid', t.bid / 1e6, 'ask', t.ask / 1e6,
               'bid_size', t.bid_size / 100.0, 'ask_size', t.ask_size / 100.0, 'market_id', 'mkt_' || t.pair_id
             )), '[]')
             from stream.published_quotes t
             where coalesce(t.bid, t.ask) is not null
           ) as published,
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
           ) as priced`;
  return { top: Number(row?.top ?? 0), published: row?.published ?? [], priced: (row?.priced ?? []) as LegQuote[] };
}
/** The same, and the quotes that the frames up to that offset replay to. */
async function compared() {
  const now = await quotesInDatabase();
  await waitUntil(() => (pro.received('quotes:all').offsets.at(-1) ?? 0) >= now.top, {
    what: 'the client is at the offset',
    timeoutMs: 30_000,
  });
  const upTo = pro.received('quotes:all').offsets.filter((offset) => offset <= now.top).length;
  const byLeg = (all: readonly LegQuote[]) => [...all].sort((a, b) => (legOf(a) < legOf(b) ? -1 : 1));
  return {
    ...now,
    published: byLeg(now.published),
    priced: byLeg(now.priced),
    replayed: byLeg(replayQuotes(receivedQuotes().slice(0, upTo))),
  };
}
async function isQuoted(timeoutMs = 60_000): Promise<void> {
  await waitUntil(
    async () => {
      const [row] = await fixture.sql<{ pairs: number; quoted: number }[]>`
      select count(*)::int as pairs, count(*) filter (where p.pair_id in (select t.pair_id from stream.published_quotes t))::int as quoted
      from catalog.pairs p where p.withdrawn_at is null and p.status in ('open', 'live', 'resolving')`;
      return row && row.pairs > 20 && row.quoted > row.pairs * 0.8;
    },
    { what: 'most pairs are quoted', timeoutMs },
  );
}

describe('quotes from a venue to the SDK', () => {
  let first: RunningWorker;
  /** Until the first worker had quoted most pairs. */
  let startMs = 0;

  test('a Pro client receives each change of a book with the price, size and time of the venue', async () => {
    const began = Date.now();
    first = start();
    await isQuoted();
    startMs = Date.now() - began;
    // Quotes that the venue dated just before they were read. The first book of a contract carries
    // the time of its last change, which may be long before.
    const dated = (venue: string) =>
      receivedQuotes().filter(
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
      // The venue rounds its time to the millisecond, so the book of the next one counts, too.
      const times = [stamp, stamp + 1];
      const venueBooks = await Promise.all(
        times.map(async (at) => {
          const response = await fetch(`${venues.sim}/book?${query}&at=${at}`);
          return response.ok ? ((await response.json()) as BookAtTime | null) : null;
        }),
      );
      const tops = venueBooks.map((book) => {
        if (!book) return 'no book';
        const [bid, ask] = [
          book.bid === null ? [null, null] : [book.bid, book.bid_size],
          book.ask === null ? [null, null] : [book.ask, book.ask_size],
        ];
        if (quote.side !== 'no') return JSON.stringify([...bid, ...ask]);
        const inverted = ([price, size]: (number | null)[]) => [
          price === null || price === undefined ? null : Math.round((1 - price) * 1e6) / 1e6,
          size,
        ];
        return JSON.stringify([...inverted(ask), ...inverted(bid)]);
      });
      const published = JSON.stringify([quote.bid, quote.bid_size, quote.ask, quote.ask_size]);
      if (!tops.includes(published))
        wrong.push(
          `${query} ${quote.side}: published ${published}, venue ${tops.join(' or ')}; read ${quote.read_at}, dated ${quote.venue_time}`,
        );
    }
    expect(wrong).toEqual([]);
  });

  test('Premium, Basic and Free clients receive no quote', () => {
    for (const client of others) {
      expect(client.subscribed).not.toContain('quotes:all');
      expect(client.received('quotes:all').offsets).toEqual([]);
      const all = client.subscribed.flatMap((channel) => client.received(channel).frames);
      expect(all.filter((frame) => frame.type === 'quote')).toEqual([]);
    }
    expect(others[0]?.received('markets:all').frames.length).toBeGreaterThan(0);
  });

  test('the replayed quotes equal the quotes in the database and the books of the last frames', async () => {
    const { published, priced, replayed } = await compared();
    expect(replayed.length).toBeGreaterThan(50);
    expect(replayed).toEqual(published);
    const [bytes] = await fixture.sql<{ json: number; log: number }[]>`
      select sum(octet_length(array_to_string(p.frames, '')))::float8 / sum(cardinality(p.frames)) as json,
             sum(pg_column_size(p.*))::float8 / sum(cardinality(p.frames)) as log
      from stream.publications p where p.channel = 'quotes:all'`;
    console.log(
      `a quote is ${bytes?.json.toFixed(0)} bytes, ${bytes?.log.toFixed(0)} in the log: ${JSON.stringify(receivedQuotes().at(-1))}`,
    );
    const legs = new Map(replayed.map((one) => [legOf(one), one]));
    expect(priced.map((one) => ({ ...one, bid: legs.get(legOf(one))?.bid, ask: legs.get(legOf(one))?.ask }))).toEqual(
      priced,
    );
  });

  test('two workers in a handover publish no quote twice, no wrong quote, and leave no gap', async () => {
    // The first one ends a fixed time after this start, however long the tests before took. It
    // needs time for its own start and that of the second; a busy machine makes both longer.
    await first.end();
    first = start(Date.now() + 60_000 + 2 * startMs);
    await waitUntil(() => books(first.worker.heldLeases).length === 4 && replayQuotes(receivedQuotes()).length > 50, {
      what: 'the first worker holds all shards, and quotes',
      timeoutMs: 60_000,
    });
    const from = receivedQuotes().length;
    const second = start();
    await waitUntil(() => books(second.worker.heldLeases).length === 4, {
      what: 'the second worker holds all shards',
      timeoutMs: 140_000,
    });
    await waitUntil(() => books(first.worker.heldLeases).length === 0, {
      what: 'the first worker holds no shard',
      timeoutMs: 15_000,
    });
    const after = receivedQuotes().length;
    await waitUntil(() => receivedQuotes().length > after + 30, { what: 'more quotes', timeoutMs: 30_000 });
    expect(
      receivedQuotes()
        .slice(from)
        .filter((one) => one.void === 'lease.expired'),
    ).toEqual([]);
    const last = new Map<string, string>();
    const twice: QuoteFrame[] = [];
    for (const one of receivedQuotes()) {
      const values = JSON.stringify([one.bid, one.ask, one.bid_size, one.ask_size]);
      if (last.get(legOf(one)) === values && !one.repeated) twice.push(one);
      last.set(legOf(one), values);
    }
    expect(twice).toEqual([]);
    const offsets = pro.received('quotes:all').offsets;
    expect(offsets).toEqual(offsets.map((_, n) => n + 1));
    const { published, replayed } = await compared();
    expect(replayed).toEqual(published);
  });

  test('a killed worker leaves no quote valid beyond its lease', async () => {
    for (const one of workers) await one.end();
    await waitUntil(() => replayQuotes(receivedQuotes()).length === 0, { what: 'no quote is left', timeoutMs: 20_000 });
    const child = startFunction('ingest', environmentFor(venues, database().url('parallax_ingest')));
    try {
      await waitUntil(() => replayQuotes(receivedQuotes()).length > 50, { what: 'quotes', timeoutMs: 60_000 });
    } finally {
      child.kill('SIGKILL');
    }
    const [lease] = await fixture.sql<{ left: number }[]>`
      select extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as left from venue.leases where name like 'books:%'`;
    expect(lease?.left).toBeLessThanOrEqual(10_000);
    await pause(Math.max(0, lease?.left ?? 0) + 10);
    // pg_cron calls it at most five seconds later.
    await fixture.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await runCronJobs();
    const { published, replayed } = await compared();
    expect([published, replayed]).toEqual([[], []]);
    expect(receivedQuotes().filter((one) => one.void === 'lease.expired').length).toBeGreaterThan(50);
  });
});
