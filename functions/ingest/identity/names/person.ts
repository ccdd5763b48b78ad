import persons from '../registry/persons.json' with { type: 'json' };
import { normalize } from '../text/text.ts';

/**
 * Persons are too many and change too fast for a closed list: who plays is read off the name itself. venue_a's titles print the
 * family name ("ugo carabelli"), venue_b the whole one ("Camilo Ugo Carabelli"): what both share is the last word of the family
 * name. Two persons of one family name are told apart by their given names, which go along as evidence.
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
 * One spelling of what alphabets are put into Latin letters in several ways: Moeller and Möller, Zheleznyakova and Zhelezniakova,
 * Aleksandrova and Alexandrova. Short names are left as they are: Lee is not Le.
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

/** Does a normal text hold the person of this key, or one of a pair? A key is spelled as no text is: "tiafo" stands for Tiafoe. */
export function mentionsPerson(text: string, key: string): boolean {
  const unified = ` ${unifyLetters(text)} `;
  return key.split('+').some((one) => one.split('-').every((word) => unified.includes(` ${unifyLetters(word)} `)));
}

/** Family name in Chinese and Korean order ("Wang Xinyu"), unless the last word could be one as well ("Shuai Zhang"). */
function familyOf(all: readonly string[]): string | null {
  const first = all[0];
  const last = all.at(-1);
  if (first === undefined || last === undefined) return null;
  // "Maiar Sherif Ahmed Abdelaziz": two family names are known behind whatever given name.
  for (let from = 0; from === 0 || from < all.length - 1; from += 1) {
    const known = FAMILY_OF.get(all.slice(from).join(' '));
    if (known !== undefined) return unifySpelling(known);
  }
  return unifySpelling(FAMILY_FIRST.has(first) && !FAMILY_FIRST.has(last) ? first : last);
}

/** Members of a doubles pair ("Krejcikova/Siniakova"); one name otherwise. */
const members = (name: string): string[] => name.split(/\s*\/\s*|\s+&\s+/).filter((one) => one.trim() !== '');

/** Key of who plays: `carabelli`, or `krejcikova+siniakova` for a pair; null where a name is missing. */
export function playerKey(name: string): string | null {
  const keys = members(name).map((one) => familyOf(words(one)));
  if (keys.length === 0 || keys.length > 2 || keys.includes(null)) return null;
  return keys.sort().join('+');
}

/**
 * Every word that may be the family name by which the other venue calls a person, the key itself first: "merida aguilar" may be
 * Merida there. A name with its given name ahead has that left out.
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

/** Key by every word of the name, whatever their order: for a match of two persons of one family name. Null without a given name. */
export function fullNameKey(name: string): string | null {
  const all = members(name).map(words);
  if (all.length === 0 || all.some((one) => one.length < 2)) return null;
  return all
    .map((one) => [...one].sort().join('-'))
    .sort()
    .join('+');
}

/** Has the name more than a family name's one word? Only then does it say which person of the family is meant. */
export const hasGivenName = (name: string): boolean => fullNameKey(name) !== null;
