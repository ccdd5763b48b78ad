import type { IconName } from '../components/icon_paths.ts';
import type { Market, Risk, Status } from './frames.ts';

// What codes mean to a person. Notes and rule texts come from the service; nothing here judges.

export type RiskMark = {
  icon: IconName;
  word: string;
  /** What the word alone would hide: how many risks of the worst kind there are. */
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

/** The worst risks of a row as a mark: "2 medium risks", "High risk". Null where there is none worse than low. */
export function risksMark(risks: readonly Risk[]): RiskMark | null {
  const worst = worstRisk(risks);
  if (!worst || worst.severity === 'low') return null;
  const many = risks.filter((one) => one.severity === worst.severity).length;
  const word = many === 1 ? `1 ${worst.severity} risk` : `${many} ${worst.severity} risks`;
  return { ...severities[worst.severity], word, why: worst.note };
}

/**
 * May one trust the gap of this row? Its signal, and the worst way in which the venues may settle differently. Equal risks have equal
 * colours, whatever the signal: no green stands over a medium risk.
 */
export function riskMark({ signal, settlement }: Pick<Market, 'signal' | 'settlement'>): RiskMark {
  const risks = settlement && risksMark(settlement.risks);
  if (signal === 'arb') {
    if (risks) {
      const why = `All four gates are open. It can still settle differently: ${risks.why}`;
      return { ...risks, word: 'Arb-grade', risks: risks.word, why };
    }
    if (!settlement)
      return { icon: 'status', word: 'Arb-grade', kind: 'is-waiting', why: 'Its risks have not been read yet.' };
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
    return { icon: 'check', word: 'No known risk', kind: 'is-waiting', why: 'Not every gate is open.' };
  return {
    icon: 'status',
    word: 'Unconfirmed',
    kind: 'is-waiting',
    why: 'Too few settled pairs of this rule are known to say that both venues settle alike.',
  };
}

export const statusLabels: Record<Status, string> = {
  open: 'Open',
  live: 'Live now',
  resolving: 'Resolving',
  closed: 'Closed',
  settled: 'Settled',
};

/** What a row is about: its league, place or asset. */
export function contextOf(
  row: Partial<Pick<Market, 'sport' | 'competition' | 'location' | 'asset' | 'indicator' | 'institution'>>,
): string | null {
  return row.competition ?? row.location ?? row.asset ?? row.institution ?? row.indicator ?? row.sport ?? null;
}
