import { applyLeagues, withoutCompetitions } from '../../functions/ingest/identity/names/registry.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { matchListings } from './match.ts';
import type { MatchRow } from './rows.ts';
import type { LabelledWorld, Scorer, Truth } from './score.ts';

/**
 * Leaves one competition out of the registry, matches a world again, and counts what the evidence
 * tier still finds of its labelled games.
 */
export type LeftOutLeague = {
  world: string;
  competition: string;
  /** Games of the competition that a label calls the same. */
  labelled: number;
  found: number;
  /** Games found after a person confirmed the competition once, and pairs that are wrong then. */
  confirmed?: { found: number; wrong: string[]; missed: string[] };
  /**
   * Candidates of this kind that touch a labelled event and name another partner, or that assign
   * the sides in another way than the labels.
   */
  wrong: string[];
  /** Such pairs that are published. It must be none. */
  published: number;
  missed: string[];
};

const UNCONFIRMED = new Set(['unconfirmed_league', 'unconfirmed_name']);

const pairOf = (row: { venue_a: { event_ticker: string }; venue_b: { event_slug: string } }): string =>
  `${row.venue_a.event_ticker} x ${row.venue_b.event_slug}`;

type PairRow = MatchRow & Truth & { stage: string; signals: { signal: string }[]; refused?: boolean };

/** Whether a pair of the match command comes from text evidence. */
export const isUnconfirmed = (row: MatchRow): boolean =>
  !(row as PairRow).refused && (row as PairRow).signals.some((one) => UNCONFIRMED.has(one.signal));

/** The competition of each event of venue_a, after a pass with the whole registry. */
export async function competitionsOf(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ event_id: string; competition: string }[]>`
    select q.event_id, q.identity ->> 'competition' as competition
    from venue.questions q
    where q.venue = 'venue_a'
      and q.family = 'moneyline'
      and q.excluded_reason is null`;
  return new Map(rows.map((row) => [row.event_id, row.competition]));
}

/** The labelled games of a world that are the same on both venues, by competition. */
function labelledGames(
  { truth }: LabelledWorld,
  competitions: ReadonlyMap<string, string>,
): { same: Truth[]; games: Map<string, Set<string>> } {
  const same = truth.filter((row) => row.label === 'same' && row.family === 'moneyline' && !row.thin);
  const games = new Map<string, Set<string>>();
  for (const row of same) {
    const competition = competitions.get(row.venue_a.event_ticker);
    if (competition !== undefined) games.set(competition, (games.get(competition) ?? new Set()).add(pairOf(row)));
  }
  return { same, games };
}

/** The labelled games that have a pair of any kind. */
function foundIn(rows: readonly MatchRow[], games: ReadonlySet<string>): string[] {
  const ids = new Set((rows as PairRow[]).filter((row) => !row.refused).map(pairOf));
  return [...games].filter((pair) => ids.has(pair));
}

/** Candidates with another partner than the labels, and those with other sides. */
function wrongPairs(scorer: Scorer, { truth, dir }: LabelledWorld, same: readonly Truth[], rows: PairRow[]): string[] {
  const allSame = new Set(same.map(pairOf));
  const eventsA = new Set(same.map((row) => row.venue_a.event_ticker));
  const eventsB = new Set(same.map((row) => row.venue_b.event_slug));
  const others = rows.filter(
    (row) =>
      row.market_type === 'moneyline' &&
      !allSame.has(pairOf(row)) &&
      (eventsA.has(row.venue_a.event_ticker) || eventsB.has(row.venue_b.event_slug)),
  );
  const { confusions } = scorer.score({
    truth: [...truth],
    out: rows,
    listings: scorer.readListings(dir),
    strict: false,
  });
  const sides = confusions.filter((one) => one.kind === 'inverted' || one.kind === 'wrong_leg');
  return [...others.map(pairOf), ...sides.map((one) => `${one.venue_a} x ${one.venue_b} (${one.kind})`)];
}

/**
 * What an operator does after the first match pass: makes the candidates of a competition a league
 * of the registry. The listings are matched again afterwards, in the same database.
 */
export type Confirm = (sql: Sql, competition: string) => Promise<void>;

