import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  holdShardLeases,
  putPair,
  putUpdate,
  type SeedPair,
  type SeedUpdate,
  stopClock,
  uuidOf,
} from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: the signal arb needs all four gates. Each closed gate has a reason, and an internal
 * risk closes the risk gate like any other.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await holdShardLeases(database.sql);
  await stopClock(database.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows`;
});

const at = '2026-11-20T11:57:01.234Z';
const priced: SeedUpdate = { at, ask_a: [420000, 500000], ask_b: [480000, 505000] };

async function gates(pair: Omit<SeedPair, 'n'>, update: SeedUpdate | null, change = '') {
  await putPair(database.sql, { n: 1, confirmed: true, ...pair });
  if (update) await putUpdate(database.sql, 1, update);
  if (change) await database.sql.unsafe(change);
  await database.sql`update price.snapshot_state set step = '-infinity'`;
  await database.sql`select pipeline.refresh_snapshot()`;
  const [row] = await database.sql`
    select signal, band_ok, parity_ok, risk_ok, priced_ok, reason from price.signal_gates where pair_id = ${uuidOf(1)}`;
  return row;
}

it('a pair has the signal arb when all four gates are open', async () => {
  expect(await gates({ risks: [['void_rule', 'medium']] }, priced)).toEqual({
    signal: 'arb',
    band_ok: true,
    parity_ok: true,
    risk_ok: true,
    priced_ok: true,
    reason: '',
  });
});

it.each<[string, Omit<SeedPair, 'n'>, SeedUpdate | null, string, string]>([
  ['the stage candidate', { stage: 'candidate', band: 'REVIEW' }, priced, '', 'band.candidate'],
  ['the band REVIEW', { band: 'REVIEW' }, priced, '', 'band.review'],
  ['a confidence below 0.95', {}, priced, 'update catalog.pairs set entity_confidence = 0.949', 'band.confidence'],
  ['an unconfirmed rule', { confirmed: false }, priced, '', 'parity.unconfirmed'],
  ['a high risk', { risks: [['walkover', 'high']] }, priced, '', 'risk.walkover'],
  ['an internal high risk', { risks: [['cancel_payout', 'high']] }, priced, '', 'risk.cancel_payout'],
  [
    'a high and a critical risk',
    {
      risks: [
        ['a_high_one', 'high'],
        ['station_mismatch', 'critical'],
      ],
    },
    priced,
    '',
    'risk.station_mismatch',
  ],
  ['no price update', {}, null, '', 'priced.never'],
  ['an outcome without an ask', {}, { ...priced, ask_a: [null, 500000] }, '', 'priced.incomplete'],
  ['a crossed book', {}, { ...priced, bid_a: [430000, null] }, '', 'priced.incomplete'],
  ['a locked book of venue_a', {}, { ...priced, bid_a: [420000, null] }, '', 'priced.incomplete'],
  ['a locked book of venue_b', {}, { ...priced, bid_b: [null, 505000] }, '', 'priced.incomplete'],
  ['the status closed', { status: 'closed' }, priced, '', 'priced.not_trading'],
  [
    'all four gates closed',
    { confirmed: false, band: 'REVIEW', risks: [['partition_gap', 'high']] },
    null,
    '',
    'band.review, parity.unconfirmed, risk.partition_gap, priced.never',
  ],
])('a pair with %s has the signal spread and names each closed gate', async (_name, pair, update, change, reason) => {
  const row = await gates(pair, update, change);
  expect(row).toMatchObject({ signal: 'spread', reason });
});

it('a rule whose confirmation was withdrawn closes the parity gate of its pairs', async () => {
  const row = await gates({}, priced, "update catalog.rules set withdrawn_at = now() where rule_id = 'rule confirmed'");
  await database.sql`update catalog.rules set withdrawn_at = null`;
  expect(row).toMatchObject({ signal: 'spread', parity_ok: false, reason: 'parity.withdrawn' });
});
