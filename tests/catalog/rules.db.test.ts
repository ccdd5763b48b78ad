import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaitingForLock } from '../support/lock_wait.ts';

/**
 * Guarantee: enough settled occasions of a rule confirm its parity, the first divergence withdraws
 * it, and only a reviewer restores it.
 */

let database: TestDatabase;
let sql: Sql;
beforeEach(async () => {
  database = await createDatabase();
  sql = database.sql;
  await sql`insert into catalog.assessments (assessment_id, signals, risks) values ('none', '[]', '[]')`;
  await sql`insert into catalog.rules (rule_id, description, first_seen_at) values ('r', 'r', '2026-09-01'), ('other', 'other', '2026-09-01')`;
});
afterEach(() => database.close());

type Result = 'agree' | 'diverge' | 'void_alike' | 'void_apart' | 'unknown' | null;
const results: Record<Exclude<Result, null>, object> = {
  agree: { verdict: 'agree', venues_agree: true, void: false },
  diverge: { verdict: 'diverge', venues_agree: false, void: false },
  void_alike: { verdict: 'edge_case', venues_agree: true, void: true },
  void_apart: { verdict: 'edge_case', venues_agree: false, void: true },
  unknown: { verdict: 'edge_case', venues_agree: null, void: false },
};
let pairCount = 0;

/**
 * Inserts `count` pairs of a rule, each of its own game unless `game` is given. Pairs without a
 * result are open.
 */
async function insertPairs(
  count: number,
  result: Result,
  more: { rule?: string; game?: string; family?: string; start?: string } = {},
) {
  const first = pairCount;
  pairCount += count;
  await sql`
    insert into catalog.pairs (
      pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id, input_hash,
      category, title, start_time, has_scheduled_start, event_a, event_b, shard_key, status, result, game_id, created_at, updated_at
    )
    select gen_random_uuid(), 'a' || n, 'b' || n, 'k' || n, ${more.family ?? 'moneyline'}, 'catalog', 'HIGH', 1, 1, 'none', ${more.rule ?? 'r'}, 'h',
           'sports', 't', ${more.start ?? '2026-09-20T18:00:00Z'}::timestamptz, true, 'e' || n, 's' || n, 0,
           ${result === null ? 'open' : 'settled'}, ${result === null ? null : sql.json(results[result] as never)},
           case when ${more.family ?? 'moneyline'} in ('moneyline', 'total') then coalesce(${more.game ?? null}::uuid, gen_random_uuid()) end, now(), now()
    from generate_series(${first + 1}::int, ${first + count}::int) n`;
}
const updateParity = () => sql`select catalog.update_rule_parity()`;
const rule = async (id = 'r') => {
  const [row] = await sql<
    {
      agreeing: number;
      diverging: number;
      edge_cases: number;
      confirmed_at: Date | null;
      withdrawn_at: Date | null;
      confirmed_because: string;
    }[]
  >`
    select * from catalog.rules where rule_id = ${id}`;
  if (!row) throw new Error(`no rule ${id}`);
  return { ...row, parity: row.confirmed_at !== null && row.withdrawn_at === null };
};
const review = (decision: string) =>
  sql`select catalog.review_rule('r', ${decision}, 'a reviewer', 'looked at both texts')`;

describe('the divergence bound of a rule', () => {
  it.each([
    [0, 0, 1],
    [3, 3, 1],
    [0, 1, 0.95],
    [0, 298, 0.010003],
    [0, 299, 0.009969],
    [1, 472, 0.010011],
    [1, 473, 0.00999],
    // One divergence in 2,564 occasions is the figure of source R2 (sql/37_catalog_rules.sql).
    [1, 2564, 0.001849],
  ])('is exact for %i divergences in %i occasions', async (diverging, occasions, bound) => {
    const [row] = await sql`select catalog.divergence_bound(${diverging}, ${occasions}, 0.95) as bound`;
    expect(Number(row?.bound)).toBeCloseTo(bound, 5);
  });

  it('is below 0.001 % for 2 divergences in 5 million occasions', async () => {
    const [row] = await sql`select catalog.divergence_bound(2, 5000000, 0.95) as bound`;
    expect(Number(row?.bound)).toBeLessThan(0.00001);
  });
});

