import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a rule that is too rare for 299 occasions of its own is confirmed by rules of other
 * competitions with the same family, terms and texts, as long as none of them has diverged.
 */

let database: TestDatabase;
let sql: Sql;
beforeEach(async () => {
  database = await createDatabase();
  sql = database.sql;
});
afterEach(() => database.close());

const ruleId = (competition: string, terms = 'waits') =>
  `moneyline / ${competition} / venue_a: ${terms}, never played: fair_price / venue_b: waits, never played: split`;

/** Adds a rule with `agreeing` occasions of the settled history and the forms of its texts. */
async function addRule(id: string, agreeing: number, forms: readonly string[] = ['form'], diverging = 0) {
  await sql`insert into catalog.rules (rule_id, description, first_seen_at) values (${id}, ${id}, '2026-09-01')`;
  await sql`
    insert into catalog.backtest_occasions (rule_id, occasion, diverged, odd, pairs, settled_at)
    select ${id}, 'game ' || n, n <= ${diverging}, false, 2, '2026-08-01T00:00:00Z'::timestamptz + n * interval '1 hour'
    from generate_series(1, ${agreeing + diverging}::integer) n`;
  for (const form of forms) await sql`insert into catalog.rule_texts (rule_id, text_form) values (${id}, ${form})`;
}

async function update(): Promise<void> {
  await sql`select catalog.set_pool_keys(array(select r.rule_id from catalog.rules r))`;
  await sql`select catalog.update_rule_parity()`;
}

type State = { state: string; pool_rules: number | null; pool_agreeing: string | null; confirmed_because: string };
async function stateOf(id: string): Promise<State> {
  const [row] = await sql<State[]>`
    select r.state, r.pool_rules, r.pool_agreeing, r.confirmed_because from catalog.rules r where r.rule_id = ${id}`;
  if (!row) throw new Error(`no rule ${id}`);
  return row;
}
const states = async (...ids: string[]) => (await Promise.all(ids.map(stateOf))).map((one) => one.state);

describe('a pool of rules', () => {
  it('confirms each of three rare rules with equal terms and texts when together they agreed 299 times', async () => {
    const [epl, liga, serie] = [ruleId('epl'), ruleId('laliga'), ruleId('serie-a')];
    await addRule(epl, 120);
    await addRule(liga, 100);
    await addRule(serie, 78);
    await update();
    expect(await states(epl, liga, serie)).toEqual(['unconfirmed', 'unconfirmed', 'unconfirmed']);
    await sql`insert into catalog.backtest_occasions values (${serie}, 'one more', false, false, 1, '2026-10-01')`;
    await sql`select catalog.update_rule_parity(array[${serie}])`;
    expect(await states(epl, liga, serie)).toEqual(['pooled', 'pooled', 'pooled']);
    const one = await stateOf(epl);
    expect(one).toMatchObject({ pool_rules: 3, pool_agreeing: '299' });
    expect(one.confirmed_because).toContain(
      'Pooled with 2 rules of equal terms and texts: 299 occasions agreed, none diverged, so at most 1 % diverge.',
    );
    const [gate] = await sql`
      select catalog.judge_parity(r.confirmed_at, r.withdrawn_at) as reason from catalog.rules r where r.rule_id = ${epl}`;
    expect(gate?.reason).toBeNull();
  });

  it('ends for all its rules with the first divergence of any of them', async () => {
    const [epl, liga] = [ruleId('epl'), ruleId('laliga')];
    await addRule(epl, 200);
    await addRule(liga, 200);
    await update();
    expect(await states(epl, liga)).toEqual(['pooled', 'pooled']);
    await sql`
      update catalog.backtest_occasions set diverged = true where rule_id = ${liga} and occasion = 'game 5'`;
    await sql`select catalog.update_rule_parity(array[${liga}])`;
    expect(await states(epl, liga)).toEqual(['unconfirmed', 'withdrawn']);
    await sql`select catalog.review_rule(${liga}, 'dismiss', 'a reviewer', 'a clerical error')`;
    expect(await states(epl, liga)).toEqual(['unconfirmed', 'unconfirmed']);
  });

  it('does not join rules of other terms, of another family, or with one other text', async () => {
    const [epl, liga, other, text] = [ruleId('epl'), ruleId('laliga'), ruleId('mls', '48 h'), ruleId('ligue-1')];
    await addRule(epl, 290);
    await addRule(liga, 5, ['form', 'form of two venues']);
    await addRule(other, 290);
    await addRule(text, 290, ['another form']);
    await addRule(epl.replace('moneyline', 'total'), 290);
    await update();
    const rows = await sql<
      { pools: number }[]
    >`select count(*)::integer as pools from catalog.rules where pool_rules is not null`;
    expect(rows[0]?.pools).toBe(0);
    expect(await states(epl, liga, other, text)).toEqual(Array(4).fill('unconfirmed'));
  });

  it('does not confirm a rule that has fewer than ten occasions of its own', async () => {
    const [epl, rare] = [ruleId('epl'), ruleId('a-new-league')];
    await addRule(epl, 400);
    await addRule(rare, 9);
    await update();
    expect(await states(epl, rare)).toEqual(['confirmed', 'unconfirmed']);
    await sql`insert into catalog.backtest_occasions values (${rare}, 'the tenth', false, false, 1, '2026-10-01')`;
    await sql`select catalog.update_rule_parity(array[${rare}])`;
    expect(await states(epl, rare)).toEqual(['confirmed', 'pooled']);
  });

  it('does not include a rule without texts', async () => {
    const [epl, liga] = [ruleId('epl'), ruleId('laliga')];
    await addRule(epl, 200);
    await addRule(liga, 200, []);
    await update();
    expect(await states(epl, liga)).toEqual(['unconfirmed', 'unconfirmed']);
  });
});

describe('the record of a rule', () => {
  it('counts an occasion of the history once that this service also saw live', async () => {
    const id = ruleId('epl');
    await addRule(id, 40);
    await sql`insert into catalog.assessments (assessment_id, signals, risks) values ('none', '[]', '[]')`;
    const game = 'aaaaaaaa-0000-4000-8000-000000000001';
    await sql`insert into catalog.backtest_occasions values (${id}, ${game}, false, false, 1, '2026-10-01')`;
    await sql`
      insert into catalog.pairs (
        pair_id, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence, assessment_id, rule_id,
        input_hash, category, title, start_time, has_scheduled_start, event_a, event_b, shard_key, status, result, game_id, created_at, updated_at
      )
      values (
        ${game}, 'a', 'b', 'k', 'moneyline', 'catalog', 'HIGH', 1, 1, 'none', ${id}, 'h', 'sports', 't', now(), true, 'e', 's', 0, 'settled',
        '{"verdict": "agree", "venues_agree": true, "settled_at": "2026-10-01T02:00:00Z"}', ${game}, now(), now()
      )`;
    await sql`select catalog.update_rule_parity()`;
    const [row] = await sql`select agreeing, first_at, last_at from catalog.rules where rule_id = ${id}`;
    expect(row).toMatchObject({
      agreeing: 41,
      first_at: new Date('2026-08-01T01:00:00Z'),
      last_at: new Date('2026-10-01T00:00:00Z'),
    });
  });

  it('names the family and the scope of its id', async () => {
    await addRule(ruleId('epl'), 1);
    await addRule('weather_high / venue_a: x / venue_b: y', 1);
    const rows = await sql`select family, scope from catalog.rules order by 1`;
    expect([...rows]).toEqual([
      { family: 'moneyline', scope: 'epl' },
      { family: 'weather_high', scope: null },
    ]);
  });
});
