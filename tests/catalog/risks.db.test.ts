import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a risk states the rules of both venues, and its severity follows from the money at
 * stake. A missing rule never counts as agreement. The confidences come from the same terms.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

type Terms = { [term: string]: unknown };
type Risk = { event: string; severity: string; note: string };
const read = { rules: 'read' };
const whenItCounts = 'where that changes which outcome pays, a $1 pair returns $0 or $2.';

async function assess(family: string, a: Terms, b: Terms, more: Terms = {}) {
  const [row] = await database.sql<
    { risks: Risk[]; resolution: string; signals: { signal: string; state: string }[]; rule: string }[]
  >`
    with f as (
      select jsonb_build_object(
        'family', ${family}::text, 'scope', 'x', 'read_by', '[]'::jsonb, 'whole', true,
        'a', catalog.extract_terms(${database.sql.json(a as never)}), 'b', catalog.extract_terms(${database.sql.json(b as never)})
      ) || ${database.sql.json(more as never)}::jsonb as facts
    )
    select catalog.risks_of(facts) as risks, catalog.compute_confidence(catalog.signals_of(facts), 'resolution') as resolution,
           catalog.signals_of(facts) as signals, catalog.rule_of(facts) as rule
    from f`;
  if (!row) throw new Error('no assessment was returned');
  return {
    ...row,
    resolution: Number(row.resolution),
    severities: Object.fromEntries(row.risks.map((risk) => [risk.event, risk.severity])),
    note: (event: string) => row.risks.find((risk) => risk.event === event)?.note,
  };
}

describe('the risks of a game', () => {
  it("state both venues' rules for a postponed game, each with medium severity", async () => {
    const one = await assess(
      'moneyline',
      { ...read, postponement_hours: 48, waits: false, cancelled: 'fair_price' },
      { ...read, waits: true, cancelled: 'split' },
    );
    expect(one.severities).toEqual({ postponement_window: 'medium', void_rule: 'medium', cancel_payout: 'medium' });
    expect(one.note('postponement_window')).toBe(
      'If the game is postponed, venue_a waits 48 hours; venue_b waits until it is played: if one voids and the other waits for the result, a $1 pair can lose its whole stake on venue_b.',
    );
    expect(one.note('void_rule')).toBe(
      'If the game is never played, venue_a pays a fair market price; venue_b pays 50 cents on each side: a $1 pair returns 50 cents plus the fair price of its venue_a side, so it can lose up to 50 cents.',
    );
    expect(one.resolution).toBe(0.97);
    expect(one.rule).toBe(
      'moneyline / x / venue_a: 48 h, never played: fair_price / venue_b: waits, never played: split',
    );
  });

  it('report a rule that only one venue states, and nothing when neither venue states it', async () => {
    const half = await assess('total', read, { ...read, waits: true, cancelled: 'split' });
    expect(half.severities).toEqual({ postponement_window: 'medium', void_rule: 'medium' });
    expect(half.note('postponement_window')).toContain('venue_a does not say');
    expect(half.resolution).toBe(0.97);
    const silent = await assess('total', read, read);
    expect(silent.severities).toEqual({});
    expect(silent.resolution).toBe(0.99);
  });

  it('keep a pair out of the catalog when only one venue counts overtime', async () => {
    const one = await assess('moneyline', { ...read, overtime: 'regulation' }, { ...read, overtime: 'included' });
    expect(one.severities.overtime_scope).toBe('high');
    expect(one.resolution).toBeLessThan(0.95);
    expect((await assess('total', { ...read, overtime: 'regulation' }, read)).severities.overtime_scope).toBe('medium');
  });

  it.each<[string, Terms, Terms, Record<string, string>, boolean]>([
    [
      'a walkover in a match of persons',
      { walkover: 'fair_price', must_start: true },
      { walkover: 'split' },
      { walkover: 'high' },
      true,
    ],
    ['a walkover in a game of teams', { walkover: 'fair_price' }, { walkover: 'split' }, { walkover: 'medium' }, true],
    [
      'a retirement',
      { retirement: 'if_decided', must_start: true },
      { retirement: 'winner' },
      { retirement: 'high' },
      false,
    ],
    ['a forfeit', { forfeit: 'fair_price' }, { forfeit: 'winner' }, { forfeit: 'medium' }, false],
    [
      'a draw in a fight',
      { tie: 'no', no_contest: 'no' },
      { tie: 'split', no_contest: 'split' },
      { tie_handling: 'high', no_contest: 'high' },
      false,
    ],
    [
      'a tie for which both venues refund the stake',
      { tie: 'fair_price' },
      { tie: 'split' },
      { tie_handling: 'medium' },
      true,
    ],
    [
      'a match of persons that is not finished',
      { must_start: true },
      { abandoned: 'split' },
      { abandoned: 'medium' },
      true,
    ],
    ['a tie that is a market of its own on one venue', { tie: 'own_outcome' }, {}, {}, true],
  ])('are correct for %s', async (_name, a, b, severities, published) => {
    const one = await assess('moneyline', { ...read, ...a }, { ...read, ...b });
    expect(one.severities).toEqual(severities);
    expect(one.resolution >= 0.95).toBe(published);
  });

  it('are high for a tennis tour match that is confident enough for publication', async () => {
    const one = await assess(
      'moneyline',
      {
        ...read,
        postponement_hours: 336,
        waits: false,
        cancelled: 'fair_price',
        walkover: 'fair_price',
        must_start: true,
      },
      {
        ...read,
        postponement_hours: 168,
        waits: false,
        cancelled: 'split',
        tie: 'split',
        walkover: 'split',
        retirement: 'winner',
      },
    );
    // venue_a states no rule for a retirement. Its void rule pays a fair price; venue_b pays the
    // winner.
    expect(one.severities).toMatchObject({ walkover: 'high', retirement: 'high', postponement_window: 'medium' });
    expect(one.resolution).toBeGreaterThanOrEqual(0.95);
  });

  it('include a shared dead heat and a result exactly on the line', async () => {
    expect(
      (await assess('outright', { ...read, dead_heat: 'shared' }, { ...read, tie: 'first_by_name' })).severities,
    ).toEqual({
      dead_heat: 'medium',
    });
    expect((await assess('spread', { ...read, push: 'no' }, { ...read, push: 'split' })).severities).toEqual({
      push_rule: 'high',
    });
  });
});

