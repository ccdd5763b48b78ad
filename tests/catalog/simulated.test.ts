import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record, records, text, type Wire } from '../../functions/_shared/identity/wire.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Running, running } from '../venues/running.ts';
import { listedA, listedB, pass, put } from './listings.ts';

/** Guarantee: over everything that the simulator lists, the pass finds its twins, turns no side, and meets none of its look-alikes. */

type Truth = {
  now: number;
  pairs: {
    family: string;
    venue_a: { event_ticker: string };
    venue_b: { event_slug: string };
    outcomes: { ticker: string; side: string; token_id: string }[];
  }[];
  lookalikes: { venue_a: string; venue_b: string; why: string }[];
};

const PAIRED = new Set(['moneyline', 'outright', 'fed_decision']);

async function pages(first: string, room: string, pageName: string, nextName: string): Promise<Wire[]> {
  const rows: Wire[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 100; page += 1) {
    const answer = await fetch(cursor === '' ? first : `${first}&${pageName}=${encodeURIComponent(cursor)}`);
    const body = record(await answer.json());
    rows.push(...records(body[room]));
    cursor = text(body[nextName]);
  }
  return rows;
}

describe('the simulated venues', () => {
  let venues: Running;
  let database: TestDatabase;
  let truth: Truth;
  const found = new Map<string, { band: string; stage: string; legs: string[] }>();

  beforeAll(async () => {
    [venues, database] = await Promise.all([running('--games', '270', '--traps', 'none'), createDatabase()]);
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
    const context = { now: new Date(truth.now).toISOString() };
    const { venue_a, venue_b } = venues.listening;
    const milestones = await pages(`${venue_a.rest}/milestones?limit=500`, 'milestones', 'cursor', 'cursor');
    const eventsA = await pages(
      `${venue_a.rest}/events?limit=200&with_nested_markets=true`,
      'events',
      'cursor',
      'cursor',
    );
    // Games that are over stay in the truth for two days: closed events are read as well.
    const gamma = (closed: boolean) =>
      pages(`${venue_b.gamma}/events/keyset?limit=500&closed=${closed}`, 'events', 'after_cursor', 'next_cursor');
    const eventsB = [...(await gamma(false)), ...(await gamma(true))];
    const ofEvent = (ticker: string | null) =>
      milestones.filter(
        (one) => Array.isArray(one.primary_event_tickers) && one.primary_event_tickers.includes(ticker),
      );
    await put(
      database.sql,
      'venue_a',
      eventsA.map((event) => listedA(event, { ...context, milestones: ofEvent(text(event.event_ticker)) })),
    );
    await put(
      database.sql,
      'venue_b',
      eventsB.map((event) => listedB(event, context)),
    );
    await pass(database.sql);
    const rows = await database.sql<{ a: string; b: string; band: string; stage: string; legs: string[] }[]>`
      select p.event_a as a, p.event_b as b, p.band, p.stage, array_agg(o.contract_a || ' ' || o.side_a || ' ' || o.contract_b) as legs
      from catalog.pairs p join catalog.outcomes o using (pair_id)
      where p.withdrawn_at is null
      group by p.pair_id`;
    for (const row of rows) found.set(`${row.a}|${row.b}`, row);
  }, 60_000);
  afterAll(async () => {
    venues?.end();
    await database?.close();
  });

  it('are paired as the simulator made them, every leg of it', () => {
    const twins = truth.pairs.filter((pair) => PAIRED.has(pair.family));
    const missed = twins.filter((pair) => !found.has(`${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`));
    console.log(
      `simulator: ${twins.length} twins of paired families, ${found.size} pairs found, ${missed.length} missed`,
    );
    expect(twins.length).toBeGreaterThan(200);
    expect(missed.map((pair) => `${pair.venue_a.event_ticker} ${pair.venue_b.event_slug}`)).toEqual([]);
    for (const pair of twins) {
      const row = found.get(`${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`);
      const legs = pair.outcomes.map((leg) => `${leg.ticker} ${leg.side} ${leg.token_id}`).sort();
      expect([...(row?.legs ?? [])].sort()).toEqual(legs);
      expect(row?.stage).toBe('catalog');
    }
  });

  it('give no pair that the simulator did not make, and none of its look-alikes', () => {
    const twins = new Set(truth.pairs.map((pair) => `${pair.venue_a.event_ticker}|${pair.venue_b.event_slug}`));
    expect([...found.keys()].filter((key) => !twins.has(key))).toEqual([]);
    expect(truth.lookalikes.length).toBeGreaterThan(50);
    expect(truth.lookalikes.filter((one) => found.has(`${one.venue_a}|${one.venue_b}`))).toEqual([]);
  });
});
