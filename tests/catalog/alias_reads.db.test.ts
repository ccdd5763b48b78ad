import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AliasOverlay } from '../../functions/ingest/alias_overlay.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { applyAliases } from '../../functions/ingest/identity/names/registry.ts';
import { ListingSweep } from '../../functions/ingest/listing_sweep.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import type { ListingReader } from '../../functions/ingest/readers.ts';
import { SerialQueue } from '../../functions/ingest/serial_queue.ts';
import { recordingRuntime } from '../ingest/runtime.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { listedA, putListings } from './listings.ts';
import { type ListingA, winnerA } from './sports_listings.ts';

/**
 * Guarantee: after a decision about an alias, the next sweep reads exactly the open listings again
 * that hold the name, although their payload is unchanged, and their questions follow.
 */

const NOW = '2026-10-01T12:00:00Z';
const game = (code: string, away: string, home: string, rules?: string, series = 'KXNBAGAME') =>
  winnerA(
    series,
    '2026-11-24',
    code,
    `${away} at ${home}`,
    [`${code.slice(0, 3)} ${away}`, `${code.slice(3)} ${home}`],
    {
      ...(rules ? { rules } : {}),
    },
  );
const named = game('NYKBOS', 'New York', 'Beantown Greens');
const alsoNamed = game('BOSLAL', 'BEANTOWN Greens', 'Los Angeles L');
const inRules = game('CHIBOS', 'Chicago', 'Boston', 'If the Beantown Greens win the game, the market pays.');
const longerName = game('DENBOS', 'Denver', 'Beantown Greensboro');
const ofOtherLeague = game('NYRBOS', 'New York R', 'Boston', 'If the Beantown Greens win.', 'KXNHLGAME');
const ended = game('MIABOS', 'Miami', 'Beantown Greens');
const unrelated = game('DALHOU', 'Dallas', 'Houston');
const listings = [named, alsoNamed, inRules, longerName, ofOtherLeague, ended, unrelated];
const idOf = (one: ListingA) => one.event.event_ticker;

let db: TestDatabase;
let queries: IngestQueries;
beforeAll(async () => {
  db = await createDatabase();
  queries = new IngestQueries(connect(db.url('parallax_ingest'), () => {}));
  await db.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
  await putListings(db.sql, 'venue_a', listings.map(listed));
});
afterAll(async () => {
  await queries.end();
  await db.close();
});
afterEach(() => applyAliases(0, []));

function listed(one: ListingA) {
  const markets = one === ended ? (one.event.markets as { ticker: string }[]).map(({ ticker }) => ticker) : [];
  const states = Object.fromEntries(markets.map((ticker) => [ticker, { state: 'final' as const, payout: '1' }]));
  return listedA(one.event, { now: NOW }, states);
}

/** Runs one sweep without pages, and returns the events that it read by id. */
async function sweptAgain(overlay: AliasOverlay, options: { maxPages?: number } = {}): Promise<string[]> {
  const read: string[] = [];
  const reader: ListingReader = {
    venue: 'venue_a',
    begin: async () => ({ series: [], rejected: [] }),
    page: async () => ({ batch: { events: [], rejected: [] }, cursor: null }),
    async eventsById(ids) {
      read.push(...ids);
      const events = listings.filter((one) => ids.includes(idOf(one))).map(listed);
      return { batch: { events, rejected: [] }, missing: [] };
    },
  };
  const stop = new AbortController();
  let pages = 0;
  const sweep = new ListingSweep({
    reader,
    queries,
    aliases: overlay,
    runtime: recordingRuntime(),
    queue: new SerialQueue(),
    holdsLease: () => true,
    tryPage: () => {
      pages += 1;
      return pages <= (options.maxPages ?? 100);
    },
    listingsSeconds: 0,
    alwaysRests: false,
    pageEvents: 100,
    maxUnsettled: 1,
    onPage: () => {},
  });
  const run = sweep.run(stop.signal);
  if (options.maxPages === undefined) await waitUntil(() => sweep.sweeps > 0, { what: 'the sweep' });
  else await run;
  stop.abort();
  await run;
  return read;
}

