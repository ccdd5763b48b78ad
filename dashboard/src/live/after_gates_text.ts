import { reasonText } from './reason_text.ts';

/** The result for a pair whose gates are open, by the codes of ops.after_gates. */
const sentences: Record<string, string> = {
  'opportunity.open': 'An opportunity is open.',
  'edge.none': 'There is no edge after fees at these prices.',
  'fee.unknown': 'The fee of a required contract is unknown.',
  'size.minimum_unknown': 'The minimum order of a contract is unknown.',
  'book.one_sided': 'A required contract has no asks on one venue.',
  'pair.withdrawn': 'The pair was withdrawn.',
  'pair.resolving': 'Trading has ended.',
  'pair.closed': 'The market is closed.',
  'pair.settled': 'The market is settled.',
};

export const afterGatesText = (code: string | null): string =>
  code === null ? '' : (sentences[code] ?? reasonText(code));
