import { withoutCompetitions } from '../../functions/ingest/identity/names/registry.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { matchListings } from './match.ts';
import type { MatchRow } from './rows.ts';
import type { Truth } from './score.ts';

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
  /** Candidates of this kind that touch a labelled event and name another partner. */
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

/** Matches the world once for each competition that labelled games of it have. */
export async function leaveOneOut(
  world: string,
  listings: readonly [unknown[], unknown[]],
  truth: readonly Truth[],
  competitions: ReadonlyMap<string, string>,
  withDatabase: <T>(run: (sql: Sql) => Promise<T>) => Promise<T>,
): Promise<LeftOutLeague[]> {
  const same = truth.filter((row) => row.label === 'same' && row.family === 'moneyline' && !row.thin);
  const labelled = new Map<string, Set<string>>();
  for (const row of same) {
    const competition = competitions.get(row.venue_a.event_ticker);
    if (competition !== undefined) labelled.set(competition, (labelled.get(competition) ?? new Set()).add(pairOf(row)));
  }
  const allSame = new Set(same.map(pairOf));
  const eventsA = new Set(same.map((row) => row.venue_a.event_ticker));
  const eventsB = new Set(same.map((row) => row.venue_b.event_slug));
  const results: LeftOutLeague[] = [];
  for (const [competition, pairs] of labelled) {
    const restore = withoutCompetitions([competition]);
    try {
      const { rows } = await withDatabase((sql) => matchListings(sql, listings[0], listings[1], null));
      const proposed = rows.filter(isUnconfirmed) as PairRow[];
      const ids = new Set((rows.filter((row) => !(row as PairRow).refused) as PairRow[]).map(pairOf));
      const wrong = proposed.filter(
        (row) =>
          row.market_type === 'moneyline' &&
          !allSame.has(pairOf(row)) &&
          (eventsA.has(row.venue_a.event_ticker) || eventsB.has(row.venue_b.event_slug)),
      );
      results.push({
        world,
        competition,
        labelled: pairs.size,
        found: [...pairs].filter((pair) => ids.has(pair)).length,
        wrong: wrong.map(pairOf),
        published: proposed.filter((row) => row.stage === 'catalog').length,
        missed: [...pairs].filter((pair) => !ids.has(pair)),
      });
    } finally {
      restore();
    }
  }
  return results;
}

/** The totals of each competition over all worlds, and of all competitions. */
export function leaveOneOutTable(results: readonly LeftOutLeague[], listed: number): string {
  const totals = new Map<string, { labelled: number; found: number; wrong: number; published: number }>();
  for (const one of results) {
    for (const name of [one.competition, 'all']) {
      const sum = totals.get(name) ?? { labelled: 0, found: 0, wrong: 0, published: 0 };
      sum.labelled += one.labelled;
      sum.found += one.found;
      sum.wrong += one.wrong.length;
      sum.published += one.published;
      totals.set(name, sum);
    }
  }
  const lines = [...totals]
    .sort(([one], [other]) => Number(one === 'all') - Number(other === 'all') || (one < other ? -1 : 1))
    .map(([name, { labelled, found, wrong, published }]) =>
      [
        name.padEnd(28),
        `${found}/${labelled}`.padStart(10),
        `${((100 * found) / labelled).toFixed(1)} %`.padStart(8),
        String(wrong).padStart(6),
        String(published).padStart(10),
      ].join(' '),
    );
  const head = ['competition left out'.padEnd(28), 'found'.padStart(10), ''.padStart(8), 'wrong', ' published'].join(
    ' ',
  );
  const wrong = results.flatMap((one) => one.wrong.map((pair) => `  wrong  ${one.world} ${one.competition}: ${pair}`));
  const missed = results.flatMap((one) =>
    one.missed.map((pair) => `  missed ${one.world} ${one.competition}: ${pair}`),
  );
  return [head, ...lines, ...wrong, ...missed.slice(0, listed)].join('\n');
}
