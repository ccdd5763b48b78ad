import type { Explained } from './wire.ts';

// Codes of the service as a person reads them.

type Gate = Explained['gates'][number];

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
  'edge.gone': 'The books moved: nothing is left after fees.',
  'venues.one': 'Only one venue’s contracts together are cheap enough now.',
  'size.below_minimum': 'What is offered is less than a venue’s smallest order.',
  'profit.below_rounding': 'Rounding an order to the cent may take the whole profit.',
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
