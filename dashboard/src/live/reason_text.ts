import { GLOSSARY } from '../../../functions/api/contract/glossary.ts';
import type { MarketExplanation } from './frames.ts';

// Codes of the service as a person reads them.

type Gate = MarketExplanation['gates'][number];

export const gateNames: Record<Gate['gate'], string> = {
  band: 'It is the same question',
  parity: 'The rule has settled alike before',
  risk: 'No serious settlement risk',
  priced: 'Both venues priced on every outcome',
};

const sentences: Record<string, string> = {
  'band.candidate': 'The match is a candidate that nobody has confirmed.',
  'band.review': 'The match stays in review: the venues ask in different ways.',
  'band.confidence': 'The match is less sure than 0.95.',
  'band.price_divergence': 'The venues’ prices stay far apart, so an operator reviews the match first.',
  'parity.unconfirmed': 'Too few settled pairs of this rule have been seen to agree.',
  'parity.withdrawn': 'A pair of this rule has settled differently, so its confirmation was withdrawn.',
  'risk.high': 'There is a high risk that the venues settle differently.',
  'risk.critical': 'There is a critical risk that the venues settle differently.',
  'price.missing': 'An outcome has no ask at one of the venues.',
  'price.inverted': 'The venues price an outcome as each other’s opposite.',
  'price.distance': 'The prices are further apart than equal contracts ever were.',
  'priced.never': 'No price of both venues has been read yet.',
  'priced.not_trading': 'The market does not trade now.',
  'priced.incomplete': 'An outcome has no ask at one of the venues, or a book is crossed.',
  'edge.gone': 'The books moved: nothing is left after fees.',
  'venues.one': 'Only one venue’s contracts together are cheap enough now.',
  'fee.unknown': 'A venue’s fee for a contract is not known.',
  'size.below_minimum': 'What is offered is less than a venue’s smallest order.',
  'size.minimum_unknown': 'A venue’s smallest order is not known.',
  'profit.below_rounding': 'Rounding an order to the cent may take the whole profit.',
  'lease.expired': 'A book has not been confirmed for too long.',
  'book.crossed': 'A book is crossed: its best bid is not below its best ask.',
  'book.gap': 'An update of a book is missing.',
  'book.missing': 'A book has not been read yet.',
  'book.one_sided': 'A book has no offer on the side that is needed.',
  'book.scale': 'The unit of a book’s prices is not certain.',
  'book.stale': 'A book is too old.',
  'book.tick_change': 'A contract’s price steps have just changed.',
  'book.unreadable': 'A message about a book cannot be read.',
  'feed.disconnected': 'A venue’s feed is disconnected.',
  'feed.frozen': 'A venue’s feed has stopped moving.',
  'feed.late': 'A venue’s feed is late.',
  'feed.silent': 'A venue’s feed is silent.',
  'legs.changed': 'The contracts of the pair have changed.',
  'pair.withdrawn': 'The pair has been withdrawn.',
  'pair.resolving': 'A venue has stopped trading.',
  'pair.closed': 'Trading has ended on both venues.',
  'pair.settled': 'Both venues have settled.',
  'state.retracted': 'It opened on a book that was already wrong.',
  'state.too_few_legs': 'A leg is missing.',
  'state.one_venue': 'All legs are at one venue.',
  'state.cost': 'The costs of the legs do not add up.',
  'state.stakes': 'The stakes of the legs do not add up.',
  'state.leg': 'A leg is incomplete.',
};

const risks: Readonly<Record<string, string>> = GLOSSARY.risks;

function sentenceOf(code: string): string {
  const known = sentences[code] ?? sentences[code.replace(/^priced\./, '')];
  if (known) return known;
  const risk = /^risk\.(.*)$/.exec(code)?.[1];
  if (risk?.startsWith('cancel_')) return 'A high or critical risk: a cancellation pays differently.';
  if (risk && risks[risk])
    return `A high or critical risk: ${risks[risk].charAt(0).toLowerCase()}${risks[risk].slice(1)}`;
  return `${code.replace(/[._]/g, ' ')}.`;
}

/** A closed gate's codes as sentences; one without a sentence is shown as it is. */
export const reasonText = (reason: string | null): string =>
  reason ? reason.split(', ').map(sentenceOf).join(' ') : '';

/** A stable code such as `postponement_window` as a heading. */
export function codeText(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