describe('the confirmation of a rule', () => {
  it('needs 299 games, each counted once with any number of lines', async () => {
    await insertPairs(298, 'agree');
    const game = 'aaaaaaaa-0000-4000-8000-000000000001';
    await updateParity();
    expect(await rule()).toMatchObject({ agreeing: 298, parity: false });
    await insertPairs(40, 'agree', { game, family: 'total' });
    await updateParity();
    const now = await rule();
    expect(now).toMatchObject({ agreeing: 299, diverging: 0, parity: true });
    expect(now.confirmed_because).toBe(
      '299 occasions agreed, 0 diverged: at most 1 % diverge (95 % confidence, one-sided), 1 % is allowed.',
    );
    // Opportunities carry the record that decided parity.
    expect(now).toMatchObject({ record_agreeing: '299', record_diverging: '0', record_bound: '0.009969' });
    expect(await rule('other')).toMatchObject({ agreeing: 0, parity: false, record_bound: '1.000000' });
  });

  it('counts a day of a ladder once, and no open, withdrawn, candidate or uncompared pair', async () => {
    for (const start of ['2026-09-20T16:00:00Z', '2026-09-20T17:00:00Z', '2026-09-22T03:00:00Z'])
      await insertPairs(5, 'agree', { family: 'crypto_above', start });
    await insertPairs(7, null);
    await insertPairs(7, 'unknown');
    await insertPairs(1, 'agree');
    await insertPairs(1, 'agree');
    await sql`update catalog.pairs set stage = 'candidate' where key = ${`k${pairCount}`}`;
    await sql`update catalog.pairs set withdrawn_at = now() where key = ${`k${pairCount - 1}`}`;
    await updateParity();
    expect(await rule()).toMatchObject({ agreeing: 2, diverging: 0 });
  });

  it('is the same after a second count, which writes nothing', async () => {
    await insertPairs(300, 'agree');
    await updateParity();
    const before = await rule();
    const [again] = await sql`select catalog.update_rule_parity() as changed`;
    expect(again?.changed).toBe(0);
    expect(await rule()).toEqual(before);
  });
});

describe('a divergence', () => {
  it.each<[string, Result, object]>([
    ['withdraws parity when the winners differ', 'diverge', { diverging: 1, agreeing: 300, parity: false }],
    ['withdraws parity when the refunds differ', 'void_apart', { diverging: 1, agreeing: 300, parity: false }],
    [
      'is not counted when both venues refund the same amount',
      'void_alike',
      { diverging: 0, agreeing: 301, edge_cases: 1, parity: true },
    ],
  ])('%s', async (_name, result, expected) => {
    await insertPairs(300, 'agree');
    await updateParity();
    await insertPairs(1, result);
    await updateParity();
    expect(await rule()).toMatchObject(expected);
  });

  it('counts for the whole game when one of its lines diverges', async () => {
    const game = 'aaaaaaaa-0000-4000-8000-000000000002';
    await insertPairs(4, 'agree', { game });
    await insertPairs(1, 'diverge', { game });
    await updateParity();
    expect(await rule()).toMatchObject({ agreeing: 0, diverging: 1 });
    expect((await rule()).withdrawn_at).not.toBeNull();
  });

  it('stays in the count when a reviewer keeps it; 473 occasions outweigh one, and the next withdraws parity', async () => {
    await insertPairs(300, 'agree');
    await insertPairs(1, 'diverge');
    await updateParity();
    await review('keep');
    expect(await rule()).toMatchObject({ withdrawn_at: null, parity: false });
    await insertPairs(172, 'agree');
    await updateParity();
    expect(await rule()).toMatchObject({ agreeing: 472, diverging: 1, parity: true });
    await insertPairs(1, 'diverge');
    await updateParity();
    expect((await rule()).parity).toBe(false);
    expect((await rule()).withdrawn_at).not.toBeNull();
  });

  it('does not count when a reviewer dismisses it; no record confirms a rule that a reviewer refused', async () => {
    await insertPairs(300, 'agree');
    await insertPairs(1, 'diverge');
    await updateParity();
    await review('dismiss');
    const now = await rule();
    expect(now).toMatchObject({ diverging: 1, parity: true });
    expect(now.confirmed_because).toContain('0 diverged, 1 more dismissed in review');
    await review('refuse');
    await insertPairs(1000, 'agree');
    await updateParity();
    expect((await rule()).parity).toBe(false);
    const reviews = await sql`select decision, reviewer, note, diverging from catalog.rule_reviews order by review_id`;
    expect(reviews.map((one) => one.decision)).toEqual(['dismiss', 'refuse']);
  });

  it('cannot be reviewed without a known rule, a valid decision, a name and a reason', async () => {
    await expect(sql`select catalog.review_rule('none', 'keep', 'x', 'y')`).rejects.toThrow(/no rule/);
    await expect(sql`select catalog.review_rule('r', 'maybe', 'x', 'y')`).rejects.toThrow(/check/);
    await expect(sql`select catalog.review_rule('r', 'keep', ' ', 'y')`).rejects.toThrow(/check/);
    await expect(sql`select catalog.review_rule('r', 'keep', 'x', '')`).rejects.toThrow(/check/);
  });
});

