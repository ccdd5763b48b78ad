import { isoDate } from './eastern.ts';

/** The parts of a venue_b game slug: `mlb-nyy-tb-2026-04-12[-suffix]`. */
export type GameSlug = {
  prefix: string;
  codes: string[];
  date: string;
  /**
   * The text after the date, without groups of digits, which have no meaning. Null for the main
   * event.
   */
  suffix: string | null;
  /**
   * 2 for `…-game-2` and `…-dh2`: the number of the game where the same two teams meet twice a day.
   */
  nth: number | null;
};

export function parseGameSlug(slug: string): GameSlug | null {
  const match = /^([a-z0-9]+)-([a-z0-9-]+?)-(\d{4})-(\d{2})-(\d{2})(?:-(.+))?$/.exec(slug);
  if (!match) return null;
  const date = isoDate(Number(match[3]), Number(match[4]), Number(match[5]));
  if (date === null) return null;
  const nth = /^(?:game-?|g|dh-?)([12])$/.exec(match[6] ?? '')?.[1] ?? null;
  const suffix = (match[6] ?? '')
    .split('-')
    .filter((part) => !/^\d+$/.test(part))
    .join('-');
  return {
    prefix: match[1] ?? '',
    codes: (match[2] ?? '').split('-'),
    date,
    suffix: suffix === '' ? null : suffix,
    nth: nth === null ? null : Number(nth),
  };
}
