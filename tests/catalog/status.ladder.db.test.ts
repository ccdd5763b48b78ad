import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: the status and the result of a ladder pair follow all its contracts, also when an
 * outcome has no contract on one venue.
 */

let database: TestDatabase;
let sql: Sql;
const NOW = '2026-08-10T12:00:00Z';
const PAIR = 'aaaaaaaa-0000-4000-8000-000000000001';
beforeEach(async () => {
  database = await createDatabase();
  sql = database.sql;
  await sql`insert into catalog.assessments (assessment_id, signals, risks) values ('none', '[]', '[]')`;
  await at(NOW);
  for (const venue of ['venue_a', 'venue_b'])
    await sql`
      insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
      values (${venue}, 'e', 'e', '{}', '', now(), now(), now())`;
  await sql`insert into catalog.rules (rule_id, description, first_seen_at) values ('r', 'r', now())`;
});
afterEach(() => database.close());

async function at(now: string) {
  await sql`delete from clock.segments`;
  await sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${now}, 0)`;
}

/** State of a market and the payout of its YES; on venue_b of the token of the outcome. */
type Market = [state: string, payout?: number];
type Outcome = { a?: Market; b?: Market; span?: string[]; second?: boolean; no?: boolean };

async function market(venue: string, id: string, [state, payout]: Market, isInverted: boolean) {
  const paid = payout === undefined ? null : isInverted ? 1 - payout : payout;
  await sql`
    insert into venue.markets (venue, market_id, event_id, state, payout, settled_at, payload, payload_hash, seen_at, changed_at)
    values (${venue}, ${id}, 'e', ${state}, ${paid}, ${state === 'final' ? '2026-08-10T11:00:00Z' : null}, '{}', '', now(), now())
    on conflict (venue, market_id) do update set state = excluded.state, payout = excluded.payout, settled_at = excluded.settled_at`;
  for (const ordinal of venue === 'venue_a' ? [0] : [0, 1])
    await sql`
      insert into venue.contracts (venue, contract_id, market_id, ordinal)
      values (${venue}, ${venue === 'venue_a' ? id : `${id}:${ordinal}`}, ${id}, ${ordinal})
      on conflict do nothing`;
}

type Row = { family?: string; scheduled?: boolean; start?: string; closes?: string | null; status?: string };

async function put(outcomes: Record<string, Outcome>, strikes: Record<string, Market> = {}, row: Row = {}) {
  await sql`
    insert into catalog.pairs (
      pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id, input_hash,
      category, title, start_time, has_scheduled_start, closes_a, closes_b, event_a, event_b, shard_key, created_at, updated_at
    )
    values (
      ${PAIR}, 'qa', 'qb', 'k', ${row.family ?? 'weather_high'}, 'catalog', 'HIGH', 1, 1, 'none', 'r', 'h', 'weather', 't',
      ${row.start ?? '2026-08-11T00:00:00Z'}, ${row.scheduled ?? false}, ${row.closes === undefined ? '2026-08-11T00:00:00Z' : row.closes},
      ${row.closes === undefined ? '2026-08-11T00:00:00Z' : row.closes}, 'e', 'e', 0, now(), now()
    )
    on conflict (pair_id) do update set start_time = excluded.start_time`;
  if (row.status) await sql`update catalog.pairs set status = ${row.status}`;
  for (const [place, [key, one]] of Object.entries(outcomes).entries()) {
    if (one.a) await market('venue_a', `A-${key}`, one.a, one.no === true);
    if (one.b) await market('venue_b', `B-${key}`, one.b, one.second === true);
    await sql`
      insert into catalog.outcomes (pair_id, ordinal, key, name, market_a, contract_a, side_a, market_b, contract_b, relation, span)
      values (
        ${PAIR}, ${place}, ${key}, ${key}, ${one.a ? `A-${key}` : null}, ${one.a ? `A-${key}` : null},
        ${one.a ? (one.no ? 'no' : 'yes') : null}, ${one.b ? `B-${key}` : null}, ${one.b ? `B-${key}:${one.second ? 1 : 0}` : null},
        ${one.a && one.b ? 'EXACT' : one.span ? 'OVERLAPS' : 'DERIVED'}, ${one.span ?? null}
      )
      on conflict do nothing`;
  }
  for (const [place, [label, one]] of Object.entries(strikes).entries()) {
    await market('venue_a', `R-${label}`, one, false);
    await sql`
      insert into catalog.strikes (pair_id, ordinal, label, market_a, contract_a)
      values (${PAIR}, ${place}, ${label}, ${`R-${label}`}, ${`R-${label}`}) on conflict do nothing`;
  }
}

async function refreshStatus() {
  await sql`select pipeline.refresh_statuses()`;
  const [row] = await sql<
    { status: string; result: { [field: string]: unknown } | null }[]
  >`select status, result from catalog.pairs`;
  return row;
}
const trading: Market = ['trading'];
const won: Market = ['final', 1];
const lost: Market = ['final', 0];

describe('a pair without common outcomes', () => {
  it('stays open while the ladder of venue_a trades', async () => {
    await put(
      { low: { b: trading, span: ['60-61'] }, high: { b: trading, span: ['62-63'] } },
      { '60-61': trading, '62-63': trading },
    );
    expect((await refreshStatus())?.status).toBe('open');
  });

  it('is resolving when the ladder has stopped, and settled when it has paid', async () => {
    await put({ low: { b: won, span: ['60-61', '62-63'] } }, { '60-61': ['closed'], '62-63': ['closed'] });
    expect((await refreshStatus())?.status).toBe('resolving');
    await put({ low: { b: won, span: ['60-61', '62-63'] } }, { '60-61': lost, '62-63': won });
    expect(await refreshStatus()).toMatchObject({
      status: 'settled',
      result: { verdict: 'agree', venues_agree: true, winners: ['low'] },
    });
  });

  it('diverges when no range that overlaps the winner paid', async () => {
    await put(
      { low: { b: won, span: ['60-61'] }, high: { b: lost, span: ['62-63'] } },
      { '60-61': lost, '62-63': won },
    );
    expect(await refreshStatus()).toMatchObject({
      status: 'settled',
      result: { verdict: 'diverge', venues_agree: false, winners: [] },
    });
  });

  it('counts as neither agreeing nor diverging when nothing can be compared', async () => {
    await put({ '4.2': { b: won }, '4.3': { b: lost } }, { 'above 4.1': won }, { family: 'econ_print' });
    expect(await refreshStatus()).toMatchObject({
      status: 'settled',
      result: { verdict: 'edge_case', venues_agree: null, void: false, winners: ['4.2'] },
    });
    const [rule] = await sql`select agreeing, diverging from catalog.rules`;
    expect(rule).toEqual({ agreeing: 0, diverging: 0 });
  });
});

describe('a pair with partly common outcomes', () => {
  it('compares the common legs and names every winner, also one that only venue_b lists', async () => {
    await put({ twin: { a: lost, b: lost }, alone: { b: won } }, {}, { family: 'econ_print' });
    expect(await refreshStatus()).toMatchObject({
      result: { verdict: 'agree', venues_agree: true, winners: ['alone'] },
    });
  });

  it('names a winner that only venue_a lists', async () => {
    await put(
      { cut_25: { a: won }, no_change: { a: lost, b: lost }, hike_25: { b: lost } },
      {},
      { family: 'cb_decision' },
    );
    expect(await refreshStatus()).toMatchObject({ result: { verdict: 'agree', winners: ['cut_25'] } });
  });

  it('reads the payout of a NO leg and of a second token correctly', async () => {
    await put({ x: { a: won, b: won, no: true, second: true }, y: { a: lost, b: lost } }, {}, { family: 'moneyline' });
    expect(await refreshStatus()).toMatchObject({ result: { verdict: 'agree', winners: ['x'] } });
  });

  it('has several winners with cumulative thresholds, and counts as one agreeing occasion', async () => {
    const ladder = { '60k': { a: won, b: won }, '62k': { a: won, b: won }, '64k': { a: lost, b: lost } };
    await put(ladder, {}, { family: 'crypto_above' });
    expect(await refreshStatus()).toMatchObject({ result: { verdict: 'agree', winners: ['60k', '62k'] } });
    const [rule] = await sql`select agreeing, diverging from catalog.rules`;
    expect(rule).toEqual({ agreeing: 1, diverging: 0 });
  });

  it('diverges when one threshold differs, and withdraws the parity of its rule at once', async () => {
    await put({ '60k': { a: won, b: won }, '62k': { a: won, b: lost } }, {}, { family: 'crypto_above' });
    expect(await refreshStatus()).toMatchObject({ result: { verdict: 'diverge', venues_agree: false, winners: [] } });
    const [rule] = await sql`select diverging, withdrawn_at is not null as withdrawn from catalog.rules`;
    expect(rule).toEqual({ diverging: 1, withdrawn: true });
  });

  it('settles although one runner left the listings before the end', async () => {
    await put({ x: { a: won, b: won }, y: { a: ['gone'], b: lost } }, {}, { family: 'outright' });
    expect(await refreshStatus()).toMatchObject({ status: 'settled', result: { verdict: 'agree', winners: ['x'] } });
  });

  it('is an edge case when one venue paid in full and the other in part', async () => {
    await put({ x: { a: ['final', 0.6], b: won }, y: { a: ['final', 0.4], b: lost } });
    expect(await refreshStatus()).toMatchObject({
      result: { verdict: 'edge_case', venues_agree: false, void: false, winners: [] },
    });
    const [rule] = await sql`select diverging from catalog.rules`;
    expect(rule).toEqual({ diverging: 1 });
  });
});

describe('the status of a pair', () => {
  it('stays open when a single runner has settled', async () => {
    await put({ x: { a: trading, b: trading }, y: { a: lost, b: lost } });
    expect((await refreshStatus())?.status).toBe('open');
  });

  it('is never live without a scheduled start', async () => {
    await put({ x: { a: trading, b: trading } }, {}, { start: '2026-08-09T00:00:00Z' });
    expect((await refreshStatus())?.status).toBe('open');
    await sql`update catalog.pairs set has_scheduled_start = true`;
    expect((await refreshStatus())?.status).toBe('live');
  });

  it('is open, and neither live nor resolving, while a market is paused', async () => {
    await put({ x: { a: ['paused'], b: trading } }, {}, { start: '2026-08-09T00:00:00Z', scheduled: true });
    expect((await refreshStatus())?.status).toBe('open');
  });

  it('returns from resolving to open when a venue moves the start and both trade', async () => {
    await put(
      { x: { a: trading, b: trading } },
      {},
      { start: '2026-08-12T00:00:00Z', scheduled: true, status: 'resolving' },
    );
    expect((await refreshStatus())?.status).toBe('open');
  });

  it.each<[string, Market, Market]>([
    ['one venue has stopped', ['closed'], trading],
    ['a venue has proposed a result', trading, ['proposed']],
    ['one venue has paid', won, trading],
    ['one venue has removed the listing', ['gone'], trading],
  ])('is resolving when %s', async (_name, a, b) => {
    await put({ x: { a, b } });
    expect((await refreshStatus())?.status).toBe('resolving');
  });

  it('is closed 30 days after the close, and settled by a late result of both venues', async () => {
    await put({ x: { a: ['closed'], b: ['closed'] } });
    await at('2026-09-10T00:00:00Z');
    expect((await refreshStatus())?.status).toBe('resolving');
    await at('2026-09-10T00:01:00Z');
    expect((await refreshStatus())?.status).toBe('closed');
    await put({ x: { a: won, b: ['closed'] } });
    expect((await refreshStatus())?.status).toBe('closed');
    await put({ x: { a: won, b: won } });
    expect(await refreshStatus()).toMatchObject({ status: 'settled', result: { settled_at: '2026-08-10T11:00:00Z' } });
  });

  it('is closed 30 days after the later of two closes, on either venue', async () => {
    await put({ x: { a: ['closed'], b: ['closed'] } });
    for (const [a, b] of [
      ['2026-08-11T00:00:00Z', '2026-09-11T00:00:00Z'],
      ['2026-09-11T00:00:00Z', '2026-08-11T00:00:00Z'],
    ] as const) {
      await sql`update catalog.pairs set status = 'open', closes_a = ${a}, closes_b = ${b}`;
      await at('2026-10-10T23:59:00Z');
      expect((await refreshStatus())?.status).toBe('resolving');
      await at('2026-10-11T00:01:00Z');
      expect((await refreshStatus())?.status).toBe('closed');
    }
  });

  it('is closed at once when both venues removed the listing', async () => {
    await put({ x: { a: ['gone'], b: ['gone'] } }, { strike: ['gone'] });
    expect((await refreshStatus())?.status).toBe('closed');
  });

  it('is closed 30 days after the start when no listing names a close', async () => {
    await put({ x: { a: ['closed'], b: ['closed'] } }, {}, { closes: null, start: '2026-07-01T00:00:00Z' });
    expect((await refreshStatus())?.status).toBe('closed');
  });
});
