import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { organization, type Person, rpc } from '../account/support/people.ts';
import { changePair, holdBooks, idOf, putPair, type SeedPair, stopClock } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: for each pair one function names all four gates and what was refused after them, with market times. */

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
let owner: Person;
beforeAll(async () => {
  db = await createDatabase();
  ({ owner } = await organization(db.sql));
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows, arb.opportunities, arb.opportunity_states, arb.rejections`;
  await db.sql`update price.snapshot_state set step = '-infinity'`;
  await holdBooks(db.sql);
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

/** What an operator reads, at the step that REST shows. */
async function explained(about = idOf(1)): Promise<Explained> {
  await db.sql`select pipeline.refresh_snapshot()`;
  const [row] = await db.sql<{ it: { pairs: Explained[] } }[]>`select ops.explain(${about}) as it`;
  const [pair] = row?.it.pairs ?? [];
  if (!pair) throw new Error('no pair');
  return pair;
}
const forMember = () => rpc<Explained & { as_of: string }>(db.sql, owner, `explain_market('${idOf(1)}')`);
const refused = (reason: string) => ({ refused: reason, about: 'KX-1-home', since: null });

describe('the gates of a pair', () => {
  test.each<[string, Partial<SeedPair>, boolean, string, string]>([
    ['the band', { stage: 'candidate', band: 'REVIEW' }, true, 'band', 'band.candidate'],
    ['the confirmed rule', { confirmed: false }, true, 'parity', 'parity.unconfirmed'],
    ['the risks', { risks: [['walkover', 'high']] }, true, 'risk', 'risk.walkover'],
    ['the prices', {}, false, 'priced', 'priced.never'],
  ])(
    'with %s alone closed: that gate has a reason, the other three are open, and nothing follows',
    async (_, pair, priced, gate, reason) => {
      await seed(pair);
      if (priced) await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
      const gates = ['band', 'parity', 'risk', 'priced'].map((name) =>
        name === gate ? { gate: name, open: false, reason } : { gate: name, open: true, reason: null },
      );
      const after = { code: null, opportunity: null, refused: [] };
      expect(await explained()).toMatchObject({ gates, after });
      expect(await forMember()).toMatchObject({ id: idOf(1), as_of: at('11:58:00'), gates, after });
    },
  );

  test('are all open and report it, and that no edge is left after fees', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    const both = [await explained(), await forMember()];
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

  test('report a missing price before the first step of a pair', async () => {
    await seed({ confirmed: false });
    const [row] = await db.sql<{ gates: Gate[] }[]>`
      select arb.gates_of(${idOf(1).slice(4)}, false) as gates`;
    expect(row?.gates.filter((one) => !one.open).map((one) => one.reason)).toEqual([
      'parity.unconfirmed',
      'priced.never',
    ]);
  });

  test('give a member the severity of an internal risk and never its name', async () => {
    await seed({ risks: [['cancel_payout', 'critical']] });
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    expect((await explained()).gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.cancel_payout' });
    const given = await forMember();
    expect(given.gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.critical' });
    expect(JSON.stringify(given)).not.toContain('cancel_');
  });

  test('give a member the name of a published risk next to an internal one', async () => {
    await seed({
      risks: [
        ['cancel_payout', 'critical'],
        ['walkover', 'high'],
      ],
    });
    expect((await forMember()).gates[2]).toEqual({ gate: 'risk', open: false, reason: 'risk.walkover' });
  });

  test('do not name to a member the internal risk that closed an opportunity', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:55:00'), opp: good(1) }]);
    await db.sql`update arb.opportunities set closed_at = ${at('11:56:00')}, close_reason = 'risk.cancel_payout'`;
    await db.sql`select arb.record_rejection(pair_id, 'serving', 'risk.cancel_payout', 'x', ${at('11:57:00')}) from catalog.pairs`;
    const given = await forMember();
    expect(given.after.opportunity?.reason).toBe('risk.high');
    expect(JSON.stringify(given)).not.toContain('cancel_');
  });
});

describe('the decisions after the gates', () => {
  test.each(['fee.unknown', 'size.below_minimum', 'profit.below_rounding', 'venues.one', 'price.distance'])(
    'name a rejection with %s and its market times, until the next prices',
    async (reason) => {
      await seed();
      await flush(db.sql, 1, [
        { at: at('11:56:00'), opp: refused(reason), ask: 440_000 },
        { at: at('11:57:00'), opp: refused(reason) },
      ]);
      const one = { stage: 'decision', reason, about: 'KX-1-home', first_at: at('11:56:00'), last_at: at('11:57:00') };
      for (const { gates, after } of [await explained(), await forMember()]) {
        expect(gates.every((gate) => gate.open)).toBe(true);
        expect(after).toEqual({ code: reason, opportunity: null, refused: [{ ...one, times: 2, is_current: true }] });
      }
      await flush(db.sql, 1, [{ at: at('11:57:30'), opp: null, ask: 470_000 }]);
      await clock.set('2026-11-20T12:00:05Z');
      for (const { after } of [await explained(), await forMember()])
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
    const [window] = await db.sql`select 'opp_' || opportunity_id as id from arb.opportunities`;
    const open = { id: window?.id, opened_at: at('11:56:00'), closed_at: null, reason: null };
    for (const { after } of [await explained(), await forMember()])
      expect(after).toEqual({ code: 'opportunity.open', opportunity: open, refused: [] });
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null, ask: 470_000 }]);
    for (const { after } of [await explained(), await forMember()])
      expect(after).toMatchObject({
        code: 'edge.none',
        opportunity: { ...open, closed_at: at('11:57:00'), reason: 'edge.gone' },
      });
  });

  test('report first that a market no longer trades', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null }]);
    await changePair(db.sql, 1, { status: 'resolving' });
    expect((await explained()).after.code).toBe('pair.resolving');
  });

  test('give a member the delayed state of REST, and the operator the current one', async () => {
    await seed();
    await flush(db.sql, 1, [{ at: at('11:57:00'), opp: null, ask: 470_000 }]);
    await flush(db.sql, 1, [{ at: at('11:59:00'), opp: refused('fee.unknown') }]);
    await flush(db.sql, 1, [{ at: at('11:59:30'), opp: good(1), ask: 440_000 }]);
    expect((await explained()).after).toMatchObject({ code: 'opportunity.open', refused: [{ reason: 'fee.unknown' }] });
    expect((await forMember()).after).toEqual({ code: 'edge.none', opportunity: null, refused: [] });
    await clock.set('2026-11-20T12:01:30Z');
    expect((await forMember()).after).toMatchObject({
      code: 'opportunity.open',
      refused: [{ reason: 'fee.unknown', is_current: false }],
    });
  });

  test('the count of open opportunities equals the list of GET /v2/arbitrage, on a plan of any tier', async () => {
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
});
