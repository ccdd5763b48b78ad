/** The five outcomes of a meeting in the words of each venue. */
export type FedMove = {
  code: string;
  a: string;
  aTitle: string;
  b: string;
  /** `when` is the month and the year. */
  slug: (when: string) => string;
  question: (when: string) => string;
  lean: number;
};

/** `isOpen`: an open-ended move. Venue A writes "more than 25", venue B "50+". */
function move(code: string, direction: 'cut' | 'hike', isOpen: boolean, lean: number): FedMove {
  const word = direction === 'cut' ? 'decrease' : 'increase';
  const [size, basis] = isOpen ? ['>25bps', '50'] : ['25bps', '25'];
  const name = direction === 'cut' ? 'Cut' : 'Hike';
  return {
    code,
    a: `${name} ${size}`,
    aTitle: `${name} rates by ${size}`,
    b: `${basis}${isOpen ? '+' : ''} bps ${word}`,
    slug: (when) => `fed-${word}s-interest-rates-by-${basis}-bps-after-${when}-meeting`,
    question: (when) =>
      `Will the Fed ${word} interest rates by ${basis}${isOpen ? '+' : ''} bps after the ${when} meeting?`,
    lean,
  };
}

export const FED_MOVES: readonly FedMove[] = [
  move('C26', 'cut', true, -2.6),
  move('C25', 'cut', false, 0.4),
  {
    code: 'H0',
    a: 'Fed maintains rate',
    aTitle: 'Hike rates by 0bps',
    b: 'No change',
    slug: (when) => `no-change-in-fed-interest-rates-after-${when}-meeting`,
    question: (when) => `Will there be no change in Fed interest rates after the ${when} meeting?`,
    lean: 1.2,
  },
  move('H25', 'hike', false, -1.6),
  move('H26', 'hike', true, -3.6),
];
