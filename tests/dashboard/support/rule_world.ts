import { organization, rpc } from '../../account/support/people.ts';
import { putRules, ruleIdOf, type SeedRule } from '../../api/support/rules.ts';
import { createDatabase } from '../../support/database.ts';
import type { StubApi } from './stub_api.ts';

/** Markup, characters that reorder text, a control character, and 10,000 characters. */
export const hostileText = [
  '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 2"><b>bold</b>',
  'This market resolves \u202eSEY\u202c if the \u0007 show starts. \u2066isolated\u2069',
  'javascript:alert(1) {{constructor}} </p></details>',
  'x'.repeat(4_000),
  'Otherwise No. '.repeat(430),
].join('\n');

const cardi = {
  occasion: 'KXHALFTIME-26FEB08',
  settled_at: '2026-02-08T23:30:00Z',
  title: 'Will Cardi B perform at the Super Bowl halftime show?',
  text_a:
    'If Cardi B performs at the Super Bowl LX halftime show, then the market resolves to Yes. If the performance is ambiguous, the market resolves to the last traded price before the show.\n\nOutcome verified from the broadcast.',
  text_b:
    'This market will resolve to "Yes" if Cardi B performs at the Super Bowl LX halftime show. Dancing on stage counts as a performance. Otherwise, this market will resolve to "No".\n\nThe resolution source is the broadcast of the show.',
  paid: [
    { outcome: 'yes', venue_a: '0.26', venue_b: '1' },
    { outcome: 'no', venue_a: '0.74', venue_b: '0' },
  ],
};

const plain = { terms_a: '48 h, never played: fair_price, tie: fair_price, overtime: included' };
const soccer = { terms_a: 'waits, never played: fair_price', terms_b: 'waits, never played: split' };
const rules: SeedRule[] = [
  {
    ...plain,
    competition: 'NFL',
    agreeing: 642,
    terms_b: 'waits, never played: split, tie: split, overtime: included',
  },
  { ...plain, competition: 'NFL', family: 'total', agreeing: 214 },
  { ...plain, competition: 'NFL', family: 'team_total', agreeing: 310 },
  { ...plain, competition: 'NBA', agreeing: 1210 },
  { ...plain, competition: 'NBA', family: 'spread', agreeing: 0 },
  {
    ...plain,
    competition: 'NHL',
    agreeing: 498,
    divergences: [{ occasion: 'g1', settled_at: '2026-03-01T04:00:00Z' }],
  },
  ...['Ligue 1', 'Serie A', 'Eredivisie', 'Primeira Liga'].map((name, at) => ({
    ...soccer,
    competition: name.toLowerCase().replace(' ', '-'),
    name,
    agreeing: 84 + at * 9,
    text_form: 'goals in 90 minutes',
  })),
  { competition: 'Super Bowl', family: 'outright', agreeing: 61, divergences: [cardi, hostile()] },
  {
    competition: '',
    family: 'cb_decision',
    agreeing: 33,
    terms_a: 'source: central bank',
    terms_b: 'source: central bank',
  },
  {
    competition: 'NYC',
    family: 'weather_high',
    agreeing: 119,
    terms_a: 'station: KNYC, rounding: whole',
    terms_b: 'station: KLGA',
  },
];

function hostile() {
  return {
    occasion: '<i>occasion</i>',
    settled_at: '2026-01-15T12:00:00Z',
    title: `\u202e<b>${'W'.repeat(400)}</b>`,
    text_a: hostileText,
    text_b: null,
    paid: [{ outcome: '<img src=x onerror=alert(1)>', venue_a: '1', venue_b: '0.5' }],
  };
}

/** A backtest that has read three of four competitions. */
const scopes = [
  ...['NFL', 'NBA', 'NHL'].map((scope) => ({ scope, state: 'done', occasions: 900 })),
  { scope: 'Serie A', state: 'reading', occasions: 112 },
];

/**
 * The results of the RPCs of the page Record, from the functions in sql/ over a database with these
 * rules and a backtest that runs, as answers of the stub.
 */
export async function ruleAnswers(): Promise<StubApi['answers']> {
  const db = await createDatabase();
  try {
    const ids = await putRules(db.sql, rules);
    for (const { scope, state, occasions } of scopes) {
      await db.sql`
        insert into catalog.backtest_scopes (scope, state, days, occasions, requested_at, finished_at)
        values (${scope}, ${state}, 120, ${occasions}, now(), ${state === 'done' ? new Date() : null})`;
    }
    const { owner } = await organization(db.sql);
    const one = new Map<unknown, never>();
    for (const id of ids) one.set(id, await rpc<never>(db.sql, owner, `read_rule('${id}')`));
    return {
      list_rules: await rpc<never>(db.sql, owner, 'list_rules()'),
      read_rule: ({ p_rule_id }) => one.get(p_rule_id) ?? null,
    };
  } finally {
    await db.close();
  }
}

/** A rule with two divergences, and the address of a rule. */
export const superBowl = ruleIdOf({ family: 'outright', competition: 'Super Bowl' });
export const addressOf = (rule: string): string => `/record?rule=${encodeURIComponent(rule)}`;
