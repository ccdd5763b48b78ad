import { remembered } from './remembered.ts';

/**
 * Normalizes venue text. Both venues use the same functions, so that their texts are comparable.
 */

/** Kalshi fills empty lines with U+3164. Zero-width and other blanks occur in copied titles. */
const FILLER = /[\u3164\u115f\u1160\uffa0\u200b-\u200f\u2060\ufeff\u00ad]/g;

/** Returns the visible text with single spaces. Null when nothing is left. */
export function clean(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = squeezed(value);
  return text === '' ? null : text;
}

const squeezed = remembered((value) => value.replace(FILLER, ' ').replace(/\s+/g, ' ').trim());

/** Letters that Unicode does not decompose, with their usual Latin spelling. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[øØ]/g, 'o'],
  [/[łŁ]/g, 'l'],
  [/[đĐ]/g, 'd'],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[ðÐ]/g, 'd'],
  [/[þÞ]/g, 'th'],
  [/[ıİ]/g, 'i'],
];

/** Reduces a text to basic letters: without accents, fillers and typographic apostrophes. */
function toBasicLatin(value: string): string {
  const text = value
    .replace(FILLER, ' ')
    .normalize('NFD')
    .replace(/[\u0300-\u036f’‘´®™]/g, '');
  return LETTERS.reduce((changed, [letter, spelling]) => changed.replace(letter, spelling), text);
}

/**
 * Lower case, no accents, no punctuation, single spaces: "D.C. United SC" is "dc united sc", "A's"
 * is "as".
 */
export const normalize = remembered(normalizeOnce);

/** `normalize` for a text that is not expected again, such as a name of the registry. */
export function normalizeOnce(value: string): string {
  // Most texts are ASCII, which needs no Unicode normalization.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with the control characters.
  return (/^[\x00-\x7f]*$/.test(value) ? value : toBasicLatin(value))
    .toLowerCase()
    .replace(/['`.]/g, '')
    .replace(/&/g, ' and ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** `normalize` with dashes: an outcome key. */
export function slugOf(value: string): string {
  return normalize(value).replace(/ /g, '-');
}

/** Whether `text` contains `phrase` as whole words. Both must be normalized. */
export function hasPhrase(text: string, phrase: string): boolean {
  return ` ${text} `.includes(` ${phrase} `);
}

const NICKNAME = /["“”«»][^"“”«»]*["“”«»]/g;

/**
 * Returns the full name of a person as a key: "Gerardo “Tata” Martino" is "gerardo martino", "Jaren
 * Jackson Jr." is "jaren jackson". Null for a single word, because a surname alone does not
 * identify a person.
 */
export function personKey(name: string): string | null {
  const words = normalize(name.replace(NICKNAME, ' '))
    .split(' ')
    .filter((word) => !['jr', 'sr', 'ii', 'iii', 'iv'].includes(word));
  return words.length < 2 ? null : words.join('-');
}

/**
 * Seats that a venue keeps free, and catch-all outcomes: "Player U", "Team BN", "Other", "another
 * club", "The Field".
 */
const PLACEHOLDER =
  /^(?:(?:person|player|team|coach|club|driver|candidate|manager|fighter|country|golfer|rider|individual|contestant|nominee|option|company|artist) [a-z]{1,3}|(?:any )?other(?: .*)?|another (?:team|club|player|person|coach|country|candidate|driver)|none(?: of .*)?|no one|nobody|(?:the )?field|no winner|tbd|to be (?:determined|announced)|tie co winners|co winners|any other .*|someone else)$/;

export function isPlaceholder(name: string): boolean {
  return PLACEHOLDER.test(normalize(name));
}

/** Whether a text is a template with open blanks. What such a text decides is unknown. */
export function isUnfilled(text: string): boolean {
  return /\{\{?[^{}]*\}\}?|\[(?:insert|team|player|date|name|x|tbd)[^\][]*\]|<(?:team|player|date|name)[^<>]*>|\bTBD\b|_{3,}|\|\|[A-Z _]+\|\|/i.test(
    text,
  );
}
