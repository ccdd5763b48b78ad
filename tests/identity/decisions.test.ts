import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionA } from '../../functions/ingest/identity/rates/decision_a.ts';
import { decisionB } from '../../functions/ingest/identity/rates/decision_b.ts';
import { keyOfMove, moveOf } from '../../functions/ingest/identity/rates/decision_move.ts';
import { payoffOfMoves } from '../../functions/ingest/identity/rates/decision_payoff.ts';
import { BANKS } from '../../functions/ingest/identity/rates/decision_registry.ts';
import { parseDecision } from '../../functions/ingest/identity/rates/decision_statement.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * Guarantee: a contract of a rate decision is one of the five choices only when its own words state
 * it. A contract with other words is ignored.
 */

const context = { now: '2026-05-18T12:00:00Z' };
type Market = { question?: unknown; label?: unknown; more?: object };

const a = (ticker: string, labels: (string | { code: string; label?: string; title?: string })[], more: object = {}) =>
  ask(
    decisionA(ticker.startsWith('KXFED') ? 'fed_decision' : 'cb_decision')(
      {
        event_ticker: ticker,
        series_ticker: ticker.split('-')[0] ?? '',
        markets: labels.map((one) => {
          const entry = typeof one === 'string' ? { code: one } : one;
          return {
            ticker: `${ticker}-${entry.code}`,
            ...('label' in entry ? { yes_sub_title: entry.label } : {}),
            ...('title' in entry ? { title: entry.title } : {}),
          };
        }),
        ...more,
      } as never,
      context,
    ),
  );
const event = (slug: string, title: string | undefined, markets: Market[], more: object = {}) => ({
  slug,
  ...(title === undefined ? {} : { title }),
  markets: markets.map((one, at) => ({
    conditionId: `c${at}`,
    question: one.question,
    groupItemTitle: one.label,
    outcomes: '["Yes","No"]',
    clobTokenIds: `["t${at}:0","t${at}:1"]`,
    ...one.more,
  })),
  ...more,
});
const ask = (questions: Question[]): Question | undefined => questions[0];
const b = (...given: Parameters<typeof event>) => ask(decisionB('cb_decision')(event(...given) as never, context));
const fed = (...given: Parameters<typeof event>) => ask(decisionB('fed_decision')(event(...given) as never, context));
const keys = (question: Question | undefined) => question?.legs.map((leg) => leg.outcome_key);

describe('payoffOfMoves', () => {
  const bank = BANKS.find(({ id }) => id === 'england') ?? BANKS[0];
  const contract = (titles: string[], text: string | null = null) => ({ titles, text, move: null });
  it.each<[string, string | null, ReturnType<typeof contract>[], string]>([
    ['no text', 'Bank of England decision in June?', [contract(['Cut 25 bps'])], 'not_found'],
    ['a negated title of the meeting', 'Will the Bank of England not cut?', [contract(['Cut 25 bps'])], 'contradicts'],
    [
      'a negated title of one contract',
      'Decision in June?',
      [contract(['Cut']), contract(['Never hike'])],
      'contradicts',
    ],
    ['no title', null, [contract([])], 'not_found'],
  ])('judges %s', (_name, title, contracts, result) => {
    if (!bank) throw new Error('no bank is registered');
    expect(payoffOfMoves(title, contracts, { bank, month: '2026-06' })).toBe(result);
  });
});

