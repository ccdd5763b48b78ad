import { isoDate } from './eastern.ts';

/** `mlb-nyy-tb-2026-04-12[-suffix]`: what a venue_b game slug says by itself. */
export type GameSlug = {
  prefix: string;
  codes: string[];
  date: string;
  /** What follows the date, without the number groups that mean nothing; null for the main event. */
  suffix: string | null;
  /** 2 for `…-game-2` and `…-dh2`: which of the day's games, where the same two teams meet twice a day. */
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
