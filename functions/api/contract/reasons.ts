import { GLOSSARY } from './glossary.ts';

/** Reason codes as sentences. The dashboard has the same ones. */
export const SENTENCES: Readonly<Record<string, string>> = {
  'band.candidate': 'The match is a candidate and is not confirmed.',
  'band.review': 'The match is in review: the venues word the question differently.',
  'band.confidence': 'The match confidence is below 0.95.',
  'band.price_divergence': 'The prices of the venues stay far apart, so an operator reviews the match.',
  'parity.unconfirmed': 'Too few settled pairs of this rule are known to confirm it.',
  'parity.withdrawn': 'A pair of this rule settled differently, so its confirmation was withdrawn.',
  'risk.high': 'There is a high risk that the venues settle differently.',
  'risk.critical': 'There is a critical risk that the venues settle differently.',
  'price.missing': 'An outcome has no ask on one of the venues.',
  'price.inverted': 'The venues price an outcome as each other’s opposite.',
  'price.distance': 'The venues price one outcome more than 15 points apart.',
  'priced.never': 'There is no price of both venues yet.',
  'priced.not_trading': 'The market does not trade now.',
  'priced.incomplete': 'An outcome has no ask on one of the venues, or a book is crossed.',
  'edge.gone': 'The prices moved: there is no edge after fees.',
  'venues.one': 'All legs would be on one venue, so it is not a cross-venue opportunity.',
  'fee.unknown': 'The fee of a contract is unknown.',
  'size.below_minimum': 'The available size is below the minimum order of a venue.',
  'size.minimum_unknown': 'The minimum order of a venue is unknown.',
  'profit.below_rounding': 'Rounding to the cent may take the whole profit.',
  'lease.expired': 'No worker reads these order books at present.',
  'book.crossed': 'An order book is crossed: its best bid is not below its best ask.',
  'book.gap': 'A message of an order book was lost; the book is being read again.',
  'book.missing': 'An order book has not been received yet.',
  'book.one_sided': 'A required contract has no asks.',
  'book.scale': 'It is not confirmed yet whether NO prices are quoted as YES prices.',
  'book.stale': 'An order book is too old.',
  'book.tick_change': 'The tick size of a contract has just changed.',
  'book.unreadable': 'A message of an order book could not be parsed.',
  'feed.disconnected': 'The feed of a venue is disconnected.',
  'feed.frozen': 'The feed of a venue stopped sending updates for some contracts.',
  'feed.late': 'Messages of a venue arrive seconds late.',
  'feed.silent': 'The feed of a venue sends no heartbeat.',
  'venue.disconnected': 'All connections to a venue ended at once; its order books are being read again.',
  'venue.paused': 'A venue reports that trading is paused.',
  'venue.post_only': 'A venue has restarted and accepts resting orders only.',
  'venue.silent': 'All connections to a venue are open and none sends a change.',
  'legs.changed': 'The contracts of the pair have changed.',
  'pair.withdrawn': 'The pair was withdrawn.',
  'pair.resolving': 'A venue has stopped trading.',
  'pair.closed': 'Trading has ended on both venues.',
  'pair.settled': 'Both venues have settled.',
  'state.retracted': 'It opened on an invalid order book.',
  'state.too_few_legs': 'A leg is missing.',
  'state.one_venue': 'All legs are on one venue.',
  'state.cost': 'The costs of the legs do not add up.',
  'state.stakes': 'The stakes of the legs do not add up.',
  'state.leg': 'A leg is incomplete.',
  'opportunity.open': 'An opportunity is open.',
  'edge.none': 'There is no edge after fees at these prices.',
};

const RISKS: Readonly<Record<string, string>> = GLOSSARY.risks;

/** The sentence of a code of a gate, of a rejection or of a close. */
export function sentenceOf(code: string): string {
  const known = SENTENCES[code] ?? SENTENCES[code.replace(/^priced\./, '')];
  if (known !== undefined) return known;
  const risk = RISKS[code.replace(/^risk\./, '')];
  if (risk === undefined) return `${code.replace(/[._]/g, ' ')}.`;
  return `High or critical risk: ${risk.charAt(0).toLowerCase()}${risk.slice(1)}`;
}
