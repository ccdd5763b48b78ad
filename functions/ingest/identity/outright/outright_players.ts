import type { VenueCode } from '../../listing.ts';
import cycling from '../registry/players_cycling.json' with { type: 'json' };
import golf from '../registry/players_golf.json' with { type: 'json' };
import mlb from '../registry/players_mlb.json' with { type: 'json' };
import motor from '../registry/players_motor.json' with { type: 'json' };
import nba from '../registry/players_nba.json' with { type: 'json' };
import nfl from '../registry/players_nfl.json' with { type: 'json' };
import nhl from '../registry/players_nhl.json' with { type: 'json' };
import soccer from '../registry/players_soccer.json' with { type: 'json' };
import tennis from '../registry/players_tennis.json' with { type: 'json' };
import { normalize, personKey } from '../text/text.ts';

/**
 * People who stand for awards. A full name needs no registry; a registry is needed for one who goes by one name or several, and
 * where venue_a prints nothing but a ticker code: the code then names the only one of the list that it can mean, or nobody.
 */

type PeopleFile = {
  source: string[];
  /** How venue_a makes a code of a name there: JBRU of Jalen Brunson, FRI of Taylor Fritz. */
  code: 'initial_surname' | 'surname';
  /** Lists by name; the first is everyone's. An entry is "Name", or "Name | other name | CODE": capitals alone are a code. */
  lists: { [list: string]: string[] };
};

type People = {
  byName: ReadonlyMap<string, ReadonlySet<string>>;
  byCode: Record<VenueCode, ReadonlyMap<string, ReadonlySet<string>>>;
  names: ReadonlyMap<string, string>;
};

const FILES: { [file: string]: PeopleFile } = {
  cycling,
  golf,
  mlb,
  motor,
  nba,
  nfl,
  nhl,
  soccer,
  tennis,
} as unknown as { [file: string]: PeopleFile };

const PARTICLES = new Set(['jr', 'sr', 'ii', 'iii', 'iv']);

/** venue_b's slugs: "antedw" of Anthony Edwards, "minlee" of Min Woo Lee. */
function slugCode(name: string): string {
  const words = name.split(' ').filter((word) => !PARTICLES.has(normalize(word)));
  return `${normalize(words[0] ?? '').slice(0, 3)}${normalize(words.at(-1) ?? '').slice(0, 3)}`;
}

function usualCode(name: string, how: PeopleFile['code']): string {
  const words = normalize(name)
    .split(' ')
    .filter((word) => !PARTICLES.has(word));
  const family = (words.slice(1).join('') || (words[0] ?? '')).slice(0, 3);
  return (how === 'surname' ? family : `${words[0]?.[0] ?? ''}${family}`).toUpperCase();
}

function add(map: Map<string, Set<string>>, key: string, id: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(id));
}

function buildPeople(file: PeopleFile, entries: readonly string[]): People {
  const byName = new Map<string, Set<string>>();
  const byCode = { venue_a: new Map<string, Set<string>>(), venue_b: new Map<string, Set<string>>() };
  const names = new Map<string, string>();
  for (const entry of entries) {
    const [name = '', ...more] = entry.split('|').map((part) => part.trim());
    const key = personKey(name) ?? normalize(name);
    const codes = more.filter((one) => /^[A-Z0-9]+$/.test(one));
    names.set(key, name);
    for (const one of [name, ...more.filter((other) => !codes.includes(other))])
      add(byName, personKey(one) ?? normalize(one), key);
    for (const code of codes.length > 0 ? codes : [usualCode(name, file.code)]) add(byCode.venue_a, code, key);
    add(byCode.venue_b, slugCode(name), key);
  }
  return { byName, byCode, names };
}

const LISTS = new Map(
  Object.entries(FILES).flatMap(([name, file]) => [
    [name, buildPeople(file, Object.values(file.lists).flat())] as const,
    ...Object.entries(file.lists).map(([list, entries]) => [`${name}/${list}`, buildPeople(file, entries)] as const),
  ]),
);

export type Person = { key: string; name: string; by: 'name' | 'registry' | 'code' };

/** One person by what is printed. A full name that no list holds stands for itself; one word that no list holds is nobody. */
export function personByName(list: string | null, name: string): Person | null {
  const printed = personKey(name) ?? normalize(name);
  const file = list?.split('/')[0];
  const known = file === undefined ? undefined : LISTS.get(file);
  const [only, ...others] = known?.byName.get(printed) ?? [];
  if (known !== undefined && only !== undefined)
    return others.length > 0 ? null : { key: only, name: known.names.get(only) ?? name, by: 'registry' };
  const key = personKey(name);
  return key === null ? null : { key, name, by: 'name' };
}

/**
 * The one person of a list that a code can mean. Shirt numbers at a ticker's end are venue_a's way to part namesakes. venue_b's six
 * letters tell more than venue_a's four, so they are held against everybody of the sport, not the award's own list.
 */
export function personByCode(list: string | null, venue: VenueCode, code: string): Person | null {
  const known = LISTS.get((venue === 'venue_b' ? list?.split('/')[0] : list) ?? '');
  const codes = known?.byCode[venue];
  const [only, ...others] = codes?.get(code) ?? codes?.get(code.replace(/\d+$/, '')) ?? [];
  if (known === undefined || only === undefined || others.length > 0) return null;
  return { key: only, name: known.names.get(only) ?? only, by: 'code' };
}
