import { parseTickerDate } from './eastern.ts';

/** The parts of a venue_a game ticker: `KXMLBGAME-26AUG092020HOUSDG2`. */
export type GameTicker = {
  series: string;
  /**
   * The text between series and codes as written. It identifies the occasion even after the game is
   * moved.
   */
  occasion: string;
  on_date: string;
  /** Start in New York time, if the ticker has one. */
  clock: { hour: number; minute: number } | null;
  codes: string;
  game_no: number | null;
};

const GAME = /^([A-Z0-9]+)-(\d{2}[A-Z]{3}\d{2})(\d{4})?([A-Z0-9.]*?)(?:G([12]))?$/;

/**
 * `doubleheaders`: whether G1 or G2 at the end is the number of the game. Otherwise it is a team
 * ("KCG2" is Karmine Corp against G2).
 */
export function parseGameTicker(ticker: string, doubleheaders = true): GameTicker | null {
  const match = GAME.exec(ticker);
  const on_date = match ? parseTickerDate(match[2] ?? '') : null;
  if (!match || on_date === null) return null;
  const [, series = '', day = '', time, codes = '', game] = match;
  return {
    series,
    occasion: `${day}${time ?? ''}`,
    on_date,
    clock: time ? { hour: Number(time.slice(0, 2)), minute: Number(time.slice(2)) } : null,
    codes: game && !doubleheaders ? `${codes}G${game}` : codes,
    game_no: game && doubleheaders ? Number(game) : null,
  };
}

/** `KXNFLMVP-27`: the series and the year of the decision. */
export function parseYearTicker(ticker: string): { series: string; year: number } | null {
  const match = /^([A-Z0-9]+)-(\d{2})$/.exec(ticker);
  return match ? { series: match[1] ?? '', year: 2000 + Number(match[2]) } : null;
}

export const seriesOf = (ticker: string): string => ticker.split('-')[0] ?? ticker;

/** Returns the part of a market ticker after the event ticker. */
export function suffixOf(event: string, market: string): string | null {
  if (market.startsWith(`${event}-`)) return market.slice(event.length + 1);
  const last = market.split('-').at(-1);
  return last === undefined || last === market ? null : last;
}
