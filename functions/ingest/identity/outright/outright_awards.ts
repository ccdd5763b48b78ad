import { COMPETITIONS, type League, leagueOfSeries, registryIndex } from '../names/registry.ts';
import awards from '../registry/awards.json' with { type: 'json' };
import contests from '../registry/awards_contests.json' with { type: 'json' };
import { normalize } from '../text/text.ts';
import { withoutFiller } from './outright_words.ts';

/**
 * Contests and the awards that each of them gives. A contest is a league of the registry, or a
 * tournament without games there. Both are data: sets of awards with their wordings, and for each
 * contest its names and its sets.
 */

type Kind = 'team' | 'person' | 'named';
type YearRule = 'decided' | 'season_start' | 'season_start_decides';

export type Award = {
  id: string;
  name: string;
  /**
   * Id of the contest: a league of the registry, or a tournament of registry/awards_contests.json.
   */
  competition: string;
  contest: string;
  sport: string;
  season: 'calendar' | 'crossing';
  /** `named`: the field is a closed list of its own, such as continents. */
  kind: Kind;
  exclusive: boolean;
  /** `all`, a group of the pool, or null when the registry does not hold the whole field. */
  field: string | null;
  /**
   * The meaning of a year in a text: the year of the decision, the year in which the season starts,
   * or, where a text names two years, the first of them.
   */
  year: YearRule;
  /** The closed names of a `named` field, by outcome key. */
  names: { [key: string]: string[] } | null;
  /** The list of persons who may win it, for ticker codes. */
  people: string | null;
  /** Other awards of the contest whose wording venue_a uses for this one under its own series. */
  also: readonly string[];
};

type AwardRow = {
  id: string;
  name: string;
  kind?: Kind;
  exclusive?: boolean;
  field?: string;
  year?: YearRule;
  phrases: string[];
  alone?: string[];
  each?: { [name: string]: string[] };
  names?: { [key: string]: string[] };
  people?: string;
  also?: string[];
};

type ContestRow = {
  id: string;
  /** Game series of the registry league that this contest is. */
  of?: string[];
  name?: string;
  sport?: string;
  season?: 'calendar' | 'crossing';
  words?: string[];
  /** Names that count only under a series with the stem of the contest. */
  bare?: string[];
  /** Words next to the name that have no meaning of their own. */
  filler_words?: string[];
  stems?: string[];
  /** One contest for each entry, with `{t}` in id, name and words. */
  each?: { [id: string]: string[] };
  /** Leagues (by game series) whose clubs and nations take part. */
  teams_of?: string[];
  /** True when no registry holds the whole field. A name that is in none is used as printed. */
  open?: boolean;
  year?: YearRule;
  people?: string;
  sets: string[];
  series?: { [award: string]: string[] };
  awards?: AwardRow[];
};

export type Contest = {
  id: string;
  name: string;
  sport: string;
  stems: readonly string[];
  /** Names and words to remove from a text, longest first. */
  strip: readonly string[];
  /**
   * Award by the words that remain after the names of the contest are removed. Null for an
   * ambiguous wording.
   */
  wordings: ReadonlyMap<string, Award | null>;
  /** Leagues whose registries hold its teams. Empty when none does. */
  leagues: readonly League[];
  open: boolean;
};

const SETS = awards.sets as unknown as { [set: string]: AwardRow[] };
const BY_SPORT = awards.by_sport as unknown as { [sport: string]: string[] };
const ROWS = contests.contests as unknown as ContestRow[];
/** Further names of registry leagues in texts, by league id. */
const NAMES = contests.names as unknown as { [league: string]: string[] };

const fill = (text: string, name: string, value: string): string => text.replaceAll(`{${name}}`, value);

const ACRONYMS = new Set(['al', 'nl', 'era', 'ops', 'rbi', 'war', 'bmw', 'pga', 'rbc', 'rsm', 'us']);
const SMALL = new Set(['of', 'the', 'in']);

/**
 * Capitalizes like a title: "atlantic" is "Atlantic", "reach the round of 16" is "Reach the Round
 * of 16", "era" is "ERA".
 */
