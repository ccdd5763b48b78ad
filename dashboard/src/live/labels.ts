import type { IconName } from '../components/icon_paths.ts';
import type { Market, Risk, Status } from './frames.ts';

// Labels for severities, signals and statuses. The service decides them; nothing here does.

export type RiskMark = {
  icon: IconName;
  word: string;
  /** How many risks of the worst severity there are, if `word` does not state it. */
  risks?: string;
  kind: 'is-up' | 'is-stale' | 'is-down' | 'is-waiting';
  why: string;
};

const severities: Record<Risk['severity'], Pick<RiskMark, 'icon' | 'word' | 'kind'>> = {
  low: { icon: 'check', word: 'Low risk', kind: 'is-waiting' },
  medium: { icon: 'warning', word: 'Medium risk', kind: 'is-stale' },
  high: { icon: 'warning', word: 'High risk', kind: 'is-down' },
  critical: { icon: 'revoke', word: 'Critical risk', kind: 'is-down' },
};

export const severityMark = (severity: Risk['severity']) => severities[severity];

const order: readonly Risk['severity'][] = ['critical', 'high', 'medium', 'low'];

export const worstFirst = (risks: readonly Risk[]): Risk[] =>
  [...risks].sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));

export const worstRisk = (risks: readonly Risk[]): Risk | undefined => worstFirst(risks)[0];

/**
 * The worst risks of a market: "2 medium risks", "1 high risk". Null when none is worse than low.
 */
export function risksMark(risks: readonly Risk[]): RiskMark | null {
  const worst = worstRisk(risks);
  if (!worst || worst.severity === 'low') return null;
  const many = risks.filter((one) => one.severity === worst.severity).length;
  const word = many === 1 ? `1 ${worst.severity} risk` : `${many} ${worst.severity} risks`;
  return { ...severities[worst.severity], word, why: worst.note };
}

/**
 * Signal and worst settlement risk of a market. Equal risks have equal colours for every signal,
 * and a market with a medium risk is never green.
 */
export function riskMark({ signal, settlement }: Pick<Market, 'signal' | 'settlement'>): RiskMark {
  const risks = settlement && risksMark(settlement.risks);
  if (signal === 'arb') {
    if (risks) {
      const why = `All four gates are open. The venues can still settle differently: ${risks.why}`;
      return { ...risks, word: 'Arb-grade', risks: risks.word, why };
    }
    if (!settlement)
      return { icon: 'status', word: 'Arb-grade', kind: 'is-waiting', why: 'Its settlement risks are not loaded yet.' };
    const low = settlement.risks[0];
    return {
      icon: 'check',
      word: 'Arb-grade',
      kind: 'is-up',
      why: low
        ? `All four gates are open. Only low risks are known: ${low.note}`
        : 'All four gates are open. No difference between the two rules is known.',
    };
  }
  if (risks) return risks;
  const low = settlement?.risks[0];
  if (low) return { ...severities.low, why: low.note };
  if (settlement?.parity)
    return { icon: 'check', word: 'No known risk', kind: 'is-waiting', why: 'At least one gate is closed.' };
  return {
    icon: 'status',
    word: 'Unconfirmed',
    kind: 'is-waiting',
    why: 'Too few settled pairs of this rule are known to confirm that both venues settle alike.',
  };
}

export const statusLabels: Record<Status, string> = {
  open: 'Open',
  live: 'Live now',
  resolving: 'Resolving',
  closed: 'Closed',
  settled: 'Settled',
};

/** The competition, location, asset, institution, indicator or sport of a market. */
export function contextOf(
  row: Partial<Pick<Market, 'sport' | 'competition' | 'location' | 'asset' | 'indicator' | 'institution'>>,
): string | null {
  return row.competition ?? row.location ?? row.asset ?? row.institution ?? row.indicator ?? row.sport ?? null;
}
