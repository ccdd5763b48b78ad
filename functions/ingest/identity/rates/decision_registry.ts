import centralBanks from '../registry/central_banks.json' with { type: 'json' };

/** The closed registry of central banks. A listing of a bank that is not in it is not parsed. */

export type Bank = {
  id: string;
  name: string;
  family: string;
  country: string;
  /** Basis points of its steps. Null when it has recently moved by other sizes. */
  step: number | null;
  /** Series of venue_a. */
  venue_a: string[];
  /** Names in texts of either venue, normalized. */
  words: string[];
};

/** One of the five choices of a rate decision, in basis points. */
export type Choice = {
  key: string;
  name: string;
  /** Codes of venue_a's tickers. */
  venue_a: string[];
  low: number | null;
  high: number | null;
  comparison: string;
};

export const BANKS: readonly Bank[] = centralBanks.banks;
export const CHOICES: readonly Choice[] = centralBanks.choices;