describe('a backtest that an operator loads', () => {
  const row = {
    rule_id: 'r',
    source: 'a monitor',
    from_date: '2026-01-01',
    until_date: '2026-08-01',
    agreeing: 400,
    diverging: 0,
  };
  const load = (rows: object[]) => sql`select catalog.load_backtest(${sql.json(rows as never)})`;

  it('counts once, together with own occasions, and not without own occasions', async () => {
    await load([row]);
    await load([row]);
    expect(await rule()).toMatchObject({ agreeing: 0, parity: false });
    expect((await rule()).confirmed_because).toContain('too few were seen by this service itself');
    await insertPairs(30, 'agree');
    await updateParity();
    expect(await rule()).toMatchObject({ agreeing: 30, parity: true });
    expect((await rule()).confirmed_because).toContain(
      '430 occasions agreed, 0 diverged, 400 of them from figures of an operator',
    );
  });

  it('counts its divergences too', async () => {
    await insertPairs(300, 'agree');
    await load([{ ...row, diverging: 1 }]);
    expect((await rule()).withdrawn_at).not.toBeNull();
  });

  it('is rejected as a whole when it overlaps own occasions or names an unknown rule', async () => {
    await expect(load([row, { ...row, source: 'x', until_date: '2026-09-02' }])).rejects.toThrow(/must end before/);
    await expect(load([{ ...row, rule_id: 'none' }])).rejects.toThrow(/no rule/);
    expect(await sql`select from catalog.backtests`).toHaveLength(0);
  });
});

describe('a change of parity', () => {
  it('marks the current pairs of the rule as changed, in batches of at most the given size', async () => {
    await insertPairs(5, null);
    await insertPairs(3, null, { rule: 'other' });
    const publishChanges = async () => {
      const [row] = await sql`select catalog.publish_parity_changes(2) as published`;
      return row?.published;
    };
    expect(await publishChanges()).toBe(0);
    await insertPairs(299, 'agree');
    await updateParity();
    expect([await publishChanges(), await publishChanges(), await publishChanges(), await publishChanges()]).toEqual([
      2, 2, 1, 0,
    ]);
    const [gate] =
      await sql`select reason, parity_ok from catalog.match_gates g join catalog.pairs p using (pair_id) where p.status = 'open' and p.rule_id = 'r'`;
    expect(gate).toEqual({ reason: '', parity_ok: true });
    await insertPairs(1, 'diverge');
    await updateParity();
    expect(await publishChanges()).toBe(2);
    const [closed] =
      await sql`select reason from catalog.match_gates g join catalog.pairs p using (pair_id) where p.status = 'open' and p.rule_id = 'r'`;
    expect(closed?.reason).toBe('parity.withdrawn');
  });

  it('counts the pairs of all concurrent transactions of one rule', async () => {
    const settle = async (tx: Sql, at: number) => {
      await tx`
        insert into catalog.pairs (
          pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id,
          input_hash, category, title, start_time, has_scheduled_start, event_a, event_b, shard_key, status, result, game_id, created_at, updated_at
        )
        values (
          gen_random_uuid(), ${`xa${at}`}, ${`xb${at}`}, ${`x${at}`}, 'moneyline', 'catalog', 'HIGH', 1, 1, 'none', 'r', 'h', 'sports', 't', now(), true,
          ${`e${at}`}, ${`s${at}`}, 0, 'settled', ${tx.json(results.agree as never)}, gen_random_uuid(), now(), now()
        )`;
      await tx`select catalog.update_rule_parity(array['r'])`;
    };
    let others: Promise<unknown> = Promise.resolve();
    await sql.begin(async (first) => {
      await settle(first as unknown as Sql, 0);
      others = Promise.all([1, 2].map((at) => sql.begin((tx) => settle(tx as unknown as Sql, at))));
      // They have begun, and the first has not committed: neither can see its pair yet.
      await untilWaitingForLock(sql, 'update_rule_parity', 2);
    });
    await others;
    expect(await rule()).toMatchObject({ agreeing: 3 });
  });

  it('cannot be made by a service role: only operators confirm, review and load', async () => {
    const [row] = await sql`
      select bool_or(has_function_privilege(r, f, 'execute')) as may
      from unnest(array['parallax_api', 'parallax_ingest']) r,
           unnest(array['catalog.review_rule(text,text,text,text)', 'catalog.load_backtest(jsonb)', 'catalog.update_rule_parity(text[])']) f`;
    expect(row?.may).toBe(false);
  });
});