const toTitleCase = (text: string): string =>
  text.replace(/(^|[\s/-])([a-z]+)/g, (_, before: string, word: string) => {
    if (ACRONYMS.has(word)) return before + word.toUpperCase();
    if (before === ' ' && SMALL.has(word)) return before + word;
    return before + word.charAt(0).toUpperCase() + word.slice(1);
  });

/**
 * Expands a row to one award per value: "Group {g}" for a to l. A value may be followed by other
 * wordings: "home-runs|home runs|homers".
 */
function expandRow(row: AwardRow): AwardRow[] {
  const [name, values] = Object.entries(row.each ?? {})[0] ?? [];
  if (name === undefined || values === undefined) return [row];
  return values.map((value) => {
    const [id = '', ...otherWordings] = value.split('|');
    const wordings = otherWordings.length === 0 ? [id] : otherWordings;
    const field = row.field === undefined ? {} : { field: fill(row.field, name, id) };
    return {
      ...row,
      ...field,
      id: fill(row.id, name, id),
      name: fill(row.name, name, toTitleCase(wordings[0] ?? id)),
      phrases: row.phrases.flatMap((phrase) => wordings.map((one) => fill(phrase, name, one))),
      alone: (row.alone ?? []).flatMap((phrase) => wordings.map((one) => fill(phrase, name, one))),
    };
  });
}

/** A row with its wordings as they are looked up: normalized and without filler. */
type ReadyRow = AwardRow & { phraseCores: readonly string[]; aloneCores: readonly string[] };

const coresOf = (phrases: readonly string[]): string[] => phrases.map((one) => withoutFiller(normalize(one)));

const withCores = (row: AwardRow): ReadyRow => ({
  ...row,
  phraseCores: coresOf(row.phrases),
  aloneCores: coresOf(row.alone ?? []),
});

const readySets = new Map<string, readonly ReadyRow[]>();

/** The rows of a set. Most leagues of a sport share one, so each is expanded once. */
function rowsOfSet(set: string): readonly ReadyRow[] {
  let rows = readySets.get(set);
  if (rows === undefined) {
    rows = (SETS[set] ?? []).flatMap(expandRow).map(withCores);
    readySets.set(set, rows);
  }
  return rows;
}

/** Awards that a series or a wording names without a contest. */
type NamedAwards = { bySeries: Map<string, Award>; byUniqueWording: Map<string, Award | null> };

function buildContest(
  row: ContestRow,
  league: League | null,
  { bySeries, byUniqueWording }: NamedAwards,
): { contest: Contest; words: string[]; bare: string[] } {
  const id = league?.id ?? row.id;
  const words = [
    ...(row.words ?? []),
    ...(NAMES[id] ?? []),
    ...(league?.words ?? []),
    ...(league?.venue_a.names ?? []),
  ].map(normalize);
  const bare = (row.bare ?? []).map(normalize);
  const wordings = new Map<string, Award | null>();
  const rows = [...row.sets.flatMap(rowsOfSet), ...(row.awards ?? []).flatMap(expandRow).map(withCores)];
  const name = league?.name ?? row.name ?? row.id;
  const sport = league?.sport ?? row.sport ?? '';
  for (const one of rows) {
    const award: Award = {
      id: one.id,
      name: one.name,
      competition: id,
      contest: name,
      sport,
      season: league?.season ?? row.season ?? 'calendar',
      kind: one.kind ?? 'team',
      exclusive: one.exclusive ?? true,
      field: one.field ?? null,
      year: one.year ?? row.year ?? 'decided',
      names: one.names ?? null,
      people: one.people ?? row.people ?? null,
      also: one.also ?? [],
    };
    for (const core of one.phraseCores) {
      const before = wordings.get(core);
      // A wording of two awards selects neither.
      wordings.set(core, before === undefined || before?.id === award.id ? award : null);
    }
    for (const core of one.aloneCores) {
      byUniqueWording.set(core, byUniqueWording.has(core) ? null : award);
    }
    for (const series of row.series?.[one.id] ?? []) bySeries.set(series, award);
  }
  const game = (league?.venue_a.game_series ?? []).map((series) => series.replace(/GAME$|MATCH$|FIGHT$/, ''));
  const teams = (row.teams_of ?? []).map(leagueOfSeries).filter((one): one is League => one !== null);
  const base = [...words, ...bare];
  const strip = [
    ...base,
    ...base.filter((word) => !/league$/.test(word)).map((word) => `${word} league`),
    ...(row.filler_words ?? []).map(normalize),
  ];
  return {
    contest: {
      id,
      name,
      sport,
      stems: [...(row.stems ?? []), ...game],
      strip: [...new Set(strip)].sort((a, b) => b.length - a.length),
      wordings,
      leagues: league ? [league] : teams,
      open: row.open ?? false,
    },
    words: [...new Set(words)],
    bare,
  };
}

