import persons from '../registry/persons.json' with { type: 'json' };
import { normalize } from '../text/text.ts';

/**
 * Keys of persons. Players are too many and change too fast for a closed list, so the key is
 * derived from the name. The titles of venue_a print the family name ("ugo carabelli"), venue_b
 * prints the full name ("Camilo Ugo Carabelli"). Both share the last word of the family name. Two
 * persons with one family name are separated by their given names, which are stored as evidence.
 */

const GENERATION = new Set(['jr', 'sr', 'ii', 'iii', 'iv']);
const NICKNAME = /["“”«»][^"“”«»]*["“”«»]|\([^()]*\)/g;
const FAMILY_FIRST = new Set(persons.family_first.flatMap((line) => line.split(' ')));
const FAMILY_OF = new Map(
  persons.exceptions.flatMap(({ family, forms }) => forms.map((form) => [form, family] as const)),
);

const words = (name: string): string[] =>
  normalize(name.replace(NICKNAME, ' '))
    .split(' ')
    .filter((word) => word !== '' && !GENERATION.has(word));

/**
 * Unifies different transliterations: Moeller and Möller, Zheleznyakova and Zhelezniakova,
 * Aleksandrova and Alexandrova. Short names do not change: Lee is not Le.
 */
function unifySpelling(family: string): string {
  return family.length < 5 ? family : unifyLetters(family);
}

const unifyLetters = (text: string): string =>
  text
    .replace(/([aou])e/g, '$1')
    .replace(/ks/g, 'x')
    .replace(/y/g, 'i')
    .replace(/ii+/g, 'i');

/**
 * Whether a normalized text contains the person of this key, or one of a pair. A key has a unified
 * spelling that no text has: "tiafo" is Tiafoe.
 */
export function mentionsPerson(text: string, key: string): boolean {
  const unified = ` ${unifyLetters(text)} `;
  return key.split('+').some((one) => one.split('-').every((word) => unified.includes(` ${unifyLetters(word)} `)));
}

/**
 * Returns the family name. In Chinese and Korean order it is the first word ("Wang Xinyu"), unless
 * the last word could be a family name too ("Shuai Zhang").
 */
function familyOf(all: readonly string[]): string | null {
  const first = all[0];
  const last = all.at(-1);
  if (first === undefined || last === undefined) return null;
  // "Maiar Sherif Ahmed Abdelaziz": known double family names match after any given name.
  for (let from = 0; from === 0 || from < all.length - 1; from += 1) {
    const known = FAMILY_OF.get(all.slice(from).join(' '));
    if (known !== undefined) return unifySpelling(known);
  }
  return unifySpelling(FAMILY_FIRST.has(first) && !FAMILY_FIRST.has(last) ? first : last);
}

/** Returns the members of a doubles pair ("Krejcikova/Siniakova"), else the one name. */
const members = (name: string): string[] => name.split(/\s*\/\s*|\s+&\s+/).filter((one) => one.trim() !== '');

/**
 * Returns the key of a player or pair: `carabelli`, or `krejcikova+siniakova`. Null when a name is
 * missing.
 */
export function playerKey(name: string): string | null {
  const keys = members(name).map((one) => familyOf(words(one)));
  if (keys.length === 0 || keys.length > 2 || keys.includes(null)) return null;
  return keys.sort().join('+');
}

/**
 * Returns every word that may be the family name under which the other venue lists a person, the
 * key itself first: "merida aguilar" may be Merida there. With `givenFirst` the given name is left
 * out.
 */
export function playerKeys(name: string, givenFirst: boolean): string[] {
  const key = playerKey(name);
  if (key === null) return [];
  const one = words(name);
  if (members(name).length !== 1 || one.length > 5) return [key];
  const others = one
    .slice(givenFirst ? 1 : 0)
    .filter((word) => word.length > 3)
    .map(unifySpelling);
  return [...new Set([key, ...others])];
}

/**
 * Returns a key of all words of the name, in any order, for a match of two persons with one family
 * name. Null without a given name.
 */
export function fullNameKey(name: string): string | null {
  const all = members(name).map(words);
  if (all.length === 0 || all.some((one) => one.length < 2)) return null;
  return all
    .map((one) => [...one].sort().join('-'))
    .sort()
    .join('+');
}

/**
 * Whether the name has more words than a family name. Only then does it identify one person of the
 * family.
 */
export const hasGivenName = (name: string): boolean => fullNameKey(name) !== null;
