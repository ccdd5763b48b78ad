import persons from './registry/persons.json' with { type: 'json' };
import { normal } from './text.ts';

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
  normal(name.replace(NICKNAME, ' '))
    .split(' ')
    .filter((word) => word !== '' && !GENERATION.has(word));

/** Family name in Chinese and Korean order ("Wang Xinyu"), unless the last word could be one as well ("Shuai Zhang"). */
function familyOf(all: readonly string[]): string | null {
  const first = all[0];
  const last = all.at(-1);
  if (first === undefined || last === undefined) return null;
  const known = FAMILY_OF.get(all.join(' '));
  if (known !== undefined) return known;
  return FAMILY_FIRST.has(first) && !FAMILY_FIRST.has(last) ? first : last;
}

/** Members of a doubles pair ("Krejcikova/Siniakova"); one name otherwise. */
const members = (name: string): string[] => name.split(/\s*\/\s*|\s+&\s+/).filter((one) => one.trim() !== '');

/** Key of who plays: `carabelli`, or `krejcikova+siniakova` for a pair; null where a name is missing. */
export function playerKey(name: string): string | null {
  const keys = members(name).map((one) => familyOf(words(one)));
  if (keys.length === 0 || keys.length > 2 || keys.includes(null)) return null;
  return keys.sort().join('+');
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
