/**
 * A central bank other than the Fed. For some banks venue A has more outcomes than venue B, which
 * often lists three or four.
 */
export type Bank = {
  series: string;
  name: string;
  /** As in the slugs of venue B, with an article if it has one. */
  slug: string;
  site: string;
  /** Days from the base time to the next decision, before it is moved to a Thursday. */
  ahead: number;
  hour: number;
  finer: boolean;
  /** A meeting of two days: venue A uses the first date, venue B the second. */
  twoDays: boolean;
};

export const BANKS: readonly Bank[] = [
  {
    series: 'KXCBDECISIONENGLAND',
    name: 'Bank of England',
    slug: 'bank-of-england',
    site: 'https://www.bankofengland.co.uk/',
    ahead: 21,
    hour: 7,
    finer: true,
    twoDays: false,
  },
  {
    series: 'KXCBDECISIONEU',
    name: 'European Central Bank',
    slug: 'ecb',
    site: 'https://www.ecb.europa.eu/',
    ahead: 21,
    hour: 8,
    finer: false,
    twoDays: false,
  },
  {
    series: 'KXCBDECISIONJAPAN',
    name: 'Bank of Japan',
    slug: 'bank-of-japan',
    site: 'https://www.boj.or.jp/en/',
    ahead: 24,
    hour: 22,
    finer: true,
    twoDays: true,
  },
  {
    series: 'KXCBDECISIONCANADA',
    name: 'Bank of Canada',
    slug: 'bank-of-canada',
    site: 'https://www.bankofcanada.ca/',
    ahead: 15,
    hour: 10,
    finer: false,
    twoDays: false,
  },
];

/** A move in basis points. `more` means "more than", which venue B writes as "50+". */
export type Move = { code: string; a: string; change: number; more: boolean; lean: number };
export const FIVE_MOVES: readonly Move[] = [
  { code: 'C26', a: 'Cut >25bps', change: -25, more: true, lean: -2.4 },
  { code: 'C25', a: 'Cut 25bps', change: -25, more: false, lean: 0.6 },
  { code: 'H0', a: 'Hike 0bps', change: 0, more: false, lean: 1.1 },
  { code: 'H25', a: 'Hike 25bps', change: 25, more: false, lean: -1.2 },
  { code: 'H26', a: 'Hike >25bps', change: 25, more: true, lean: -3.4 },
];
export const FINER_MOVES: readonly Move[] = [
  { code: 'C50P', a: 'Cut more than 50bps', change: -50, more: true, lean: -3.6 },
  { code: 'C50', a: 'Cut 50bps', change: -50, more: false, lean: -2.6 },
  ...FIVE_MOVES.filter((one) => !one.more),
  { code: 'H50', a: 'Hike 50bps', change: 50, more: false, lean: -3.8 },
];

/** The four outcomes of venue B: 50 or more down, 25 down, no change, 25 up. */
export const CHOICES_B = [
  { change: -50, more: true, group: '50+ bps decrease' },
  { change: -25, more: false, group: '25 bps decrease' },
  { change: 0, more: false, group: 'No change' },
  { change: 25, more: false, group: '25 bps increase' },
] as const;

/** The indices of the moves of venue A that make up an outcome of venue B. */
export function movesOf(choice: (typeof CHOICES_B)[number], moves: readonly Move[]): number[] {
  return moves.flatMap((move, i) => {
    if (!choice.more) return move.change === choice.change && !move.more ? [i] : [];
    return move.change <= -50 || (move.change === -25 && move.more) ? [i] : [];
  });
}
