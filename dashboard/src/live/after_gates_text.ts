import { reasonText } from './reason_text.ts';

/** What happened to a pair whose gates are open, by the code of ops.after_gates. */
const sentences: Record<string, string> = {
  'opportunity.open': 'An opportunity is open.',
  'edge.none': 'Nothing is left after fees at these prices.',
  'fee.unknown': 'The fee of a contract that is needed is not known.',
  'size.minimum_unknown': 'The smallest order of a contract is not known.',
  'book.one_sided': 'Nobody sells an outcome’s own contract at one of the venues.',
  'pair.withdrawn': 'The pair was withdrawn.',
  'pair.resolving': 'Trading has ended.',
  'pair.closed': 'The market is closed.',
  'pair.settled': 'The market is settled.',
};

export const afterGatesText = (code: string | null): string =>
  code === null ? '' : (sentences[code] ?? reasonText(code));