describe('parseDecision', () => {
  it.each([
    ['Will the Bank of England Hike 0bps at the June Bank of England meeting?', 'no_change'],
    ['Maintain current rate', 'no_change'],
    ['Fed maintains rate', 'no_change'],
    ['No change in Bank of Japan’s interest rates after the June 2026 meeting?', 'no_change'],
    ['Will the ECB announce no change at the October 2026 meeting?', 'no_change'],
    [
      'Will the Bank of Canada make no change to the target for the overnight rate at the December interest rate announcement?',
      'no_change',
    ],
    ['Cut rates by >25bps', 'cut_more_25'],
    ['Will the European Central Bank Cut more than 25bp?', 'cut_more_25'],
    ['50+ bps decrease', 'cut_more_25'],
    ['Fed decreases interest rates by 50+ bps after January 2026 meeting?', 'cut_more_25'],
    ['Will the Reserve Bank of India Cut 1-25bps at the August Reserve Bank of India meeting?', 'cut_25'],
    ['Will the ECB announce a 25 bps increase at the September 2026 meeting?', 'hike_25'],
    ['25 basis point hike', 'hike_25'],
    ['Will the RBA raise the cash rate by 0.25% at its August meeting?', 'hike_25'],
    ['Bank of England increases interest rates by 50 bps or more', 'hike_more_25'],
    ['25+ bps increase', 'hike_any'],
    ['Fed raises interest rates by 25+ bps after 2024 May meeting?', 'hike_any'],
    ['Will the Bank of Canada announce an increase at the April meeting?', 'hike_any'],
    ['Cut 50bps', 'cut_50'],
    ['Cut more than 50bps', 'cut_more_50'],
  ])('parses "%s" as %s', (text, key) => {
    const { size } = parseDecision(text);
    expect(size && keyOfMove(moveOf(size, 25) ?? { low: 1, high: 1, comparison: 'equal' })).toBe(key);
  });

  it.each([
    'Fed rate cut by October 2026 meeting?',
    'Will the Fed cut rates before the June meeting?',
    'Will the Fed Pause–Pause–Cut in the next three decisions (Apr–Jun–Jul)?',
    'Will one person dissent the April Fed decision?',
    'Will 3 Fed rate cuts happen in 2026?',
    'Will the Fed cut rates to 3.50% at the June meeting?',
    'Will the Fed cut or hike rates at the June meeting?',
    'Will the Fed’s lower bound reach 2.0% or lower before 2027?',
    'Will the Fed cut 25 bps and the ECB hold in June?',
    'Fed emergency rate cut?',
    'Will the Fed cut rates by less than 25 bps?',
  ])('finds no rate change in: %s', (text) => {
    expect(parseDecision(text).size).toBeNull();
  });

  it.each([
    ['Cut 25 bps July 2026', true],
    ['Cut 25 bps July September 2026', false],
    ['Cut 25 bps July 2026 2027', false],
    ['Cut hike 25 bps July 2026', false],
    ['Cut 25 bps July 2026 unemployment', false],
  ])('understands every word of "%s": %s', (text, closed) => {
    expect(parseDecision(text).closed).toBe(closed);
  });

  it('rounds a change to steps only where the bank moves in steps', () => {
    const { size } = parseDecision('Cut 50+ bps');
    expect(size && keyOfMove(moveOf(size, null) as never)).toBe('cut_at_least_50');
    expect(moveOf({ sign: 1, from: 10, to: 10, from_included: true }, 25)).toBeNull();
  });
});