const newOverlay = () => new AliasOverlay({ queries, parsers: async () => parsers, log: () => {} });

async function confirm(name: string, normalized: string): Promise<string> {
  const [row] = await db.sql<{ alias_id: string }[]>`
    select p.alias_id from catalog.propose_aliases(${db.sql.json([
      { league: 'nba', name, normalized, participant: 'nba/boston-celtics', source: 'venue_a_targets' },
    ])}) p`;
  await db.sql`select catalog.decide_alias(${row?.alias_id ?? ''}::bigint, 'confirmed', 'a test')`;
  return row?.alias_id ?? '';
}

const reasons = async () => {
  const rows = await db.sql<{ event_id: string; reason: string | null; keys: string }[]>`
    select q.event_id, q.excluded_reason as reason, q.key as keys from venue.questions q
    where q.event_id in ${db.sql([idOf(named), idOf(unrelated)])}`;
  return Object.fromEntries(rows.map((row) => [row.event_id, row]));
};

it('a changed alias re-reads only the open listings that hold it, once, in this process and the next', async () => {
  expect(await sweptAgain(newOverlay())).toEqual([]);
  const before = await reasons();
  expect(before[idOf(named)]?.reason).toMatch(/unknown_alias|contradictory/);
  const hashes = await db.sql`select event_id, payload_hash, changed_at from venue.events order by 1`;

  const id = await confirm('Beantown Greens', 'beantown greens');
  const overlay = newOverlay();
  expect(await sweptAgain(overlay)).toEqual([named, alsoNamed, inRules].map(idOf).sort());
  const after = await reasons();
  expect(after[idOf(named)]).toMatchObject({ reason: null });
  expect(after[idOf(named)]?.keys).toContain('nba/boston-celtics');
  expect(after[idOf(unrelated)]).toEqual(before[idOf(unrelated)]);
  expect([...(await db.sql`select event_id, payload_hash, changed_at from venue.events order by 1`)]).toEqual([
    ...hashes,
  ]);
  // The version is stored, so that neither this overlay nor another worker reads them again.
  expect(await sweptAgain(overlay)).toEqual([]);
  expect(await sweptAgain(newOverlay())).toEqual([]);

  await db.sql`select catalog.decide_alias(${id}::bigint, 'withdrawn', 'a test')`;
  expect(await sweptAgain(overlay)).toHaveLength(3);
  expect((await reasons())[idOf(named)]?.reason).toBe(before[idOf(named)]?.reason);
});

it('a worker whose CPU is used up leaves the other listings to the next one', async () => {
  await confirm('Parquet Men', 'parquet men');
  await db.sql`update venue.events set title = 'Parquet Men: ' || title where event_id in ${db.sql([named, inRules, unrelated].map(idOf))}`;
  // The first page is charged before the sweep begins, each event is a page of its own.
  const first = await sweptAgain(newOverlay(), { maxPages: 3 });
  const second = await sweptAgain(newOverlay());
  expect(first).toHaveLength(2);
  expect([...first, ...second]).toEqual([named, inRules, unrelated].map(idOf).sort());
});

it('a sweep without a change costs one query about aliases', async () => {
  const asked: string[] = [];
  const overlay = new AliasOverlay({
    queries: {
      registryVersion: async () => {
        asked.push('version');
        return 0;
      },
      aliasChanges: async () => {
        throw new Error('the aliases were read');
      },
      leagueChanges: async () => {
        throw new Error('the leagues were read');
      },
      recordIgnoredLeagues: async () => {},
    },
    parsers: async () => {
      asked.push('parsers');
      return parsers;
    },
    log: () => {},
  });
  expect(await sweptAgain(overlay)).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked).not.toContain('parsers');
});
