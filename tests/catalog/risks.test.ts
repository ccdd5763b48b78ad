import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: a risk names both venues' rule and is graded by the money; silence is never agreement; the confidences follow the same terms. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

type Terms = { [term: string]: unknown };
type Risk = { event: string; severity: string; note: string };
const read = { rules: 'read' };
const whenItCounts = 'where that changes which outcome pays, a $1 pair returns $0 or $2.';

async function judged(family: string, a: Terms, b: Terms, more: Terms = {}) {
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
  if (!row) throw new Error('nothing was judged');
  return {
    ...row,
    resolution: Number(row.resolution),
    graded: Object.fromEntries(row.risks.map((risk) => [risk.event, risk.severity])),
    note: (event: string) => row.risks.find((risk) => risk.event === event)?.note,
  };
}

describe('games', () => {
  it('a postponed game has both rules in words, medium severity, and keeps the payout of a cancellation internal', async () => {
    const one = await judged(
      'moneyline',
      { ...read, postponement_hours: 48, waits: false, cancelled: 'fair_price' },
      { ...read, waits: true, cancelled: 'split' },
    );
    expect(one.graded).toEqual({ postponement_window: 'medium', void_rule: 'medium', cancel_payout: 'medium' });
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

  it('silence is not agreement, and two silent texts have no difference to report', async () => {
    const half = await judged('total', read, { ...read, waits: true, cancelled: 'split' });
    expect(half.graded).toEqual({ postponement_window: 'medium', void_rule: 'medium' });
    expect(half.note('postponement_window')).toContain('venue_a does not say');
    expect(half.resolution).toBe(0.97);
    const silent = await judged('total', read, read);
    expect(silent.graded).toEqual({});
    expect(silent.resolution).toBe(0.99);
  });

  it('regulation time against overtime keeps the pair out of the catalog', async () => {
    const one = await judged('moneyline', { ...read, overtime: 'regulation' }, { ...read, overtime: 'included' });
    expect(one.graded.overtime_scope).toBe('high');
    expect(one.resolution).toBeLessThan(0.95);
    expect((await judged('total', { ...read, overtime: 'regulation' }, read)).graded.overtime_scope).toBe('medium');
  });

  it.each<[string, Terms, Terms, Record<string, string>, boolean]>([
    [
      'a walkover of persons',
      { walkover: 'fair_price', must_start: true },
      { walkover: 'split' },
      { walkover: 'high' },
      true,
    ],
    ['a walkover of teams', { walkover: 'fair_price' }, { walkover: 'split' }, { walkover: 'medium' }, true],
    [
      'a retirement',
      { retirement: 'if_decided', must_start: true },
      { retirement: 'winner' },
      { retirement: 'high' },
      false,
    ],
    ['a forfeit', { forfeit: 'fair_price' }, { forfeit: 'winner' }, { forfeit: 'medium' }, false],
    [
      'a draw in the cage',
      { tie: 'no', no_contest: 'no' },
      { tie: 'split', no_contest: 'split' },
      { tie_handling: 'high', no_contest: 'high' },
      false,
    ],
    ['a tie that both give back', { tie: 'fair_price' }, { tie: 'split' }, { tie_handling: 'medium' }, true],
    [
      'a match of persons that is not finished',
      { must_start: true },
      { abandoned: 'split' },
      { abandoned: 'medium' },
      true,
    ],
    ['a tie that is a market of its own on one venue', { tie: 'own_outcome' }, {}, {}, true],
  ])('gives the expected risk: %s', async (_name, a, b, graded, published) => {
    const one = await judged('moneyline', { ...read, ...a }, { ...read, ...b });
    expect(one.graded).toEqual(graded);
    expect(one.resolution >= 0.95).toBe(published);
  });

  it('a tour match with the texts of both venues is published, and is never an arb', async () => {
    const one = await judged(
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
    // venue_a has no word for a retirement: its void clause pays a fair price where venue_b pays the winner.
    expect(one.graded).toMatchObject({ walkover: 'high', retirement: 'high', postponement_window: 'medium' });
    expect(one.resolution).toBeGreaterThanOrEqual(0.95);
  });

  it('dead heats and results on the line give their risks', async () => {
    expect(
      (await judged('outright', { ...read, dead_heat: 'shared' }, { ...read, tie: 'first_by_name' })).graded,
    ).toEqual({
      dead_heat: 'medium',
    });
    expect((await judged('spread', { ...read, push: 'no' }, { ...read, push: 'split' })).graded).toEqual({
      push_rule: 'high',
    });
  });
});

describe('a clause that a text does not have', () => {
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

  it('falls back on the void clause of that venue: a tennis total can lose half a dollar by a walkover or a retirement', async () => {
    const one = await judged('total', tennisTotal.a, tennisTotal.b);
    expect(one.graded).toMatchObject({ walkover: 'high', abandoned: 'high' });
    expect(one.note('walkover')).toBe(
      'If a player does not start, venue_a pays a fair market price; venue_b has no rule for that and by its void rule pays 50 cents on each side: a $1 pair returns 50 cents plus the fair price of its venue_a side, so it can lose up to 50 cents.',
    );
    // What the texts say themselves is unchanged: neither the rule nor the confidence hold the fallback.
    expect(one.resolution).toBe(0.97);
    expect(one.rule).toBe(
      'total / x / venue_a: 336 h, never played: fair_price, walkover: fair_price / venue_b: waits, never played: split, abandoned: split',
    );
  });

  it('is a risk for persons also when neither text names a walkover', async () => {
    const one = await judged(
      'total',
      { ...read, cancelled: 'fair_price', must_start: true },
      { ...read, cancelled: 'split' },
    );
    expect(one.graded.walkover).toBe('high');
    const teams = await judged('total', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(teams.graded.walkover).toBeUndefined();
    expect((await judged('total', { ...read, must_start: true }, read)).graded).toEqual({});
  });

  it('falls back in esports: a walkover pays the declared winner on one venue and 50 cents on the other', async () => {
    const one = await judged(
      'moneyline',
      { ...read, cancelled: 'fair_price', walkover: 'winner' },
      { ...read, cancelled: 'split', forfeit: 'winner' },
    );
    // A text that pays the declared winner before the start pays it after the start as well: no risk of a forfeit.
    expect(one.graded).toEqual({ cancel_payout: 'medium', void_rule: 'medium', walkover: 'medium' });
    expect(one.note('walkover')).toContain('a $1 pair returns 50 cents or $1.50');
  });

  it('gives no risk without a void clause, and when the text gives two answers', async () => {
    const silent = await judged('moneyline', { ...read, walkover: 'fair_price' }, read);
    expect(silent.graded).toEqual({ walkover: 'low' });
    expect(silent.note('walkover')).toBe(
      'If a team does not show up, venue_a pays a fair market price; venue_b does not say: the stake on venue_b is at risk.',
    );
    const two = await judged(
      'moneyline',
      { ...read, walkover: 'split', cancelled: 'split' },
      { ...read, cancelled: 'split', conflicts: ['walkover'] },
    );
    expect(two.graded).toMatchObject({ walkover: 'low', rules_conflict: 'high' });
  });

  it('names the series in the note of a series', async () => {
    const one = await judged('advance', { ...read, abandoned: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(one.note('void_rule')).toMatch(
      /^If the series is never played, venue_a has no rule for that and by its void/,
    );
    expect(one.note('abandoned')).toMatch(/^If the series is not finished, venue_a pays a fair market price;/);
  });
});

describe('a void that pays $0 on every outcome', () => {
  it('is another and more severe risk than one that pays 50-50', async () => {
    const zero = await judged('moneyline', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'no' });
    expect(zero.graded).toEqual({ void_pays_zero: 'high' });
    expect(zero.note('void_pays_zero')).toBe(
      'If the game is never played, venue_a pays a fair market price; venue_b pays $0 on every outcome: the whole stake on venue_b is lost.',
    );
    const half = await judged('moneyline', { ...read, cancelled: 'fair_price' }, { ...read, cancelled: 'split' });
    expect(half.graded).toEqual({ cancel_payout: 'medium', void_rule: 'medium' });
  });

  it('is a loss also when both venues pay $0, or one does not state it', async () => {
    const both = await judged('moneyline', { ...read, cancelled: 'no' }, { ...read, cancelled: 'no' });
    expect(both.graded).toEqual({ void_pays_zero: 'high' });
    expect(both.note('void_pays_zero')).toContain('a $1 pair returns $0.');
    expect((await judged('moneyline', read, { ...read, cancelled: 'no' })).graded).toEqual({ void_pays_zero: 'high' });
  });

  it('is no risk when No pays the other side: the only contract of a line, or a team that venue_a lists alone', async () => {
    const line = await judged('total', { ...read, cancelled: 'no' }, { ...read, cancelled: 'split' });
    expect(line.graded).toEqual({ cancel_payout: 'medium', void_rule: 'medium' });
    const mirrored = await judged(
      'moneyline',
      { ...read, cancelled: 'no' },
      { ...read, cancelled: 'split' },
      { mirrored: true },
    );
    expect(mirrored.graded.void_pays_zero).toBeUndefined();
  });
});

describe('sources', () => {
  it.each<[string, string, string, boolean]>([
    ['the Governing League', 'https://www.nfl.com/scores', 'NFL', true],
    ['the Governing League', 'premierleague.com', 'EPL', true],
    ['MLS', 'https://www.mlssoccer.com/', 'MLS', true],
    ['Serie A', 'https://www.legaseriea.it/', 'Serie A', true],
    ['European Central Bank', 'https://www.ecb.europa.eu/', 'x', true],
    ['Bank of Japan', 'https://www.boj.or.jp/en/', 'x', true],
    ['Indian Premier League', 'https://www.iplt20.com/', 'IPL', true],
    ['Bureau of Labor Statistics', 'https://www.bls.gov', 'x', true],
    ['ESPN', 'https://www.nba.com/', 'NBA', false],
    ['Counter-Strike', 'https://hltv.org', 'Counter-Strike 2', false],
    ['the Governing League', 'https://www.hltv.org', 'NFL', false],
  ])('compares %s and %s of %s: the same is %s', async (a, b, scope, same) => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      const { graded, note } = await judged(
        'moneyline',
        { ...read, sources: [one] },
        { ...read, sources: [other] },
        { scope },
      );
      expect(graded).toEqual(same ? {} : { settlement_source: 'low' });
      if (!same) expect(note('settlement_source')).toMatch(/a \$1 pair returns \$0 or \$2\.$/);
    }
  });

  it('are no risk when both texts name the league and one also names a newspaper', async () => {
    const one = await judged(
      'moneyline',
      { ...read, sources: ['ESPN', 'the Governing League'] },
      { ...read, sources: ['https://www.nba.com/'] },
      { scope: 'NBA' },
    );
    expect(one.graded).toEqual({});
  });
});

describe('outcomes of which several can pay', () => {
  it('are thresholds, and no partition with a gap', async () => {
    const index = { ...read, index: 'cme' };
    const one = await judged('crypto_above', index, index, { whole: false });
    expect(one.graded).toEqual({ several_can_pay: 'high' });
    expect(one.note('several_can_pay')).toBe(
      'Each outcome on venue_a and venue_b is a level of its own: several can pay, or none. One of each does not return $1: it can return $0.',
    );
    const touch = await judged('crypto_above', index, index, { whole: false, touch: true });
    expect(touch.note('several_can_pay')).toContain('a level of its own that pays if the price touches it at any time');
  });

  it('are parsed as touch contracts when the basis of the question states it', async () => {
    const [row] = await database.sql<{ told: boolean[] }[]>`
      select array_agg(catalog.collect_pair_facts(a, b, '{}', '{}', 'period', 1, 'twins', 2, 2, 2) -> 'touch' = 'true' order by n) as told
      from (values (1, 'touch', 'touch'), (2, null, 'touch'), (3, 'close', null)) as v (n, basis_a, basis_b)
      cross join lateral jsonb_populate_record(null::venue.questions, jsonb_build_object('basis', basis_a, 'identity', '{}'::jsonb)) a
      cross join lateral jsonb_populate_record(null::venue.questions, jsonb_build_object('basis', basis_b, 'identity', '{}'::jsonb)) b`;
    expect(row?.told).toEqual([true, true, false]);
  });
});

describe('a time', () => {
  it.each([
    [1, '1 hour'],
    [36, '36 hours'],
    [48, '48 hours'],
    [50, '50 hours'],
    [168, '7 days'],
    [336, '14 days'],
  ])('writes %s hours as %s', async (hours, words) => {
    const one = await judged(
      'moneyline',
      { ...read, postponement_hours: hours, waits: false },
      { ...read, waits: true },
    );
    expect(one.note('postponement_window')).toContain(`venue_a waits ${words};`);
  });
});

describe('texts', () => {
  it.each<[string, Terms, string]>([
    ['none', { rules: 'none' }, 'rules_unread'],
    ['one that says nothing of when it pays', { rules: 'unread' }, 'rules_unread'],
    ['an unfilled template', { rules: 'unfilled' }, 'unfilled_template'],
    ['one that speaks of another day', { ...read, fields_agree: false }, 'rules_contradict_fields'],
    ['one with two answers', { ...read, conflicts: ['tie'] }, 'rules_conflict'],
  ])('with %s have a high risk and stay unpublished on either venue', async (_name, terms, event) => {
    for (const [a, b] of [
      [terms, read],
      [read, terms],
    ] as const) {
      const one = await judged('moneyline', a, b);
      expect(one.graded[event]).toBe('high');
      expect(one.resolution).toBeLessThan(0.95);
    }
    expect((await judged('moneyline', terms, terms)).note(event)).toMatch(/venue_a.*venue_b/);
  });
});

describe('weather', () => {
  const a = {
    ...read,
    station: 'KLAX',
    station_by: 'text',
    source: 'nws_climatological_report',
    day: 'local_standard',
    revisions: 'ignored',
  };
  const b = { ...read, station: 'KLAX', station_by: 'text', source: 'wunderground', day: null, revisions: 'latest' };

  it('of the same station in two reports is HIGH, with a high risk', async () => {
    const one = await judged('weather_high', a, b);
    expect(one.graded).toEqual({ settlement_source: 'high', settlement_time: 'low', revised_figures: 'medium' });
    expect(one.note('settlement_source')).toBe(
      `Source: venue_a goes by the NWS climatological report; venue_b goes by Wunderground: ${whenItCounts}`,
    );
    expect(one.resolution).toBeGreaterThanOrEqual(0.95);
    expect(one.resolution).toBeLessThanOrEqual(0.98);
  });

  it('of another station has a critical risk and at most half the confidence', async () => {
    const one = await judged('weather_low', a, { ...b, station: 'KBUR' });
    expect(one.graded.station_mismatch).toBe('critical');
    expect(one.note('station_mismatch')).toBe(`Station: venue_a goes by KLAX; venue_b goes by KBUR: ${whenItCounts}`);
    expect(one.resolution).toBeLessThanOrEqual(0.5);
  });

  it.each<[string, Terms]>([
    ['no station in the text', { station: null, station_by: null }],
    ['only the station that the venue is known to use', { station_by: 'registry' }],
  ])('stays unpublished with a reason: %s', async (_name, more) => {
    const one = await judged('weather_high', a, { ...b, ...more });
    expect(one.graded.station_unread).toBe('high');
    expect(one.resolution).toBeLessThan(0.95);
  });
});

describe('prices and decisions', () => {
  it('name a different index, moment and comparison', async () => {
    const one = await judged(
      'crypto_above',
      { ...read, index: 'cf_benchmarks', averaging: '60_seconds', comparison: 'at_or_above' },
      { ...read, index: 'binance', averaging: '1_minute_close', comparison: 'above' },
    );
    expect(one.graded).toEqual({
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

  it('name a cancelled meeting, rounding, and the announcement against its effect', async () => {
    const one = await judged(
      'fed_decision',
      { ...read, cancelled: 'no_change', announcement: 'statement' },
      { ...read, cancelled: 'split', rounding: 'up_to_25', announcement: 'effective' },
    );
    expect(one.graded).toEqual({
      announcement_vs_effect: 'medium',
      cancel_payout: 'medium',
      rounding: 'medium',
      void_rule: 'medium',
    });
    expect(one.note('void_rule')).toContain('venue_a resolves to no change');
  });

  it('treat differently worded outer choices as equal while the bank keeps its steps, and mention it once with the rounding', async () => {
    const words = { a: { ...read, outer: 'more than 25 bp' }, b: { ...read, outer: '50 bp or more' } };
    const outer = `The outer choices: venue_a pays for more than 25 bp; venue_b for 50 bp or more, the same while the bank moves in steps of 25 bp. Where${whenItCounts.slice(5)}`;
    expect((await judged('cb_decision', words.a, words.b)).note('rounding')).toBe(outer);
    expect((await judged('fed_decision', words.a, { ...words.b, rounding: 'up_to_25' })).note('rounding')).toBe(
      `A move between two steps: venue_a does not say; venue_b rounds up to the nearest 25 bp. ${outer}`,
    );
    expect((await judged('cb_decision', { ...read, outer: 'more than 50 bp' }, words.b)).note('rounding')).toBe(
      `The outer choices: venue_a pays for more than 50 bp; venue_b for 50 bp or more, not the same. Where${whenItCounts.slice(5)}`,
    );
    expect((await judged('fed_decision', words.a, words.a)).graded.rounding).toBeUndefined();
    expect((await judged('fed_decision', read, read)).graded.rounding).toBeUndefined();
  });

  it('rate settle-at against touch as a risk of the whole dollar, and one agency under two names as no risk', async () => {
    const touch = await judged(
      'crypto_above',
      { ...read, index: 'cme', averaging: 'daily_settlement' },
      { ...read, index: 'cme', averaging: '1_minute_extreme' },
    );
    expect(touch.graded.settlement_time).toBe('high');
    const bls = (name: string) => ({ ...read, agency: 'bls', sources: [name] });
    expect((await judged('econ_print', bls('Bureau of Labor Statistics'), bls('https://www.bls.gov'))).graded).toEqual(
      {},
    );
  });

  it('name the venue that pays as soon as the result is decided', async () => {
    const one = await judged('crypto_above', read, { ...read, early_close: 'event' });
    expect(one.note('early_close')).toBe(
      'Only venue_b says that it pays as soon as the result is decided: both pay the same, but venue_a may hold your money longer.',
    );
  });

  it('name reports, agencies and moments in everyday words', async () => {
    const one = await judged(
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
      'another of the bank’s rates',
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
      'a revised figure',
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
      'a figure that is late, and one on the edge',
      'econ_print',
      { missing: 'waits', boundary: 'higher' },
      { missing: 'previous_print' },
      { missing_figure: 'medium', threshold_comparison: 'low' },
      true,
    ],
  ])('name the difference: %s', async (_name, family, a, b, graded, published) => {
    const same = family === 'econ_print' && !('agency' in a) ? { agency: 'bls' } : {};
    const index = family === 'crypto_above' ? { index: 'cme' } : {};
    const one = await judged(family, { ...read, ...same, ...index, ...a }, { ...read, ...same, ...index, ...b });
    expect(one.graded).toEqual(graded);
    expect(one.resolution >= 0.95).toBe(published);
  });

  it('an incomplete set of outcomes is marked as not safe to buy in full', async () => {
    expect((await judged('econ_print', read, read, { whole: false })).graded).toEqual({ partition_gap: 'high' });
  });
});