/** Matches the world once for each competition that labelled games of it have. */
export async function leaveOneOut(
  scorer: Scorer,
  world: LabelledWorld,
  competitions: ReadonlyMap<string, string>,
  withDatabase: <T>(run: (sql: Sql) => Promise<T>) => Promise<T>,
  confirm?: Confirm,
): Promise<LeftOutLeague[]> {
  const { same, games } = labelledGames(world, competitions);
  const results: LeftOutLeague[] = [];
  for (const [competition, pairs] of games) {
    const restore = withoutCompetitions([competition]);
    try {
      results.push(
        await withDatabase(async (sql) => {
          const match = async () => (await matchListings(sql, ...world.listings, null)).rows;
          const rows = await match();
          const proposed = rows.filter(isUnconfirmed) as PairRow[];
          const found = foundIn(rows, pairs);
          const result: LeftOutLeague = {
            world: world.name,
            competition,
            labelled: pairs.size,
            found: found.length,
            wrong: wrongPairs(scorer, world, same, proposed),
            published: proposed.filter((row) => row.stage === 'catalog').length,
            missed: [...pairs].filter((pair) => !found.includes(pair)),
          };
          if (confirm === undefined) return result;
          await confirm(sql, competition);
          const after = await match();
          const foundThen = foundIn(after, pairs);
          const wrong = wrongPairs(
            scorer,
            world,
            same,
            (after as PairRow[]).filter((row) => !row.refused),
          );
          const missed = [...pairs].filter((pair) => !foundThen.includes(pair));
          return { ...result, confirmed: { found: foundThen.length, wrong, missed } };
        }),
      );
    } finally {
      applyLeagues(0, []);
      restore();
    }
  }
  return results;
}

type Sum = { labelled: number; found: number; wrong: number; published: number; confirmed: number; wrongThen: number };

/** The totals of each competition over all worlds, and of all competitions. */
export function leaveOneOutTable(results: readonly LeftOutLeague[], listed: number): string {
  const totals = new Map<string, Sum>();
  for (const one of results) {
    for (const name of [one.competition, 'all']) {
      const sum = totals.get(name) ?? { labelled: 0, found: 0, wrong: 0, published: 0, confirmed: 0, wrongThen: 0 };
      sum.labelled += one.labelled;
      sum.found += one.found;
      sum.wrong += one.wrong.length;
      sum.published += one.published;
      sum.confirmed += one.confirmed?.found ?? 0;
      sum.wrongThen += one.confirmed?.wrong.length ?? 0;
      totals.set(name, sum);
    }
  }
  const isConfirmed = results.some((one) => one.confirmed !== undefined);
  const lines = [...totals]
    .sort(([one], [other]) => Number(one === 'all') - Number(other === 'all') || (one < other ? -1 : 1))
    .map(([name, sum]) => lineOf(name, sum, isConfirmed));
  const head = [
    'competition left out'.padEnd(28),
    'found'.padStart(10),
    ''.padStart(8),
    ' wrong',
    ' published',
    ...(isConfirmed ? ['confirmed once'.padStart(15), ''.padStart(8), ' wrong'] : []),
  ].join(' ');
  return [head, ...lines, ...detailsOf(results, listed)].join('\n');
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`.padStart(8);

function lineOf(name: string, sum: Sum, isConfirmed: boolean): string {
  const { labelled, found, wrong, published, confirmed, wrongThen } = sum;
  return [
    name.padEnd(28),
    `${found}/${labelled}`.padStart(10),
    percent(found, labelled),
    String(wrong).padStart(6),
    String(published).padStart(10),
    ...(isConfirmed
      ? [`${confirmed}/${labelled}`.padStart(15), percent(confirmed, labelled), String(wrongThen).padStart(6)]
      : []),
  ].join(' ');
}

/** A line for each wrong pair, and for at most `listed` games that are missed. */
function detailsOf(results: readonly LeftOutLeague[], listed: number): string[] {
  const of = ({ world, competition }: LeftOutLeague) => `${world} ${competition}`;
  const wrong = results.flatMap((one) => [
    ...one.wrong.map((pair) => `  wrong  ${of(one)}: ${pair}`),
    ...(one.confirmed?.wrong ?? []).map((pair) => `  wrong after the confirmation  ${of(one)}: ${pair}`),
  ]);
  const missed = results.flatMap((one) => one.missed.map((pair) => `  missed ${of(one)}: ${pair}`));
  const missedThen = results.flatMap((one) =>
    (one.confirmed?.missed ?? []).map((pair) => `  missed after the confirmation  ${of(one)}: ${pair}`),
  );
  return [...wrong, ...missed.slice(0, listed), ...missedThen.slice(0, listed)];
}
