import type { IconName } from '../components/icon_paths.ts';

// The results of the RPCs of this page (sql/89_api_record.sql), in the form of GET /v2/rules.

export type RuleState = 'confirmed' | 'pooled' | 'unconfirmed' | 'withdrawn' | 'refused';

export type RulePool = { count: number; members: string[]; agreeing: number; bound_pct: number };

export type Rule = {
  rule_id: string;
  family: string;
  competition: string | null;
  agreeing: number;
  diverging: number;
  bound_pct: number;
  state: RuleState;
  first_at: string | null;
  last_at: string | null;
  pool: RulePool | null;
};

export type DivergentSide = {
  event: string | null;
  title: string | null;
  text: string | null;
  paid: { outcome: string; usd: number | null }[];
};

export type Divergence = {
  occasion: string;
  source: 'live' | 'backtest';
  settled_at: string | null;
  venue_a: DivergentSide;
  venue_b: DivergentSide;
};

export type RuleWithDivergences = Rule & { divergences_count: number; divergences: Divergence[] };

export type Backtest = {
  scopes: number;
  done: number;
  failed: number;
  running: number;
  /** Settled listings of both venues that were read. */
  listings: number;
  occasions: number;
  diverging: number;
  finished_at: string | null;
};

/** The limit of a bound and the confidence of all bounds, in percent. */
export type Limits = { limit_pct: number; confidence_pct: number };

export type RuleRecord = Limits & { backtest: Backtest; rules: Rule[] };

export type StateMark = { word: string; icon: IconName; kind: 'is-up' | 'is-waiting' | 'is-down'; why: string };

export const stateMarks: { [State in RuleState]: StateMark } = {
  confirmed: { word: 'Confirmed', icon: 'check', kind: 'is-up', why: 'Its own bound is within the limit.' },
  pooled: {
    word: 'Pooled',
    icon: 'team',
    kind: 'is-up',
    why: 'It has too few occasions of its own. Together with the rules of its pool the bound is within the limit.',
  },
  unconfirmed: {
    word: 'Unconfirmed',
    icon: 'status',
    kind: 'is-waiting',
    why: 'Its record is too short for a bound within the limit. Its pairs are never an opportunity.',
  },
  withdrawn: {
    word: 'Withdrawn',
    icon: 'warning',
    kind: 'is-down',
    why: 'The venues paid differently, and an operator has not reviewed it yet. Its pairs are never an opportunity.',
  },
  refused: {
    word: 'Refused',
    icon: 'revoke',
    kind: 'is-down',
    why: 'An operator reviewed its divergences and refused the rule. Its pairs are never an opportunity.',
  },
};

export const ruleStates = Object.keys(stateMarks) as RuleState[];

export type RuleFilter = { search: string; family: string; state: string };

export const NO_RULE_FILTER: RuleFilter = { search: '', family: '', state: '' };

/** `team_total` → `team total` */
export const familyName = (family: string): string => family.replaceAll('_', ' ');

/** The rules that pass the filter, by competition and family; rules without a competition last. */
export function selectedRules(rules: readonly Rule[], { search, family, state }: RuleFilter): Rule[] {
  const words = search.toLowerCase().split(/\s+/);
  return rules
    .filter((rule) => !family || rule.family === family)
    .filter((rule) => !state || rule.state === state)
    .filter((rule) => words.every((word) => `${rule.competition} ${rule.rule_id}`.toLowerCase().includes(word)))
    .sort(byCompetition);
}

function byCompetition(one: Rule, other: Rule): number {
  return (
    Number(one.competition === null) - Number(other.competition === null) ||
    (one.competition ?? '').localeCompare(other.competition ?? '') ||
    one.family.localeCompare(other.family) ||
    (one.rule_id < other.rule_id ? -1 : 1)
  );
}

/** A term of a rule text, such as `never played: split`, and whether the other venue differs. */
export type Term = { text: string; differs: boolean };

/**
 * The terms of both venues from a rule_id: `moneyline / NFL / venue_a: 48 h, … / venue_b: …`. Null
 * for an id of another form.
 */
export function termsOf(ruleId: string): { venue_a: Term[]; venue_b: Term[] } | null {
  const found = / \/ venue_a: (.*) \/ venue_b: (.*)$/s.exec(` / ${ruleId}`);
  if (!found) return null;
  const [a = [], b = []] = found.slice(1).map((terms) => terms.split(', '));
  const marked = (mine: string[], others: string[]) =>
    mine.map((term) => ({ text: termText(term), differs: !others.includes(term) }));
  return { venue_a: marked(a, b), venue_b: marked(b, a) };
}

/** The words of a rule_id for a text without terms, as the page displays them. */
const withoutTerms: Record<string, string> = {
  none: 'the listing has no rule text',
  unread: 'the text does not state when it pays',
  unfilled: 'the text is a template with open blanks',
};

const termText = (term: string): string =>
  term.endsWith(' nothing') ? 'no term is stated' : (withoutTerms[term] ?? term.replaceAll('_', ' '));

/**
 * A bound in percent with two decimals, or three below 0.1. Rounded up, so that the stated bound
 * holds.
 */
export function boundText(percent: number): string {
  const digits = percent < 0.1 ? 3 : 2;
  const scale = 10 ** digits;
  // 0.29 * 100 is 28.999999999999996: the sum removes such an error before the rounding.
  const rounded = Math.ceil(Number((percent * scale).toFixed(6))) / scale;
  return `${rounded >= 100 ? '100' : rounded.toFixed(digits)} %`;
}

/** Agreeing occasions that a rule without a divergence needs: 299 for 1 % at 95 % confidence. */
export function neededOccasions({ limit_pct, confidence_pct }: Limits): number {
  return Math.ceil(Math.log(1 - confidence_pct / 100) / Math.log(1 - limit_pct / 100));
}
