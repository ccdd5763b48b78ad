import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import type { Frame } from '../support/replayed_state.ts';
import { publishedFrames, resetTestState } from './published_frames.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await resetTestState(db.sql);
  await putPair(db.sql, { n: 1, confirmed: true });
});

const at = (time: string) => `2026-11-20T${time}Z`;
const publish = () => db.sql`select stream.publish_changes(stream.unpublished_pairs())`;
const types = (frames: Frame[]) => frames.map((frame) => (frame.type === 'opportunity' ? frame.state : frame.type));
describe('an opportunity', () => {
  const open = () => flush(db.sql, 1, [{ at: at('11:50:00'), opp: good(1) }]);
  const opportunities = async () =>
    (await publishedFrames(db.sql, 'markets:all')).filter((frame) => frame.type === 'opportunity');

  test('is published as opened, updated and closed, complete each time', async () => {
    await open();
    await flush(db.sql, 1, [{ at: at('11:50:10'), opp: good(1, 9_000), ask: 451_000 }]);
    await flush(db.sql, 1, [{ at: at('11:50:20'), opp: null, ask: 470_000 }]);
    const frames = await opportunities();
    expect(types(frames)).toEqual(['opened', 'updated', 'closed']);
    expect(frames.map((frame) => frame.opportunity.max_contracts)).toEqual([120, 90, 90]);
    expect(frames[0]?.opportunity).toMatchObject({
      market_id: idOf(1),
      edge_pct: 2.01,
      edge_after_bound_pct: 1.2639,
      rule: { agreeing: 400, diverging: 0, bound_pct: 0.7461 },
      risks: [],
      weakest_link: expect.stringContaining('0 of 400 settled occasions of this rule diverged'),
      detected_at: at('11:50:00.000'),
    });
    expect(frames[2]).toMatchObject({ reason: 'edge.gone', closed_at: at('11:50:20.000'), retracted: false });
    const [rest] = await db.sql<{ json: string }[]>`
      select arb.opportunity_json(p, w.opportunity_id, w.opened_at, s) as json
      from arb.opportunities w join arb.opportunity_states s using (opportunity_id) join catalog.pairs p on p.pair_id = w.pair_id order by s.state_no limit 1`;
    expect(frames[0]?.opportunity, 'REST renders the same opportunity').toEqual(JSON.parse(rest?.json ?? ''));
  });

  test('is published again when the market that it names changes', async () => {
    await open();
    await changePair(db.sql, 1, { title: 'Another title' });
    await publish();
    expect((await opportunities()).at(-1)).toMatchObject({ state: 'updated', opportunity: { title: 'Another title' } });
  });

  test('is published as opened and closed when both happen within one flush', async () => {
    await flush(db.sql, 1, [
      { at: at('11:50:01'), opp: good(1) },
      { at: at('11:50:02'), opp: null, ask: 471_000 },
    ]);
    expect(types(await opportunities())).toEqual(['opened', 'closed']);
  });

  test.each([
    [
      'a rule that lost parity',
      'parity.withdrawn',
      () => db.sql`update catalog.rules set withdrawn_at = clock.now() where rule_id = 'rule confirmed'`,
    ],
    ['a market that stopped trading', 'pair.resolving', () => changePair(db.sql, 1, { status: 'resolving' })],
    ['a pair that was withdrawn', 'pair.withdrawn', () => changePair(db.sql, 1, { withdrawn_at: at('11:59:00') })],
    ['a band that fell', 'band.review', () => changePair(db.sql, 1, { band: 'REVIEW' })],
  ])('is closed by %s, at the next step', async (_, reason, change) => {
    await open();
    await change();
    await db.sql`select pipeline.refresh_snapshot()`;
    const last = (await opportunities()).at(-1);
    expect(last).toMatchObject({ state: 'closed', reason });
    await db.sql`update catalog.rules set withdrawn_at = null`;
    expect(await db.sql`select from stream.published_opportunities`).toHaveLength(0);
  });

  test('is never published while a gate is closed, and closes for subscribers as soon as a gate closes', async () => {
    await putPair(db.sql, { n: 2, confirmed: false });
    await flush(db.sql, 2, [{ at: at('11:50:00'), opp: good(2) }]);
    expect(await opportunities()).toEqual([]);
    await open();
    await changePair(db.sql, 1, { band: 'REVIEW' });
    await publish();
    expect(types(await opportunities())).toEqual(['opened', 'closed']);
    expect(
      await db.sql`select from arb.opportunities where closed_at = 'infinity'`,
      'still open in the table',
    ).toHaveLength(1);
    await db.sql`select pipeline.refresh_snapshot()`;
    expect(types(await opportunities()), 'closed for subscribers once').toEqual(['opened', 'closed']);
  });

  test('is closed as retracted when it came from an invalid book', async () => {
    await open();
    await flush(db.sql, 1, [
      {
        at: at('11:50:30'),
        opp: { refused: 'book.gap', about: null, since: Date.parse(at('11:49:00')) },
        void: 'book.gap',
      },
    ]);
    expect((await opportunities()).at(-1)).toMatchObject({ state: 'closed', reason: 'book.gap', retracted: true });
  });
});