describe('a rule that a text omits', () => {
  const tennisTotal = {
    a: {
      ...read,
      postponement_hours: 336,
      waits: false,
      cancelled: 'fair_price',
      walkover: 'fair_price',
      must_start: true,
    },
    b: { ...read, waits: true, cancelled: 'split', abandoned: 'split' },
  };

  it("is replaced by the venue's void rule, so a walkover can cost half a dollar of a tennis total", async () => {
    const one = await assess('total', tennisTotal.a, tennisTotal.b);
    expect(one.severities).toMatchObject({ walkover: 'high', abandoned: 'high' });
    expect(one.note('walkover')).toBe(
      'If a player does not start, venue_a pays a fair market price; venue_b has no rule for that and by its void rule pays 50 cents on each side: a $1 pair returns 50 cents plus the fair price of its venue_a side, so it can lose up to 50 cents.',
    );
    // The replacement changes neither the rule nor the confidence: both use only what the texts
    // state.
    expect(one.resolution).toBe(0.97);
    expect(one.rule).toBe(
      'total / x / venue_a: 336 h, never played: fair_price, walkover: fair_price / venue_b: waits, never played: split, abandoned: split',
    );
  });

  it('gives a walkover risk for persons when neither text names a walkover', async () => {
    const one = await assess(
      'total',
      { ...read, cancelled: 'fair_price', must_start: true },
      { ...read, cancelled: 'split' },
    );
    expect(one.severities.walkover).toBe('high');
    const teams = await assess('total', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(teams.severities.walkover).toBeUndefined();
    expect((await assess('total', { ...read, must_start: true }, read)).severities).toEqual({});
  });

  it('is replaced in esports: a walkover pays the winner on one venue and 50 cents on the other', async () => {
    const one = await assess(
      'moneyline',
      { ...read, cancelled: 'fair_price', walkover: 'winner' },
      { ...read, cancelled: 'split', forfeit: 'winner' },
    );
    // A text that pays the declared winner of a walkover also pays the declared winner of a
    // forfeit, so there is no forfeit risk.
    expect(one.severities).toEqual({ cancel_payout: 'medium', void_rule: 'medium', walkover: 'medium' });
    expect(one.note('walkover')).toContain('a $1 pair returns 50 cents or $1.50');
  });

  it('is not replaced when the venue has no void rule or its text gives two answers', async () => {
    const silent = await assess('moneyline', { ...read, walkover: 'fair_price' }, read);
    expect(silent.severities).toEqual({ walkover: 'low' });
    expect(silent.note('walkover')).toBe(
      'If a team does not show up, venue_a pays a fair market price; venue_b does not say: the stake on venue_b is at risk.',
    );
    const two = await assess(
      'moneyline',
      { ...read, walkover: 'split', cancelled: 'split' },
      { ...read, cancelled: 'split', conflicts: ['walkover'] },
    );
    expect(two.severities).toMatchObject({ walkover: 'low', rules_conflict: 'high' });
  });

  it('has a note about the series, not about a game, for a playoff series', async () => {
    const one = await assess('advance', { ...read, abandoned: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(one.note('void_rule')).toMatch(
      /^If the series is never played, venue_a has no rule for that and by its void/,
    );
    expect(one.note('abandoned')).toMatch(/^If the series is not finished, venue_a pays a fair market price;/);
  });
});

describe('a void that pays $0 on every outcome', () => {
  it('is a high risk of its own, unlike a void that pays 50-50', async () => {
    const zero = await assess('moneyline', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'no' });
    expect(zero.severities).toEqual({ void_pays_zero: 'high' });
    expect(zero.note('void_pays_zero')).toBe(
      'If the game is never played, venue_a pays a fair market price; venue_b pays $0 on every outcome: the whole stake on venue_b is lost.',
    );
    const half = await assess('moneyline', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(half.severities).toEqual({ cancel_payout: 'medium', void_rule: 'medium' });
  });

  it('is a high risk also when both venues pay $0 or one venue states no rule', async () => {
    const both = await assess('moneyline', { ...read, cancelled: 'no' }, { ...read, cancelled: 'no' });
    expect(both.severities).toEqual({ void_pays_zero: 'high' });
    expect(both.note('void_pays_zero')).toContain('a $1 pair returns $0.');
    expect((await assess('moneyline', read, { ...read, cancelled: 'no' })).severities).toEqual({
      void_pays_zero: 'high',
    });
  });

  it('is no risk when NO pays: for the only contract of a line, or a team that only venue_a lists', async () => {
    const line = await assess('total', { ...read, cancelled: 'no' }, { ...read, cancelled: 'split' });
    expect(line.severities).toEqual({ cancel_payout: 'medium', void_rule: 'medium' });
    const mirrored = await assess(
      'moneyline',
      { ...read, cancelled: 'no' },
      { ...read, cancelled: 'split' },
      { mirrored: true },
    );
    expect(mirrored.severities.void_pays_zero).toBeUndefined();
  });
});

describe('settlement sources', () => {
  it.each<[string, string, string, 'one source' | 'two sources']>([
    ['the Governing League', 'https://www.nfl.com/scores', 'NFL', 'one source'],
    ['the Governing League', 'premierleague.com', 'EPL', 'one source'],
    ['MLS', 'https://www.mlssoccer.com/', 'MLS', 'one source'],
    ['Serie A', 'https://www.legaseriea.it/', 'Serie A', 'one source'],
    ['European Central Bank', 'https://www.ecb.europa.eu/', 'rate decisions', 'one source'],
    ['Bank of Japan', 'https://www.boj.or.jp/en/', 'rate decisions', 'one source'],
    ['Indian Premier League', 'https://www.iplt20.com/', 'IPL', 'one source'],
    ['Bureau of Labor Statistics', 'https://www.bls.gov', 'economic prints', 'one source'],
    ['ESPN', 'https://www.nba.com/', 'NBA', 'two sources'],
    ['Counter-Strike', 'https://hltv.org', 'Counter-Strike 2', 'two sources'],
    ['the Governing League', 'https://www.hltv.org', 'NFL', 'two sources'],
  ])('"%s" and "%s" in %s count as %s', async (a, b, scope, count) => {
    const same = count === 'one source';
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      const { severities, note } = await assess(
        'moneyline',
        { ...read, sources: [one] },
        { ...read, sources: [other] },
        { scope },
      );
      expect(severities).toEqual(same ? {} : { settlement_source: 'low' });
      if (!same) expect(note('settlement_source')).toMatch(/a \$1 pair returns \$0 or \$2\.$/);
    }
  });

  it('are no risk when both texts name the league and one also names a broadcaster', async () => {
    const one = await assess(
      'moneyline',
      { ...read, sources: ['ESPN', 'the Governing League'] },
      { ...read, sources: ['https://www.nba.com/'] },
      { scope: 'NBA' },
    );
    expect(one.severities).toEqual({});
  });
});

describe('outcomes of which several can pay', () => {
  it('are a high risk of their own, not a partition with a gap', async () => {
    const index = { ...read, index: 'cme' };
    const one = await assess('crypto_above', index, index, { whole: false });
    expect(one.severities).toEqual({ several_can_pay: 'high' });
    expect(one.note('several_can_pay')).toBe(
      'Each outcome on venue_a and venue_b is a level of its own: several can pay, or none. One of each does not return $1: it can return $0.',
    );
    const touch = await assess('crypto_above', index, index, { whole: false, touch: true });
    expect(touch.note('several_can_pay')).toContain('a level of its own that pays if the price touches it at any time');
  });

  it('count as touch contracts when the basis of either question is touch', async () => {
    const [row] = await database.sql<{ is_touch: boolean[] }[]>`
      select array_agg(catalog.collect_pair_facts(a, b, '{}', '{}', 'period', 1, 'twins', 2, 2, 2) -> 'touch' = 'true' order by n) as is_touch
      from (values (1, 'touch', 'touch'), (2, null, 'touch'), (3, 'close', null)) as v (n, basis_a, basis_b)
      cross join lateral jsonb_populate_record(null::venue.questions, jsonb_build_object('basis', basis_a, 'identity', '{}'::jsonb)) a
      cross join lateral jsonb_populate_record(null::venue.questions, jsonb_build_object('basis', basis_b, 'identity', '{}'::jsonb)) b`;
    expect(row?.is_touch).toEqual([true, true, false]);
  });
});

describe('a waiting period', () => {
  it.each([
    [1, '1 hour'],
    [36, '36 hours'],
    [48, '48 hours'],
    [50, '50 hours'],
    [168, '7 days'],
    [336, '14 days'],
  ])('with %s hours is written as %s', async (hours, words) => {
    const one = await assess(
      'moneyline',
      { ...read, postponement_hours: hours, waits: false },
      { ...read, waits: true },
    );
    expect(one.note('postponement_window')).toContain(`venue_a waits ${words};`);
  });
});

describe('rules texts', () => {
  it.each<[string, Terms, string]>([
    ['no rules', { rules: 'none' }, 'rules_unread'],
    ['rules that do not state when it pays', { rules: 'unread' }, 'rules_unread'],
    ['an unfilled template', { rules: 'unfilled' }, 'unfilled_template'],
    ['rules of another day', { ...read, fields_agree: false }, 'rules_contradict_fields'],
    ['rules with two answers for one case', { ...read, conflicts: ['tie'] }, 'rules_conflict'],
  ])('keep a pair unpublished with a high risk when either venue has %s', async (_name, terms, event) => {
    for (const [a, b] of [
      [terms, read],
      [read, terms],
    ] as const) {
      const one = await assess('moneyline', a, b);
      expect(one.severities[event]).toBe('high');
      expect(one.resolution).toBeLessThan(0.95);
    }
    expect((await assess('moneyline', terms, terms)).note(event)).toMatch(/venue_a.*venue_b/);
  });
});

describe('a temperature pair', () => {
  const a = {
    ...read,
    station: 'KLAX',
    station_by: 'text',
    source: 'nws_climatological_report',
    day: 'local_standard',
    revisions: 'ignored',
  };
  const b = { ...read, station: 'KLAX', station_by: 'text', source: 'wunderground', day: null, revisions: 'latest' };

  it('has the confidence of band HIGH and a high risk for two reports of one station', async () => {
    const one = await assess('weather_high', a, b);
    expect(one.severities).toEqual({ settlement_source: 'high', settlement_time: 'low', revised_figures: 'medium' });
    expect(one.note('settlement_source')).toBe(
      `Source: venue_a goes by the NWS climatological report; venue_b goes by Wunderground: ${whenItCounts}`,
    );
    expect(one.resolution).toBeGreaterThanOrEqual(0.95);
    expect(one.resolution).toBeLessThanOrEqual(0.98);
  });

  it('has a critical risk and a confidence of at most 0.5 when the stations differ', async () => {
    const one = await assess('weather_low', a, { ...b, station: 'KBUR' });
    expect(one.severities.station_mismatch).toBe('critical');
    expect(one.note('station_mismatch')).toBe(`Station: venue_a goes by KLAX; venue_b goes by KBUR: ${whenItCounts}`);
    expect(one.resolution).toBeLessThanOrEqual(0.5);
  });

  it.each<[string, Terms]>([
    ['the text of venue_b names no station', { station: null, station_by: null }],
    ['only the registry names the station of venue_b', { station_by: 'registry' }],
  ])('stays unpublished with a high risk when %s', async (_name, more) => {
    const one = await assess('weather_high', a, { ...b, ...more });
    expect(one.severities.station_unread).toBe('high');
    expect(one.resolution).toBeLessThan(0.95);
  });
});

describe('the risks of price levels, rate decisions and economic prints', () => {
  it('name differences in the index, the settlement time and the comparison', async () => {
    const one = await assess(
      'crypto_above',
      { ...read, index: 'cf_benchmarks', averaging: '60_seconds', comparison: 'at_or_above' },
      { ...read, index: 'binance', averaging: '1_minute_close', comparison: 'above' },
    );
    expect(one.severities).toEqual({
      settlement_source: 'high',
      settlement_time: 'medium',
      several_can_pay: 'high',
      threshold_comparison: 'medium',
    });
    expect(one.note('threshold_comparison')).toBe(
      `Comparison: venue_a pays at the threshold or above; venue_b pays strictly above the threshold: ${whenItCounts}`,
    );
    expect(one.resolution).toBeGreaterThanOrEqual(0.95);
  });

  it('name a cancelled meeting, rounding, and an announcement against its effective date', async () => {
    const one = await assess(
      'fed_decision',
      { ...read, cancelled: 'no_change', announcement: 'statement' },
      { ...read, cancelled: 'split', rounding: 'up_to_25', announcement: 'effective' },
    );
    expect(one.severities).toEqual({
      announcement_vs_effect: 'medium',
      cancel_payout: 'medium',
      rounding: 'medium',
      void_rule: 'medium',
    });
    expect(one.note('void_rule')).toContain('venue_a resolves to no change');
  });

  it('note once, with the rounding, whether differently worded outer choices are equal', async () => {
    const words = { a: { ...read, outer: 'more than 25 bp' }, b: { ...read, outer: '50 bp or more' } };
    const outer = `The outer choices: venue_a pays for more than 25 bp; venue_b for 50 bp or more, the same while the bank moves in steps of 25 bp. Where${whenItCounts.slice(5)}`;
    expect((await assess('cb_decision', words.a, words.b)).note('rounding')).toBe(outer);
    expect((await assess('fed_decision', words.a, { ...words.b, rounding: 'up_to_25' })).note('rounding')).toBe(
      `A move between two steps: venue_a does not say; venue_b rounds up to the nearest 25 bp. ${outer}`,
    );
    expect((await assess('cb_decision', { ...read, outer: 'more than 50 bp' }, words.b)).note('rounding')).toBe(
      `The outer choices: venue_a pays for more than 50 bp; venue_b for 50 bp or more, not the same. Where${whenItCounts.slice(5)}`,
    );
    expect((await assess('fed_decision', words.a, words.a)).severities.rounding).toBeUndefined();
    expect((await assess('fed_decision', read, read)).severities.rounding).toBeUndefined();
  });

  it('are high for a daily settlement against a touch, and none for one agency under two names', async () => {
    const touch = await assess(
      'crypto_above',
      { ...read, index: 'cme', averaging: 'daily_settlement' },
      { ...read, index: 'cme', averaging: '1_minute_extreme' },
    );
    expect(touch.severities.settlement_time).toBe('high');
    const bls = (name: string) => ({ ...read, agency: 'bls', sources: [name] });
    expect(
      (await assess('econ_print', bls('Bureau of Labor Statistics'), bls('https://www.bls.gov'))).severities,
    ).toEqual({});
  });

  it('name the venue that pays as soon as the result is decided', async () => {
    const one = await assess('crypto_above', read, { ...read, early_close: 'event' });
    expect(one.note('early_close')).toBe(
      'Only venue_b says that it pays as soon as the result is decided: both pay the same, but venue_a may hold your money longer.',
    );
  });

  it('describe agencies, missing figures and adjustments in everyday words', async () => {
    const one = await assess(
      'econ_print',
      { ...read, agency: 'bls', missing: 'waits' },
      { ...read, agency: 'adp', missing: 'previous_print', adjustment: 'seasonal' },
    );
    expect(one.note('settlement_source')).toBe(`Source: venue_a goes by BLS; venue_b goes by ADP: ${whenItCounts}`);
    expect(one.note('missing_figure')).toBe(
      `A figure that does not come out: venue_a waits for it; venue_b falls back on the figure of the period before: ${whenItCounts}`,
    );
    expect(one.note('seasonal_adjustment')).toBe(
      `Seasonal adjustment: venue_a does not say; venue_b takes the seasonally adjusted figure: ${whenItCounts}`,
    );
  });

  it.each<[string, string, Terms, Terms, Record<string, string>, boolean]>([
    [
      'another futures contract',
      'crypto_above',
      { contract: 'CLN6' },
      { contract: 'CLQ6' },
      { contract_month: 'critical', several_can_pay: 'high' },
      false,
    ],
    [
      'another rate of the same bank',
      'cb_decision',
      { rate: 'deposit_facility' },
      { rate: 'main_refinancing' },
      { settlement_source: 'high' },
      false,
    ],
    [
      'decisions between meetings',
      'cb_decision',
      { emergency: 'excluded' },
      { emergency: 'included' },
      { emergency_decision: 'medium' },
      true,
    ],
    [
      'revised figures',
      'econ_print',
      { revisions: 'first' },
      { revisions: 'later' },
      { revised_figures: 'high' },
      false,
    ],
    [
      'seasonal adjustment',
      'econ_print',
      { adjustment: 'seasonal' },
      { adjustment: 'unadjusted' },
      { seasonal_adjustment: 'critical' },
      false,
    ],
    ['another agency', 'econ_print', { agency: 'bls' }, { agency: 'adp' }, { settlement_source: 'high' }, true],
    [
      'a late figure and a figure on the edge',
      'econ_print',
      { missing: 'waits', boundary: 'higher' },
      { missing: 'previous_print' },
      { missing_figure: 'medium', threshold_comparison: 'low' },
      true,
    ],
  ])('name %s', async (_name, family, a, b, severities, published) => {
    const same = family === 'econ_print' && !('agency' in a) ? { agency: 'bls' } : {};
    const index = family === 'crypto_above' ? { index: 'cme' } : {};
    const one = await assess(family, { ...read, ...same, ...index, ...a }, { ...read, ...same, ...index, ...b });
    expect(one.severities).toEqual(severities);
    expect(one.resolution >= 0.95).toBe(published);
  });

  it('are high for an incomplete set of outcomes', async () => {
    expect((await assess('econ_print', read, read, { whole: false })).severities).toEqual({ partition_gap: 'high' });
  });
});