describe('the question of a meeting', () => {
  const five = ['50+ bps decrease', '25 bps decrease', 'No change', '25 bps increase', '50+ bps increase'];

  it('gives a meeting the same key on both venues, and is whole when all five choices are listed', () => {
    const listed = a('KXCBDECISIONEU-26OCT29', ['C26', 'C25', 'HOLD', 'H25', 'H26'], {
      sub_title: 'Oct 29, 2026 meeting',
    });
    const other = b(
      'ecb-interest-rates-october-2026-20260723225848778',
      'ECB Interest Rates: October 2026',
      five.map((label) => ({
        label,
        question: `Will the ECB announce ${label.replace(/^N/, 'n')} at the October 2026 meeting?`,
      })),
    );
    expect(listed).toMatchObject({
      key: 'cb_decision|ecb|2026-10',
      on_date: '2026-10-29',
      excluded: null,
      institution: 'European Central Bank',
    });
    expect(other).toMatchObject({
      key: 'cb_decision|ecb|2026-10',
      excluded: null,
      identity: { whole: true, meeting_by: 'text' },
    });
    expect(keys(listed)).toEqual(keys(other));
    expect(keys(other)).toEqual(['cut_more_25', 'cut_25', 'no_change', 'hike_25', 'hike_more_25']);
  });

  it('gives finer choices keys of their own next to the five choices', () => {
    const finer = a(
      'KXCBDECISIONENGLAND-26JUN18',
      ['Cut more than 50', 'Cut 50', 'Cut 25', 'Hike 0', 'Hike 25', 'Hike 50', 'Hike more than 50'].map(
        (entry, at) => ({
          code: ['C50P', 'C50', 'C25', 'H0', 'H25', 'H50', 'H50P'][at] ?? '',
          title: `Will the Bank of England ${entry}bps at the June Bank of England meeting?`,
        }),
      ),
    );
    expect(keys(finer)).toEqual(['cut_more_50', 'cut_50', 'cut_25', 'no_change', 'hike_25', 'hike_50', 'hike_more_50']);
    expect(finer?.identity).toMatchObject({ whole: false, unread: 0 });
    expect(finer?.legs[1]?.detail).toEqual({ low: -50, high: -50, comparison: 'equal', unit: 'bp' });
  });

  it('adds no leg for a code without a known meaning', () => {
    expect(keys(a('KXCBDECISIONJAPAN-26JUN15', ['C50', 'C50P', 'H0']))).toEqual(['no_change']);
  });

  it('parses a decision from an event with a single market', () => {
    const single = b('no-change-in-bank-of-japans-interest-rates-after-the-june-2026-meeting', undefined, [
      { question: 'No change in Bank of Japan’s interest rates after the June 2026 meeting?' },
    ]);
    expect(single).toMatchObject({ key: 'cb_decision|boj|2026-06', identity: { whole: false } });
    expect(keys(single)).toEqual(['no_change']);
  });

  it('uses the last day of a meeting, which the rules may name', () => {
    const dated = b('bank-of-japan-decision-in-june', 'Bank of Japan Decision in June?', [{ label: 'No change' }], {
      description:
        'This market will resolve to the change announced after the meeting scheduled for June 15-16, 2026. If no statement is released, this market will resolve to "No change".',
    });
    expect(dated).toMatchObject({
      key: 'cb_decision|boj|2026-06',
      on_date: '2026-06-16',
      terms: { rules: 'read', cancelled: 'no_change', announcement: 'announced' },
    });
  });

  it('parses the days of a meeting from a question', () => {
    const brazil = b('bank-of-brazil-decision-in-november', 'Bank of Brazil decision in November?', [
      {
        question:
          'Will the Central Bank of Brazil decrease the Selic rate by 100 bps or more following the November 3-4, 2026 meeting?',
        label: '100+ bps decrease',
      },
      { label: '25 bps decrease' },
    ]);
    expect(brazil?.key).toBe('cb_decision|bcb|2026-11');
    expect(keys(brazil)).toEqual(['cut_more_75', 'cut_25']);
  });

  it('parses the terms for no decision, for the time that counts and for the deciding rate', () => {
    const terms = (description: string) =>
      b('ecb-decision-in-june', 'ECB decision in June?', [{ label: 'No change' }], { description })?.terms;
    expect(
      terms(
        'This market resolves according to the change of the deposit facility rate at the June meeting. If the meeting is cancelled, it resolves to a fair market price.',
      ),
    ).toMatchObject({
      rules: 'read',
      cancelled: 'fair_price',
      rate: 'deposit_facility',
      rounding: null,
      announcement: null,
    });
    expect(
      terms(
        'Resolves as announced; the change is rounded up to the nearest 25 bps. An emergency meeting will not be considered.',
      ),
    ).toMatchObject({ rounding: 'up_to_25', announcement: 'announced', emergency: 'excluded', cancelled: null });
    expect(terms('The market {{name}} resolves.')).toMatchObject({ rules: 'unfilled' });
    expect(b('ecb-decision-in-june', 'ECB decision in June?', [{ label: 'No change' }])?.terms).toMatchObject({
      rules: 'none',
    });
  });

  it('takes the year of a meeting from slug, rules, end date or current time, and reports which', () => {
    const of = (slug: string, more: object) =>
      b(slug, 'Bank of Korea decision in January?', [{ label: 'No change' }], more);
    expect(of('bank-of-korea-decision-in-january', { endDate: '2027-01-15T00:00:00Z' })).toMatchObject({
      key: 'cb_decision|bok|2027-01',
      identity: { meeting_by: 'end_date' },
    });
    expect(of('bank-of-korea-decision-in-january-2027', {})).toMatchObject({
      identity: { meeting: '2027-01', meeting_by: 'slug' },
    });
    expect(of('bank-of-korea-decision-in-january-20260617190323537', {})).toMatchObject({
      identity: { meeting: '2027-01', meeting_by: 'inferred' },
    });
  });

  it('gives each bank its own key, and decisions of the Fed their own family', () => {
    const title = 'Will the Bank of Canada announce a 25 bps decrease at the April 2026 meeting?';
    expect(b('x-april', undefined, [{ question: title }])?.key).toBe('cb_decision|boc|2026-04');
    expect(b('fed-decision-in-june', 'Fed decision in June?', [{ label: 'No change' }])).toBeUndefined();
    expect(fed('fed-decision-in-june', 'Fed decision in June?', [{ label: 'No change' }])?.key).toBe(
      'fed_decision|fed|2026-06',
    );
  });

  it.each([
    [
      'a label that differs from its question',
      'Bank of Israel decision in July?',
      [
        {
          label: '25 bps decrease',
          question: 'Will the Bank of Israel increase rates by 25 bps after the July meeting?',
        },
      ],
    ],
    [
      'two months',
      'Bank of Israel decision in July?',
      [{ question: 'Will the Bank of Israel cut rates by 25 bps after the June meeting?' }],
    ],
  ])('excludes a venue_b meeting with %s as contradictory', (_name, title, markets) => {
    expect(b('bank-of-israel-decision-in-july', title, markets)?.excluded).toBe('contradictory');
  });

  it('excludes a venue_a meeting whose code and words differ, or whose day is in another month', () => {
    expect(a('KXFEDDECISION-26OCT', [{ code: 'H25', label: 'Cut 25bps' }])?.excluded).toBe('contradictory');
    expect(a('KXFEDDECISION-26OCT', ['H0'], { sub_title: 'On Dec 9, 2026' })?.excluded).toBe('contradictory');
    expect(a('KXFEDDECISION-26OCT', [{ code: 'H0', title: 'Will the Bank of Japan Hike 0bps?' }])?.excluded).toBe(
      'contradictory',
    );
  });

  it('drops a contract whose label is coarser than its question', () => {
    const listed = b('bank-of-israel-decision-in-july', 'Bank of Israel decision in July?', [
      { label: 'Increase', question: 'Will the Bank of Israel increase rates by 25 bps after the July meeting?' },
      { label: 'No change' },
    ]);
    expect(listed?.excluded).toBeNull();
    expect(keys(listed)).toEqual(['no_change']);
  });

  it('drops both of two trading contracts that state the same choice', () => {
    expect(
      keys(
        fed('fed-decision-in-june', 'Fed decision in June?', [
          { label: 'No change' },
          { label: 'No change' },
          { label: '25 bps increase' },
        ]),
      ),
    ).toEqual(['hike_25']);
  });

  it.each([
    ['how-many-fed-rate-cuts-in-2026', undefined, 'Will 4 Fed rate cuts happen in 2026?'],
    ['will-one-person-dissent-the-april-fed-decision', undefined, 'Will one person dissent the April Fed decision?'],
    [
      'will-the-fed-pausepausecut-in-the-next-three-decisions-aprjunjul',
      undefined,
      'Will the Fed Pause–Pause–Cut in the next three decisions (Apr–Jun–Jul)?',
    ],
    ['fed-rate-cut-in-june', 'Fed rate cut in June?', 'Will the Fed cut rates by 25 bps in June?'],
    ['what-will-powell-say', 'What will Powell say during June press conference?', 'No change'],
  ])('asks no question about a decision for %s', (slug, title, question) => {
    expect(fed(slug, title, [{ question }])).toBeUndefined();
  });
});

