import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { organization, type Person, rpc } from '../account/support/people.ts';
import { changePair, holdShardLeases, idOf, putPair, type SeedPair, stopClock } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: one function returns all four gates of a pair and the decisions after them, with
 * market times.
 */

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
let owner: Person;
beforeAll(async () => {
  db = await createDatabase();
  ({ owner } = await organization(db.sql));
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows, arb.opportunities, arb.opportunity_states, arb.rejections, arb.history, arb.history_groups`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  await holdShardLeases(db.sql);
  clock = await stopClock(db.sql, '2026-11-20T12:00:00Z');
});

type Gate = { gate: string; open: boolean; reason: string | null };
type After = {
  code: string | null;
  opportunity: { id: string; opened_at: string; closed_at: string | null; reason: string | null } | null;
  refused: { stage: string; reason: string; about: string; first_at: string; last_at: string; is_current: boolean }[];
};
type Explained = { gates: Gate[]; after: After };
const at = (time: string) => `2026-11-20T${time}.000Z`;
const seed = (pair: Partial<SeedPair> = {}) => putPair(db.sql, { n: 1, confirmed: true, ...pair });

/** The explanation for an operator, at the current step of REST. */
async function explainForOperator(about = idOf(1)): Promise<Explained> {
  await db.sql`select pipeline.refresh_snapshot()`;
  const [row] = await db.sql<{ it: { pairs: Explained[] } }[]>`select ops.explain(${about}) as it`;
  const [pair] = row?.it.pairs ?? [];
  if (!pair) throw new Error('no pair');
  return pair;
}
const explainForMember = () => rpc<Explained & { as_of: string }>(db.sql, owner, `explain_market('${idOf(1)}')`);
const rejectionBy = (reason: string) => ({ refused: reason, about: 'KX-1-home', since: null });

describe('the gates of a pair', () => {
  test.each<[string, Partial<SeedPair>, boolean, string, string]>([
    ['the band gate', { stage: 'candidate', band: 'REVIEW' }, true, 'band', 'band.candidate'],
    ['the parity gate', { confirmed: false }, true, 'parity', 'parity.unconfirmed'],
    ['the risk gate', { risks: [['walkover', 'high']] }, true, 'risk', 'risk.walkover'],
    ['the price gate', {}, false, 'priced', 'priced.never'],
  ])(
    'list %s as the only closed one with its reason, and no decision after the gates',
    async (_, pair, priced, gate, reason) => {
      await seed(pair);
      if (priced) await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
      const gates = ['band', 'parity', 'risk', 'priced'].map((name) =>
        name === gate ? { gate: name, open: false, reason } : { gate: name, open: true, reason: null },
      );
      const after = { code: null, opportunity: null, refused: [] };
      expect(await explainForOperator()).toMatchObject({ gates, after });
      expect(await explainForMember()).toMatchObject({ id: idOf(1), as_of: at('11:58:00'), gates, after });
    },
  );

  test('are all open for a pair without an edge after fees', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    const both = [await explainForOperator(), await explainForMember()];
    for (const { gates, after } of both) {
      expect(gates.map((one) => [one.gate, one.open, one.reason])).toEqual([
        ['band', true, null],
        ['parity', true, null],
        ['risk', true, null],
        ['priced', true, null],
      ]);
      expect(after).toEqual({ code: 'edge.none', opportunity: null, refused: [] });
    }
  });

  test('list missing prices as a reason before the first step of a pair', async () => {
    await seed({ confirmed: false });
    const [row] = await db.sql<{ gates: Gate[] }[]>`
      select arb.gates_of(${idOf(1).slice(4)}, false) as gates`;
    expect(row?.gates.filter((one) => !one.open).map((one) => one.reason)).toEqual([
      'parity.unconfirmed',
      'priced.never',
    ]);
  });

  test('give a member the severity of an internal risk, not its name', async () => {
    await seed({ risks: [['cancel_payout', 'critical']] });
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    expect((await explainForOperator()).gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.cancel_payout' });
    const answer = await explainForMember();
    expect(answer.gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.critical' });
    expect(JSON.stringify(answer)).not.toContain('cancel_');
  });

  test('give a member the name of a published risk next to an internal one', async () => {
    await seed({
      risks: [
        ['cancel_payout', 'critical'],
        ['walkover', 'high'],
      ],
    });
    expect((await explainForMember()).gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.walkover' });
  });

  test('do not name to a member the internal risk that closed an opportunity', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:55:00'), opp: good(1) }]);
    await db.sql`update arb.opportunities set closed_at = ${at('11:56:00')}, close_reason = 'risk.cancel_payout'`;
    await db.sql`select arb.record_rejection(pair_id, 'serving', 'risk.cancel_payout', 'x', ${at('11:57:00')}) from catalog.pairs`;
    const answer = await explainForMember();
    expect(answer.after.opportunity?.reason).toBe('risk.high');
    expect(JSON.stringify(answer)).not.toContain('cancel_');
  });
});

describe('the decisions after the gates', () => {
  test.each(['fee.unknown', 'size.below_minimum', 'profit.below_rounding', 'venues.one', 'price.distance'])(
    'name a rejection with %s and its market times, until the next prices',
    async (reason) => {
      await seed();
      await flush(db.sql, 1, [
        { at: at('11:56:00'), opp: rejectionBy(reason), ask: 440_000 },
        { at: at('11:57:00'), opp: rejectionBy(reason) },
      ]);
      const one = { stage: 'decision', reason, about: 'KX-1-home', first_at: at('11:56:00'), last_at: at('11:57:00') };
      for (const { gates, after } of [await explainForOperator(), await explainForMember()]) {
        expect(gates.every((gate) => gate.open)).toBe(true);
        expect(after).toEqual({ code: reason, opportunity: null, refused: [{ ...one, times: 2, is_current: true }] });
      }
      await flush(db.sql, 1, [{ at: at('11:57:30'), opp: null, ask: 470_000 }]);
      await clock.set('2026-11-20T12:00:05Z');
      for (const { after } of [await explainForOperator(), await explainForMember()])
        expect(after).toEqual({
          code: 'edge.none',
          opportunity: null,
          refused: [{ ...one, times: 2, is_current: false }],
        });
    },
  );

  test('report an opportunity as open, and then as closed with its reason', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:56:00'), opp: good(1) }]);
    const [opened] = await db.sql`select 'opp_' || opportunity_id as id from arb.opportunities`;
    const open = { id: opened?.id, opened_at: at('11:56:00'), closed_at: null, reason: null };
    for (const { after } of [await explainForOperator(), await explainForMember()])
      expect(after).toEqual({ code: 'opportunity.open', opportunity: open, refused: [] });
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null, ask: 470_000 }]);
    for (const { after } of [await explainForOperator(), await explainForMember()])
      expect(after).toMatchObject({
        code: 'edge.none',
        opportunity: { ...open, closed_at: at('11:57:00'), reason: 'edge.gone' },
      });
  });

  test('state first that a market no longer trades', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    await changePair(db.sql, 1, { status: 'resolving' });
    expect((await explainForOperator()).after.code).toBe('pair.resolving');
  });

  test('give a member the delayed state of REST, and the operator the current one', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null, ask: 470_000 }]);
    await flush(db.sql, 1, [{ at: at('11:59:00'), opp: rejectionBy('fee.unknown') }]);
    await flush(db.sql, 1, [{ at: at('11:59:30'), opp: good(1), ask: 440_000 }]);
    expect((await explainForOperator()).after).toMatchObject({
      code: 'opportunity.open',
      refused: [{ reason: 'fee.unknown' }],
    });
    expect((await explainForMember()).after).toEqual({ code: 'edge.none', opportunity: null, refused: [] });
    await clock.set('2026-11-20T12:01:30Z');
    expect((await explainForMember()).after).toMatchObject({
      code: 'opportunity.open',
      refused: [{ reason: 'fee.unknown', is_current: false }],
    });
  });
});

test('the RPC open_opportunities counts the open opportunities at the step of REST, on any plan', async () => {
  await seed();
  await flush(db.sql, 1, [{ at: at('11:56:00'), opp: good(1) }]);
  for (const tier of ['free', 'pro']) {
    await db.sql`select account.set_plan(org_id, ${tier}, 'active') from account.members where user_id = ${owner.id}`;
    expect(await rpc(db.sql, owner, 'open_opportunities()')).toEqual({ count: 1, as_of: at('11:58:00') });
  }
  await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null, ask: 470_000 }]);
  await clock.set('2026-11-20T12:00:05Z');
  expect(await rpc(db.sql, owner, 'open_opportunities()')).toEqual({ count: 0, as_of: at('11:58:05') });
});

test('the RPC list_closed_opportunities lists what closed on the UTC day, or in one market for seven days', async () => {
  await seed();
  await flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);
  await flush(db.sql, 1, [{ at: at('11:55:00'), opp: null, ask: 470_000 }]);
  const list = (market = '') =>
    rpc<{ opportunities: { market_id: string; close_reason: string }[] }>(
      db.sql,
      owner,
      `list_closed_opportunities(${market})`,
    );
  const closed = { market_id: idOf(1), close_reason: 'edge.gone', closed_at: at('11:55:00') };
  expect((await list()).opportunities).toMatchObject([closed]);
  expect((await list(`'${idOf(1)}'`)).opportunities).toMatchObject([closed]);
  await clock.set('2026-11-21T12:00:00Z');
  expect((await list()).opportunities).toEqual([]);
  expect((await list(`'${idOf(1)}'`)).opportunities).toMatchObject([closed]);
  await clock.set('2026-11-28T12:00:00Z');
  expect((await list(`'${idOf(1)}'`)).opportunities).toEqual([]);
});
