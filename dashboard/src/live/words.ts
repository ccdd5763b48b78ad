import type { IconName } from '../parts/icon.tsx';
import type { Market, Risk, Status } from './wire.ts';

// What codes mean to a person. Notes and rule texts come from the service; nothing here judges.

export type Mark = { icon: IconName; word: string; kind: 'is-up' | 'is-stale' | 'is-down' | 'is-waiting'; why: string };

const severities: Record<Risk['severity'], Pick<Mark, 'icon' | 'word' | 'kind'>> = {
  low: { icon: 'check', word: 'Low risk', kind: 'is-waiting' },
  medium: { icon: 'warning', word: 'Medium risk', kind: 'is-stale' },
  high: { icon: 'warning', word: 'High risk', kind: 'is-down' },
  critical: { icon: 'revoke', word: 'Critical risk', kind: 'is-down' },
};

export const severityMark = (severity: Risk['severity']) => severities[severity];

const worstFirst: readonly Risk['severity'][] = ['critical', 'high', 'medium', 'low'];

export function worstRisk(risks: readonly Risk[]): Risk | undefined {
  return [...risks].sort((one, other) => worstFirst.indexOf(one.severity) - worstFirst.indexOf(other.severity))[0];
}

/** May one trust the gap of this row? The signal first, then the worst way in which the venues may settle differently. */
export function riskMark({ signal, settlement }: Pick<Market, 'signal' | 'settlement'>): Mark {
  if (signal === 'arb') {
    return {
      icon: 'check',
      word: 'Confirmed',
      kind: 'is-up',
      why: 'Signal arb: all four gates are open, both settle alike.',
    };
  }
  const worst = settlement && worstRisk(settlement.risks);
  if (worst) return { ...severities[worst.severity], why: worst.note };
  if (settlement?.parity)
    return { icon: 'check', word: 'No known risk', kind: 'is-waiting', why: 'Not every gate is open.' };
  return {
    icon: 'status',
    word: 'Unconfirmed',
    kind: 'is-waiting',
    why: 'A gap was observed; that both settle alike is not confirmed.',
  };
}

export const statusWords: Record<Status, string> = {
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