describe('the registry of banks', () => {
  it('assigns every series and every name to one bank', () => {
    for (const field of ['venue_a', 'words'] as const) {
      const all = BANKS.flatMap((bank) => bank[field]);
      expect(new Set(all).size).toBe(all.length);
    }
  });
});

it('parses very long decision texts within a second', () => {
  const endless = `Fed cut ${'1'.repeat(200_000)}`;
  const started = performance.now();
  fed('fed-decision-in-june', endless, [{ question: endless, label: endless }], { description: endless });
  a('KXFEDDECISION-26OCT', [{ code: 'H0', label: endless }]);
  expect(performance.now() - started).toBeLessThan(1000);
});

it('decision parsers never throw for corrupted fields', () => {
  const market = fc.record(
    {
      ticker: fc.oneof(fc.constant('KXFEDDECISION-26OCT-H0'), fc.jsonValue()),
      yes_sub_title: fc.oneof(fc.constant('Cut >25bps'), fc.jsonValue()),
      title: fc.jsonValue(),
      question: fc.oneof(fc.constant('No change in Fed interest rates after the June meeting?'), fc.jsonValue()),
      groupItemTitle: fc.oneof(fc.constant('50+ bps decrease'), fc.string()),
      conditionId: fc.jsonValue(),
      outcomes: fc.oneof(fc.constant('["Yes","No"]'), fc.jsonValue()),
      clobTokenIds: fc.oneof(fc.constant('["1","2"]'), fc.jsonValue()),
      endDate: fc.oneof(fc.constant('2026-99-99'), fc.jsonValue()),
      resolutionSource: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const listing = fc.record(
    {
      event_ticker: fc.oneof(fc.constantFrom('KXFEDDECISION-26OCT', 'KXCBDECISIONEU-26XXX99'), fc.jsonValue()),
      slug: fc.oneof(fc.constantFrom('fed-decision-in-june', 'usfed-fomc-2026-13-45'), fc.jsonValue()),
      title: fc.oneof(fc.constant('Fed decision in June?'), fc.jsonValue()),
      sub_title: fc.oneof(fc.constant('On Jun 31, 2026'), fc.jsonValue()),
      description: fc.jsonValue(),
      endDate: fc.jsonValue(),
      settlement_sources: fc.jsonValue(),
      markets: fc.oneof(fc.array(market, { maxLength: 4 }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(listing, fc.constantFrom('2026-05-18T12:00:00Z', 'x'), (one, now) => {
      for (const family of ['fed_decision', 'cb_decision'] as const) {
        decisionA(family)(one as never, { now });
        decisionB(family)(one as never, { now });
      }
    }),
    { numRuns: 500 },
  );
});
