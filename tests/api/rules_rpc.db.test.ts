import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { expectRpcError, organization, type Person, rpc } from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { putRules, ruleIdOf } from './support/rules.ts';

let db: TestDatabase;
let member: Person;
beforeAll(async () => {
  db = await createDatabase();
  member = (await organization(db.sql)).owner;
});
afterAll(() => db.close());

type Listed = { has_more: boolean; backtest: Record<string, unknown>; rules: { rule_id: string; pool: unknown }[] };
const list = (after = 'null') => rpc<Listed>(db.sql, member, `list_rules(${after})`);

describe('the RPCs of the page Record', () => {
  test('list_rules returns no rule and no progress before the first match and the first backtest', async () => {
    expect(await list()).toEqual({
      limit_pct: 1,
      confidence_pct: 95,
      has_more: false,
      backtest: {
        scopes: 0,
        done: 0,
        failed: 0,
        running: 0,
        listings: 0,
        occasions: 0,
        diverging: 0,
        finished_at: null,
      },
      rules: [],
    });
  });

  test('list_rules sums the progress over all scopes, and has an end only when no scope is left', async () => {
    await db.sql`
      insert into catalog.backtest_scopes (scope, state, days, occasions, diverging, requested_at, finished_at)
      values ('NFL', 'done', 120, 85, 1, '2026-11-20Z', '2026-11-20T12:00:00Z'),
             ('NBA', 'reading', 120, 7, 0, '2026-11-20Z', null),
             ('NHL', 'failed', 120, 0, 0, '2026-11-20Z', null)`;
    await db.sql`
      insert into catalog.backtest_sources (scope, venue, kind, filter, events)
      values ('NFL', 'venue_a', 'events', 'KXNFLGAME', 70), ('NBA', 'venue_b', 'series', '10345', 5)`;
    const running = { scopes: 3, done: 1, failed: 1, running: 1, listings: 75, occasions: 92, diverging: 1 };
    expect((await list()).backtest).toEqual({ ...running, finished_at: null });
    await db.sql`update catalog.backtest_scopes set state = 'done', finished_at = '2026-11-20T13:00:00Z' where scope = 'NBA'`;
    expect((await list()).backtest).toMatchObject({ done: 2, running: 0, finished_at: '2026-11-20T13:00:00.000Z' });
  });

  test('list_rules has pools without members, read_rule has the members and the divergences', async () => {
    const leagues = ['Ligue 1', 'Serie A'].map((competition) => ({ competition, agreeing: 200, text_form: 'goals' }));
    const divergences = [{ occasion: 'one', settled_at: '2026-02-08Z' }];
    const ids = await putRules(db.sql, [...leagues, { competition: 'NHL', agreeing: 4, divergences }]);
    const pool = { count: 2, agreeing: 400, bound_pct: 0.7461 };
    expect((await list()).rules.map((rule) => rule.pool)).toEqual([
      { ...pool, members: [] },
      null,
      { ...pool, members: [] },
    ]);
    const read = (id: string) => rpc(db.sql, member, `read_rule('${id}')`);
    expect(await read(ruleIdOf({ competition: 'Serie A' }))).toMatchObject({
      state: 'pooled',
      pool: { ...pool, members: ids.slice(0, 2) },
      divergences_count: 0,
      divergences: [],
    });
    expect(await read(ids[2] ?? '')).toMatchObject({
      state: 'withdrawn',
      divergences_count: 1,
      divergences: [{ occasion: 'one', venue_a: { text: 'If Chicago wins, Yes.' } }],
    });
    await expectRpcError(read('no such rule'), 404, 'rule.not_found');
  });

  test('list_rules continues after the last rule of a page', async () => {
    const many = Array.from({ length: 1001 }, (_, n) => ({ family: 'weather_high', competition: `Town ${n}` }));
    await putRules(db.sql, many);
    const first = await list();
    expect([first.rules.length, first.has_more]).toEqual([1000, true]);
    const rest = await list(`'${first.rules.at(-1)?.rule_id}'`);
    expect([rest.rules.length, rest.has_more]).toEqual([4, false]);
    expect(new Set([...first.rules, ...rest.rules].map((rule) => rule.rule_id)).size).toBe(1004);
  });
});
