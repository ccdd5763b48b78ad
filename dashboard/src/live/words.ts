import type { IconName } from '../parts/icon.tsx';
import type { Market, MarketDetail, Risk, Status } from './wire.ts';

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
      word: 'Arb',
      kind: 'is-up',
      why: 'All four gates are open: settlement is confirmed alike.',
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

type Gate = NonNullable<MarketDetail['gates']>[number];

export const gateNames: Record<Gate['gate'], string> = {
  band: 'It is the same question',
  parity: 'The rule has settled alike before',
  risk: 'No serious settlement risk',
  priced: 'Both venues priced on every outcome',
};

const reasons: Record<string, string> = {
  'band.candidate': 'The match is a candidate that nobody has confirmed.',
  'band.review': 'The match stays in review: the venues ask in different ways.',
  'band.confidence': 'The match is less sure than 0.95.',
  'parity.unconfirmed': 'Too few settled pairs of this rule have been seen to agree.',
  'parity.withdrawn': 'A pair of this rule has settled differently, so its confirmation was withdrawn.',
  'risk.high': 'There is a high risk that the venues settle differently.',
  'risk.critical': 'There is a critical risk that the venues settle differently.',
  'price.missing': 'An outcome has no ask at one of the venues.',
  'price.inverted': 'The venues price an outcome as each other’s opposite.',
  'price.distance': 'The prices are further apart than equal contracts ever were.',
  'lease.expired': 'A book has not been confirmed for too long.',
};

/** A closed gate's codes as sentences; one without a sentence is shown as it is. */
export function reasonWords(reason: string | null): string {
  if (!reason) return '';
  return reason
    .split(', ')
    .map((code) => reasons[code] ?? `${code.replace(/[._]/g, ' ')}.`)
    .join(' ');
}

/** A stable code such as `postponement_window` as a heading. */
export function codeWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An address of a venue that may be followed: it comes from outside, so nothing but https is a link. */
export function safeLink(url: string | null | undefined): string | undefined {
  return url && /^https:\/\/[^\s]+$/.test(url) && URL.canParse(url) ? url : undefined;
}

/** What a row is about: its league, place or asset. */
export function contextOf(
  row: Partial<Pick<Market, 'sport' | 'competition' | 'location' | 'asset' | 'indicator' | 'institution'>>,
): string | null {
  return row.competition ?? row.location ?? row.asset ?? row.institution ?? row.indicator ?? row.sport ?? null;
}
