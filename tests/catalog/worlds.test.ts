import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { listedA, listedB, pass, put } from './listings.ts';

/** Guarantee: on listings that were recorded from both venues, no pair of ours is known to be wrong, and no side is turned. */

const labels = join(import.meta.dirname, '../../../shared/data/labels');
const present = existsSync(join(labels, 'score.mjs'));
if (!present) console.log('skipped: ../shared/data/labels is not on this machine, recorded worlds are not scored');

/** Leagues of the registry, by venue_a's series. */
const COVERED =
  /^KX(?:NFL|NBA|NHL|MLB|WNBA|MLS|EPL|LALIGA|SERIEA|BUNDESLIGA|LIGUE1|UCL|FACUP|COPPAITALIA|EFLCHAMPIONSHIP)GAME-/;

/**
 * A label that the listings contradict: "Los Angeles C" (ticker LAC) of the AFC is labelled another team than the Chargers. Both
 * events list sixteen teams, the fifteen others are labelled the same, and Los Angeles' other team is in the NFC.
 */
const DISPUTED = new Set(['KXNFLAFCCHAMP-27-LAC']);

type Truth = {
  label: string;
  grain: string;
  family: string;
  thin?: boolean;
  venue_a: { event_ticker: string; ticker?: string };
  venue_b: { event_slug: string };
};
type Row = {
  market_type: string;
  band: string;
  venue_a: { event_ticker: string; tickers: string[] };
  venue_b: { event_slug: string; condition_ids: string[] };
  outcomes: { key: string; venue_a: string; venue_a_side: string; venue_b: string; relation: string | null }[];
};
type Scorer = {
  readListings(dir: string): unknown;
  score(input: { truth: Truth[]; out: Row[]; listings: unknown }): {
    total: {
      any_right: number;
      any_wrong?: number;
      hi_right?: number;
      inverted?: number;
      hard_any?: number;
      legs?: number;
      legs_any?: number;
    };
    confusions: { kind: string; leg?: { ticker: string } }[];
  };
};

const lines = (path: string): Truth[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Truth);

async function pairsOf(world: string): Promise<Row[]> {
  const dir = join(labels, world);
  const day = /\d{4}-\d{2}-\d{2}/.exec(world)?.[0] ?? `${/\d{4}-\d{2}/.exec(world)?.[0] ?? '2026-07'}-10`;
  const context = { now: `${day}T12:00:00Z` };
  const read = (venue: string): unknown[] => JSON.parse(readFileSync(join(dir, `listings.${venue}.json`), 'utf8'));
  const database = await createDatabase();
  try {
    await put(
      database.sql,
      'venue_a',
      read('venue_a')
        .map((event) => listedA(event, context))
        .filter((one) => one.read.length > 0),
    );
    await put(
      database.sql,
      'venue_b',
      read('venue_b')
        .map((event) => listedB(event, context))
        .filter((one) => one.read.length > 0),
    );
    await pass(database.sql);
    return await database.sql<Row[]>`
      select p.market_type, p.band,
             jsonb_build_object('event_ticker', p.event_a, 'tickers', jsonb_agg(o.contract_a)) as venue_a,
             jsonb_build_object('event_slug', p.event_b, 'condition_ids', jsonb_agg(distinct o.market_b)) as venue_b,
             jsonb_agg(jsonb_build_object(
               'key', o.key, 'venue_a', o.contract_a, 'venue_a_side', o.side_a, 'venue_b', o.contract_b, 'relation', o.relation
             ) order by o.ordinal) as outcomes
      from catalog.pairs p
      join catalog.outcomes o using (pair_id)
      where p.withdrawn_at is null
      group by p.pair_id`;
  } finally {
    await database.close();
  }
}

describe.skipIf(!present)('recorded worlds', () => {
  const found = new Map<string, { same: number; found: number }>();
  let right = 0;

  afterAll(() => {
    const table = [...found].sort().map(([league, count]) => `${league} ${count.found}/${count.same}`);
    console.log(
      `recorded worlds: ${right} pairs known to be right, none wrong. Found of the known, by league: ${table.join(', ')}`,
    );
  });

  it.each(present ? readdirSync(labels).filter((name) => !name.includes('.')) : [])(
    '%s: nothing wrong, nothing inverted',
    { timeout: 60_000 },
    async (world) => {
      const truth = lines(join(labels, world, 'truth.jsonl'));
      const out = await pairsOf(world);
      const scorer = (await import(pathToFileURL(join(labels, 'score.mjs')).href)) as Scorer;
      const scored = scorer.score({ truth, out, listings: scorer.readListings(join(labels, world)) });
      // In no band: not in REVIEW either, where a listing without rules text ends up.
      expect(scored.confusions.filter((one) => !DISPUTED.has(one.leg?.ticker ?? ''))).toEqual([]);
      right += scored.total.any_right ?? 0;
      const pairs = new Set(out.map((row) => `${row.venue_a.event_ticker}|${row.venue_b.event_slug}`));
      for (const row of truth) {
        if (row.label !== 'same' || row.thin) continue;
        const covered =
          (row.family === 'moneyline' && COVERED.test(row.venue_a.event_ticker)) ||
          ['outright', 'fed_decision'].includes(row.family);
        if (!covered || row.grain !== 'event') continue;
        const league = row.family === 'moneyline' ? (row.venue_a.event_ticker.split('-')[0] ?? '') : row.family;
        const count = found.get(league) ?? { same: 0, found: 0 };
        count.same += 1;
        count.found += pairs.has(`${row.venue_a.event_ticker}|${row.venue_b.event_slug}`) ? 1 : 0;
        found.set(league, count);
      }
    },
  );

  it('finds nearly every game of the leagues it covers', () => {
    const games = [...found].filter(([league]) => league.startsWith('KX'));
    const same = games.reduce((sum, [, count]) => sum + count.same, 0);
    const got = games.reduce((sum, [, count]) => sum + count.found, 0);
    expect(same).toBeGreaterThan(400);
    expect(got / same).toBeGreaterThanOrEqual(0.97);
  });
});
