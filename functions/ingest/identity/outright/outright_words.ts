/**
 * Words that a wording may contain without asking another question. "not", "or", "any", "first" and
 * the like must not be added.
 */
export const FILLER: ReadonlySet<string> = new Set(
  (
    'the of a an and to by in for at on from who will be is are become becomes been named crowned ' +
    'win wins won winner winners winning champion champions championship championships title titles ' +
    'award awards trophy finish finishes finisher finishers season seasons after official overall during as'
  ).split(' '),
);

/** Returns the words that separate a wording from others. */
export function withoutFiller(text: string): string {
  return text
    .split(' ')
    .filter((word) => word !== '' && !FILLER.has(word))
    .join(' ');
}