function expandContest(row: ContestRow): ContestRow[] {
  if (row.each === undefined) return [row];
  return Object.entries(row.each).map(([id, names]) => {
    const filled = (texts: string[]) => texts.flatMap((text) => names.map((name) => fill(text, 't', name)));
    return {
      ...row,
      id: fill(row.id, 't', id),
      name: fill(row.name ?? row.id, 't', toTitleCase(names[0] ?? id)),
      words: filled(row.words ?? []),
      bare: filled(row.bare ?? []),
    };
  });
}

type NamedContest = { word: string; contest: Contest; bare: boolean };

/** All contests. Building them takes as long as loading the registry, so it waits for a use. */
const index = registryIndex(() => {
  const named: NamedAwards = { bySeries: new Map(), byUniqueWording: new Map() };
  const built = buildContests(named);
  const byWord = new Map<string, NamedContest[]>();
  for (const { contest, words, bare } of built) {
    const all = [
      ...words.map((word) => ({ word, contest, bare: false })),
      ...bare.map((word) => ({ word, contest, bare: true })),
    ];
    for (const one of all) {
      const first = one.word.split(' ')[0] ?? '';
      const known = byWord.get(first);
      if (known) known.push(one);
      else byWord.set(first, [one]);
    }
  }
  return {
    ...named,
    byId: new Map(built.map(({ contest }) => [contest.id, contest])) as ReadonlyMap<string, Contest>,
    byWord,
    stems: built.flatMap(({ contest }) => contest.stems.map((stem) => ({ stem, contest }))),
  };
});

export const contestsById = (): ReadonlyMap<string, Contest> => index().byId;

/** Contests by the first word of a name, so that a text is compared with few names. */
export const contestsOfWord = (word: string): readonly NamedContest[] => index().byWord.get(word) ?? [];

/** The award of a wording that needs no contest name. Null for a wording of two contests. */
export const awardOfUniqueWording = (core: string): Award | null => index().byUniqueWording.get(core) ?? null;

/** The contests of the tables, then the leagues of the registry that the tables do not name. */
function buildContests(named: NamedAwards): ReturnType<typeof buildContest>[] {
  const built: ReturnType<typeof buildContest>[] = [];
  const listedLeagues = new Set<string>();
  for (const row of ROWS.flatMap(expandContest)) {
    const league = (row.of ?? []).map(leagueOfSeries).find((one) => one !== null) ?? COMPETITIONS.get(row.id) ?? null;
    // The registry does not hold this league, so only its id is known.
    if (league === null && row.name === undefined) continue;
    if (league !== null) listedLeagues.add(league.id);
    built.push(buildContest(row, league, named));
  }
  for (const league of COMPETITIONS.values()) {
    const sets = league.named_only === true ? undefined : BY_SPORT[league.sport];
    if (!listedLeagues.has(league.id) && sets) built.push(buildContest({ id: league.id, sets }, league, named));
  }
  return built;
}

/**
 * Returns the contests with the longest stem that the series starts with: KXNFLMVP belongs to
 * KXNFL, KXLALIGA2TOP4 does not belong to KXLALIGA.
 */
export function contestsOfStem(series: string): Contest[] {
  const fitting = index().stems.filter(({ stem }) => series.startsWith(stem));
  const longest = Math.max(0, ...fitting.map(({ stem }) => stem.length));
  return [...new Set(fitting.filter(({ stem }) => stem.length === longest).map(({ contest }) => contest))];
}

export const awardOfSeries = (series: string): Award | null => index().bySeries.get(series) ?? null;
