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
 * Persons who can win awards. A full name needs no registry. A registry is needed for a person with
 * one name or several names, and where venue_a prints only a ticker code. The code must then mean
 * exactly one person of the list.
 */

type PeopleFile = {
  source: string[];
  /** How venue_a derives a code from a name: JBRU from Jalen Brunson, FRI from Taylor Fritz. */
  code: 'initial_surname' | 'surname';
  /**
   * Lists by name. An entry is "Name", or "Name | other name | CODE", where capitals alone are a
   * code.
   */
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

/** Returns the code in venue_b slugs: "antedw" for Anthony Edwards, "minlee" for Min Woo Lee. */
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

const lists = new Map<string, People | null>();

/**
 * `nfl`: all persons of a file. `nfl/quarterbacks`: one list of it. Built with the first question,
 * because a limited call reads few listings and has 2 s of CPU. Null when no file holds it.
 */
function peopleOf(list: string): People | null {
  let people = lists.get(list);
  if (people === undefined) {
    const [name = '', part] = list.split('/');
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    const entries = part === undefined ? Object.values(file?.lists ?? {}).flat() : file?.lists[part];
    people = file === undefined || entries === undefined ? null : buildPeople(file, entries);
    lists.set(list, people);
  }
  return people;
}

export type Person = { key: string; name: string; by: 'name' | 'registry' | 'code' };

/**
 * Returns the person with a printed name. A full name that no list holds is its own key. A single
 * word that no list holds gives null.
 */
export function personByName(list: string | null, name: string): Person | null {
  const printed = personKey(name) ?? normalize(name);
  const file = list?.split('/')[0];
  const known = file === undefined ? null : peopleOf(file);
  const [only, ...others] = known?.byName.get(printed) ?? [];
  if (known !== null && only !== undefined)
    return others.length > 0 ? null : { key: only, name: known.names.get(only) ?? name, by: 'registry' };
  const key = personKey(name);
  return key === null ? null : { key, name, by: 'name' };
}

/**
 * Returns the only person of a list that a code can mean. venue_a appends shirt numbers to separate
 * persons with the same name. The six letters of venue_b are more specific than the four of
 * venue_a, so they are compared with all persons of the sport.
 */
export function personByCode(list: string | null, venue: VenueCode, code: string): Person | null {
  const known = peopleOf((venue === 'venue_b' ? list?.split('/')[0] : list) ?? '');
  const codes = known?.byCode[venue];
  const [only, ...others] = codes?.get(code) ?? codes?.get(code.replace(/\d+$/, '')) ?? [];
  if (known === null || only === undefined || others.length > 0) return null;
  return { key: only, name: known.names.get(only) ?? only, by: 'code' };
}
