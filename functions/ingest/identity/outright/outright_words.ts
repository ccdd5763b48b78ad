/** Words that a wording may hold without meaning another question. "not", "or", "any", "first" and the like are never among them. */
export const FILLER: ReadonlySet<string> = new Set(
  (
    'the of a an and to by in for at on from who will be is are become becomes been named crowned ' +
    'win wins won winner winners winning champion champions championship championships title titles ' +
    'award awards trophy finish finishes finisher finishers season seasons after official overall during as'
  ).split(' '),
);

/** A wording reduced to the words that tell it from others. */
export function withoutFiller(text: string): string {
  return text
    .split(' ')
    .filter((word) => word !== '' && !FILLER.has(word))
    .join(' ');
}
